import math
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import permutations

import numpy as np
import pytest

from picrules import Category, Interval
from picrules.errors import BadRule
from picrules.rules.values import from_microseconds, to_microseconds


def test_interval_holds_its_upper_end_and_not_its_lower():
    assert Interval("x", 1.0, 2.0).covers([1, 1.5, 2, 2.5, math.nan]).tolist() == [
        False, True, True, False, False,
    ]  # fmt: skip


def test_category_never_covers_missing():
    assert Category("x", ("a", 2)).covers(np.array(["a", 2, 2.0, None, "2"], object)).tolist() == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_equal_conditions_are_equal_whatever_the_order_of_values():
    assert Category("x", ("b", "a", "a")) == Category("x", ("a", "b"))
    assert len({Category("x", ("b", "a")), Category("x", ("a", "b"))}) == 1


def test_date_interval_compares_microseconds():
    noon = datetime(2021, 5, 1, 12)
    numbers = [to_microseconds(noon + timedelta(microseconds=step)) for step in (0, 1, 2)]
    interval = Interval("seen", noon, noon + timedelta(microseconds=1))
    assert interval.covers(numbers).tolist() == [False, True, False]
    assert from_microseconds(numbers[0]) == noon


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((True, 1, 1.0), "x = True"),
        ((1, 1.0), "x = 1"),
        ((False, 0, -0.0, 0.0), "x = False"),
        ((-0.0, 0.0), "x = 0.0"),
        (("b", 2, "a", 1.5), "x in {1.5, 2, a, b}"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_category_text_does_not_depend_on_the_order_given(values, text):
    assert {str(Category("x", order)) for order in permutations(values)} == {text}


def test_true_and_one_print_as_given():
    assert str(Category("x", (True,))) == "x = True"
    assert str(Category("x", (1,))) == "x = 1"


def test_category_takes_any_collection_of_values():
    expected = Category("x", (1, 2))
    assert Category("x", [2, 1]) == Category("x", {1, 2}) == expected
    assert Category("x", np.array([2, 1])) == Category("x", iter((1, 2))) == expected


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ("foul", r"'odor' are 'foul', which is not a tuple; write \('foul',\)"),
        (b"foul", "which is not a tuple"),
        (5, r"write \(5,\)"),
        ((), "at least one is accepted"),
        ((math.nan,), r"'odor' is nan \(float\)"),
        (("foul", None), r"'odor' is None \(NoneType\)"),
    ],
)
def test_category_refuses_values_that_do_not_fit(values, part):
    with pytest.raises(BadRule, match=part):
        Category("odor", values)


@pytest.mark.parametrize("make", [lambda f: Category(f, ("a",)), lambda f: Interval(f, 0.0, 1.0)])
def test_condition_needs_the_name_of_a_feature(make):
    assert type(make(np.str_("odor")).feature) is str
    with pytest.raises(BadRule, match=r"feature of a condition is 3 \(int\)"):
        make(3)


def test_interval_turns_its_ends_into_plain_numbers():
    interval = Interval("x", np.int64(1), np.float32(2.5))
    assert (type(interval.lower), type(interval.upper)) == (float, float)
    assert interval == Interval("x", 1, 2.5)
    assert str(Interval("x", -0.0, 1)) == "0 < x <= 1"


def test_interval_turns_its_ends_into_plain_moments():
    start, stop = datetime(2020, 1, 1), datetime(2020, 1, 2)
    for lower, upper in [
        (date(2020, 1, 1), date(2020, 1, 2)),
        (np.datetime64("2020-01-01"), np.datetime64("2020-01-02", "ns")),
    ]:
        interval = Interval("x", lower, upper)
        assert (interval.lower, interval.upper) == (start, stop)
        assert (type(interval.lower), type(interval.upper)) == (datetime, datetime)


def test_moments_with_a_zone_keep_their_offset():
    two_hours_east = timezone(timedelta(hours=2))
    lower, upper = datetime(2020, 1, 1, 2, tzinfo=two_hours_east), datetime(2020, 1, 2, tzinfo=UTC)
    interval = Interval("x", lower, upper)
    assert str(interval) == "2020-01-01T02:00+02:00 < x <= 2020-01-02T00:00+00:00"
    numbers = [to_microseconds(datetime(2020, 1, 1, 0, 0, second)) for second in (0, 1)]
    assert interval.covers(numbers).tolist() == [False, True]
    assert str(Interval("x", lower, datetime(2020, 1, 2, 0, 0, 7))).endswith("02T00:00:07")
    with pytest.raises(BadRule, match="below the upper"):
        Interval("x", lower, datetime(2020, 1, 1))  # the same moment


def test_interval_turns_pandas_moments_into_plain_ones():
    pandas = pytest.importorskip("pandas")
    interval = Interval("x", pandas.Timestamp("2020-01-01 02:00+02:00"), math.inf)
    assert interval.lower == datetime(2020, 1, 1, tzinfo=UTC)
    assert type(interval.lower) is datetime
    with pytest.raises(BadRule, match="is NaT"):
        Interval("x", pandas.NaT, math.inf)


def test_infinite_end_goes_with_a_number_and_a_moment():
    moment = datetime(2020, 1, 1)
    assert str(Interval("x", -math.inf, moment)) == "x <= 2020-01-01"
    assert str(Interval("x", moment, math.inf)) == "x > 2020-01-01"
    assert str(Interval("x", -math.inf, 1)) == "x <= 1"


@pytest.mark.parametrize(
    ("lower", "upper", "part"),
    [
        (2, 1, "are 2 and 1; a lower end below the upper"),
        (1, 1, "below the upper"),
        (math.inf, math.inf, "below the upper"),
        (-math.inf, -math.inf, "below the upper"),
        (datetime(2021, 1, 1), datetime(2020, 1, 1), "below the upper"),
        (math.inf, datetime(2020, 1, 1), "below the upper"),
        (datetime(2020, 1, 1), -math.inf, "below the upper"),
        (
            3,
            datetime(2020, 1, 1),
            "are 3 and 2020-01-01; two numbers, two moments or two categories",
        ),
        (datetime(2020, 1, 1), 3, "two numbers, two moments or two categories"),
        (math.nan, 1, r"'x' is nan \(float\)"),
        (0, math.nan, "is nan"),
        ("0", 1, 'are "0" and 1; two numbers, two moments or two categories'),
        ("l", "l", "below the upper"),
        (None, 1, "is None"),
        (True, 2, "is True"),
        (0, 10**400, "is 1000"),
        (np.datetime64("NaT", "us"), math.inf, "NaT"),
        (np.datetime64(10**18, "s"), math.inf, "years 1 to 9999"),
        (datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2))), math.inf, "years 1 to 9999"),
    ],
)
def test_interval_refuses_ends_that_do_not_fit(lower, upper, part):
    with pytest.raises(BadRule, match=part):
        Interval("x", lower, upper)
