"""Read CSV: every cell as text, in the order of the file."""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import typer

from picrules.cli.tables.delimiters import NAMES, find_delimiter
from picrules.cli.tables.reading import rows_at_once
from picrules.errors import BadDataFile
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from picrules.cli.tables.streams import Peeked

_LONGEST_CELL = 2**20
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class _Reader(Protocol):
    """What `csv.reader` returns."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...


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


def describe(delimiter: str) -> str:
    """Say how the columns are separated."""
    return f"CSV separated by {NAMES.get(delimiter, repr(delimiter))}"


def open_reader(
    stream: Peeked, delimiter: str, encoding: str, missing: list[str]
) -> tuple[list[str], Iterator[pa.RecordBatch]]:
    """Read the names of the columns from the first line, and give the rows in batches.

    Parameters
    ----------
    stream : Peeked
        The file.
    delimiter : str
        What separates the cells of a line.
    encoding : str
        How the text is written.
    missing : list of str
        Cells that stand for a missing value.

    Returns
    -------
    tuple
        The names, and batches of text cells.
    """
    text = io.TextIOWrapper(io.BufferedReader(stream, 2**20), _without_mark(encoding), newline="")
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(text, delimiter=delimiter)
    lines = _told(reader, encoding)
    names = [name.strip() for name in next(lines, [])]
    if not any(names):
        raise BadDataFile("its first line is empty; the first line must name the columns")
    return names, _batches(_whole_rows(lines, names, reader), names, missing)


def _told(reader: _Reader, encoding: str) -> Iterator[list[str]]:
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
    lines: Iterator[list[str]], names: list[str], reader: _Reader
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


def show_names(names: list[str], limit: int = 8) -> str:
    """List the first columns for a message."""
    shown = ", ".join(show(name) for name in names[:limit])
    return shown if len(names) <= limit else f"{shown}, ... ({len(names)} in all)"


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


def _without_mark(encoding: str) -> str:
    """Skip the mark that some programs write before UTF-8."""
    return "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
