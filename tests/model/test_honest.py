"""Confidence is held against how often new predictions are right."""

import numpy as np
import pandas as pd
import pytest

from picrules import PersonalRuleClassifier


def rare(n_rows, seed):
    """A class of about one row in ten, which two numbers tell of."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=list("abc"))
    odds = 1.5 * X.a + X.b - 3
    return X, np.where(rng.random(n_rows) < 1 / (1 + np.exp(-odds)), "yes", "no")


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings", [{"class_weight": "balanced"}, {"scoring": "balanced_accuracy"}]
)
def test_weights_choose_the_decision_and_not_what_confidence_means(settings):
    clf = PersonalRuleClassifier(**settings).fit(*rare(1500, 0))
    X, y = rare(6000, 1)
    explanations, is_right = clf.explain(X), clf.predict(X) == y
    predicted = clf.classes_[explanations.labels]
    assert (predicted == "yes").mean() > 1.5 * (y == "yes").mean()
    for name, tolerance in (("yes", 0.06), ("no", 0.05)):
        own = predicted == name
        assert abs(explanations.confidences[own].mean() - is_right[own].mean()) < tolerance
    assert abs(clf.predict_proba(X)[:, 1].mean() - (y == "yes").mean()) < 0.03


@pytest.mark.slow
def test_chance_gets_what_chance_deserves():
    told, right = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.normal(size=(1300, 4)), columns=list("abcd"))
        y = rng.choice(["no", "yes"], 1300)
        clf = PersonalRuleClassifier().fit(X[:300], y[:300])
        told.append(clf.explain(X[300:]).confidences.mean())
        right.append((clf.predict(X[300:]) == y[300:]).mean())
    assert abs(np.mean(told) - np.mean(right)) < 0.05


@pytest.mark.slow
def test_chance_gets_what_chance_deserves_from_several_rules_too():
    told, right = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(2300, 6)), rng.choice(["no", "yes"], 2300)
        clf = PersonalRuleClassifier(n_rules=3, cuts=8, max_length=2).fit(X[:300], y[:300])
        told.append(clf.explain(X[300:]).confidences.mean())
        right.append((clf.predict(X[300:]) == y[300:]).mean())
    assert abs(np.mean(told) - np.mean(right)) < 0.04
