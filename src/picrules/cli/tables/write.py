"""Write rows of results, chunk by chunk: CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import typer
from pyarrow.parquet import ParquetWriter

from picrules.cli.output import is_terminal
from picrules.persist.atomic import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

FORMATS = {"csv": (".csv", ".txt"), "jsonl": (".jsonl", ".ndjson"), "parquet": (".parquet", ".pq")}


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
    """Open a file of results, complete or not there at all; None is standard output."""
    with _open_bytes(output, form) as file:
        writer = _WRITERS[form](file)
        if isinstance(writer, CsvWriter):
            writer.is_seen = output is None and is_terminal(sys.stdout)
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
        self.is_seen = (
            False  # by a person: control characters, which could do anything, are escaped
        )
        self._text = io.TextIOWrapper(
            file, "utf-8", errors="backslashreplace", newline="", write_through=False
        )
        self._writer = csv.writer(self._text, lineterminator="\n")
        self._is_first = True

    def write(self, table: pa.Table) -> None:
        """Write a chunk; missing cells are empty."""
        names = [table.column_names] if self._is_first else []
        lines = chain(names, zip(*table.to_pydict().values(), strict=True))
        self._writer.writerows(map(_escape, lines) if self.is_seen else lines)
        self._is_first = False

    def close(self) -> None:
        """Write what is left, and leave the file open."""
        self._text.flush()
        self._text.detach()


def _escape(line: Iterable[Any]) -> list[Any]:
    return [
        cell.encode("unicode_escape").decode("ascii")
        if isinstance(cell, str) and not cell.isprintable()
        else cell
        for cell in line
    ]


class JsonLinesWriter:
    """One object per line."""

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


Writer: TypeAlias = CsvWriter | JsonLinesWriter | ParquetFileWriter

_WRITERS: dict[str, type[Writer]] = {
    "csv": CsvWriter,
    "jsonl": JsonLinesWriter,
    "parquet": ParquetFileWriter,
}
