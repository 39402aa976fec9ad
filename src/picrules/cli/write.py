"""Write rows of results, chunk by chunk: CSV, JSON lines or Parquet."""

from __future__ import annotations

import gzip
import json
import re
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import typer
from pyarrow.parquet import ParquetWriter

from picrules.cli.output import is_terminal
from picrules.cli.tables.cells import plain
from picrules.persist.atomic import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# What a spreadsheet takes for a formula, unless it is a number.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")
_TO_QUOTE = re.compile(r'[,"\r\n]')
_ROWS_AT_ONCE = 2**16

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


def check_output(output: str, inputs: Iterable[str]) -> None:
    """Say before the work begins why a file cannot be written, or must not be: it is read."""
    path = Path(output)
    try:
        folder = path.resolve().parent
        if not folder.is_dir():
            raise typer.BadParameter(
                f"--output is {output!r}, and the folder {folder} is not there"
            )
        if path.is_dir():
            raise typer.BadParameter(f"--output is {output!r}, which is a folder; name a file")
        for read in inputs:
            if path.exists() and Path(read).exists() and path.samefile(read):
                raise typer.BadParameter(
                    f"--output is {output!r}, and {read} is read; it would be lost, so name "
                    "another file"
                )
        if not path.exists() or path.is_file():
            with TemporaryFile(dir=folder, prefix=".", suffix=".part"):
                pass  # a file can be made there
    except OSError as error:
        raise typer.BadParameter(
            f"--output is {output!r}, which cannot be written: {error.strerror or error}"
        ) from None


@contextmanager
def open_writer(output: str | None, form: str, *, is_safe: bool = False) -> Iterator[Writer]:
    """Open a file of results, complete or not there at all; None is standard output."""
    with _open_bytes(output, form) as file:
        is_seen = output is None and is_terminal(sys.stdout)
        writer = Writer(file, form, is_seen=is_seen, is_safe=is_safe)
        yield writer
        writer.close()


@contextmanager
def _open_bytes(output: str | None, form: str) -> Iterator[BinaryIO]:
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with write_atomically(Path(output)) as file:
        if output.lower().endswith(".gz") and form != "parquet":
            # Without a time, so that the same results give the same bytes.
            with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
                yield packed  # type: ignore[misc]
        else:
            yield file


class Writer:
    """Writes results chunk by chunk; missing cells are empty in CSV and null elsewhere.

    Cells of a dictionary become text once, and neighbouring columns that share their codes are
    put together before rows are looked at.

    `is_seen` tells that a person looks at them: then CSV has no control characters, which could
    do anything to a terminal. `is_safe` tells that a spreadsheet may open them: then no text of
    CSV is a formula there.
    """

    def __init__(self, file: BinaryIO, form: str, *, is_seen: bool, is_safe: bool = False) -> None:
        self._file, self._form = file, form
        self._is_seen, self._is_safe = is_seen, is_safe
        self._parquet: Any = None
        self._is_first = True

    def write(self, table: pa.Table) -> None:
        """Write a chunk."""
        if self._form == "parquet":
            table = pa.table({name: plain(table.column(name)) for name in table.column_names})
            self._parquet = self._parquet or ParquetWriter(self._file, table.schema)
            self._parquet.write_table(table)
            return
        if self._form == "csv" and self._is_first:
            self._file.write(f"{','.join(map(self._to_cell, table.column_names))}\n".encode())
        self._is_first = False
        for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
            self._file.write(self._to_lines(batch))

    def close(self) -> None:
        """Write the end, and leave the file open."""
        if self._parquet is not None:
            self._parquet.close()

    def _to_lines(self, batch: pa.RecordBatch) -> memoryview:
        """Write rows as lines: cells of CSV, or objects of JSON."""
        first, between, last = ("", ",", "\n") if self._form == "csv" else ("{", ", ", "}\n")
        parts: list[Any] = []
        for codes, columns in _group(batch):
            texts = [self._to_texts(name, values) for name, values in columns]
            joined = pc.binary_join_element_wise(*texts, between) if len(texts) > 1 else texts[0]
            parts += [between if parts else first, joined.take(codes)]
        lines = pc.binary_join_element_wise(*parts, last, "")
        # The texts of an array stand one after the other.
        _, ends, content = lines.buffers()
        return memoryview(content)[: np.frombuffer(ends, np.int32)[len(lines)]]

    def _to_texts(self, name: str, values: pa.Array) -> pa.Array:
        """Write distinct cells, and the missing one after them."""
        is_csv = self._form == "csv"
        key = "" if is_csv else f"{json.dumps(name)}: "
        missing = pa.array([key + ("" if is_csv else "null")])
        if pa.types.is_integer(values.type):
            numbers = values.cast(pa.string())
            texts = pc.binary_join_element_wise(key, numbers, "") if key else numbers
        elif is_csv and pa.types.is_floating(values.type):
            texts = pa.array(map(repr, values.to_pylist()), pa.string())
        elif is_csv:
            texts = pa.array(map(self._to_cell, values.to_pylist()), pa.string())
        else:
            cells = values.to_pylist()
            texts = pa.array([key + json.dumps(cell, default=str) for cell in cells], pa.string())
        return pa.concat_arrays([texts, missing])

    def _to_cell(self, cell: Any) -> str:
        """Write a cell of CSV, in quotes where it must be."""
        text = "" if cell is None else str(cell)
        if self._is_safe and isinstance(cell, str) and text.startswith(_FORMULA):
            text = text if _NUMBER.fullmatch(text) else f"'{text}"
        if self._is_seen and not text.isprintable():
            text = text.encode("unicode_escape").decode("ascii")
        return '"{}"'.format(text.replace('"', '""')) if _TO_QUOTE.search(text) else text


def _group(batch: pa.RecordBatch) -> list[tuple[pa.Array, list[tuple[str, pa.Array]]]]:
    """Give codes, and the distinct cells of the neighbouring columns that share them."""
    groups: list[tuple[pa.Array, list[tuple[str, pa.Array]]]] = []
    last = None
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        coded = _encode(column)
        codes, values = coded.indices, coded.dictionary
        # `last` keeps the array before this one, so that no other has its address.
        if last is None or _address(last) != _address(codes):
            groups.append((codes.fill_null(len(values)), []))
        groups[-1][1].append((name, values))
        last = codes
    return groups


def _encode(column: pa.Array) -> pa.DictionaryArray:
    """Part a column into distinct cells and codes; whole numbers are not worth the search."""
    if not pa.types.is_integer(column.type):
        return column.dictionary_encode()
    codes = np.arange(len(column), dtype=np.int32)
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, mask=column.is_null().to_numpy(zero_copy_only=False)), column
    )


def _address(codes: pa.Array) -> tuple[int, int]:
    return codes.buffers()[1].address, codes.offset
