"""Read a table into columns of three kinds: numbers, dates and categories.

One door for NumPy arrays, lists, and pandas, Polars and PyArrow tables. What leaves this
module is plain: numbers and dates are float64, categories are `str`, `bool`, `int` and `float`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals as nw
import numpy as np

from picrules.encoding.cells import (
    find_distinct,
    has_booleans,
    is_date,
    is_number,
    tell_conversion,
    to_date_number,
    to_date_numbers,
    to_floats,
    to_number,
    to_positions,
)
from picrules.encoding.tables import is_frame, name_columns
from picrules.errors import BadCell, BadTable
from picrules.rules.values import EXACT_LIMIT
from picrules.rules.zones import name_zone

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from picrules.rules.text import Value


class Kind(StrEnum):
    """What the cells of a column are."""

    NUMBER = "number"
    DATE = "date"
    CATEGORY = "category"


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """A column of numbers or dates."""

    name: str  # x0, x1, ... in a table without names
    numbers: NDArray[np.float64]  # NaN is missing; dates count microseconds since 1970 in UTC
    kind: Kind = Kind.NUMBER
    cells: Sequence[Any] | None = None  # as given, where float64 would merge some whole numbers
    zone: str = ""  # of dates: what the column calls its zone

    def __len__(self) -> int:
        return len(self.numbers)

    def repeat(self, times: NDArray[np.int64]) -> NumberColumn:
        """Return each cell as often as told."""
        cells = self.cells
        if cells is not None:
            cells = [cell for cell, count in zip(cells, times, strict=True) for _ in range(count)]
        return replace(self, numbers=self.numbers.repeat(times), cells=cells)


@dataclass(frozen=True, slots=True)
class CategoryColumn:
    """A column of categories."""

    name: str  # x0, x1, ... in a table without names
    positions: NDArray[np.int32]  # of each cell's value in `values`; -1 is missing
    values: tuple[Value, ...]  # each distinct one once
    order: tuple[Value, ...] | None = None  # all categories, if the column says they have an order

    kind = Kind.CATEGORY

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The numbers that the categories stand for; NaN is missing."""
        numbers = [*(to_number(self.name, value) for value in self.values), np.nan]
        return np.array(numbers)[self.positions]  # position -1 is the last

    def __len__(self) -> int:
        return len(self.positions)

    def repeat(self, times: NDArray[np.int64]) -> CategoryColumn:
        """Return each cell as often as told, at least once: no value may be left over."""
        return replace(self, positions=self.positions.repeat(times))

    def cells(self) -> list[Value | None]:
        """Return the value of each cell, None where missing."""
        values = (*self.values, None)  # position -1 is the last
        return [values[position] for position in self.positions.tolist()]


Column: TypeAlias = NumberColumn | CategoryColumn


def read_columns(X: Any) -> list[Column]:
    """Read the columns of a table that `check_table` returned."""
    names = name_columns(X)
    if not is_frame(X):
        return read_arrays(names, X)
    if nw.dependencies.is_pandas_dataframe(X) and set(X.dtypes) == {np.dtype(np.float64)}:
        # One array at once: 20,000 columns one by one take a second.
        return read_arrays(names, X.to_numpy())
    frame = nw.from_native(X, eager_only=True)
    return [
        _read_series(name, series) for name, series in zip(names, frame.iter_columns(), strict=True)
    ]


def read_arrays(names: Sequence[str], X: NDArray[Any]) -> list[Column]:
    """Read the columns of an array of two dimensions; they get these names."""
    return [_read_array(name, X[:, position]) for position, name in enumerate(names)]


def _read_array(name: str, cells: NDArray[Any]) -> Column:
    kind = cells.dtype.kind
    if kind == "f":
        return NumberColumn(name, _finite(name, np.ascontiguousarray(cells, np.float64)))
    if kind in "iu":
        numbers = np.ascontiguousarray(cells, np.float64)
        return NumberColumn(name, numbers, cells=cells.tolist() if _merges(numbers) else None)
    if kind == "M":
        return NumberColumn(name, to_date_numbers(name, cells), Kind.DATE)
    if kind == "b":
        return _read_codes(name, cells.astype(np.int64), 2, _to_booleans)
    if kind == "U":
        return to_categories(name, cells.tolist())
    if kind in "OT":
        return _read_cells(name, cells.tolist())
    raise _bad_type(name, cells.dtype)


