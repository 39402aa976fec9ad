"""From a file to a table to learn from: kinds of columns, corrections and the target."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import typer

from picrules.cli.output import show_names
from picrules.cli.tables import cells
from picrules.errors import BadDataFile, BadTarget
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from picrules.cli.options import Learning
    from picrules.cli.tables.source import Source

# A target with more different numbers than this, and fewer rows for each, is not a class.
_MANY_CLASSES = 50
_ROWS_PER_CLASS = 10


@dataclass(frozen=True, slots=True)
class TrainingFile:
    """What was read from a file to learn from."""

    X: pa.Table
    y: list[Any]
    kinds: dict[str, str]  # for each feature: number, date or category
    hints: list[str]  # what the user may want to correct


def read_training(source: Source, learning: Learning) -> TrainingFile:
    """Find the kind of each column, correct it as the user said, and take the target apart."""
    table = source.whole()
    _check_named(learning, table.column_names)
    names = [name for name in table.column_names if name not in (learning.target, *learning.ignore)]
    if not names:
        raise BadDataFile(
            f"it has no column beside the target {show(learning.target)}; at least one is needed"
        )
    columns, kinds, hints = [], {}, list[str]()
    for name in names:
        column, kind = _find_kind(name, table.column(name), learning, is_text=source.is_text)
        columns.append(column)
        kinds[name] = kind
        hints += _hint(name, column, kind, learning)
    y = read_target(learning.target, table.column(learning.target))
    return TrainingFile(pa.Table.from_arrays(columns, names), y, kinds, hints)


def check_columns(option: str, wanted: Iterable[str], names: list[str]) -> None:
    """Say which of the named columns is not there, and which ones are."""
    for name in wanted:
        if name not in names:
            close = get_close_matches(name, names, 1, 0.6)
            guess = f" Did you mean {show(close[0])}?" if close else ""
            raise typer.BadParameter(
                f"{option} names the column {show(name)}; the file has {show_names(names)}.{guess}"
            )


def _check_named(learning: Learning, names: list[str]) -> None:
    if learning.target not in names and len(names) == 1:
        raise typer.BadParameter(
            f"--target names the column {show(learning.target)}, and the file has one column, "
            f"{show(names[0])}; if that is a whole line, say what separates the cells with "
            "--delimiter"
        )
    for option in ("target", "categorical", "numeric", "ignore"):
        named = getattr(learning, option)
        check_columns(f"--{option}", [named] if option == "target" else named, names)
    for name in learning.categorical:
        if name in learning.numeric:
            raise typer.BadParameter(
                f"the column {show(name)} stands in --categorical and in --numeric; one is accepted"
            )


def _find_kind(
    name: str, column: pa.ChunkedArray, learning: Learning, *, is_text: bool
) -> tuple[pa.ChunkedArray, str]:
    if name in learning.categorical:
        return cells.to_texts(column), "category"
    if name in learning.numeric:
        texts = cells.plain(column)
        numbers = cells.read_texts(name, texts) if cells.is_text(texts) else texts
        return numbers.cast(pa.float64()), "number"
    if not (is_text and cells.is_text(column)):
        return column, _kind_of_type(column.type)
    for read, kind in ((cells.as_numbers, "number"), (cells.as_dates, "date")):
        found = read(column)
        if found is not None:
            return found, kind
    return column, "category"


def _kind_of_type(kind: pa.DataType) -> str:
    types = pa.types
    if types.is_date(kind) or types.is_timestamp(kind):
        return "date"
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    return "number" if is_number or types.is_null(kind) else "category"


def _hint(name: str, column: pa.ChunkedArray, kind: str, learning: Learning) -> list[str]:
    if kind != "category" or len(column) < 20:
        return []
    is_read = name not in learning.categorical and cells.is_text(column)
    if is_read and not cells.is_empty(column) and cells.as_numbers(column) is not None:
        return [f"{show(name)} holds numbers as text; --numeric {show(name)} reads them as numbers"]
    n_known = len(column) - column.null_count
    n_different = len(column.unique()) - (column.null_count > 0)
    if n_known and n_different > 0.9 * n_known:
        text = f"{show(name)} has {n_different} different texts in {n_known} rows"
        return [f"{text}, so rules hardly use it; --ignore {show(name)} leaves it out"]
    return []


def read_target(name: str, column: pa.ChunkedArray) -> list[Any]:
    """Return the class of each row."""
    if column.null_count:
        row = pc.index(pc.is_null(column), True).as_py() + 1
        raise BadTarget(
            f"the target {show(name)} is missing in {column.null_count} rows, first in row {row}; "
            "every row must have a class, so fill in or remove these rows"
        )
    column = cells.plain(column)
    numbers = cells.as_numbers(column) if cells.is_text(column) else column
    if numbers is not None and _kind_of_type(numbers.type) == "number":
        n_different = len(numbers.unique())
        if n_different > max(_MANY_CLASSES, len(column) / _ROWS_PER_CLASS):
            raise BadTarget(
                f"the target {show(name)} has {n_different} different numbers in {len(column)} "
                "rows; a column of classes is needed, so cut the numbers into classes first"
            )
    return [
        int(value) if isinstance(value, float) and value.is_integer() else value
        for value in column.to_pylist()
    ]
