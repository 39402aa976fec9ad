"""Read JSON lines: one object per line, its keys are the columns."""

from __future__ import annotations

import io
import json
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from picrules.cli.tables.reading import rows_at_once
from picrules.errors import BadDataFile
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from picrules.cli.tables.streams import Peeked

# The keys of this many lines are the columns.
_FIRST_LINES = 2**10


def open_reader(
    stream: Peeked, missing: tuple[str, ...]
) -> tuple[list[str], Iterator[pa.RecordBatch]]:
    """Read the names of the columns from the first lines, and give the rows in batches.

    Texts in `missing` become null, as do keys that are not there.
    """
    rows = _rows(io.BufferedReader(stream, 2**20))
    first = list(islice(rows, _FIRST_LINES))
    names = list(dict.fromkeys(key for row in first for key in row))
    if not names:
        raise BadDataFile("its objects have no keys; each line must be an object of cells")
    return names, _batches(chain(first, rows), names, frozenset(missing))


def _rows(lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if line.isspace():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadDataFile(
                f"line {number} is not JSON ({error}); one object per line is read"
            ) from None
        if not isinstance(row, dict):
            raise BadDataFile(
                f'line {number} is {show(row)}; an object such as {{"age": 41}} is expected'
            )
        yield row


def _batches(
    rows: Iterator[dict[str, Any]], names: list[str], missing: frozenset[str]
) -> Iterator[pa.RecordBatch]:
    n_rows = rows_at_once(len(names))
    while batch := list(islice(rows, n_rows)):
        columns = [_to_array(name, [row.get(name) for row in batch], missing) for name in names]
        yield pa.RecordBatch.from_arrays(columns, names)


def _to_array(name: str, cells: list[Any], missing: frozenset[str]) -> pa.Array:
    """Make one column: of one type where all cells have it, else of texts."""
    known = [None if isinstance(cell, str) and cell in missing else cell for cell in cells]
    nested = next((cell for cell in known if isinstance(cell, list | dict)), None)
    if nested is not None:
        raise BadDataFile(
            f"the column {show(name)} holds {show(nested)}; texts, numbers, booleans and null are "
            "expected"
        )
    kinds = {bool if isinstance(cell, bool) else type(cell) for cell in known} - {type(None)}
    if kinds <= {int, float}:
        return _to_numbers(known)
    if len(kinds) == 1:
        return pa.array(known)
    texts = [cell if cell is None or isinstance(cell, str) else json.dumps(cell) for cell in known]
    return pa.array(texts, pa.string())


def _to_numbers(cells: list[Any]) -> pa.Array:
    try:
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    except OverflowError:
        raise BadDataFile("it holds a number that is too large; at most 1.79e308 is read") from None
