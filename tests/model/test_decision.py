import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from picrules.model import decision as module
from picrules.model.decision import cross_fit, decide, fit_offset

SCORES = st.one_of(st.sampled_from([-np.inf, 0.0, 0.5]), st.floats(-3, 3))


def accuracy(scores, offset, labels):
    sizes = np.bincount(labels, minlength=scores.shape[1])
    return (decide(scores + offset, sizes) == labels).mean()


@given(
    scores=arrays(np.float64, (20, 3), elements=SCORES),
    sizes=st.lists(st.integers(0, 3), min_size=3, max_size=3),
    left_out=st.one_of(st.none(), arrays(np.int64, 20, elements=st.integers(0, 2))),
)
def test_highest_score_wins_then_the_larger_class_then_the_first(scores, sizes, left_out):
    for row, label in enumerate(decide(scores, np.array(sizes), left_out).tolist()):
        own = None if left_out is None else left_out[row]
        order = [(-scores[row, each], (each == own) - sizes[each], each) for each in range(3)]
        assert label == min(order)[2]


@given(
    scores=arrays(np.float64, (20, 2), elements=SCORES),
    labels=arrays(np.int64, 20, elements=st.integers(0, 1)),
)
def test_offset_of_two_classes_is_the_best_there_is(scores, labels):
    """Against trying every offset; without looking at neighbours, which trades accuracy away."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_mean_around", lambda values, reach: values.copy())
        found = fit_offset(scores, labels, np.ones(20))
    with np.errstate(invalid="ignore"):
        limits = scores[:, 0] - scores[:, 1]
    limits = np.sort(limits[np.isfinite(limits)])
    tried = [0.0, *(limits - 1e-4), *(limits + 1e-4), *((limits[1:] + limits[:-1]) / 2)]
    best = max(accuracy(scores, np.array([0.0, each]), labels) for each in tried)
    assert found[0] == 0
    assert accuracy(scores, found, labels) >= best - 1e-9


def test_offsets_bring_back_a_class_that_never_wins(rng):
    labels = rng.integers(0, 3, 600)
    scores = np.eye(3)[labels] + rng.normal(0, 0.2, (600, 3)) - np.array([0.0, 0.0, 2.0])
    assert accuracy(scores, np.zeros(3), labels) < 0.7
    assert accuracy(scores, fit_offset(scores, labels, np.ones(600)), labels) > 0.95


def test_cross_fitted_offsets_of_a_part_do_not_look_at_its_labels(rng):
    labels = rng.integers(0, 2, 100)
    scores, parts = rng.normal(size=(100, 2)), np.arange(100) % 5
    other = np.where(parts == 3, 1 - labels, labels)
    here, there = (cross_fit(scores, each, np.ones(100), parts) for each in (labels, other))
    assert np.array_equal(here[parts == 3], there[parts == 3])
    assert not np.array_equal(here, there)


def test_ties_and_rows_without_rules_go_to_the_larger_class_then_the_first():
    scores = np.array([[1.0, 1.0], [-np.inf, -np.inf], [-np.inf, 0.0]])
    assert decide(scores, np.array([3, 4])).tolist() == [1, 1, 1]
    assert decide(scores, np.array([4, 4])).tolist() == [0, 0, 1]


def test_row_that_is_left_out_does_not_count_for_its_class():
    scores = np.zeros((2, 2))
    assert decide(scores, np.array([4, 4]), np.array([0, 1])).tolist() == [1, 0]
