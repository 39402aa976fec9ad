import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from picrules.estimators.calibration import fit_calibration, lead

SCORES = st.one_of(st.just(-np.inf), st.floats(-3, 3))


@given(
    scores=arrays(np.float64, (40, 3), elements=SCORES),
    labels=arrays(np.int64, 40, elements=st.integers(0, 2)),
)
def test_probabilities_sum_to_one_and_the_prediction_is_the_highest(scores, labels):
    predicted = scores.argmax(axis=1)
    calibration = fit_calibration(scores, predicted, labels)
    probabilities = calibration.probabilities(scores, predicted)
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
    found = calibration.probabilities(scores, predicted).max(axis=1)
    assert np.abs(found - truth).mean() < 0.02


def test_rest_goes_to_the_classes_that_are_mistaken_for_the_prediction():
    scores = np.tile([2.0, 1.0, 1.0], (100, 1))
    labels = np.repeat([0, 1, 2], [60, 38, 2])
    calibration = fit_calibration(scores, np.zeros(100, int), labels)
    right, often, seldom = calibration.probabilities(scores[:1], np.array([0]))[0]
    assert right > often > 5 * seldom