def _read_series(name: str, series: nw.Series[Any]) -> Column:
    native = series.to_native()
    zone = getattr(getattr(native, "dtype", None), "tz", None)
    if zone is not None:
        # Narwhals reads the zone from its name by a pattern that America/New_York does not fit.
        native = native.dt.tz_convert(None)  # to UTC
        numbers = to_date_numbers(name, native.to_numpy())
        return NumberColumn(name, numbers, Kind.DATE, zone=name_zone(zone))
    if isinstance(getattr(native, "dtype", None), np.dtype):
        return _read_array(name, native.to_numpy())  # pandas without its own types
    dtype = series.dtype
    if dtype.is_numeric():
        return _read_number_series(name, series)
    if isinstance(dtype, nw.Date):
        series = series.cast(nw.Datetime("ms"))  # pandas would go through Python's dates
    if isinstance(dtype, nw.Date | nw.Datetime):
        numbers = to_date_numbers(name, series.to_numpy())
        return NumberColumn(name, numbers, Kind.DATE, zone=name_zone(_zone_of(dtype)))
    if isinstance(dtype, nw.Boolean):
        return _read_codes(name, _to_codes(series), 2, _to_booleans)
    if isinstance(dtype, nw.String):
        return _read_texts(name, series)
    if isinstance(dtype, nw.Enum | nw.Categorical):
        return _read_categories(name, series)
    if isinstance(dtype, nw.Object):
        return _read_cells(name, series.to_list())
    return _read_unknown(name, series)


def _zone_of(dtype: Any) -> str | None:
    return dtype.time_zone if isinstance(dtype, nw.Datetime) else None


def _read_texts(name: str, series: nw.Series[Any]) -> Column:
    """Read text, of which the frame's own library finds the distinct ones."""
    native = series.to_native()
    if hasattr(native, "factorize"):  # pandas
        codes, distinct = native.factorize()
        return _read_codes(name, codes, len(distinct), lambda used: distinct[used].tolist())
    if hasattr(native, "dictionary_encode"):  # PyArrow
        return _read_dictionary(name, native.dictionary_encode().chunks)
    return _read_categories(name, series.cast(nw.Categorical))


def _read_number_series(name: str, series: nw.Series[Any]) -> Column:
    # PyArrow refuses to cast integers that floats would merge, but not to hand them to NumPy.
    is_long = isinstance(series.dtype, nw.Int64 | nw.UInt64)
    array = (series if is_long else series.cast(nw.Float64)).to_numpy()
    numbers = _finite(name, np.ascontiguousarray(array, np.float64))
    merges = not series.dtype.is_float() and _merges(numbers)
    return NumberColumn(name, numbers, cells=series.to_list() if merges else None)


def _read_categories(name: str, series: nw.Series[Any]) -> Column:
    dtype = series.dtype
    try:
        column = _read_categorical(name, series)
        order = dtype.categories if isinstance(dtype, nw.Enum) else _arrow_order(series)
    except OverflowError as error:  # PyArrow has dates that Python has not
        raise BadCell(f"column {name!r} holds a date out of range: {error}") from None
    if order is None:
        return column
    return replace(column, order=to_categories(name, order).values)


def _read_categorical(name: str, series: nw.Series[Any]) -> CategoryColumn:
    """Read a column that holds codes already: each library has its own way to them."""
    native = series.to_native()
    if hasattr(native, "to_physical"):  # Polars, whose codes may stand for texts of other columns
        codes = _to_codes(nw.from_native(native.to_physical(), series_only=True))
        distinct = native.drop_nulls().unique()
        texts = dict(zip(distinct.to_physical().to_list(), distinct.to_list(), strict=True))
        n_values = max(texts, default=-1) + 1
        return _read_codes(name, codes, n_values, lambda used: [texts[code] for code in used])
    if hasattr(native, "cat"):  # pandas
        codes, categories = native.cat.codes.to_numpy(), native.cat.categories
        return _read_codes(name, codes, len(categories), lambda used: categories[used].tolist())
    chunks = native.chunks if hasattr(native, "chunks") else [series.to_arrow()]
    return _read_dictionary(name, chunks)


def _read_dictionary(name: str, chunks: Sequence[Any]) -> CategoryColumn:
    """Read PyArrow's dictionary-encoded arrays; PyArrow cannot unify dictionaries with nulls."""
    dictionaries: list[Any] = []
    codes: list[NDArray[np.integer]] = []
    start = 0
    for chunk in chunks:
        if not dictionaries or not chunk.dictionary.equals(dictionaries[-1]):
            start = sum(map(len, dictionaries))
            dictionaries.append(chunk.dictionary)
        own = chunk.indices.cast("int32").fill_null(-1).to_numpy(zero_copy_only=False)
        codes.append(np.where(own >= 0, own + start, -1) if start else own)
    if not dictionaries:  # PyArrow joins no arrays to none
        return to_categories(name, [])
    pyarrow = nw.dependencies.get_pyarrow()
    values = pyarrow.concat_arrays(dictionaries)

    def take(used: NDArray[np.int64]) -> list[Any]:
        cells: list[Any] = values.take(pyarrow.array(used)).to_pylist()
        return cells

    return _read_codes(name, np.concatenate(codes), len(values), take)


