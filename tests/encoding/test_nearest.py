from datetime import datetime
from math import inf, isnan, nan, nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.encoding.columns import Kind
from picrules.encoding.nearest import cell_span, nearest_number, seems_whole
from picrules.encoding.row import plain_number, read_cell
from picrules.encoding.schema import NumberFeature
from picrules.rules.values import to_microseconds

NUMBERS = st.one_of(
    st.integers(-50, 50).map(float),
    st.floats(-1e3, 1e3).map(lambda number: round(number, 3)),
    st.floats(allow_nan=False, allow_infinity=False),
)
DATES = st.one_of(
    st.dates().map(lambda day: datetime(day.year, day.month, day.day)),
    st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)),
).map(lambda moment: float(to_microseconds(moment)))


@st.composite
def questions(draw, numbers, kind):
    """A feature, one of its cells, a current number elsewhere or missing, and maybe a range."""
    cuts = tuple(sorted(set(draw(st.lists(numbers, max_size=4)))))
    feature = NumberFeature("x", cuts, kind)
    code = draw(st.integers(0, len(cuts)))
    current = draw(st.one_of(st.just(nan), numbers))
    ends = sorted([draw(numbers), draw(numbers)])
    low, high = draw(st.sampled_from([(-inf, inf), tuple(ends), (ends[0], inf), (-inf, ends[1])]))
    return feature, code, current, (low, high)


def check(feature, code, current, within):
    lower, upper = (-inf, *feature.cuts, inf)[code : code + 2]
    span = cell_span(feature, code, within)
    if span is None:
        # No cut, no end of the range and nothing beside them lies in both.
        ends = [*feature.cuts, *(end for end in within if abs(end) < inf), 0.0]
        beside = [nextafter(end, side) for end in ends for side in (-inf, inf)]
        inside = [
            x
            for x in (*ends, *beside)
            if lower < x <= min(upper, within[1]) and within[0] <= x < inf
        ]
        assert not inside or feature.kind is Kind.DATE
        return
    own = np.searchsorted(feature.cuts, current)
    if own == code and not isnan(current):
        return
    number = nearest_number(feature, code, current, within)
    assert within[0] <= number <= within[1]
    assert lower < number <= upper
    cell = plain_number(feature, number)
    assert feature.encode(read_cell("x", cell)).tolist() == [code]
    if current > span[1] and not seems_whole(feature, current) and feature.kind is Kind.NUMBER:
        assert number == span[1]


@given(questions(NUMBERS, Kind.NUMBER))
def test_numbers_lie_in_their_cell_and_range(question):
    check(*question)


@given(questions(DATES, Kind.DATE))
def test_dates_lie_in_their_cell_and_range(question):
    check(*question)


AGE = NumberFeature("age", (17.0, 41.0, 42.0))
SIZE = NumberFeature("size", (0.29, 1.25, 4.7))
EVEN = NumberFeature("age", (31.6, 46.2, 60.8, 75.4))  # 17 to 90 in five parts


@pytest.mark.parametrize(
    ("feature", "code", "current", "within", "expected"),
    [
        (AGE, 0, 39.0, (-inf, inf), 17),  # down: the upper end
        (AGE, 3, 39.0, (-inf, inf), 43),  # up: the next whole number
        (AGE, 2, 39.0, (-inf, inf), 42),  # the only whole number there
        (AGE, 3, 39.5, (-inf, inf), 43),  # no whole column: a short number just over the cut
        (AGE, 3, 39.0, (50.0, 60.0), 50),  # up into a range
        (AGE, 1, 60.0, (20.0, 30.0), 30),  # down into a range
        (AGE, 1, nan, (-inf, inf), 30),  # missing: the shortest
        (AGE, 0, nan, (-inf, inf), 17),
        (SIZE, 1, 0.1, (-inf, inf), 0.3),
        (SIZE, 2, 0.1, (-inf, inf), 1.3),
        (SIZE, 3, 0.1, (-inf, inf), 4.8),
        (SIZE, 1, 3.0, (-inf, inf), 1.25),
        (SIZE, 2, nan, (-inf, inf), 3),
        (EVEN, 2, 40.0, (-inf, inf), 47),
        (EVEN, 0, 40.0, (-inf, inf), 31),
        (EVEN, 0, 40.5, (-inf, inf), 31.6),
        (NumberFeature("x", ()), 0, nan, (-inf, inf), 0),
        (NumberFeature("x", ()), 0, nan, (3.0, inf), 3),
    ],
)
def test_numbers_are_near_and_short(feature, code, current, within, expected):
    assert nearest_number(feature, code, current, within) == expected


@pytest.mark.parametrize(
    ("code", "current", "expected"),
    [
        (0, datetime(2021, 5, 5), datetime(2020, 1, 1)),
        (1, datetime(2019, 5, 5), datetime(2020, 1, 2)),
        (2, datetime(2019, 5, 5), datetime(2020, 6, 2)),
        (1, datetime(2021, 5, 5), datetime(2020, 6, 1)),  # a whole day below the cut at 7:30
        (1, datetime(2021, 5, 5, 1), datetime(2020, 6, 1, 7, 30)),
        (1, None, datetime(2020, 6, 1)),
    ],
)
def test_dates_are_near_and_round(code, current, expected):
    cuts = [to_microseconds(datetime(2020, 1, 1)), to_microseconds(datetime(2020, 6, 1, 7, 30))]
    feature = NumberFeature("seen", tuple(map(float, cuts)), Kind.DATE)
    number = nan if current is None else float(to_microseconds(current))
    assert plain_number(feature, nearest_number(feature, code, number)) == expected
