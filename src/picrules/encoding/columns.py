"""Read a table into columns of three kinds: numbers, dates and categories.

One door for NumPy arrays, lists, and pandas, Polars and PyArrow tables. What leaves this
module is plain: numbers and dates are float64 with NaN for missing (dates count microseconds
since 1970 in UTC), categories are lists of `str`, `bool`, `int` and `float` with None for missing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from numbers import Real
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from sklearn.utils import check_array

from picrules.errors import BadCell, BadTable
from picrules.rules.condition import to_microseconds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from picrules.rules.text import Value

MAX_ROWS = 2**31 - 1


class Kind(StrEnum):
    """What the cells of a column are."""

    NUMBER = "number"
    DATE = "date"
    CATEGORY = "category"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table, read.

    Attributes
    ----------
    name : str
        The column's name, or x0, x1, ... in a table without names.
    kind : Kind
        What the cells are.
    cells : array or list
        Float64 for numbers and dates, a list of values or None for categories.
    order : tuple or None
        All categories in their order, when the column itself says that they have one.
    """

    name: str
    kind: Kind
    cells: NDArray[np.float64] | list[Value | None]
    order: tuple[Value | None, ...] | None = None

    def __len__(self) -> int:
        return len(self.cells)


def is_frame(X: Any) -> bool:
    """Whether X is a table with named columns that narwhals can read."""
    return bool(nw.dependencies.is_into_dataframe(X))


def check_table(X: Any) -> Any:
    """Return X as a table of two dimensions that is not empty, or say what is wrong."""
    n_rows = getattr(X, "shape", (0,))[0] if getattr(X, "shape", ()) else 0
    if n_rows > MAX_ROWS:
        raise BadTable(f"X has {n_rows} rows; at most {MAX_ROWS} are accepted")
    if hasattr(X, "collect_schema") and hasattr(X, "collect"):
        raise BadTable(f"X is a lazy {type(X).__name__}; call X.collect() first")
    if is_frame(X):
        return _check_frame(X)
    try:
        array = check_array(X, dtype=None, ensure_all_finite=False)
    except (ValueError, TypeError) as error:
        raise BadTable(f"{error}".strip()) from error
    if array.dtype.kind == "U" and not isinstance(X, np.ndarray):
        # NumPy writes the numbers of a mixed list as text; the list still has them.
        array = check_array(X, dtype=object, ensure_all_finite=False)
    return array


def read_columns(X: Any) -> list[Column]:
    """Read the columns of a table that `check_table` returned."""
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        texts = all(isinstance(name, str) for name in frame.columns)
        names = list(frame.columns) if texts else _default_names(len(frame.columns))
        return [
            _read_series(name, frame[:, position].alias(name))
            for position, name in enumerate(names)
        ]
    names = _default_names(X.shape[1])
    return [_read_array(name, X[:, position]) for position, name in enumerate(names)]


def _check_frame(X: Any) -> Any:
    names = list(X.column_names if hasattr(X, "column_names") else X.columns)
    repeated = sorted({str(name) for name in names if names.count(name) > 1})
    if repeated:
        raise BadTable(f"X has more than one column named {repeated[0]!r}; names must differ")
    n_rows, n_columns = X.shape
    for count, what in ((n_rows, "sample"), (n_columns, "feature")):
        if count == 0:
            raise BadTable(
                f"Found array with 0 {what}(s) (shape=({n_rows}, {n_columns})) "
                "while a minimum of 1 is required."
            )
    return X


def _default_names(n_columns: int) -> list[str]:
    return [f"x{position}" for position in range(n_columns)]


def _read_array(name: str, cells: NDArray[Any]) -> Column:
    if cells.dtype.kind in "iuf":
        return Column(name, Kind.NUMBER, _finite(name, cells.astype(np.float64)))
    if cells.dtype.kind == "M":
        return Column(name, Kind.DATE, _read_datetimes(cells))
    return _read_cells(name, cells.tolist())


def _read_series(name: str, series: nw.Series[Any]) -> Column:
    dtype = series.dtype
    if dtype.is_numeric():
        numbers = series.cast(nw.Float64).to_numpy().astype(np.float64)
        return Column(name, Kind.NUMBER, _finite(name, numbers))
    if isinstance(dtype, nw.Datetime | nw.Date):
        return Column(name, Kind.DATE, _read_dates(name, series.to_list()))
    if isinstance(dtype, nw.Enum):
        order = _values(name, list(dtype.categories))
        return Column(name, Kind.CATEGORY, _values(name, series.to_list()), tuple(order))
    if isinstance(dtype, nw.Categorical):
        return Column(name, Kind.CATEGORY, _values(name, series.to_list()), _arrow_order(series))
    if isinstance(dtype, nw.Boolean | nw.String | nw.Object):
        return _read_cells(name, series.to_list())
    raise BadCell(
        f"column {name!r} has the type {dtype}; the X argument must be a table of strings, "
        "numbers, booleans and dates"
    )


