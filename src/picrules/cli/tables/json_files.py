"""Read JSON: one object per line, or an array of objects; each column has one type."""

from __future__ import annotations

import io
import json
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from picrules.cli.tables.files import TEXT, Content
from picrules.errors import BadDataFile
from picrules.rules.text import show
from picrules.rules.values import EXACT_LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from picrules.cli.options import Reading
    from picrules.cli.tables.files import Opener

    Rows = Callable[[], Iterator[tuple[int, dict[str, Any]]]]

# Cells that are Python objects at one time, about 100 bytes each.
_CELLS_AT_ONCE = 2**19
_MOST_ROWS = 2**13


class _Long(int):
    """A whole number that a column of floats would change."""


def read_json(opener: Opener, reading: Reading) -> Content:
    """Find the keys and types of all objects; then rows are read again, in batches.

    Which columns there are, and what they hold, is known after the last object alone.
    """
    missing = frozenset(reading.missing)
    rows: Rows = partial(_read_lines, opener)
    is_array = opener.head().lstrip().startswith(b"[")
    if is_array:
        array = _loads(opener.open().read(), "it is not JSON ({}); an array of objects is read")
        rows = partial(enumerate, array, 1)
    types = {name: _choose_type(kinds) for name, kinds in _find_kinds(rows, missing).items()}
    if not types:
        raise BadDataFile("its objects have no keys; each must be an object of cells")
    return Content(
        "a JSON array" if is_array else "JSON lines",
        list(types),
        _read_batches(rows, types, missing),
        lambda row: None if is_array else next(islice(rows(), row - 1, None))[0],
    )


def _read_lines(opener: Opener) -> Iterator[tuple[int, Any]]:
    """Give the number of each line that is not blank, and what it holds."""
    for number, line in enumerate(io.BufferedReader(opener.open(), 2**20), start=1):
        if not line.isspace():
            yield (
                number,
                _loads(line, f"line {number} is not JSON ({{}}); one object per line is read"),
            )


def _loads(text: bytes, problem: str) -> Any:
    try:
        return json.loads(text, parse_int=_read_whole)
    except (ValueError, RecursionError) as error:
        raise BadDataFile(problem.format(error)) from None


def _read_whole(text: str) -> int | str:
    """Read a whole number; one that no column of integers holds stays a text."""
    number = int(text) if len(text) <= 20 else 2**63
    if abs(number) <= EXACT_LIMIT:
        return number
    return _Long(number) if -(2**63) <= number < 2**63 else text


def _find_kinds(rows: Rows, missing: frozenset[str]) -> dict[str, set[type]]:
    found: dict[str, set[type]] = {}
    for number, row in rows():
        if not isinstance(row, dict):
            raise BadDataFile(
                f'line {number} is {show(row)}; an object such as {{"age": 41}} is expected'
            )
        for name, cell in row.items():
            if isinstance(cell, list | dict):
                raise BadDataFile(
                    f"the column {show(name)} holds {show(cell)} in line {number}; texts, numbers, "
                    "booleans and null are expected"
                )
            found.setdefault(name, set()).add(type(None) if cell in missing else type(cell))
    return found


def _choose_type(kinds: set[type]) -> pa.DataType:
    """Choose a type that keeps every cell as it is; texts do where no other one does."""
    known = kinds - {type(None)}
    if known == {bool}:
        return pa.bool_()
    if known and known <= {int, _Long}:
        return pa.int64()
    return pa.float64() if known <= {int, float} else TEXT


def _read_batches(
    rows: Rows, types: dict[str, pa.DataType], missing: frozenset[str]
) -> Iterator[pa.RecordBatch]:
    n_rows = max(1, min(_MOST_ROWS, _CELLS_AT_ONCE // len(types)))
    objects = (row for _, row in rows())
    while several := list(islice(objects, n_rows)):
        columns = [
            _to_array([row.get(name) for row in several], kind, missing)
            for name, kind in types.items()
        ]
        yield pa.RecordBatch.from_arrays(columns, list(types))


def _to_array(cells: list[Any], kind: pa.DataType, missing: frozenset[str]) -> pa.Array:
    known = [None if cell in missing else cell for cell in cells]
    if kind != TEXT:
        return pa.array(known, kind)
    texts = [cell if cell is None or isinstance(cell, str) else json.dumps(cell) for cell in known]
    return pa.array(texts, pa.string()).dictionary_encode()
