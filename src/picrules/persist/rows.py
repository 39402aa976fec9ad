"""Read the training rows of a model file, at once or when they are first needed."""

from __future__ import annotations

import sys
import threading
import weakref
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from picrules.engines.memory import free_memory
from picrules.engines.training import Training
from picrules.errors import BadModelFile, NotEnoughMemory
from picrules.persist.format import ArraySpec, member_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.persist.archive import Member
    from picrules.persist.state import State


class RowReader:
    """The arrays of a model file: empty at first, and filled and checked by one call.

    They are copies. A file that is used where it lies could be overwritten by another program
    after it was checked: then engines would read outside of their tables, and pages that are no
    longer there end the process. Arrays that nothing was written to take no memory, so a file of
    any size is opened at once. The file stays open until it is read, also when another one takes
    its name; then it is closed.
    """

    def __init__(self, file: BinaryIO, state: State, members: dict[str, Member]) -> None:
        self._file: BinaryIO | None = file
        # Not by `__del__`: of things that only hold each other, the file may be the first to go.
        weakref.finalize(self, file.close)
        self._state, self._members = state, members
        n_bytes, free = sum(spec.n_bytes for spec in state.specs.values()), free_memory()
        if n_bytes > free:
            raise NotEnoughMemory(
                f"the training rows take {n_bytes / 2**30:.1f} GiB; {free / 2**30:.1f} GiB are free"
            )
        specs = state.specs
        (_, n_pairs), rows = specs["codes"].shape, None
        occurrences = np.broadcast_to(np.int64(1), n_pairs)
        if state.n_pairs is not None:
            occurrences = np.empty(n_pairs, np.int64)
            rows = np.empty(state.n_rows, np.int64) if state.has_order else None
        self.training = Training(
            np.empty((np.count_nonzero(state.is_used), n_pairs), np.int32),
            np.empty(n_pairs, np.int64), occurrences, state.class_sizes, rows,
            state.make_counts(), state.has_order,
        )  # fmt: skip
        self._lock = threading.Lock()

    def __call__(self) -> None:
        """Read and check all rows, once."""
        with self._lock:
            if self._file is None:
                return
            self._read(self._file)
            self._file.close()
            self._file = None

    def _read(self, file: BinaryIO) -> None:
        state, training = self._state, self.training
        order = _Order(training.n_pairs)
        self._read_codes(file, order)
        self._read_numbers(file, "labels", training.labels)
        if state.n_pairs is not None:
            self._read_numbers(file, "occurrences", training.occurrences)
            order.add(training.labels)
            order.finish()
        state.check_labels(training.labels, training.occurrences)
        if training.rows is not None:
            self._read_numbers(file, "rows", training.rows)
            state.check_rows(training.rows, training.occurrences)
        if training.counts is not None:
            self._read_numbers(file, "cells", training.counts.longest.cells)
            state.check_counts(training.counts)

    def _read_codes(self, file: BinaryIO, order: _Order) -> None:
        """Read the codes by column; those of columns without conditions are only checked."""
        name, unused = member_of("codes"), np.empty(self.training.n_pairs, np.int32)
        used = iter(self.training.codes)
        crc = self._start(file, "codes")
        for column, is_used in enumerate(self._state.is_used):
            own = next(used) if is_used else unused
            crc = _fill(file, own, crc, name)
            self._state.check_codes(column, own)
            if self._state.n_pairs is not None:
                order.add(own)
        self._check_sum(crc, name)

    def _read_numbers(self, file: BinaryIO, array: str, into: NDArray[Any]) -> None:
        name = member_of(array)
        self._check_sum(_fill(file, into, self._start(file, array), name), name)

    def _start(self, file: BinaryIO, array: str) -> int:
        """Go to the numbers of an array; return the checksum of what stands before them."""
        spec: ArraySpec = self._state.specs[array]
        file.seek(self._members[member_of(array)].start + len(spec.header))
        return zlib.crc32(spec.header)

    def _check_sum(self, crc: int, name: str) -> None:
        if crc != self._members[name].crc:
            raise BadModelFile(f"the checksum of {name} is wrong; it is damaged")


class _Order:
    """Whether pairs are sorted by their columns, each once: told column by column."""

    def __init__(self, n_pairs: int) -> None:
        self._is_open = np.ones(n_pairs - 1, np.bool_)  # neighbours that were equal so far

    def add(self, column: NDArray[Any]) -> None:
        """Refuse pairs that a further column shows to be out of order."""
        if (self._is_open & (column[1:] < column[:-1])).any():
            raise BadModelFile("its pairs of row and class are not sorted")
        self._is_open &= column[1:] == column[:-1]

    def finish(self) -> None:
        """Refuse pairs that are equal in all columns."""
        if self._is_open.any():
            raise BadModelFile("one of its pairs of row and class stands there twice")


def _fill(file: BinaryIO, array: NDArray[Any], crc: int, name: str) -> int:
    """Read numbers into an array, and return the checksum with them added."""
    view = memoryview(array.view(np.uint8))  # type: ignore[arg-type]
    n_read = 0
    while n_read < len(view):
        count = file.readinto(view[n_read:])  # type: ignore[attr-defined]
        if not count:
            raise BadModelFile(f"{name} ends early; the file was changed")
        n_read += count
    crc = zlib.crc32(view, crc)
    if sys.byteorder == "big":
        array.byteswap(inplace=True)
    return crc
