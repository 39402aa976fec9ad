"""Read a table from a file, also a packed one, chunk by chunk: CSV, JSON, Parquet or Feather."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections import Counter
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa
import typer
from pyarrow.parquet import ParquetFile

from picrules.cli.options import FORMATS, Reading
from picrules.cli.tables import text_files
from picrules.cli.tables.cells import combine
from picrules.errors import BadDataFile
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Iterator

_STDIN = "-"

_HEAD = 2**16
_GZIP = b"\x1f\x8b"


@dataclass(slots=True)
class Source:
    """The rows of one file, read once from first to last."""

    about: str  # how the file is written, in words
    names: list[str]
    is_text: bool  # whether cells are texts whose kinds have yet to be found, as in a CSV file
    batches: Iterator[pa.RecordBatch]

    def chunks(self, n_rows: int) -> Iterator[pa.Table]:
        """Give tables of `n_rows` rows, the last of fewer."""
        held: list[pa.RecordBatch] = []
        n_held = 0
        for batch in self.batches:
            rest = batch
            while n_held + rest.num_rows >= n_rows:
                taken = n_rows - n_held
                yield combine([*held, rest.slice(0, taken)])
                held, n_held, rest = [], 0, rest.slice(taken)
            if rest.num_rows:
                held.append(rest)
                n_held += rest.num_rows
        if held:
            yield combine(held)

    def whole(self) -> pa.Table:
        """Read all rows at once."""
        return combine(list(self.batches))


@contextmanager
def open_source(path: str, reading: Reading) -> Iterator[Source]:
    """Open a file of rows, or standard input for `-`."""
    with _told(path), _open_stream(path) as stream:
        if not stream.head:
            raise BadDataFile("it is empty; a table with at least one row is needed")
        form = reading.form or _guess_format(path, stream.head)
        source = _open(form, path, stream, reading)
        twice, count = Counter(source.names).most_common(1)[0]
        if count > 1:
            raise BadDataFile(
                f"two columns have the name {show(twice)}; the first line must name the columns, "
                "each by a name of its own"
            )
        source.batches = _check_rows(source.batches)
        yield source


@contextmanager
def _told(path: str) -> Iterator[None]:
    """Name the file in every error about it."""
    name = "standard input" if path == _STDIN else path
    try:
        yield
    except BadDataFile as error:
        raise BadDataFile(f"{name}: {error}") from None
    except (pa.ArrowException, EOFError, zlib.error, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the system; PyArrow and gzip raise it without a number for damaged files
        reason = str(error).splitlines()[0][:300]
        raise BadDataFile(f"{name} cannot be read: {reason}") from None


def _check_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    n_rows = 0
    for batch in batches:
        batch.validate(full=True)  # PyArrow believes a damaged file, and would read beyond its end
        n_rows += batch.num_rows
        yield batch
    if n_rows == 0:
        raise BadDataFile("it names columns and has no rows; at least one row is needed")


def _guess_format(path: str, head: bytes) -> str:
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"ARROW1"):
        return "feather"
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() != ".gz"]
    for form, endings in FORMATS.items():
        if suffixes and suffixes[-1] in endings:
            return form
    return "jsonl" if head.lstrip().startswith(b"{") else "csv"


def _open(form: str, path: str, stream: Peeked, reading: Reading) -> Source:
    if form == "csv":
        delimiter = text_files.choose_delimiter(reading.delimiter, stream.head, reading.encoding)
        names, batches = text_files.open_csv(stream, delimiter, reading.encoding, reading.missing)
        about = f"CSV separated by {text_files.DELIMITERS.get(delimiter, repr(delimiter))}"
        return Source(about, names, is_text=True, batches=batches)
    if form == "jsonl":
        names, batches = text_files.open_json_lines(stream, reading.missing)
        return Source("JSON lines", names, is_text=False, batches=batches)
    where = path if _is_seekable(path, stream) else io.BytesIO(io.BufferedReader(stream).read())
    if form == "parquet":
        parquet = ParquetFile(where)
        batches = parquet.iter_batches(batch_size=2**16)
        return Source("Parquet", parquet.schema_arrow.names, is_text=False, batches=batches)
    feather = pa.ipc.open_file(pa.memory_map(where) if isinstance(where, str) else where)
    batches = (feather.get_batch(number) for number in range(feather.num_record_batches))
    return Source("Feather", feather.schema.names, is_text=False, batches=batches)


def _is_seekable(path: str, stream: Peeked) -> bool:
    """Whether the file itself can be read at any position: not packed, not a pipe."""
    if path == _STDIN or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(8) == stream.head[:8]


class Peeked(io.RawIOBase):
    """A stream whose first bytes can be seen before they are read; it need not go back."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.head = b""
        while len(self.head) < _HEAD and (piece := file.read(_HEAD - len(self.head))):
            self.head += piece
        self._position = 0

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer, first with the bytes that were seen."""
        rest = self.head[self._position : self._position + len(buffer)]
        content = rest or self._file.read(len(buffer))
        self._position += len(rest)
        buffer[: len(content)] = content
        return len(content)


@contextmanager
def _open_stream(path: str) -> Iterator[Peeked]:
    """Open a file, or standard input for `-`; what gzip packed is unpacked."""
    is_stdin = path == _STDIN
    if not (is_stdin or Path(path).is_file() or Path(path).is_fifo()):
        what = "is a folder" if Path(path).is_dir() else "is not there"
        raise typer.BadParameter(f"{path} {what}; a file, or - for standard input, is accepted")
    with nullcontext(sys.stdin.buffer) if is_stdin else Path(path).open("rb") as file:
        stream = Peeked(file)
        if stream.head.startswith(_GZIP):
            stream = Peeked(gzip.GzipFile(fileobj=io.BufferedReader(stream)))  # type: ignore[arg-type]
        yield stream
