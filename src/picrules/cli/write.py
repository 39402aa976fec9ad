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
from typing import TYPE_CHECKING, Any, BinaryIO

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
        writer = Writer(file, form, is_seen=output is None and is_terminal(sys.stdout))
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


class Writer:
    """Writes results chunk by chunk; missing cells are empty in CSV and null elsewhere.

    `is_seen` tells that a person looks at them: then CSV has no control characters, which could
    do anything to a terminal.
    """

    def __init__(self, file: BinaryIO, form: str, *, is_seen: bool) -> None:
        self._file, self._form, self._is_seen = file, form, is_seen
        self._parquet: Any = None
        self._is_first = True

    def write(self, table: pa.Table) -> None:
        """Write a chunk."""
        if self._form == "parquet":
            self._parquet = self._parquet or ParquetWriter(self._file, table.schema)
            self._parquet.write_table(table)
        else:
            lines = (f"{json.dumps(row, default=str)}\n" for row in table.to_pylist())
            text = self._to_csv(table) if self._form == "csv" else "".join(lines)
            self._file.write(text.encode("utf-8", "backslashreplace"))
        self._is_first = False

    def close(self) -> None:
        """Write the end, and leave the file open."""
        if self._parquet is not None:
            self._parquet.close()

    def _to_csv(self, table: pa.Table) -> str:
        names = [table.column_names] if self._is_first else []
        lines = chain(names, zip(*table.to_pydict().values(), strict=True))
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows(map(_escape, lines) if self._is_seen else lines)
        return text.getvalue()


def _escape(line: Iterable[Any]) -> list[Any]:
    return [
        cell.encode("unicode_escape").decode("ascii")
        if isinstance(cell, str) and not cell.isprintable()
        else cell
        for cell in line
    ]
