"""Read CSV: every cell as text, in the order of the file."""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import typer

from picrules.cli.output import show_names
from picrules.cli.tables.reading import rows_at_once
from picrules.errors import BadDataFile

if TYPE_CHECKING:
    from _csv import Reader
    from collections.abc import Iterator

    from picrules.cli.tables.streams import Peeked

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

# Lines that are looked at to find the delimiter.
_FIRST_LINES = 20
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
    lines = (lines[:-1] if len(lines) > 1 and not head.endswith("\n") else lines)[:_FIRST_LINES]
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


def open_reader(
    stream: Peeked, delimiter: str, encoding: str, missing: list[str]
) -> tuple[list[str], Iterator[pa.RecordBatch]]:
    """Read the names of the columns from the first line, and give the rows in batches of texts.

    Cells in `missing` become null.
    """
    # Some programs write a mark before UTF-8, which is skipped.
    skipping = "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
    text = io.TextIOWrapper(io.BufferedReader(stream, 2**20), skipping, newline="")
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(text, delimiter=delimiter)
    lines = _told(reader, encoding)
    names = [name.strip() for name in next(lines, [])]
    if not any(names):
        raise BadDataFile("its first line is empty; the first line must name the columns")
    return names, _batches(_whole_rows(lines, names, reader), names, missing)


def _told(reader: Reader, encoding: str) -> Iterator[list[str]]:
    """Give the lines that are not blank; say what is wrong where one cannot be read."""
    try:
        yield from (cells for cells in reader if cells)
    except UnicodeDecodeError as error:
        raise BadDataFile(
            f"after line {reader.line_num} it holds the byte 0x{error.object[error.start]:02x}, "
            f"which is not {encoding}; say how it is written, for example --encoding latin-1 or "
            "--encoding cp1252"
        ) from None
    except csv.Error as error:
        raise BadDataFile(f"line {reader.line_num} cannot be read as CSV: {error}") from None


def _whole_rows(
    lines: Iterator[list[str]], names: list[str], reader: Reader
) -> Iterator[list[str]]:
    for cells in lines:
        if len(cells) != len(names):
            raise BadDataFile(
                f"line {reader.line_num} has {len(cells)} cells where the first line names "
                f"{len(names)} columns ({show_names(names)}); mend the line, or say what separates "
                "the cells with --delimiter"
            )
        yield cells


def _batches(
    rows: Iterator[list[str]], names: list[str], missing: list[str]
) -> Iterator[pa.RecordBatch]:
    n_rows = rows_at_once(len(names))
    unknown, nothing = pa.array(missing, pa.string()), pa.scalar(None, pa.string())
    while cells := list(islice(rows, n_rows)):
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
