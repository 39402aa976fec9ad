import math
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.encoding.cuts import (
    cut_at_quantiles,
    cut_evenly,
    equal_width_cuts,
    shortest_moment,
    shortest_number,
)
from picrules.rules.values import from_microseconds, to_microseconds

NUMBERS = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40)


def by_definition(numbers, n_parts):
    low, high = min(numbers), max(numbers)
    return [low + part * (high - low) / n_parts for part in range(1, n_parts)]


@given(
    numbers=NUMBERS | st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=40),
    n_parts=st.integers(1, 12),
)
def test_cuts_put_training_numbers_where_the_definition_does(numbers, n_parts):
    exact = by_definition(numbers, n_parts)
    cuts = cut_evenly(np.array([*numbers, math.nan]), n_parts, is_date=False)
    assert (np.diff(cuts) > 0).all()
    assert len(cuts) == len(equal_width_cuts(np.array(numbers), n_parts))  # also parts without rows
    for left in numbers:
        for right in numbers:
            apart_by_definition = any(left <= cut < right for cut in exact)
            assert bool(np.any((left <= cuts) & (cuts < right))) == apart_by_definition


@given(numbers=NUMBERS, n_parts=st.integers(2, 12))
def test_cuts_stay_near_those_of_the_definition(numbers, n_parts):
    exact = equal_width_cuts(np.array(numbers), n_parts)
    cuts = cut_evenly(np.array(numbers), n_parts, is_date=False)
    width = (max(numbers) - min(numbers)) / n_parts
    assert np.allclose(cuts, exact, rtol=1e-9, atol=width / 10)


@given(
    numbers=st.lists(st.integers(-62 * 10**15, 253 * 10**15).map(float), min_size=1, max_size=30),
    n_parts=st.integers(1, 12),
)
def test_cuts_put_training_dates_where_the_definition_does(numbers, n_parts):
    exact, column = by_definition(numbers, n_parts), np.array([*numbers, math.nan])
    cuts = cut_evenly(column, n_parts, is_date=True)
    assert (cuts == np.floor(cuts)).all()
    for left, right in pairwise(sorted(numbers)):
        assert any(left <= cut < right for cut in exact) == any(left <= cut < right for cut in cuts)


@pytest.mark.parametrize(
    ("numbers", "n_parts", "cuts"),
    [
        ([17.0, 31.0, 32.0, 53.0], 2, [35]),
        ([1.0, 2.0, 3.0, 4.0], 3, [2, 3]),
        ([1.0, 2.0, 3.0, 4.0], 5, [1.6, 2.2, 2.8, 3.4]),  # short as they are
        ([1.0, 2.0, 3.0, 4.0], 7, [1.4, 1.9, 2.3, 2.7, 3.1, 3.6]),
        ([17.0, 27.0, 28.0, 90.0], 7, [27, 38, 48, 59, 70, 80]),
        ([-4.1, -1.9, -1.4, 8.0], 5, [-1.68, 0.74, 3.16, 5.58]),
        ([-4.1004, -1.9, -1.4, 8.0], 5, [-1.7, 0.7, 3, 5.6]),
        ([0.0, 1.0], 2, [0.5]),
        ([0.0, 0.7, 1.0], 1, []),
    ],
)
def test_cuts_are_short(numbers, n_parts, cuts):
    assert cut_evenly(np.array(numbers), n_parts, is_date=False).tolist() == cuts


def test_dates_are_cut_at_round_moments():
    days = [datetime(2020, 1, 1), datetime(2021, 3, 1, 5, 31, 22), datetime(2022, 12, 31, 1, 2, 3)]
    numbers = np.array([float(to_microseconds(day)) for day in days])
    cuts = cut_evenly(numbers, 4, is_date=True)
    told = [from_microseconds(cut).isoformat(" ") for cut in cuts]
    assert told == ["2020-10-01 00:00:00", "2021-07-01 00:00:00", "2022-04-01 00:00:00"]


def test_cuts_are_those_of_the_definition():
    assert equal_width_cuts(np.array([0.0, 10.0, math.nan]), 5).tolist() == [2, 4, 6, 8]


