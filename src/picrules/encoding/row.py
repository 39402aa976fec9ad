"""Read one row: a table of one row, cells by column name, or cells in column order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals as nw
import numpy as np

from picrules.encoding.cells import to_value
from picrules.encoding.columns import Column, Kind, read_arrays
from picrules.encoding.schema import Feature, NumberFeature, as_categories
from picrules.encoding.tables import check_distinct, check_table, is_frame
from picrules.errors import BadTable
from picrules.rules.text import Value, format_bound, format_value, list_names, show
from picrules.rules.values import from_microseconds

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
        return from_microseconds(number)
    return to_value(feature.name, number)


def format_cell(cell: Cell) -> str:
    """Write a cell as it stands in a sentence."""
    if cell is None:
        return "missing"
    return format_bound(cell) if isinstance(cell, datetime) else format_value(cell)


def _to_table(row: Any, names: Sequence[str]) -> Any:
    if isinstance(row, Mapping):
        return _in_column_order(dict(row), names)
    if nw.dependencies.is_pandas_like_series(row):
        index = row.index.tolist()
        if any(isinstance(name, str) for name in index):
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


def _in_column_order(cells: dict[Any, Any], names: Sequence[str]) -> NDArray[Any]:
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
    return _to_objects([cells[name] for name in names])


def _to_objects(cells: Sequence[Any]) -> NDArray[Any]:
    # Filled one by one: NumPy would take a list among the cells for a dimension.
    array = np.empty((1, len(cells)), object)
    for position, cell in enumerate(cells):
        array[0, position] = cell
    return array
