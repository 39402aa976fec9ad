"""Rules between the two leading classes: where they are added, and what they weigh."""

import pickle

import numpy as np
import pandas as pd
import pytest

from picrules import PersonalRuleClassifier, load
from picrules.estimators.between import LEAST_ERRORS, choose_pairs, longest_rules
from tests.estimators.refits import FAST, ask_without


def around(seed, n_rows=360):
    """Six classes around a centre, so that most errors are between two neighbours."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 6, n_rows)
    angle = (y + 0.5 + 0.28 * rng.normal(size=n_rows)) * np.pi / 3
    far = rng.uniform(0.6, 1.4, n_rows)
    X = pd.DataFrame({
        "a": far * np.cos(angle), "b": far * np.sin(angle), "c": far * np.cos(angle + np.pi / 6),
        "kind": np.array(["u", "v", "w"])[(y // 2 + (rng.random(n_rows) < 0.3)) % 3],
    }).round({"a": 2, "b": 2, "c": 2})  # fmt: skip
    X = X.mask(rng.random(X.shape) < 0.04)
    return X, np.array(["ant", "bee", "cow", "dog", "elk", "fox"])[y]


@pytest.fixture(scope="module")
def fitted():
    X, y = around(4)
    clf = PersonalRuleClassifier(n_rules=2, look_alikes=False, **FAST).fit(X, y)
    assert clf._model.members[-1].pairs is not None
    return clf, X, y


def test_neighbours_are_told_apart(fitted):
    clf, _, _ = fitted
    neighbours = {(at, at + 1) for at in range(5)} | {(0, 5)}
    assert neighbours >= {*clf._model.members[-1].pairs}
    assert "rules decide" in str(clf.tuning_)
    assert clf.tuning_.n_rules == 2


def test_leave_one_out_is_what_a_model_without_the_row_says(fitted):
    """Also of rows whose class is none of the two that lead without them."""
    clf, _, _ = fitted
    model = clf._model
    answer, others_led = model.leave_one_out(), 0
    labels = model.training.row_labels
    for row in range(0, len(labels), 3):
        expected = ask_without(model, row)
        number = answer.numbers[row]
        assert np.allclose(answer.found.scores[number], expected.found.scores[0], atol=1e-12)
        pair = answer.found.between.pairs[number].tolist()
        assert pair == expected.found.between.pairs[0].tolist()
        others_led += pair[0] >= 0 and labels[row] not in pair
    assert others_led > 0


def test_the_only_row_of_a_class_is_left_out_with_its_class():
    """Where nobody is left to tell a class apart from, no rule does."""
    X, y = around(6)
    is_rare = np.flatnonzero(y == "bee")
    kept = np.setdiff1d(np.arange(len(y)), is_rare[1:])
    clf = PersonalRuleClassifier(n_rules=2, look_alikes=False, **FAST).fit(X, y)
    model = clf._model.trained_on(
        *(
            part[..., kept]
            for part in (clf._model.encode(clf._read_rows(X)), clf._model.training.row_labels)
        )
    )
    model.offset[1] += 30.0  # so that it leads
    answer = model.leave_one_out()
    (row,) = np.flatnonzero(model.training.row_labels == 1)
    expected = ask_without(model, row)
    scores = answer.found.scores[answer.numbers[row]]
    assert np.allclose(scores, expected.found.scores[0], atol=1e-12)


def test_a_model_that_forgot_all_classes_but_one_tells_none_apart(fitted):
    clf, X, y = fitted
    clf = pickle.loads(pickle.dumps(clf))
    is_kept = y == "ant"
    clf.forget(X[~is_kept], y[~is_kept])
    assert (clf.predict(X) == "ant").all()
    lines = [line for each in clf.explain(X) if each.scorecard for line in each.scorecard.lines]
    assert all(line.between is None for line in lines)
    assert "between" not in "".join(map(str, clf.explain(X)))


def test_progress_ends_where_rows_are_done(fitted):
    clf, X, _ = fitted
    model, told = clf._model, []
    model.predict(model.encode(clf._read_rows(X)), told.append)
    assert sum(told) == pytest.approx(1)
    told.clear()
    model.leave_one_out(told.append)
    assert sum(told) == pytest.approx(1)


def test_threads_order_files_and_single_rows_change_nothing(fitted, tmp_path):
    clf, X, y = fitted
    expected = clf.predict_proba(X)
    order = np.random.default_rng(5).permutation(len(y))
    again = PersonalRuleClassifier(n_rules=2, look_alikes=False, n_jobs=2, **FAST)
    again.fit(X.iloc[order], y[order])
    assert again.predict_proba(X).tobytes() == expected.tobytes()
    clf.save(tmp_path / "between.pic")
    assert load(tmp_path / "between.pic").predict_proba(X).tobytes() == expected.tobytes()
    for row in range(0, len(y), 40):
        assert np.array_equal(clf.predict_proba(X.iloc[[row]])[0], expected[row])
        assert str(clf.explain(X.iloc[[row]])[0]) == str(clf.explain(X)[row])


def test_two_classes_have_no_other_two(rng):
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=200) > 0).astype(int)
    clf = PersonalRuleClassifier(n_rules=4, look_alikes=False, **FAST).fit(X, y)
    assert all(member.pairs is None for member in clf._model.members)


def test_pairs_are_those_with_most_expected_errors():
    sizes, n_rows = np.array([10, 10, 10]), 40
    totals = np.zeros((n_rows, 3))
    totals[:, 2] = -50
    totals[20:, [1, 2]] = [-50, -1]  # 20 rows between 0 and 1, and 20 that are surer of 0 than 2
    assert choose_pairs(totals, sizes) == ((0, 1), (0, 2))
    totals[20:, 2] = np.log(LEAST_ERRORS / 21)  # too few errors
    assert choose_pairs(totals, sizes) == ((0, 1),)
    totals[:] = -np.inf
    assert choose_pairs(totals, sizes) == ()


@pytest.mark.parametrize(
    ("n_conditions", "n_pairs", "length"),
    [
        ([4, 4], 1, 2),
        ([10] * 10, 1, 3),
        ([10] * 10, 300, 3),
        ([100] * 20, 1, 2),
        ([9] * 900, 32, 1),
    ],
)
def test_rules_are_as_long_as_there_are_not_too_many(n_conditions, n_pairs, length):
    assert longest_rules(n_conditions, n_pairs) == length
