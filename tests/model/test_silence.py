"""Confidence where values are missing or were never seen; the truth is known here."""

import numpy as np
import pandas as pd
import pytest

from picrules import PersonalRuleClassifier, load
from picrules.kernels.counting import Asked
from picrules.model.silence import Judged, Several


def draw(rng, n_rows):
    """The class follows from a number and a category."""
    X = pd.DataFrame({"a": rng.normal(size=n_rows), "b": rng.choice(list("xyz"), n_rows)})
    return X, np.where(X["a"] + (X["b"] == "x") > 0.3, "pos", "neg")


@pytest.fixture(scope="module")
def fitted():
    X, y = draw(np.random.default_rng(0), 400)
    return PersonalRuleClassifier().fit(X, y)


MASKS = {
    "never seen": {"b": "NEW"},
    "missing": {"a": np.nan},
    "both": {"a": np.nan, "b": "NEW"},
}


@pytest.mark.parametrize("change", MASKS.values(), ids=MASKS)
def test_confidence_is_how_often_predictions_without_a_value_are_right(fitted, change):
    """It was 99.8% with all values and without; 58% were right without the number."""
    X, y = draw(np.random.default_rng(1), 3000)
    explanations = fitted.explain(X.assign(**change))
    is_right = fitted.classes_[explanations.labels] == y
    assert explanations.confidences.mean() == pytest.approx(is_right.mean(), abs=0.05)


def test_each_of_several_gaps_moves_and_stretches_the_confidence(rng):
    """Without the first feature leads tell nothing; they were still said to tell something."""
    n_rows = 8000
    silent, leads = rng.random((4, n_rows)) < 0.5, rng.exponential(2, n_rows)
    truth = np.where(silent[0], 0.5, 1 / (1 + np.exp(-leads)))
    scores = np.stack([leads, np.zeros(n_rows)], axis=1)
    labels = (rng.random(n_rows) > truth).astype(np.int64)
    judged = Judged(silent, scores, np.zeros(n_rows, np.int64), labels)
    told, _ = Several.learn(judged, 1, is_peaked=True).read(silent, scores, judged.predicted)
    for is_silent in (silent[0], ~silent[0]):
        for rows in (is_silent & (leads < 1), is_silent & (leads > 3)):
            assert told[rows].mean() == pytest.approx(truth[rows].mean(), abs=0.1)


def test_answer_depends_on_the_row_alone(fitted, tmp_path):
    """Not on the rows beside it, on what was asked before, or on where the model comes from."""
    X, _ = draw(np.random.default_rng(2), 60)
    X = X.mask(np.random.default_rng(3).random(X.shape) < 0.4)
    expected = fitted.predict_proba(X)
    fitted.save(tmp_path / "model.pic")
    other = load(tmp_path / "model.pic")
    other.n_jobs = 2
    for row in (7, 3, 59):
        assert other.predict_proba(X.iloc[[row]]).tobytes() == expected[[row]].tobytes()
    assert other.predict_proba(X[::-1]).tobytes() == expected[::-1].tobytes()


def test_training_rows_are_taken_in_any_order(fitted):
    X, y = draw(np.random.default_rng(0), 400)
    order = np.random.default_rng(5).permutation(400)
    other = PersonalRuleClassifier(**fitted.get_params()).fit(X.iloc[order], y[order])
    asked = X.assign(b=None)
    assert other.predict_proba(asked).tobytes() == fitted.predict_proba(asked).tobytes()


def test_left_out_rows_without_values_are_judged_as_by_a_refit():
    """One less in every count is what a model without the row says, also where values are gone."""
    X, y = draw(np.random.default_rng(6), 60)
    fixed = {
        "cuts": 4, "max_length": 2, "smoothing": 1, "alpha": 1, "class_offset": False,
        "look_alikes": False, "subsets": False, "intervals": False,
    }  # fmt: skip
    clf = PersonalRuleClassifier(**fixed).fit(X, y)
    model = clf._model
    codes = model.training.codes.copy()
    codes[0, ::2] = -1
    codes[1, ::3] = -1
    numbers = np.arange(codes.shape[1])
    found = model.leave_out(Asked(codes, model.training.labels), numbers).found
    for pair in range(0, model.training.n_pairs, 7):
        rest = np.repeat(np.arange(model.training.n_pairs), model.training.occurrences)
        rest = np.delete(rest, np.flatnonzero(rest == pair)[0])
        other = model.trained_on(model.training.codes[:, rest], model.training.labels[rest])
        answer = other.ask(codes[:, [pair]])
        np.testing.assert_allclose(answer.found.scores[0], found.scores[pair], atol=1e-12)


def test_explanations_name_the_values_that_could_not_speak(fitted):
    row = pd.DataFrame({"a": [np.nan], "b": ["NEW"]})
    explanation = fitted.explain(row)[0]
    assert [(each.feature, each.value) for each in explanation.silent] == [
        ("a", None),
        ("b", "NEW"),
    ]
    said = "b = NEW was never seen in training; a is missing; no rule could speak of that."
    assert said in str(explanation)
    assert explanation.to_dict()["silent"][1] == {"feature": "b", "value": "NEW"}
    whole = fitted.explain(row.assign(a=1.0, b="x"))[0]
    assert whole.silent == ()
    assert "could speak" not in str(whole)


def test_changes_of_a_row_name_what_still_could_not_speak(fitted):
    row = {"a": -2.0, "b": "NEW"}
    for change in fitted.smallest_changes(row):
        names = [each.feature for each in change.explanation.silent]
        assert ("b" in names) is ("b" not in change.values)  # noqa: PD011
        assert all(each.value == "NEW" for each in change.explanation.silent)