def test_cuts_are_short_where_floats_are_noisy():
    numbers = np.array([0.1, 0.6])
    assert equal_width_cuts(numbers, 5).tolist() != [0.2, 0.3, 0.4, 0.5]
    assert cut_evenly(numbers, 5, is_date=False).tolist() == [0.2, 0.3, 0.4, 0.5]


def test_cuts_stay_long_where_a_number_would_change_sides():
    numbers = np.array([0.0, 0.7, math.nextafter(0.7, 1), 1.4])
    assert cut_evenly(numbers, 2, is_date=False).tolist() == [0.7]
    below = np.array([0.0, math.nextafter(0.7, 0), 0.7, 1.4 - 3e-16])
    (cut,) = cut_evenly(below, 2, is_date=False)
    assert below[1] <= cut < below[2]


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


@given(numbers=NUMBERS, n_parts=st.integers(2, 12))
def test_quantile_cuts_part_the_rows_as_evenly_as_values_allow(numbers, n_parts):
    """By the definition: up to each cut lies at least its share of the rows, and no row more."""
    column = np.array(numbers)
    cuts = cut_at_quantiles(column, n_parts, is_date=False)
    assert (np.diff(cuts) > 0).all()
    expected = set()
    for part in range(1, n_parts):
        value = min(
            v for v in numbers if sum(u <= v for u in numbers) * n_parts >= part * len(numbers)
        )
        if value < max(numbers):
            expected.add(tuple(u <= value for u in numbers))
    assert {tuple((column <= cut).tolist()) for cut in cuts} == expected


@given(low=st.floats(-1e300, 1e300), high=st.floats(-1e300, 1e300))
def test_shortest_number_lies_between_and_no_shorter_one_does(low, high):
    low, high = min(low, high), max(low, high)
    if low < high:
        number = shortest_number(low, high)
        assert low <= number < high
        assert len(f"{number!r}") <= max(len(f"{low!r}"), 24)


@pytest.mark.parametrize(
    ("low", "high", "number"),
    [
        (41, 42, 41), (23.4, 25.1, 24), (0.12, 0.34, 0.2), (980, 1101, 1000), (-3.2, 4.1, 0),
        (-42, -41, -42), (1.5e-9, 1.7e-9, 1.6e-9), (9.99, 10.01, 10), (1, math.nextafter(1, 2), 1),
        (-1e308, 1e308, 0), (5e-324, 1e-323, 5e-324),
    ],
)  # fmt: skip
def test_shortest_number_is_what_a_person_would_write(low, high, number):
    assert shortest_number(low, high) == number


@pytest.mark.parametrize(
    ("low", "high", "moment"),
    [
        ("2019-11-03", "2020-02-01", "2020-01-01"),
        ("2020-01-03", "2020-02-20", "2020-02-01"),
        ("2020-01-03", "2020-01-08", "2020-01-07"),
        ("2020-01-03T01:00", "2020-01-03T05:30", "2020-01-03T05:00"),
        ("2020-01-03T01:20:05", "2020-01-03T01:22", "2020-01-03T01:21"),
        ("2020-01-03T01:20:05.5", "2020-01-03T01:20:07.5", "2020-01-03T01:20:07"),
        ("2020-01-03T01:20:05.000004", "2020-01-03T01:20:05.000009", "2020-01-03T01:20:05.000004"),
    ],
)
def test_shortest_moment_is_the_roundest_between(low, high, moment):
    ends = [to_microseconds(datetime.fromisoformat(end)) for end in (low, high)]
    assert from_microseconds(shortest_moment(*ends)) == datetime.fromisoformat(moment)


@given(start=st.datetimes(), width=st.timedeltas(timedelta(microseconds=1), timedelta(days=900)))
def test_shortest_moment_lies_between(start, width):
    low = float(to_microseconds(start))
    high = low + width // timedelta(microseconds=1)
    if low < high < to_microseconds(datetime(9999, 12, 31)):
        assert low <= shortest_moment(low, high) < high
