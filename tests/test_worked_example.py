"""The worked example of section 3 of the paper."""

import pytest

from picrules import FPICClassifier, PICClassifier
from picrules.scoring.measures import con, score, ub
from tests import reference

ROWS = [
    ("a1", "b1", "c1", "d1"), ("a1", "b2", "c1", "d2"), ("a2", "b3", "c2", "d1"),
    ("a1", "b2", "c2", "d1"), ("a2", "b3", "c1", "d2"), ("a3", "b1", "c2", "d1"),
    ("a1", "b2", "c2", "d2"),
]  # fmt: skip
LABELS = [0, 0, 0, 1, 1, 1, 1]  # the paper's classes 1 and 2
X = ("a1", "b3", "c2", "d1")


def printed(number):
    """The paper prints three digits, and 0.666 for two thirds."""
    return pytest.approx(number, abs=0.0011)


def run_pic():
    levels = []
    found = reference.pic(ROWS, LABELS, 2, X, 0.5, 100, levels)
    return found, levels


def test_rules_of_length_one():
    _, levels = run_pic()
    assert [c.features for c in levels[0]] == [(0,), (1,), (2,), (3,)]
    assert [c.label + 1 for c in levels[0]] == [1, 1, 2, 1]
    assert [c.score for c in levels[0]] == [printed(v) for v in (0.583, 0.417, 0.750, 0.583)]
    assert [c.con for c in levels[0]] == [printed(v) for v in (0.833, 0.666, 0.875, 0.833)]
    assert [c.ub for c in levels[0]] == [None] * 4


def test_rules_of_length_two_with_pruning():
    _, levels = run_pic()
    assert [c.features for c in levels[1]] == [(0, 2), (0, 3), (2, 3)]
    assert [c.label + 1 for c in levels[1]] == [2, 1, 2]
    assert [c.ub for c in levels[1]] == [printed(0.833)] * 3
    assert [c.score for c in levels[1]] == [printed(v) for v in (0.750, 0.417, 0.583)]
    assert len(levels) == 2


@pytest.mark.parametrize(
    ("features", "label", "value"),
    [
        ((0, 1), None, 0), ((0, 2), 2, 0.750), ((0, 3), 1, 0.417),
        ((1, 2), 1, 0.667), ((1, 3), 1, 0.667), ((2, 3), 2, 0.583),
    ],
)  # fmt: skip
def test_rules_of_length_two_without_pruning(features, label, value):
    counts = reference.class_counts(ROWS, LABELS, 2, X, features)
    found, found_score = reference.best_class(counts, [3, 4], 0.5)
    assert (None if found is None else found + 1) == label
    assert found_score == printed(value)


def test_the_answer():
    found, _ = run_pic()
    assert (found.features, found.label + 1, found.score) == ((2,), 2, 0.75)
    assert reference.naive_greedy(ROWS, LABELS, 2, X, 0.5, 100) == found


@pytest.mark.parametrize("engine", ["table", "bitmap"])
def test_the_answer_of_the_library(engine):
    clf = PICClassifier(alpha=0.5, engine=engine).fit(ROWS, [1, 1, 1, 2, 2, 2, 2])
    explanation = clf.explain([X])[0]
    assert str(explanation.rule) == "if x2 = c2 then 2"
    assert explanation.score == 0.75
    assert explanation.class_counts == {1: 1, 2: 3}
    fast = FPICClassifier(alpha=0.5, engine=engine).fit(ROWS, [1, 1, 1, 2, 2, 2, 2])
    assert fast.explain([X])[0] == explanation


def test_the_measures_of_the_library():
    assert score(2, 4, 3, 0.5) == printed(0.583)
    assert con([2, 2], [3, 4], 0.5) == printed(0.833)
    assert con([1, 1], [3, 4], 0.5) == printed(0.666)


def test_the_bound_of_the_equation_is_tighter_than_that_of_the_worked_example():
    """The paper prints ub 0.833 for all three rules; its equation gives 0.750 for two of them."""
    a1, c2, d1 = [2, 2], [1, 3], [2, 2]
    assert ub([a1, c2], [3, 4], 0.5) == pytest.approx(0.750)
    assert ub([c2, d1], [3, 4], 0.5) == pytest.approx(0.750)
    assert ub([a1, d1], [3, 4], 0.5) == printed(0.833)
