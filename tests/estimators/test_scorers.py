"""Scorers of scikit-learn, against scikit-learn on the leave-one-out predictions."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import (
    brier_score_loss,
    cohen_kappa_score,
    f1_score,
    make_scorer,
    matthews_corrcoef,
    roc_auc_score,
)

from picrules import PersonalRuleClassifier, load
from picrules.errors import BadModelFile, BadParameter
from picrules.estimators.scorers import Judge
from tests.explain.together import hints

FIXED = {"cuts": 4, "max_length": 2, "class_offset": False, "look_alikes": False}


def second_share(estimator, X, y):
    """A scorer of one's own: how many rows of the last class are found."""
    return float(np.mean(estimator.predict(X)[y == "cedar"] == "cedar"))


@pytest.mark.parametrize(
    ("scoring", "measure"),
    [
        ("f1_macro", lambda y, found: f1_score(y, found, average="macro")),
        ("matthews_corrcoef", matthews_corrcoef),
        (make_scorer(cohen_kappa_score), cohen_kappa_score),
        (second_share, lambda y, found: np.mean(found[y == "cedar"] == "cedar")),
        ("accuracy", lambda y, found: np.mean(y == found)),
    ],
    ids=["f1", "matthews", "kappa", "second share", "accuracy"],
)
def test_settings_have_the_score_of_their_leave_one_out_predictions(scoring, measure):
    X, y = hints(120)
    clf = PersonalRuleClassifier(**FIXED, alpha=1, smoothing=1, scoring=scoring).fit(X, y)
    found = np.array([explanation.prediction for explanation in clf.leave_one_out()])
    assert clf.tuning_.chosen.score == pytest.approx(measure(y, found))
    assert str(clf.tuning_).count("leave-one-out") == 1


def test_the_choice_is_the_best_by_the_scorer_unless_it_is_a_near_tie():
    X, y = hints(200)
    for scoring in ("f1_macro", "neg_log_loss", "roc_auc_ovr"):
        clf = PersonalRuleClassifier(cuts=[4, 8], max_length=2, scoring=scoring).fit(X, y)
        tuning = clf.tuning_
        assert tuning.scoring == scoring
        assert tuning.chosen.score >= tuning.default.score
        assert len({candidate.score for candidate in tuning.candidates}) > 3


@pytest.mark.parametrize("n_rows", [7, 300])
def test_rows_add_up_to_the_score_of_probabilities(n_rows, rng):
    labels, parts = rng.integers(0, 2, n_rows), rng.permutation(n_rows) % 5
    labels[:2] = 0, 1
    shares = np.clip(labels * 0.3 + rng.random(n_rows) * 0.7, 0.01, 0.99)
    estimated = np.column_stack([1 - shares, shares])
    classes = np.array(["a", "b"])
    for scoring, measure in [
        ("roc_auc", roc_auc_score(labels, shares)),
        ("neg_brier_score", -brier_score_loss(labels, shares)),
    ]:
        judge = Judge(scoring, classes if scoring == "roc_auc" else np.array([0, 1]))
        values = judge.values(labels, (shares > 0.5).astype(int), lambda: estimated, parts)
        assert values.mean() == pytest.approx(measure)


def test_the_error_is_that_of_the_mean_of_rows(rng):
    """Of accuracy each row's share is known, so that the standard error is, too."""
    errors, n_rows = [], 2000
    for _ in range(30):
        labels = rng.integers(0, 2, n_rows)
        first, second = (np.where(rng.random(n_rows) < 0.8, labels, 1 - labels) for _ in range(2))
        parts = rng.permutation(n_rows) % 5
        judge = Judge("accuracy", np.array([0, 1]))
        values = (judge.values(labels, each, list, parts) for each in (first, second))
        difference = np.subtract(*values)
        errors.append((difference**2).sum() / n_rows**2)
    # Two independent shares of 0.8: the variance of the difference of their means.
    assert np.mean(errors) == pytest.approx(2 * 0.8 * 0.2 / n_rows, rel=0.25)


def test_a_scorer_by_name_is_kept_in_a_file_and_a_function_is_not(tmp_path):
    X, y = hints(80)
    clf = PersonalRuleClassifier(**FIXED, scoring="f1_macro").fit(X, y)
    clf.save(tmp_path / "m.pic")
    with zipfile.ZipFile(tmp_path / "m.pic") as file:
        assert json.loads(file.read("model.json"))["format"] == 4
    again = load(tmp_path / "m.pic")
    assert (again.scoring, again.tuning_.scoring) == ("f1_macro", "f1_macro")
    np.testing.assert_array_equal(again.predict(X), clf.predict(X))
    clf = clone(clf).set_params(scoring=second_share).fit(X, y)
    with pytest.raises(BadModelFile, match="second_share"):
        clf.save(tmp_path / "n.pic")
    clf.set_params(scoring="accuracy")
    with pytest.raises(
        BadModelFile, match="scoring is 'second_share'; a name of a scorer is expected"
    ):
        clf.save(tmp_path / "n.pic")


@pytest.mark.parametrize(
    ("scoring", "said"),
    [
        ("best", "scoring is 'best'; a name of sklearn.metrics.get_scorer_names"),
        (3, "scoring is 3; a name of"),
        ("f1", "scoring is 'f1', which cannot judge these classes"),
        ("roc_auc", "scoring is 'roc_auc', which cannot judge these classes"),
        (lambda *_: np.nan, "which says nan; a number is accepted"),
    ],
)
def test_what_cannot_judge_is_refused(scoring, said):
    X, y = hints(60)
    with pytest.raises(BadParameter, match=said):
        PersonalRuleClassifier(**FIXED, scoring=scoring).fit(X, y)


def test_weights_and_tables_of_one_class_are_judged():
    X = pd.DataFrame({"a": np.arange(30.0)})
    y = np.where(X["a"] > 20, 1, 0)
    clf = PersonalRuleClassifier(**FIXED, scoring="f1", class_weight="balanced").fit(X, y)
    assert clf.tuning_.chosen.score > 0.5
    assert PersonalRuleClassifier(**FIXED, scoring="f1").fit(X, y * 0 + 1).predict(X).all()
