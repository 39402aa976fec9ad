"""Find files and open them as streams of bytes: unpacked, and in UTF-8 if they are text."""

from __future__ import annotations

import codecs
import shutil
import sys
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

import pyarrow as pa

from picrules.cli.options import STDIN
from picrules.errors import BadDataFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# A column of texts, which keeps the distinct ones.
TEXT = pa.dictionary(pa.int32(), pa.string())
ORDERED_TEXT = pa.dictionary(pa.int32(), pa.string(), ordered=True)

_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
_UTF_8 = ("utf-8", "utf8")


@dataclass(frozen=True, slots=True)
class Content:
    """What is read from a file."""

    about: str  # how the file is written, in words
    names: list[str]
    batches: Iterator[pa.RecordBatch]
    find_line: Callable[[int], int | None] = lambda _: None  # of a row; both begin with 1
    is_text: bool = False  # whether cells are texts whose kinds have yet to be found, as in CSV


@contextmanager
def hold(path: str) -> Iterator[str]:
    """Give a file that can be read again and again; what comes through a pipe is kept in one."""
    if path != STDIN and Path(path).is_file():
        yield path
        return
    with NamedTemporaryFile(prefix="picrules-") as held:
        stdin = nullcontext(sys.stdin.buffer)
        with stdin if path == STDIN else Path(path).open("rb") as pipe:
            shutil.copyfileobj(pipe, held)
        held.flush()
        yield held.name


@dataclass(frozen=True, slots=True)
class Opener:
    """Opens a file, as often as needed."""

    path: str
    encoding: str

    def open(self, *, is_raw: bool = False) -> pa.NativeFile:
        """Open a stream of UTF-8; `is_raw` leaves the bytes as they are once unpacked."""
        with Path(self.path).open("rb") as file:
            start = file.read(4)
        packing = next((name for mark, name in _PACKED.items() if start.startswith(mark)), None)
        stream = pa.input_stream(self.path, compression=packing)
        if is_raw or self.encoding.lower() in _UTF_8:
            return stream
        return pa.transcoding_input_stream(stream, self.encoding, "utf-8")

    def open_at_random(self) -> pa.NativeFile:
        """Open a file whose bytes are read in any order."""
        with self.open(is_raw=True) as stream:
            is_packed = isinstance(stream, pa.CompressedInputStream)
            return pa.BufferReader(stream.read()) if is_packed else pa.memory_map(self.path)

    def head(self, n_bytes: int = 2**16, *, is_raw: bool = False) -> bytes:
        """Return the first bytes."""
        head, stream = b"", self.open(is_raw=is_raw)
        while len(head) < n_bytes and (piece := stream.read(n_bytes - len(head))):
            head += piece
        return head

    def tell_undecodable(self) -> BadDataFile:
        """Name the line and the byte that is not written as the encoding says."""
        stream, line, where = self.open(is_raw=True), 1, "it"
        decoder = codecs.getincrementaldecoder(self.encoding)()
        try:
            while block := stream.read(2**20):
                line += decoder.decode(block).count("\n")
        except UnicodeDecodeError as error:
            line += error.object[: error.start].count(b"\n")
            where = f"line {line} holds the byte 0x{error.object[error.start]:02x}, which"
        return BadDataFile(
            f"{where} is not {self.encoding}; say how the file is written, for example --encoding "
            "latin-1 or --encoding cp1252"
        )


def check_text(head: bytes) -> None:
    """Refuse what is no text."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadDataFile("it is written in UTF-16; say --encoding utf-16")
    if b"\0" in head:
        raise BadDataFile(
            "it holds zero bytes, so it is no text; CSV, JSON, Parquet and Feather are read"
        )
