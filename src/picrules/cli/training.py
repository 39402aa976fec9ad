"""From a file to a table to learn from: kinds of columns, corrections and the target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from picrules.cli.tables import cells
from picrules.errors import BadDataFile, BadTarget
from picrules.rules.text import plural, show

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.cli.options import Learning
    from picrules.cli.tables.source import Source

# A target with more different numbers than this, and fewer rows for each, is not a class.
_MANY_CLASSES = 50
_ROWS_PER_CLASS = 10


@dataclass(frozen=True, slots=True)
class TrainingFile:
    """What was read from a file to learn from."""

    X: pa.Table
    y: NDArray[Any]
    kinds: dict[str, str]  # for each feature: number, date or category


def read_training(source: Source, learning: Learning) -> TrainingFile:
    """Find the kind of each column, correct it as the user said, and take the target apart."""
    table = source.whole()
    names = names_to_learn(table.column_names, learning)
    X, kinds = find_kinds(table.select(names), learning, source)
    return TrainingFile(X, read_target(learning.target, table.column(learning.target)), kinds)


def names_to_learn(names: list[str], learning: Learning) -> list[str]:
    """Return the columns to learn from, of those that a file has."""
    learning.check_columns(names)
    left = [name for name in names if name not in (learning.target, *learning.ignore)]
    if not left:
        raise BadDataFile(
            f"it has no column beside the target {show(learning.target)}; at least one is needed"
        )
    return left


def find_kinds(
    table: pa.Table, learning: Learning, source: Source
) -> tuple[pa.Table, dict[str, str]]:
    """Read the columns of a table by their kinds, and return it with the kind of each."""
    columns, kinds = [], {}
    for name in table.column_names:
        column, kind = find_kind(name, table.column(name), learning, source)
        columns.append(column)
        kinds[name] = kind
    return pa.Table.from_arrays(columns, table.column_names), kinds


def find_kind(
    name: str, column: pa.ChunkedArray, learning: Learning, source: Source, first_row: int = 1
) -> tuple[pa.ChunkedArray, str]:
    """Read a column by its kind, and tell which that is."""
    if name in learning.categorical:
        return cells.encode(cells.to_texts(column)), "category"
    if name in learning.numeric:
        is_text = cells.is_text(column)
        numbers = (
            cells.read_texts(name, column, source, first_row) if is_text else cells.plain(column)
        )
        return numbers.cast(pa.float64()), "number"
    if not cells.is_text(column):
        return column, _kind_of_type(column.type)
    if source.first.is_text:
        numbers = cells.as_numbers(column, source.decimal)
        if numbers is not None:
            return numbers, "number"
        dates = cells.as_dates(column)
        if dates is not None:
            return dates, "date"
    return cells.encode(column), "category"


def _kind_of_type(kind: pa.DataType) -> str:
    types = pa.types
    if types.is_date(kind) or types.is_timestamp(kind):
        return "date"
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    return "number" if is_number or types.is_null(kind) else "category"


def read_target(name: str, column: pa.ChunkedArray) -> NDArray[Any]:
    """Return the class of each row."""
    classes = read_classes(name, column)
    check_classes(name, column, len(column))
    return classes


def check_classes(name: str, values: pa.ChunkedArray, n_rows: int) -> None:
    """Refuse the values of a target that are numbers, and too many to be classes of the rows."""
    numbers = cells.as_numbers(values) if cells.is_text(values) else values
    if numbers is not None and _kind_of_type(numbers.type) == "number":
        n_different = len(numbers.unique())
        if n_different > max(_MANY_CLASSES, n_rows / _ROWS_PER_CLASS):
            raise BadTarget(
                f"the target {show(name)} has {n_different} different numbers in {n_rows} "
                "rows; a column of classes is needed, so cut the numbers into classes first"
            )


def read_classes(name: str, column: pa.ChunkedArray, first_row: int | None = None) -> NDArray[Any]:
    """Return the class of each row, whatever classes there are.

    Of a part of the rows it is told which its first one is.
    """
    if column.null_count:
        row = pc.index(pc.is_null(column), True).as_py() + (first_row or 1)
        where = f"{plural(column.null_count, 'row')}, first in row {row}"
        raise BadTarget(
            f"the target {show(name)} is missing in {where if first_row is None else f'row {row}'};"
            " every row must have a class, so fill in or remove these rows"
        )
    coded = cells.encode(column)
    classes = [
        int(value) if isinstance(value, float) and value.is_integer() else value
        for value in coded.chunk(0).dictionary.to_pylist()
    ]
    is_text = any(isinstance(value, str) for value in classes)
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in coded.chunks])
    named: NDArray[Any] = np.array(classes, object if is_text else None)
    return named.take(codes)
