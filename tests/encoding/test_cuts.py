import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.encoding.cuts import equal_width_cuts, shorten_cuts

NUMBERS = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40)


@given(numbers=NUMBERS, n_parts=st.integers(1, 12))
def test_cuts_put_training_numbers_where_the_definition_does(numbers, n_parts):
    low, high = min(numbers), max(numbers)
    exact = [low + i * (high - low) / n_parts for i in range(1, n_parts)]
    cuts = shorten_cuts(equal_width_cuts(np.array(numbers), n_parts), np.array(numbers))
    for left in numbers:
        for right in numbers:
            apart_by_definition = any(left <= cut < right for cut in exact)
            assert bool(np.any((left <= cuts) & (cuts < right))) == apart_by_definition


def test_cuts_are_those_of_the_definition():
    assert equal_width_cuts(np.array([0.0, 10.0, math.nan]), 5).tolist() == [2, 4, 6, 8]


def test_cuts_are_short_where_floats_are_noisy():
    numbers = np.array([0.1, 0.6])
    cuts = equal_width_cuts(numbers, 5)
    assert cuts.tolist() != [0.2, 0.3, 0.4, 0.5]
    assert shorten_cuts(cuts, numbers).tolist() == [0.2, 0.3, 0.4, 0.5]


def test_cuts_stay_long_where_a_number_would_change_sides():
    numbers = np.array([0.0, 0.7, 1.0])
    assert shorten_cuts(np.array([0.6999999999999998]), numbers).tolist() == [0.6999999999999998]


@pytest.mark.parametrize("numbers", [[], [math.nan], [3.0], [3.0, 3.0, math.nan]])
def test_a_column_with_one_value_has_no_cut(numbers):
    assert equal_width_cuts(np.array(numbers), 5).size == 0


def test_a_range_larger_than_any_float_is_cut():
    cuts = equal_width_cuts(np.array([-1.7e308, 1.7e308]), 4)
    assert np.allclose(cuts / 1e308, [-0.85, 0, 0.85])


def test_neighbouring_floats_are_parted_at_most_once():
    low = 1.0
    high = np.nextafter(low, 2)
    cuts = equal_width_cuts(np.array([low, high]), 5)
    assert cuts.tolist() == [low]
