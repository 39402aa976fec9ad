"""What is timed is the method, not the compiler."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from experiments import fit
from experiments.methods import Method
from experiments.rivals.personal import Personal


class Classifier(BaseEstimator):
    """Notes the engine of every fit."""

    used: list[str] = []  # noqa: RUF012  (emptied by the test)

    def __init__(self, engine="auto"):
        self.engine = engine

    def fit(self, X, y):
        self.used.append(self.engine)
        return self

    def predict(self, X):
        return np.zeros(len(X))

    def explain(self, X):
        return []


class Rival(Classifier):
    is_personal = False

    def rules(self, X):
        return []


@pytest.fixture
def methods(monkeypatch):
    Classifier.used.clear()
    made = {
        "personal": Method("personal", "ours", lambda dataset, seed: Personal(Classifier())),
        "other": Method("other", "paper", lambda dataset, seed: Rival()),
    }
    monkeypatch.setattr(fit, "METHODS", made)
    yield made
    fit.warm_up.cache_clear()


def test_both_engines_are_compiled_before_a_fit_is_timed(methods):
    """Which of them a table needs is not known; a fit of 0.02 s was stored as 17 s."""
    fit.warm_up("personal")
    assert Classifier.used == ["table", "bitmap"]


def test_rival_without_engines_is_used_once_and_only_before_its_first_fit(methods):
    fit.warm_up("other")
    fit.warm_up("other")
    assert Classifier.used == ["auto"]


@pytest.fixture
def data(monkeypatch):
    y = np.array(["a", "b"] * 100, object)
    made = fit.Dataset("random", pd.DataFrame({"x": np.arange(200.0)}), y)
    monkeypatch.setattr(fit, "_load", lambda name: made)
    return made


def test_time_of_a_fit_is_processor_time(methods, data, monkeypatch):
    """A fit must not look slow because the machine does other work."""
    ticks = iter([1.0, 3.0, 10.0])
    monkeypatch.setattr(fit, "process_time", lambda: next(ticks))
    outcome = fit.run_fit(fit.Task(data.name, "other", 0, 0))
    assert (outcome.fit_seconds, outcome.predict_seconds) == (2.0, 7.0)


def test_method_that_takes_no_seed_has_the_same_numbers_again(methods, data, monkeypatch):
    """FIGS had other numbers in every run."""

    def predict(self, X):
        return check_random_state(None).choice(["a", "b"], len(X))

    monkeypatch.setattr(Rival, "predict", predict)
    tasks = [fit.Task(data.name, "other", 0, fold) for fold in (0, 1, 2, 0, 1, 2)]
    accuracies = [fit.run_fit(task).accuracy for task in tasks]
    assert accuracies[:3] == accuracies[3:]
    assert len(set(accuracies)) > 1
