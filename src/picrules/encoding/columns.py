"""Read a table into columns of three kinds: numbers, dates and categories.

One door for NumPy arrays, lists, and pandas, Polars and PyArrow tables. What leaves this
module is plain: numbers and dates are float64, categories are `str`, `bool`, `int` and `float`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals as nw
import numpy as np
from sklearn.utils import check_array

from picrules.errors import BadCell, BadTable
from picrules.rules.condition import to_microseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from picrules.rules.text import Value

MAX_ROWS = 2**31 - 1


class Kind(StrEnum):
    """What the cells of a column are."""

    NUMBER = "number"
    DATE = "date"
    CATEGORY = "category"


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """A column of numbers or dates.

    Attributes
    ----------
    name : str
        The column's name, or x0, x1, ... in a table without names.
    numbers : float64 array of shape (n_rows,)
        NaN is missing; dates count microseconds since 1970 in UTC.
    kind : Kind
        Numbers or dates.
    """

    name: str
    numbers: NDArray[np.float64]
    kind: Kind = Kind.NUMBER

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True, slots=True)
class CategoryColumn:
    """A column of categories, each distinct value once.

    Attributes
    ----------
    name : str
        The column's name, or x0, x1, ... in a table without names.
    positions : int32 array of shape (n_rows,)
        Where in `values` each cell's value stands; -1 is missing.
    values : tuple
        The distinct values.
    order : tuple or None
        All categories in their order, when the column itself says that they have one.
    """

    name: str
    positions: NDArray[np.int32]
    values: tuple[Value, ...]
    order: tuple[Value, ...] | None = None

    kind = Kind.CATEGORY

    def __len__(self) -> int:
        return len(self.positions)

    def cells(self) -> list[Value | None]:
        """Return the value of each cell, None where missing."""
        values = (*self.values, None)  # position -1 is the last
        return [values[position] for position in self.positions.tolist()]


Column: TypeAlias = NumberColumn | CategoryColumn


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
        return NumberColumn(name, _finite(name, cells.astype(np.float64)))
    if cells.dtype.kind == "M":
        return NumberColumn(name, _read_datetimes(cells), Kind.DATE)
    return _read_cells(name, cells.tolist())


def _read_series(name: str, series: nw.Series[Any]) -> Column:
    dtype = series.dtype
    if dtype.is_numeric():
        numbers = series.cast(nw.Float64).to_numpy().astype(np.float64)
        return NumberColumn(name, _finite(name, numbers))
    if isinstance(dtype, nw.Enum):
        order = to_categories(name, dtype.categories).values
        return replace(to_categories(name, series.to_list()), order=order)
    if isinstance(dtype, nw.Categorical):
        return replace(to_categories(name, series.to_list()), order=_arrow_order(series))
    if isinstance(dtype, nw.Datetime | nw.Date | nw.Boolean | nw.String | nw.Object):
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
    distinct = _distinct(name, cells)
    known = [cell for cell in distinct if not _is_missing(cell)]
    if known and all(isinstance(cell, date) for cell in known):
        return NumberColumn(name, _look_up(cells, distinct, _date_number), Kind.DATE)
    if all(isinstance(cell, Real | Decimal) and not _is_bool(cell) for cell in known):
        return NumberColumn(name, to_numbers(name, cells))
    return to_categories(name, cells)


def to_numbers(name: str, cells: Sequence[Any]) -> NDArray[np.float64]:
    """Turn cells into numbers, NaN where missing."""

    def to_number(cell: Any) -> float:
        try:
            return math.nan if _is_missing(cell) else float(cell)
        except (ValueError, TypeError, OverflowError):
            raise BadCell(
                f"column {name!r} holds {cell!r} where a finite number or missing is expected"
            ) from None

    return _finite(name, _look_up(cells, _distinct(name, cells), to_number))


def to_categories(name: str, cells: Sequence[Any]) -> CategoryColumn:
    """Turn cells into categories; each distinct cell is looked at once."""
    distinct = _distinct(name, cells)
    values = dict.fromkeys(_to_value(name, cell) for cell in distinct if not _is_missing(cell))
    place = {value: position for position, value in enumerate(values)}

    def find(cell: Any) -> int:
        return -1 if _is_missing(cell) else place[_to_value(name, cell)]

    positions = _look_up(cells, distinct, find).astype(np.int32)
    return CategoryColumn(name, positions, tuple(values))


def _distinct(name: str, cells: Sequence[Any]) -> list[Any]:
    try:
        return list(dict.fromkeys(cells))
    except TypeError:
        unhashable = next(cell for cell in cells if not isinstance(cell, Hashable))
        raise _bad_cell(name, unhashable) from None


def _look_up(
    cells: Sequence[Any], distinct: list[Any], function: Callable[[Any], float]
) -> NDArray[np.float64]:
    """Apply a function to every cell, calling it once for each distinct one."""
    results = {cell: function(cell) for cell in distinct}
    return np.fromiter(map(results.__getitem__, cells), np.float64, len(cells))


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


def _date_number(cell: date) -> float:
    if _is_missing(cell):
        return math.nan
    moment = cell if isinstance(cell, datetime) else datetime(cell.year, cell.month, cell.day)  # noqa: DTZ001
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return float(to_microseconds(moment))


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
