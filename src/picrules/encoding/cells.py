"""Read cells: whether one is missing, and the category, number or date it stands for.

What a cell becomes depends on that cell alone, so that a row is read the same in any batch.
"""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal
from itertools import repeat
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.errors import BadCell
from picrules.rules.text import Value, format_bound, show
from picrules.rules.values import EXACT_LIMIT, from_microseconds, to_microseconds, to_moment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_FIRST_YEAR, _LAST_YEAR = 1, 9999  # of Python's dates
# The last moments of 9999 round up to a float that is already in the next year.
LAST_MOMENT = math.nextafter(to_microseconds(datetime(9999, 12, 31, 23, 59, 59)) + 1e6, 0)  # noqa: DTZ001


# What to make of cells of other types, by a part of the type's name.
_CONVERSIONS = {
    "timedelta": "turn durations into numbers, as by X[column].dt.total_seconds()",
    "duration": "turn durations into numbers, as by X[column].dt.total_seconds()",
    "period": "turn periods into dates, as by X[column].dt.start_time",
    "interval": "turn intervals into numbers, as by X[column].array.mid, or into text",
    "time": "turn times of a day into numbers, such as seconds since midnight",
}


def is_missing(cell: Any) -> bool:
    """Whether a cell is None, NaN, NaT or pandas' NA."""
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
    """Whether a cell is a number; booleans and NumPy's durations, which are integers, are not."""
    return isinstance(cell, Real | Decimal) and not isinstance(cell, bool | np.timedelta64)


def is_date(cell: Any) -> bool:
    """Whether a cell is a date or a moment."""
    return isinstance(cell, date | np.datetime64)


def to_value(name: str, cell: Any) -> Value:
    """Return the category that a known cell of the named column stands for.

    Dates become text in UTC, whole numbers lose their decimal point.
    """
    if isinstance(cell, str):
        return str.__str__(cell)  # str() would write the name of an enum's member
    if is_boolean(cell):
        return bool(cell)
    if is_date(cell):
        return format_date(to_date_number(name, cell))
    if not is_number(cell):
        raise _bad_cell(name, cell)
    number = to_number(name, cell)
    if isinstance(cell, Integral | Decimal) and int(cell) == cell:
        return int(cell)
    return int(number) if number.is_integer() and abs(number) < EXACT_LIMIT else number


def to_number(name: str, cell: Any) -> float:
    """Return the number that a cell, or the text in it, stands for."""
    try:
        # Python reads "1_0" as 10, but nobody writes data so.
        number = math.nan if isinstance(cell, str) and "_" in cell else float(cell)
    except (ValueError, TypeError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise BadCell(
            f"column {name!r} holds {show(cell)} where a finite number or missing is expected"
        )
    return number


def to_date_number(name: str, cell: date | np.datetime64) -> float:
    """Return the microseconds from 1970 to a date, in UTC."""
    if isinstance(cell, np.datetime64):
        return float(to_date_numbers(name, np.array([cell]))[0])
    return min(float(to_microseconds(_to_utc(name, cell))), LAST_MOMENT)


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


def format_date(number: float, zone: str = "") -> str:
    """Write microseconds since 1970 as a date and its time, in UTC or with a zone."""
    return format_bound(from_microseconds(number, zone))


def find_distinct(name: str, cells: Sequence[Any]) -> tuple[Sequence[Any], list[Any]]:
    """Return the cells, moments with a zone in UTC, and the distinct ones that are not missing.

    Of equal cells the same is listed, whatever the order of the cells.
    """
    types = set(map(type, cells))
    if any(issubclass(kind, datetime) for kind in types):
        # Two moments of one zone that differ in `fold` alone are equal, but not in UTC.
        cells = [
            _to_utc(name, cell) if isinstance(cell, datetime) and cell.tzinfo is not None else cell
            for cell in cells
        ]
    try:
        distinct = dict.fromkeys(cells)
    except TypeError:
        raise _bad_cell(name, next(cell for cell in cells if not _is_hashable(cell))) from None
    may_be_equal = sum(issubclass(kind, Real | Decimal | np.bool_) for kind in types) > 1
    if may_be_equal and any(map(_gives_way, distinct)):
        distinct = dict.fromkeys(sorted(cells, key=_gives_way))
    return cells, [cell for cell in distinct if not is_missing(cell)]


def has_booleans(cells: Sequence[Any]) -> bool:
    """Whether any cell is a boolean; an equal number may hide it among the distinct cells."""
    return any(issubclass(kind, bool | np.bool_) for kind in set(map(type, cells)))


def to_floats(
    name: str, cells: Sequence[Any], distinct: Sequence[Any], convert: Callable[[str, Any], float]
) -> NDArray[np.float64]:
    """Convert each distinct cell once; NaN stands for cells that are not among them."""
    number_of = {cell: convert(name, cell) for cell in distinct}
    return np.fromiter(map(number_of.get, cells, repeat(math.nan)), np.float64, len(cells))


def to_positions(
    name: str, cells: Sequence[Any], distinct: Sequence[Any]
) -> tuple[NDArray[np.int32], tuple[Value, ...]]:
    """Return each cell's position among the categories, -1 where missing, and the categories."""
    value_of = {cell: to_value(name, cell) for cell in distinct}
    values = tuple(dict.fromkeys(value_of.values()))
    index = {value: position for position, value in enumerate(values)}
    position_of = {cell: index[value] for cell, value in value_of.items()}
    return np.fromiter(map(position_of.get, cells, repeat(-1)), np.int32, len(cells)), values


def _to_utc(name: str, cell: date) -> datetime:
    """Turn a moment with a zone into UTC; one without a zone is taken to be there already."""
    try:
        return to_moment(cell)
    except (OverflowError, ValueError):  # pandas' moments go further than Python's
        raise _bad_date(name, cell) from None


def _gives_way(cell: Any) -> bool:
    """Whether an equal number is written instead: 1 for True, 2**60 for 1.152921504606847e+18."""
    return is_boolean(cell) or (isinstance(cell, float) and abs(cell) >= EXACT_LIMIT)


def _is_hashable(cell: Any) -> bool:
    try:
        hash(cell)
    except TypeError:
        return False
    return True


def _bad_cell(name: str, cell: Any) -> BadCell:
    kind = type(cell).__name__
    return BadCell(
        f"column {name!r} holds {show(cell)} ({kind}); the X argument must be "
        f"a table of strings, finite numbers, booleans and dates{tell_conversion(kind)}"
    )


def tell_conversion(kind: str) -> str:
    """Say what a column of a type that is not read can be turned into; nothing if not known."""
    name = kind.lower()
    return next((f"; {advice}" for part, advice in _CONVERSIONS.items() if part in name), "")


def _bad_date(name: str, cell: Any) -> BadCell:
    return BadCell(
        f"column {name!r} holds the date {cell}; dates from year {_FIRST_YEAR} to {_LAST_YEAR} "
        "in UTC are accepted"
    )
