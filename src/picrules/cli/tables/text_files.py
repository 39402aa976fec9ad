"""Read files of text: CSV, whose cells are all texts, and JSON lines, one object per line."""

from __future__ import annotations

import csv
import io
import json
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import typer

from picrules.cli.output import show_names
from picrules.errors import BadDataFile
from picrules.rules.text import show

if TYPE_CHECKING:
    from _csv import Reader
    from collections.abc import Iterator

    from picrules.cli.tables.source import Peeked

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

# Texts that stand for a missing cell of CSV.
_MISSING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>")

# Cells that are Python objects at one time, about 100 bytes each.
_CELLS_AT_ONCE = 2**19
_MOST_ROWS = 2**13

# Lines of CSV that are looked at to find the delimiter, and lines of JSON whose keys are columns.
_CSV_LINES, _JSON_LINES = 20, 2**10
_LONGEST_CELL = 2**20
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def choose_delimiter(delimiter: str | None, head: bytes, encoding: str) -> str:
    """Return the delimiter that was given, or find it in the first bytes of the file."""
    _check_encoding(head, encoding)
    if delimiter is None:
        return find_delimiter(head.decode(encoding, errors="replace").removeprefix("\ufeff"))
    named = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if len(named) != 1 or named in '"\r\n':
        raise typer.BadParameter(
            f"--delimiter is {delimiter!r}; one character such as , ; | or the word tab is accepted"
        )
    return named


def find_delimiter(head: str) -> str:
    r"""Return the delimiter that cuts the first lines of a file into most columns alike.

    The last line may be cut off. It is a comma where no delimiter cuts anything.

    Examples
    --------
    >>> find_delimiter("age;name\n41;Lovelace, Ada\n")
    ';'
    """
    lines = head.splitlines()
    lines = (lines[:-1] if len(lines) > 1 and not head.endswith("\n") else lines)[:_CSV_LINES]
    return max(DELIMITERS, key=lambda delimiter: _quality(lines, delimiter))


def _quality(lines: list[str], delimiter: str) -> tuple[bool, int]:
    """Whether all lines have the same number of cells, more than one; and this number."""
    try:
        counts = [len(cells) for cells in csv.reader(lines, delimiter=delimiter) if cells]
    except csv.Error:
        return False, 0
    if not counts or counts[0] == 1:
        return False, 0
    return len(set(counts)) == 1, counts[0]


def open_csv(
    stream: Peeked, delimiter: str, encoding: str, missing: list[str]
) -> tuple[list[str], Iterator[pa.RecordBatch]]:
    """Read the names of the columns from the first line, and give the rows in batches of texts.

    Cells in `_MISSING` or `missing` become null.
    """
    # Some programs write a mark before UTF-8, which is skipped.
    skipping = "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
    text = io.TextIOWrapper(io.BufferedReader(stream, 2**20), skipping, newline="")
    csv.field_size_limit(_LONGEST_CELL)
    lines = _read_lines(csv.reader(text, delimiter=delimiter), encoding)
    names = [name.strip() for name in next(lines, [])]
    if not any(names):
        raise BadDataFile("its first line is empty; the first line must name the columns")
    return names, _csv_batches(lines, names, [*_MISSING, *missing])


def _read_lines(reader: Reader, encoding: str) -> Iterator[list[str]]:
    """Give the names of the columns, then as many cells for each line; blank lines are skipped."""
    names: list[str] = []
    try:
        for cells in filter(None, reader):
            names = names or [cell.strip() for cell in cells]
            if len(cells) != len(names):
                raise BadDataFile(
                    f"line {reader.line_num} has {len(cells)} cells where the first line names "
                    f"{len(names)} columns ({show_names(names)}); mend the line, or say what "
                    "separates the cells with --delimiter"
                )
            yield cells
    except UnicodeDecodeError as error:
        raise BadDataFile(
            f"after line {reader.line_num} it holds the byte 0x{error.object[error.start]:02x}, "
            f"which is not {encoding}; say how it is written, for example --encoding latin-1 or "
            "--encoding cp1252"
        ) from None
    except csv.Error as error:
        raise BadDataFile(f"line {reader.line_num} cannot be read as CSV: {error}") from None


def _csv_batches(
    rows: Iterator[list[str]], names: list[str], missing: list[str]
) -> Iterator[pa.RecordBatch]:
    unknown, nothing = pa.array(missing, pa.string()), pa.scalar(None, pa.string())
    for cells in _cut(rows, len(names)):
        columns = [pa.array(column, pa.string()) for column in zip(*cells, strict=True)]
        known = [pc.if_else(pc.is_in(column, unknown), nothing, column) for column in columns]
        yield pa.RecordBatch.from_arrays(known, names)


def _check_encoding(head: bytes, encoding: str) -> None:
    try:
        "".encode(encoding)
    except LookupError:
        raise typer.BadParameter(
            f"--encoding is {encoding!r}; a name that Python knows, such as utf-8, latin-1, cp1252 "
            "or utf-16, is accepted"
        ) from None
    if head.startswith(_UTF_16) and not encoding.lower().startswith("utf-16"):
        raise BadDataFile("it is written in UTF-16; say --encoding utf-16")
    if b"\0" in head and not encoding.lower().startswith(("utf-16", "utf-32")):
        raise BadDataFile(
            "it holds zero bytes, so it is no text; CSV, JSON lines, Parquet and Feather are read"
        )


def open_json_lines(
    stream: Peeked, missing: list[str]
) -> tuple[list[str], Iterator[pa.RecordBatch]]:
    """Read the names of the columns from the first lines, and give the rows in batches.

    Texts in `missing` become null, as do keys that are not there.
    """
    rows = _json_rows(io.BufferedReader(stream, 2**20))
    first = list(islice(rows, _JSON_LINES))
    names = list(dict.fromkeys(key for row in first for key in row))
    if not names:
        raise BadDataFile("its objects have no keys; each line must be an object of cells")
    return names, _json_batches(chain(first, rows), names, frozenset(missing))


def _json_rows(lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
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


def _json_batches(
    rows: Iterator[dict[str, Any]], names: list[str], missing: frozenset[str]
) -> Iterator[pa.RecordBatch]:
    for batch in _cut(rows, len(names)):
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
        try:
            return pa.array([cell if cell is None else float(cell) for cell in known], pa.float64())
        except OverflowError:
            raise BadDataFile(
                "it holds a number that is too large; at most 1.79e308 is read"
            ) from None
    if len(kinds) == 1:
        return pa.array(known)
    texts = [cell if cell is None or isinstance(cell, str) else json.dumps(cell) for cell in known]
    return pa.array(texts, pa.string())


def _cut(rows: Iterator[Any], n_columns: int) -> Iterator[list[Any]]:
    """Give the rows in lists, which are shorter where rows are long."""
    n_rows = max(1, min(_MOST_ROWS, _CELLS_AT_ONCE // n_columns))
    while several := list(islice(rows, n_rows)):
        yield several
