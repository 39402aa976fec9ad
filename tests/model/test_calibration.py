import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from picrules.model.calibration import (
    class_probabilities,
    fit_calibration,
    interval_of,
    is_covered,
    lead,
)
from picrules.model.curves import LARGEST_LEAD, match

COUNTS = st.lists(st.integers(0, 1000), min_size=1, max_size=6)
SCORES = st.one_of(st.just(-np.inf), st.floats(-3, 3))


@given(
    scores=arrays(np.float64, (20, 3), elements=SCORES),
    labels=arrays(np.int64, 20, elements=st.integers(0, 2)),
)
def test_lead_is_the_distance_to_the_best_other_class(scores, labels):
    """Columns of an array that lies the other way are read, too."""
    leads, covered = lead(np.asfortranarray(scores), labels), is_covered(np.asfortranarray(scores))
    for row, label in enumerate(labels.tolist()):
        others = [score for at, score in enumerate(scores[row].tolist()) if at != label]
        own = scores[row, label]
        assert leads[row] == (0 if own == -np.inf else own - max(others))
        assert covered[row] == any(score > -np.inf for score in scores[row])


@given(
    scores=arrays(np.float64, (40, 3), elements=SCORES),
    labels=arrays(np.int64, 40, elements=st.integers(0, 2)),
)
def test_probabilities_sum_to_one_and_the_prediction_is_the_highest(scores, labels):
    predicted = scores.argmax(axis=1)
    calibration = fit_calibration(scores, predicted, labels)
    probabilities = calibration.probabilities(scores, predicted, np.array([9, 8, 7]))
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert (probabilities >= 0).all()
    assert probabilities.argmax(axis=1).tolist() == predicted.tolist()


def test_confidence_is_how_often_such_predictions_are_right(rng):
    """The truth is known here: the log odds of being right are the lead itself."""
    n_rows = 40_000
    scores = np.stack([np.zeros(n_rows), rng.normal(0, 3, n_rows)], axis=1)
    predicted = scores.argmax(axis=1)
    truth = 1 / (1 + np.exp(-lead(scores, predicted)))
    labels = np.where(rng.random(n_rows) < truth, predicted, 1 - predicted)
    calibration = fit_calibration(scores, predicted, labels)
    found = calibration.probabilities(scores, predicted, np.array([1, 1])).max(axis=1)
    assert np.abs(found - truth).mean() < 0.02


def test_rest_goes_to_the_classes_that_are_mistaken_for_the_prediction():
    scores = np.tile([2.0, 1.0, 1.0], (100, 1))
    labels = np.repeat([0, 1, 2], [60, 38, 2])
    calibration = fit_calibration(scores, np.zeros(100, int), labels)
    right, often, seldom = calibration.probabilities(scores[:1], np.array([0]), np.ones(3, int))[0]
    assert right > often > 5 * seldom


def test_row_that_no_rule_covers_has_the_shares_of_the_classes():
    """Such rows were taken for the least certain ones, whatever the classes."""
    scores = np.array([[3.0, 1.0], [1.0, 2.0]] * 20 + [[-np.inf, -np.inf]] * 10)
    predicted = np.array([0, 1] * 20 + [0] * 10)
    labels = np.array([0, 1] * 20 + [0] * 9 + [1])
    calibration = fit_calibration(scores, predicted, labels)
    bare = calibration.probabilities(scores[-1:], np.array([0]), np.array([79, 19]))
    np.testing.assert_allclose(bare, [[0.8, 0.2]])
    covered = fit_calibration(scores[:40], predicted[:40], labels[:40])
    for one, other in zip(calibration.curves, covered.curves, strict=True):
        np.testing.assert_array_equal(one.shares, other.shares)


def test_prediction_of_a_rare_class_is_as_often_right_as_such_predictions_were(rng):
    """With weights, leads of both classes are as long, and one is right far less often.

    Both were said to be right as often as all predictions with that lead.
    """
    n_rows = 6000
    leads, predicted = rng.normal(0, 2, n_rows), np.arange(n_rows) % 2
    scores = np.stack([np.zeros(n_rows), np.where(predicted, 1, -1) * np.abs(leads)], axis=1)
    truth = np.where(predicted, 0.3, 0.95)
    labels = np.where(rng.random(n_rows) < truth, predicted, 1 - predicted)
    calibration = fit_calibration(scores, predicted, labels, is_peaked=False)
    found = calibration.probabilities(scores, predicted, np.array([9, 1]))
    assert np.allclose(found.sum(axis=1), 1)
    assert np.abs(found[np.arange(n_rows), predicted] - truth).mean() < 0.03