def _to_booleans(codes: NDArray[np.int64]) -> list[Any]:
    booleans: list[Any] = (codes > 0).tolist()
    return booleans


def _to_codes(series: nw.Series[Any]) -> NDArray[np.int64]:
    """Return whole numbers or booleans as codes; -1 where missing."""
    codes: NDArray[np.int64] = series.cast(nw.Int64).fill_null(-1).to_numpy()
    return codes


def _read_codes(
    name: str,
    codes: NDArray[np.integer],
    n_values: int,
    take: Callable[[NDArray[np.int64]], list[Any]],
) -> CategoryColumn:
    """Read codes, -1 where missing; `take` gives the values of those that occur."""
    # As numbers without a sign, -1 is larger than all codes, and counted without a copy.
    is_short = codes.dtype in (np.int8, np.int16)
    unsigned = codes.view(f"u{codes.itemsize}") if is_short else codes.astype(np.int64) + 1
    counts = np.bincount(unsigned, minlength=n_values + 1)
    used = np.flatnonzero(counts[:n_values] if is_short else counts[1:])
    column = to_categories(name, take(used))
    if len(used) == n_values and np.array_equal(column.positions, used):
        return replace(column, positions=codes.astype(np.int32))
    positions = np.full(n_values + 1, -1, np.int32)  # position -1 is the last
    positions[used] = column.positions
    return replace(column, positions=positions[codes])


def _arrow_order(series: nw.Series[Any]) -> list[Any] | None:
    """Categories of a PyArrow dictionary that is marked as ordered; narwhals drops the mark."""
    dtype = getattr(series.to_native(), "type", None)
    if not getattr(dtype, "ordered", False) or not has_one_order(series.to_native()):
        return None
    chunks = series.to_native().chunks
    return list(chunks[0].dictionary.to_pylist()) if chunks else None


def has_one_order(column: Any) -> bool:
    """Whether all parts of a dictionary-encoded column of PyArrow have the same dictionary."""
    chunks = column.chunks
    return all(chunk.dictionary.equals(chunks[0].dictionary) for chunk in chunks)


def _read_unknown(name: str, series: nw.Series[Any]) -> Column:
    """Read a type that narwhals has no name for: nulls, sparse pandas columns, PyArrow's date64."""
    if series.null_count() == len(series):
        return NumberColumn(name, np.full(len(series), np.nan))
    array = series.to_numpy() if isinstance(series.dtype, nw.Unknown) else np.empty(0, object)
    if array.dtype.kind in "biufM":
        return _read_array(name, array)
    native = series.to_native()
    raise _bad_type(name, getattr(native, "type", getattr(native, "dtype", series.dtype)))


def _read_cells(name: str, cells: list[Any]) -> Column:
    """Read Python objects: numbers if all are numbers, dates if all are dates, else categories."""
    given, distinct = find_distinct(name, cells)
    if distinct and all(map(is_date, distinct)):
        zones = {name_zone(getattr(cell, "tzinfo", None)) for cell in cells if is_date(cell)}
        numbers = to_floats(name, given, distinct, to_date_number)
        return NumberColumn(
            name, numbers, Kind.DATE, zone=zones.pop() if len(zones) == 1 else "UTC"
        )
    if all(map(is_number, distinct)) and not has_booleans(given):
        numbers = to_floats(name, given, distinct, to_number)
        return NumberColumn(name, numbers, cells=given if _merges(numbers) else None)
    return CategoryColumn(name, *to_positions(name, given, distinct))


def to_categories(name: str, cells: Sequence[Any]) -> CategoryColumn:
    """Turn cells into categories."""
    return CategoryColumn(name, *to_positions(name, *find_distinct(name, cells)))


def _merges(numbers: NDArray[np.float64]) -> bool:
    """Whether some of the numbers are so large that floats merge whole numbers."""
    return bool((np.abs(numbers) >= EXACT_LIMIT).any())


def _finite(name: str, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    if np.isinf(numbers).any():
        value = numbers[np.isinf(numbers)][0]
        raise BadTable(
            f"column {name!r} holds {value} (infinity); numbers must be finite or missing (NaN)"
        )
    return numbers


def _bad_type(name: str, dtype: Any) -> BadCell:
    return BadCell(
        f"column {name!r} has the type {dtype}; the X argument must be a table of strings, "
        f"numbers, booleans and dates{tell_conversion(str(dtype))}"
    )
