"""Read CSV with PyArrow, all cells as texts; lines that cannot be read are named."""

from __future__ import annotations

import csv
import io
import re
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions, open_csv

from picrules.cli.output import show_names
from picrules.cli.tables.files import TEXT, Content, Opener
from picrules.errors import BadDataFile
from picrules.rules.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from picrules.cli.options import Reading

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

# Texts that stand for a missing cell, beside the empty one, where --missing names no others.
MISSING = ("NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>")

_N_LINES = 20  # that are looked at to find the delimiter
_LONGEST = 2**22  # bytes of the line of names
_BLOCK = 2**20  # bytes that are read at once; several are held, and a row must fit


def read_csv(opener: Opener, reading: Reading) -> Content:
    """Find the names of the columns in the first line; rows are texts, null where missing."""
    # One character a byte, whatever the file holds, so that positions are those of bytes.
    head = opener.head(_LONGEST).decode("latin-1")
    delimiter = reading.cell_end or find_delimiter(head, without=reading.decimal)
    names, start = _read_names(head, delimiter, opener)
    about = f"CSV separated by {DELIMITERS.get(delimiter, repr(delimiter))}"
    missing = ["", *(reading.missing or MISSING)]
    batches = _read_batches(opener, delimiter, names, start, missing)
    return Content(about, names, batches, partial(_find_line, opener, delimiter), is_text=True)


def _read_names(head: str, delimiter: str, opener: Opener) -> tuple[list[str], int]:
    """Read the first line that is not blank; return its cells, and where the next line begins."""
    text = io.StringIO(head, newline="")
    csv.field_size_limit(_LONGEST)
    cells = next(filter(None, csv.reader(text, delimiter=delimiter)), [])
    try:
        names = [cell.encode("latin-1").decode("utf-8-sig").strip() for cell in cells]
    except UnicodeDecodeError:
        raise opener.tell_undecodable() from None
    if not any(names):
        raise BadDataFile("its first line is empty; the first line must name the columns")
    if text.tell() == _LONGEST:
        raise BadDataFile(f"its first line has more than {_LONGEST:,} bytes; it must name columns")
    return names, text.tell()


def _read_batches(
    opener: Opener, delimiter: str, names: list[str], start: int, missing: list[str]
) -> Iterator[pa.RecordBatch]:
    stream, n_rows = opener.open(), 0
    stream.read(start)
    # Columns are read by their position, since names may be there twice.
    keys = [str(position) for position in range(len(names))]
    types, block = dict.fromkeys(keys, TEXT), max(_BLOCK, 8 * start)
    try:
        reader = open_csv(
            stream,
            # Messages tell the number of a row if there is one thread.
            ReadOptions(use_threads=False, block_size=block, column_names=keys),
            ParseOptions(delimiter=delimiter, newlines_in_values=True),
            ConvertOptions(column_types=types, null_values=missing, strings_can_be_null=True),
        )
        for batch in reader:
            n_rows += batch.num_rows
            yield batch.rename_columns(names)
    except UnicodeDecodeError:
        raise opener.tell_undecodable() from None
    except pa.ArrowInvalid as error:
        problem = str(error)
        if "Empty CSV file" in problem:
            return
        if "UTF8" in problem:
            raise opener.tell_undecodable() from None
        uneven = re.search(r"Row #(\d+): Expected \d+ columns, got (\d+)", problem)
        line = _find_line(opener, delimiter, int(uneven[1]) if uneven else n_rows)
        if uneven:
            cells, columns = plural(int(uneven[2]), "cell"), plural(len(names), "column")
            raise BadDataFile(
                f"line {line} has {cells} where the first line names {columns} "
                f"({show_names(names)}); mend the line, or say what separates the cells with "
                "--delimiter"
            ) from None
        raise BadDataFile(
            f"after line {line} a row has more than {block:,} bytes; a quote may lack its end"
        ) from None


def _find_line(opener: Opener, delimiter: str, row: int) -> int:
    """Return the line in which a row ends, by plain reading; lines and rows begin with 1."""
    text = io.TextIOWrapper(opener.open(), "utf-8", "replace", newline="")
    csv.field_size_limit(_LONGEST)
    reader = csv.reader(text, delimiter=delimiter)
    next(number for number, _ in enumerate(filter(None, reader)) if number == row)
    return int(reader.line_num)


def find_delimiter(head: str, without: str = "") -> str:
    """Return the delimiter that cuts the first lines of a file into most columns alike.

    The last line may be cut off. It is a comma where no delimiter cuts anything.
    """
    lines = head.splitlines()
    lines = (lines[:-1] if len(lines) > 1 and not head.endswith("\n") else lines)[:_N_LINES]
    return max(
        (delimiter for delimiter in DELIMITERS if delimiter != without),
        key=lambda delimiter: _quality(lines, delimiter),
    )


def _quality(lines: list[str], delimiter: str) -> tuple[bool, int]:
    """Whether all lines have the same number of cells, more than one; and this number."""
    try:
        counts = [len(cells) for cells in csv.reader(lines, delimiter=delimiter) if cells]
    except csv.Error:
        return False, 0
    if not counts or counts[0] == 1:
        return False, 0
    return len(set(counts)) == 1, counts[0]