def _arrow_order(series: nw.Series[Any]) -> tuple[Value, ...] | None:
    """Categories of a PyArrow dictionary that is marked as ordered; narwhals drops the mark."""
    dtype = getattr(series.to_native(), "type", None)
    if not getattr(dtype, "ordered", False):
        return None
    chunks = series.to_native().unify_dictionaries().chunks
    return tuple(chunks[0].dictionary.to_pylist()) if chunks else None


def _read_cells(name: str, cells: list[Any]) -> Column:
    """Read Python objects: numbers if all are numbers, dates if all are dates, else categories."""
    known = [cell for cell in cells if not _is_missing(cell)]
    if known and all(isinstance(cell, date) for cell in known):
        return Column(name, Kind.DATE, _read_dates(name, cells))
    if all(isinstance(cell, Real | Decimal) and not _is_bool(cell) for cell in known):
        return Column(name, Kind.NUMBER, to_numbers(name, cells))
    return Column(name, Kind.CATEGORY, _values(name, cells))


def to_numbers(name: str, cells: Iterable[Any]) -> NDArray[np.float64]:
    """Turn cells into numbers, NaN where missing."""
    numbers = []
    for cell in cells:
        try:
            numbers.append(math.nan if _is_missing(cell) else float(cell))
        except (ValueError, TypeError, OverflowError):
            raise BadCell(
                f"column {name!r} holds {cell!r} where a finite number or missing is expected"
            ) from None
    return _finite(name, np.array(numbers, np.float64))


def to_values(name: str, cells: Iterable[Any]) -> list[Value | None]:
    """Turn numbers and dates into categories; whole numbers lose their decimal point."""
    return [_without_point(value) for value in _values(name, list(cells))]


def _without_point(value: Value | None) -> Value | None:
    # Past 2**53 a float is no longer a whole number that somebody wrote.
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if is_whole else value  # type: ignore[arg-type]


def _values(name: str, cells: list[Any]) -> list[Value | None]:
    known: dict[Any, Value] = {}
    values: list[Value | None] = []
    for cell in cells:
        try:
            value = known.get(cell)
        except TypeError:
            raise _bad_cell(name, cell) from None
        if value is None and not _is_missing(cell):
            known[cell] = value = _to_value(name, cell)
        values.append(value)
    return values


def _to_value(name: str, cell: Any) -> Value:
    plain = cell.item() if isinstance(cell, np.generic) else cell
    if isinstance(plain, date):
        return plain.isoformat()
    if isinstance(plain, str):
        return str(plain)
    if isinstance(plain, bool | int | float) and math.isfinite(plain):
        return plain
    raise _bad_cell(name, cell)


def _bad_cell(name: str, cell: Any) -> BadCell:
    return BadCell(
        f"column {name!r} holds {cell!r} ({type(cell).__name__}); the X argument must be a table "
        "of strings, finite numbers, booleans and dates"
    )


def _read_dates(name: str, cells: list[Any]) -> NDArray[np.float64]:
    return np.array([_date_number(name, cell) for cell in cells], np.float64)


def _date_number(name: str, cell: Any) -> float:
    if _is_missing(cell):
        return math.nan
    if not isinstance(cell, datetime):
        if not isinstance(cell, date):
            raise BadCell(f"column {name!r} holds {cell!r}; a date or missing is expected")
        cell = datetime(cell.year, cell.month, cell.day)  # noqa: DTZ001
    if cell.tzinfo is not None:
        cell = cell.astimezone(UTC).replace(tzinfo=None)
    return float(to_microseconds(cell))


def _read_datetimes(cells: NDArray[Any]) -> NDArray[np.float64]:
    numbers = cells.astype("datetime64[us]").astype(np.int64).astype(np.float64)
    numbers[np.isnat(cells)] = np.nan
    return numbers


def _finite(name: str, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    if np.isinf(numbers).any():
        value = numbers[np.isinf(numbers)][0]
        raise BadTable(
            f"column {name!r} holds {value} (infinity); numbers must be finite or missing (NaN)"
        )
    return numbers


def _is_bool(cell: Any) -> bool:
    return isinstance(cell, bool | np.bool_)


def _is_missing(cell: Any) -> bool:
    """None, NaN, NaT and pandas' NA; only the last two are told by their type's name."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float | np.floating) and math.isnan(cell)
