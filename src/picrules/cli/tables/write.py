"""Write rows of results, chunk by chunk: CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

import pyarrow as pa
import typer
from pyarrow.parquet import ParquetWriter

from picrules.cli.output import is_terminal
from picrules.persist.atomic import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FORMATS = {"csv": (".csv", ".txt"), "jsonl": (".jsonl", ".ndjson"), "parquet": (".parquet", ".pq")}


class Writer(Protocol):
    """Takes chunks of rows that all have the same columns."""

    def write(self, table: pa.Table) -> None:
        """Write a chunk."""
        ...

    def close(self) -> None:
        """Write what is left."""
        ...


def choose_format(output: str | None, form: str | None) -> str:
    """Return the format of the results: the one asked for, or by the name of the file."""
    if form is not None:
        if form not in FORMATS:
            raise typer.BadParameter(f"the format is {form!r}; one of {list(FORMATS)} is accepted")
        return form
    if output is None:
        return "csv"
    name = output.lower().removesuffix(".gz")
    for known, endings in FORMATS.items():
        if name.endswith(endings):
            return known
    raise typer.BadParameter(
        f"--output is {output!r}, whose ending tells no format; .csv, .jsonl, .parquet (and .gz "
        "after the first two) are known, or say --output-format"
    )


def check_folder(output: str) -> None:
    """Say so before the work begins when a file cannot be written for want of its folder."""
    folder = Path(output).absolute().parent
    if not folder.is_dir():
        raise typer.BadParameter(f"--output is {output!r}, and the folder {folder} is not there")


@contextmanager
def open_writer(output: str | None, form: str) -> Iterator[Writer]:
    """Open a file of results, complete or not there at all; None is standard output.

    Parameters
    ----------
    output : str or None
        The file.
    form : str
        A key of `FORMATS`.

    Yields
    ------
    Writer
        Takes the chunks.
    """
    with _open_bytes(output, form) as file:
        is_seen = output is None and is_terminal(sys.stdout)
        writer = TerminalWriter(file) if is_seen and form == "csv" else _WRITERS[form](file)
        yield writer
        writer.close()


@contextmanager
def _open_bytes(output: str | None, form: str) -> Iterator[BinaryIO]:
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    check_folder(output)
    with write_atomically(Path(output)) as file:
        if output.lower().endswith(".gz") and form != "parquet":
            # Without a time, so that the same results give the same bytes.
            with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
                yield packed  # type: ignore[misc]
        else:
            yield file


class CsvWriter:
    """Comma-separated, with a line of names."""

    def __init__(self, file: BinaryIO) -> None:
        self._text = io.TextIOWrapper(
            file, "utf-8", errors="backslashreplace", newline="", write_through=False
        )
        self._writer = csv.writer(self._text, lineterminator="\n")
        self._is_first = True

    def write(self, table: pa.Table) -> None:
        """Write a chunk; missing cells are empty."""
        if self._is_first:
            self._writer.writerow(table.column_names)
            self._is_first = False
        self._writer.writerows(zip(*table.to_pydict().values(), strict=True))

    def close(self) -> None:
        """Write what is left, and leave the file open."""
        self._text.flush()
        self._text.detach()


class TerminalWriter(CsvWriter):
    """The same for a person's eyes: control characters, which could do anything, are escaped."""

    def write(self, table: pa.Table) -> None:
        """Write a chunk."""
        columns = {
            _escape(name): [_escape(cell) for cell in table.column(name).to_pylist()]
            for name in table.column_names
        }
        super().write(pa.table(columns))


def _escape(cell: Any) -> Any:
    is_odd = isinstance(cell, str) and not cell.isprintable()
    return cell.encode("unicode_escape").decode("ascii") if is_odd else cell


class JsonLinesWriter:
    """One object a line."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, table: pa.Table) -> None:
        """Write a chunk."""
        names = table.column_names
        rows = zip(*table.to_pydict().values(), strict=True)
        lines = (json.dumps(dict(zip(names, row, strict=True)), default=str) for row in rows)
        self._file.write("".join(f"{line}\n" for line in lines).encode("ascii"))

    def close(self) -> None:
        """Nothing is left."""


class ParquetFileWriter:
    """Columns with their types."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._writer: object = None

    def write(self, table: pa.Table) -> None:
        """Write a chunk."""
        if self._writer is None:
            self._writer = ParquetWriter(self._file, table.schema)
        self._writer.write_table(table)  # type: ignore[attr-defined]

    def close(self) -> None:
        """Write the end of the file."""
        if self._writer is not None:
            self._writer.close()  # type: ignore[attr-defined]


_WRITERS: dict[str, Callable[[BinaryIO], Writer]] = {
    "csv": CsvWriter,
    "jsonl": JsonLinesWriter,
    "parquet": ParquetFileWriter,
}
