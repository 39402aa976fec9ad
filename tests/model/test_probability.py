import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from picrules.model.probability import class_probabilities

COUNTS = st.lists(st.integers(0, 1000), min_size=1, max_size=6)


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
