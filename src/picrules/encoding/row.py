"""Read one row: a table of one row, cells by column name, or cells in column order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals as nw
import numpy as np

from picrules.encoding.cells import to_value
from picrules.encoding.columns import Column, Kind, read_arrays
from picrules.encoding.schema import CategoryFeature, Feature, NumberFeature, as_categories
from picrules.encoding.tables import (
    are_counted,
    check_distinct,
    check_table,
    is_frame,
    to_column_name,
)
from picrules.errors import BadTable
from picrules.rules.text import Value, format_bound, format_value, list_names, show
from picrules.rules.values import EXACT_LIMIT, from_microseconds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions

Cell: TypeAlias = Value | datetime | None

_ACCEPTED = (
    "a table of one row, a dict or Series with the column names, or a list of cells in column "
    "order is accepted"
)


def check_row(row: Any, names: Sequence[str]) -> Any:
    """Return one row as a table of the named columns, or say what is wrong.

    A frame is returned as it is, its column names unchecked; all else becomes an array of shape
    (1, n_features).
    """
    X = check_table(_to_table(row, names))
    if X.shape[0] != 1:
        raise BadTable(f"row has {X.shape[0]} rows; {_ACCEPTED}")
    if not is_frame(X) and X.shape[1] != len(names):
        raise BadTable(
            f"row has {X.shape[1]} cells; one for each of the {len(names)} columns is "
            f"accepted: {list_names(names)}"
        )
    return X


def to_rows(X: Any) -> list[Mapping[str, Any]] | None:
    """Return a row by column name, or a list of such rows, as a list; None for all else."""
    if isinstance(X, Mapping):
        return [X]
    is_rows = isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], Mapping)
    return list(X) if is_rows else None


class RowCoder:
    """Turns rows by column name into codes, without a table around them.

    The usual cells are looked up at once; all others are read as a column of one cell.
    """

    def __init__(self, conditions: Conditions) -> None:
        features = conditions.schema.features
        self._names = [feature.name for feature in features]
        self._known = set(self._names)
        self._features = features
        self._used = conditions.features
        self._codes_of: list[dict[Any, int]] = [
            {value: code for code, value in enumerate(feature.categories) if type(value) is str}
            if isinstance(feature, CategoryFeature)
            else {}
            for feature in features
        ]

    def encode(self, rows: Sequence[Mapping[str, Any]]) -> NDArray[np.int32]:
        """Return the codes of rows, of shape (n_features, n_rows); -1 is missing or unseen."""
        codes = np.array([self._encode_row(row) for row in rows], np.int32).T
        return np.ascontiguousarray(codes[self._used])

    def _encode_row(self, row: Mapping[str, Any]) -> list[int]:
        if not isinstance(row, Mapping):
            raise BadTable(
                f"one of the rows is {show(row)}; a dict with the column names is accepted"
            )
        if len(row) != len(self._names) or any(name not in row for name in self._names):
            row = {to_column_name(name): cell for name, cell in row.items()}
            _check_names(row, self._names)
        return [self._encode_cell(position, row[name]) for position, name in enumerate(self._names)]

    def _encode_cell(self, position: int, cell: Any) -> int:
        feature, kind = self._features[position], type(cell)
        if cell is None:
            return -1
        if isinstance(feature, NumberFeature):
            is_plain = feature.kind is Kind.NUMBER and not feature.is_empty
            if is_plain and (kind is float or kind is int) and -EXACT_LIMIT < cell < EXACT_LIMIT:
                return bisect_left(feature.cuts, cell)
        elif kind is str:
            return self._codes_of[position].get(cell, -1)
        return int(feature.encode(read_cell(feature.name, cell))[0])


def read_cell(name: str, cell: Any) -> Column:
    """Read a single cell as a column of one row."""
    return read_arrays([name], _to_objects([cell]))[0]


def plain_cell(feature: Feature, column: Column) -> Cell:
    """Return the cell of a column of one row as a feature reads it; None is missing.

    A category may be one that training never saw.
    """
    if isinstance(feature, NumberFeature) and not feature.is_empty:
        number = float(feature.read(column)[0])
        return None if np.isnan(number) else plain_number(feature, number)
    return as_categories(column).cells()[0]


def plain_number(feature: NumberFeature, number: float) -> Value | datetime:
    """Return a number as people write it: whole without a point, a moment for a date."""
    if feature.kind is Kind.DATE:
        return from_microseconds(number, feature.zone)
    return to_value(feature.name, number)


def format_cell(cell: Cell) -> str:
    """Write a cell as it stands in a sentence."""
    if cell is None:
        return "missing"
    return format_bound(cell) if isinstance(cell, datetime) else format_value(cell)


def _to_table(row: Any, names: Sequence[str]) -> Any:
    if isinstance(row, Mapping):
        return _in_column_order(row, names)
    if nw.dependencies.is_pandas_like_series(row):
        index = row.index.tolist()
        if not are_counted(index):
            check_distinct(index, "row has more than one cell")
            return _in_column_order(dict(zip(index, row.tolist(), strict=True)), names)
    if nw.dependencies.is_into_series(row):
        return _to_objects(nw.from_native(row, series_only=True).to_list())
    if isinstance(row, list | tuple):
        is_flat = not any(isinstance(cell, list | tuple | np.ndarray) for cell in row)
        return [row] if is_flat else row
    if row is None or np.isscalar(row):
        raise BadTable(f"row is {show(row)} ({type(row).__name__}); {_ACCEPTED}")
    return row.reshape(1, -1) if isinstance(row, np.ndarray) and row.ndim == 1 else row


def _in_column_order(cells: Mapping[Any, Any], names: Sequence[str]) -> NDArray[Any]:
    by_name = {to_column_name(name): cell for name, cell in cells.items()}
    _check_names(by_name, names)
    return _to_objects([by_name[name] for name in names])


def _check_names(cells: Mapping[Any, Any], names: Sequence[str]) -> None:
    """Refuse a row with other cells than the columns."""
    known = set(names)
    for name in cells:
        if name not in known:
            raise BadTable(f"row has a cell named {name!r}; the columns are {list_names(names)}")
    for name in names:
        if name not in cells:
            raise BadTable(
                f"row has no cell named {name!r}; one for each column is accepted, None where "
                "it is missing"
            )


def _to_objects(cells: Sequence[Any]) -> NDArray[Any]:
    # Filled one by one: NumPy would take a list among the cells for a dimension.
    array = np.empty((1, len(cells)), object)
    for position, cell in enumerate(cells):
        array[0, position] = cell
    return array
