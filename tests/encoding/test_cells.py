"""Single cells: the category, number or date that each stands for."""

import datetime as dt
import decimal
import enum
import fractions
import math
import zoneinfo

import numpy as np
import pandas as pd
import pytest

from picrules.encoding.cells import (
    format_date,
    is_missing,
    to_date_number,
    to_date_numbers,
    to_number,
    to_value,
)
from picrules.errors import BadCell

ZONE = dt.timezone(dt.timedelta(hours=1))


class Colour(str, enum.Enum):  # noqa: UP042  (the older form writes its class into str())
    RED = "red"


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("a", "a"),
        (np.str_("a"), "a"),
        (Colour.RED, "red"),
        (np.True_, True),
        (7.0, 7),
        (7.5, 7.5),
        (np.float32(0.5), 0.5),
        (-0.0, 0),
        (2**60 + 1, 2**60 + 1),
        (np.uint64(2**63 + 1), 2**63 + 1),
        (2.0**60, 2.0**60),
        (decimal.Decimal("2.50"), 2.5),
        (decimal.Decimal(2**60 + 1), 2**60 + 1),
        (fractions.Fraction(1, 2), 0.5),
        (dt.date(2020, 1, 2), "2020-01-02"),
        (dt.datetime(2020, 1, 2), "2020-01-02"),
        (dt.datetime(2020, 1, 2, 3, 4), "2020-01-02T03:04:00"),
        (dt.datetime(2020, 1, 2, 1, tzinfo=ZONE), "2020-01-02"),
        (pd.Timestamp("2020-01-02 01:00", tz=ZONE), "2020-01-02"),
        (pd.Timestamp("1969-12-31 23:59:59.999999001"), "1969-12-31T23:59:59.999999"),
        (np.datetime64("1969-12-31T23:59:59.999999001"), "1969-12-31T23:59:59.999999"),
        (np.datetime64("2020-01-02", "ns"), "2020-01-02"),
    ],
)
def test_a_cell_stands_for_one_plain_category(cell, value):
    """Dates were written in as many ways as there are types, and NumPy's as integers."""
    found = to_value("a", cell)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("cell", [10**400, math.inf, np.timedelta64(1, "s"), b"a", 1j, ()])
def test_what_is_no_category_is_refused(cell):
    """An integer beyond every float raised OverflowError; a duration was taken for a number."""
    with pytest.raises(BadCell, match="column 'a' holds"):
        to_value("a", cell)


@pytest.mark.parametrize("cell", [" 2 ", "2e0", True, decimal.Decimal(2)])
def test_numbers_and_their_texts_are_numbers(cell):
    assert to_number("a", cell) == float(cell)


@pytest.mark.parametrize("cell", ["1_0", "nan", "inf", "", "x", pytest.param(10**5000, id="huge")])
def test_other_texts_are_no_numbers(cell):
    """Python reads "1_0" as 10 and "nan" as a missing number."""
    with pytest.raises(BadCell, match="where a finite number or missing is expected"):
        to_number("a", cell)


@pytest.mark.parametrize(
    "cell", [None, math.nan, np.float32("nan"), pd.NA, pd.NaT, decimal.Decimal("nan"),
             np.datetime64("NaT", "us"), np.timedelta64("NaT", "us")],
    ids=repr,
)  # fmt: skip
def test_missing_cells(cell):
    assert is_missing(cell)


@pytest.mark.parametrize(
    "cell",
    [
        np.datetime64("10000-01-01"),
        np.datetime64("0000-12-31"),
        np.datetime64(2**62, "s"),
        pd.Timestamp(np.datetime64("20000-01-01", "s")),
        dt.datetime(1, 1, 1, tzinfo=ZONE),
        dt.datetime(9999, 12, 31, 23, tzinfo=dt.timezone(-dt.timedelta(hours=1))),
    ],
    ids=str,
)
def test_dates_that_python_does_not_have_are_refused(cell):
    """They raised OverflowError, or became other dates without a word."""
    with pytest.raises(BadCell, match=r"'a' holds the date .*; dates from year 1 to 9999 in UTC"):
        to_date_number("a", cell)


@pytest.mark.parametrize(
    "moment", [dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999_999)]
)
def test_the_first_and_the_last_moment_can_be_written(moment):
    """The last microseconds of 9999 round up to a float in the year 10000."""
    number = to_date_number("a", moment)
    assert format_date(number)[:4] == f"{moment.year:04}"
    assert to_date_numbers("a", np.array([moment], "M8[us]")).tolist() == [number]


def test_the_hour_that_a_clock_repeats_is_two_moments():
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    early, late = (dt.datetime(2020, 10, 25, 2, 30, tzinfo=berlin, fold=fold) for fold in (0, 1))
    assert to_date_number("a", late) - to_date_number("a", early) == 3600e6