def test_class_with_few_rows_is_judged_like_the_others(rng):
    """Two predictions that were right by chance do not make a class certain."""
    predicted = np.append(np.arange(400) % 2, [2, 2])
    scores = np.eye(3)[predicted]
    labels = np.where(rng.random(402) < 0.75, predicted, 1 - predicted)
    labels[-2:] = 2
    calibration = fit_calibration(scores, predicted, labels)
    few = calibration.probabilities(scores[-1:], predicted[-1:], np.array([200, 200, 2]))[0, 2]
    assert 0.65 < few < 0.9


def test_leads_that_tell_nothing_leave_the_shares_of_the_classes(rng):
    """Chance gets what chance deserves: three in ten rows are of the second class."""
    told = []
    for _ in range(20):
        scores, labels = rng.normal(size=(300, 2)), (rng.random(300) < 0.3).astype(np.int64)
        calibration = fit_calibration(scores, scores.argmax(axis=1), labels, is_peaked=False)
        asked = rng.normal(size=(500, 2))
        told.append(calibration.probabilities(asked, asked.argmax(axis=1), np.array([7, 3])))
    assert np.mean(told, axis=(0, 1)) == pytest.approx([0.7, 0.3], abs=0.02)
    assert np.std(told, axis=(0, 1)).max() < 0.08


def test_leads_get_the_lengths_of_others():
    assert match(np.array([3.0, 1.0, 2.0]), np.array([10.0, 30.0, 20.0])).tolist() == [30, 10, 20]
    assert match(np.array([1.0, 1.0, 2.0]), np.array([4.0, 2.0, 9.0])).tolist() == [3, 3, 9]


def test_no_lead_is_longer_than_the_longest():
    """Rounding made one longer by a hair, and a model with it could not be saved."""
    final = np.array([0.5094810964970121, LARGEST_LEAD, LARGEST_LEAD])
    assert match(np.array([1.0, 2.0, 3.0]), final).max() == LARGEST_LEAD


def test_equal_leads_have_one_share():
    """Of rows with the same lead, the wrong ones came first, and had a share of their own."""
    scores = np.tile([1.0, 0.0], (100, 1))
    labels = np.repeat([0, 1], [60, 40])
    calibration = fit_calibration(scores, np.zeros(100, int), labels)
    assert calibration.curves[0].shares == pytest.approx([0.6], abs=0.02)


@given(share=st.floats(0, 1), n_rows=st.floats(1, 1e6))
def test_interval_holds_the_share_and_shrinks_with_more_rows(share, n_rows):
    lower, upper = interval_of(share, n_rows)
    assert 0 <= lower <= share + 1e-12
    assert share - 1e-12 <= upper <= 1
    narrow = interval_of(share, 10 * n_rows)
    assert narrow[1] - narrow[0] <= upper - lower + 1e-12


@given(counts=COUNTS, data=st.data())
def test_probabilities_sum_to_one_and_peak_at_the_prediction(counts, data):
    label = data.draw(st.integers(0, len(counts) - 1))
    (row,) = class_probabilities(np.array([counts]), np.array([label]))
    assert abs(row.sum() - 1) < 1e-12
    assert (row > 0).all()
    assert row.argmax() == label


def test_counts_are_smoothed_by_one():
    assert class_probabilities(np.array([[7, 1]]), np.array([0])).tolist() == [[0.8, 0.2]]


def test_classes_above_the_prediction_share_with_it():
    row = class_probabilities(np.array([[8, 1, 11, 0]]), np.array([1]))[0]
    assert np.allclose(row, [23 / 3 / 24, 23 / 3 / 24, 23 / 3 / 24, 1 / 24])


def test_classes_below_the_share_are_left_alone():
    row = class_probabilities(np.array([[2, 3, 11]]), np.array([1]))[0]
    assert np.allclose(row, [3 / 19, 8 / 19, 8 / 19])
