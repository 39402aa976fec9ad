"""Read single cells: whether one is missing, and the category, number or date it stands for.

What a cell becomes depends on that cell alone, so that a row is read the same in any batch.
"""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.errors import BadCell
from picrules.rules.values import from_microseconds, to_microseconds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.rules.text import Value

# Up to here every whole number is a float64 of its own; beyond, floats merge some.
EXACT_LIMIT = 2**53

_FIRST_YEAR, _LAST_YEAR = 1, 9999  # of Python's dates
# The last moments of 9999 round up to a float that is already in the next year.
LAST_MOMENT = math.nextafter(to_microseconds(datetime(9999, 12, 31, 23, 59, 59)) + 1e6, 0)  # noqa: DTZ001


def is_missing(cell: Any) -> bool:
    """None, NaN, NaT and pandas' NA; only the last is told by its type's name alone."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return bool(np.isnat(cell))
    if isinstance(cell, Decimal):
        return cell.is_nan()
    return isinstance(cell, float | np.floating) and math.isnan(cell)


def is_boolean(cell: Any) -> bool:
    """Whether a cell is a boolean, of Python or NumPy."""
    return isinstance(cell, bool | np.bool_)


def is_number(cell: Any) -> bool:
    """Whether a cell is a number; booleans are not, nor NumPy's durations, its odd integers."""
    return isinstance(cell, Real | Decimal) and not isinstance(cell, bool | np.timedelta64)


def is_date(cell: Any) -> bool:
    """Whether a cell is a date or a moment."""
    return isinstance(cell, date | np.datetime64)


def to_value(name: str, cell: Any) -> Value:
    """Return the category that a cell stands for.

    Parameters
    ----------
    name : str
        The column's name, for the error.
    cell : object
        A cell that is not missing.

    Returns
    -------
    str, bool, int or float
        Dates become text in UTC, whole numbers lose their decimal point.

    Examples
    --------
    >>> to_value("d", date(2020, 1, 2)), to_value("d", 7.0), to_value("d", 2**60 + 1)
    ('2020-01-02', 7, 1152921504606846977)
    """
    if isinstance(cell, str):
        return str.__str__(cell)  # str() would write the name of an enum's member
    if is_boolean(cell):
        return bool(cell)
    if is_date(cell):
        return format_date(to_date_number(name, cell))
    if is_number(cell):
        return _to_plain_number(name, cell)
    raise bad_cell(name, cell)


def to_number(name: str, cell: Any) -> float:
    """Return the number that a cell, or the text in it, stands for."""
    try:
        # Python reads "1_0" as 10, but nobody writes data so.
        number = math.nan if isinstance(cell, str) and "_" in cell else float(cell)
    except (ValueError, TypeError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise BadCell(
            f"column {name!r} holds {_shorten(cell)} where a finite number or missing is expected"
        )
    return number


def to_date_number(name: str, cell: date | np.datetime64) -> float:
    """Return the microseconds from 1970 to a date, in UTC."""
    if isinstance(cell, np.datetime64):
        return float(to_date_numbers(name, np.array([cell]))[0])
    if isinstance(cell, datetime):
        moment = to_utc(name, cell)
    else:
        moment = datetime(cell.year, cell.month, cell.day)  # noqa: DTZ001
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:  # pandas' moments go further than Python's
        raise _bad_date(name, cell)
    return min(float(to_microseconds(moment)), LAST_MOMENT)


def to_date_numbers(name: str, cells: NDArray[Any]) -> NDArray[np.float64]:
    """Return the microseconds from 1970 to each `datetime64`, NaN where missing."""
    is_known = ~np.isnat(cells)
    known = cells[is_known]
    # Only years are safe to look at: finer units overflow without a word.
    for extreme in (known.min(), known.max()) if known.size else ():
        year = extreme.astype("datetime64[Y]").astype(np.int64) + 1970
        if not _FIRST_YEAR <= year <= _LAST_YEAR:
            raise _bad_date(name, extreme)
    numbers = np.full(len(cells), np.nan)
    numbers[is_known] = np.minimum(known.astype("datetime64[us]").astype(np.int64), LAST_MOMENT)
    return numbers


def to_utc(name: str, moment: datetime) -> datetime:
    """Turn a moment with a zone into UTC; one without a zone is taken to be there already."""
    if moment.tzinfo is None:
        return moment
    try:
        return moment.astimezone(UTC).replace(tzinfo=None)
    except (OverflowError, ValueError):
        raise _bad_date(name, moment) from None


def format_date(number: float) -> str:
    """Write microseconds since 1970 as a category: a date, with a time unless it is midnight."""
    return from_microseconds(number).isoformat().removesuffix("T00:00:00")


def bad_cell(name: str, cell: Any) -> BadCell:
    """Return the error for a cell that is no category, number or date."""
    return BadCell(
        f"column {name!r} holds {_shorten(cell)} ({type(cell).__name__}); the X argument must be "
        "a table of strings, finite numbers, booleans and dates"
    )


def _bad_date(name: str, cell: Any) -> BadCell:
    return BadCell(
        f"column {name!r} holds the date {cell}; dates from year {_FIRST_YEAR} to {_LAST_YEAR} "
        "in UTC are accepted"
    )


def _to_plain_number(name: str, cell: Any) -> int | float:
    number = to_number(name, cell)
    if isinstance(cell, Integral | Decimal) and int(cell) == cell:
        return int(cell)
    return int(number) if number.is_integer() and abs(number) < EXACT_LIMIT else number


def _shorten(cell: Any) -> str:
    # Python refuses to write integers of more than 4300 digits.
    if isinstance(cell, int) and abs(cell) > 10**99:
        return f"an integer of {cell.bit_length()} bits"
    text = repr(cell)
    return text if len(text) <= 120 else f"{text[:100]}..."
