"""Open files and standard input as streams of bytes, unpacked where they are packed."""

from __future__ import annotations

import gzip
import io
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

STDIN = "-"

_HEAD = 2**16
_GZIP = b"\x1f\x8b"


class Peeked(io.RawIOBase):
    """A stream whose first bytes can be seen before they are read; it need not go back."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.head = _read_fully(file, _HEAD)
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
def open_stream(path: str) -> Iterator[Peeked]:
    """Open a file, or standard input for `-`; what gzip packed is unpacked."""
    if path == STDIN:
        yield _unpack(Peeked(sys.stdin.buffer))
        return
    if not Path(path).is_file() and not Path(path).is_fifo():
        what = "is a folder" if Path(path).is_dir() else "is not there"
        raise typer.BadParameter(f"{path} {what}; a file, or - for standard input, is accepted")
    with Path(path).open("rb") as file:
        yield _unpack(Peeked(file))


def _unpack(stream: Peeked) -> Peeked:
    if not stream.head.startswith(_GZIP):
        return stream
    return Peeked(gzip.GzipFile(fileobj=io.BufferedReader(stream)))  # type: ignore[arg-type]


def _read_fully(file: BinaryIO, size: int) -> bytes:
    pieces = []
    while size > 0 and (piece := file.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
