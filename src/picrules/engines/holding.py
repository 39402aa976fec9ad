"""What a model holds of its training rows: the rows themselves, or counts in their place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from picrules.encoding.tables import MAX_ROWS
from picrules.engines.batches import CodedBatch, add_up, join
from picrules.engines.blocks import BlockCounter
from picrules.engines.kept_counts import kept_bytes
from picrules.engines.plan import readable
from picrules.engines.sample import RowSample
from picrules.engines.training import Training
from picrules.errors import BadTable, NotEnoughMemory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

# Counts are in memory this many times while they are made: in blocks, by sets, and by length.
COPIES = 3

# The share of the memory limit that larger sets of features may take while rows are counted.
BLOCK_SHARE = 0.25


@dataclass(frozen=True)
class Holding:
    """What is wanted: rows (True), counts of sets of features (False), or rows if they fit."""

    keep_rows: bool | str
    max_length: int  # features of the largest sets whose counts may take the place of rows
    memory_limit: float
    n_threads: int = 1
    names: Sequence[str] = ()  # of the features, for messages

    def gather(
        self, batches: Iterable[CodedBatch], n_codes: NDArray[np.int64], n_classes: int
    ) -> Training:
        """Take rows that come batch by batch."""
        if self.keep_rows is True:
            return join(batches, n_codes, n_classes)
        if self.keep_rows is False:
            return self._count(batches, n_codes, n_classes)
        left = iter(batches)
        held, is_over = self._hold(left, n_codes, n_classes)
        if not is_over:
            return join(held, n_codes, n_classes)
        return self._count(_chain(held, left), n_codes, n_classes)

    def take(self, training: Training, n_codes: NDArray[np.int64]) -> Training:
        """Take rows that are in memory already: where counts do not fit either, they stay."""
        is_short = training.n_bytes > self.memory_limit
        if self.keep_rows is True or (self.keep_rows == "auto" and not is_short):
            return training
        if self.keep_rows == "auto" and not self.fits(n_codes, training.n_classes):
            return training
        rows = CodedBatch(training.codes, training.labels, training.occurrences)
        return self._count([rows], n_codes, training.n_classes)

    def _hold(
        self, batches: Iterable[CodedBatch], n_codes: NDArray[np.int64], n_classes: int
    ) -> tuple[list[CodedBatch], bool]:
        """Hold batches as long as their distinct rows take at most half of the memory."""
        held: list[CodedBatch] = []
        most = self.memory_limit / 2
        for batch in batches:
            held.append(batch)
            if sum(each.n_bytes for each in held) > most:
                held = [add_up(held, n_codes, n_classes)]
                if held[0].n_bytes > most / 2:
                    return held, True
        return held, False

    def _count(
        self, batches: Iterable[CodedBatch], n_codes: NDArray[np.int64], n_classes: int
    ) -> Training:
        """Count rows batch by batch, and keep a sample."""
        self.check_counts(n_codes, n_classes)
        counter = BlockCounter(
            n_codes, n_classes, self.max_length, self.n_threads, self.memory_limit * BLOCK_SHARE
        )
        sample, n_rows = RowSample(len(n_codes)), 0
        for batch in batches:
            n_rows += int(batch.occurrences.sum())
            if n_rows > MAX_ROWS:
                raise BadTable(f"X has at least {n_rows} rows; at most {MAX_ROWS} are accepted")
            counter.add(batch.codes, batch.labels, batch.times)
            sample.add(batch.codes, batch.labels, batch.times)
        return Training.of_counts(counter.finish(), sample.finish())

    def fits(self, n_codes: NDArray[np.int64], n_classes: int) -> bool:
        """Whether the counts fit into memory."""
        return self._bytes_needed(n_codes, n_classes) <= self.memory_limit

    def check_counts(self, n_codes: NDArray[np.int64], n_classes: int) -> None:
        """Refuse counts that do not fit into memory."""
        if not self.fits(n_codes, n_classes):
            needed = self._bytes_needed(n_codes, n_classes)
            widest = int(n_codes.argmax())
            name = repr(self.names[widest]) if len(self.names) else widest
            raise NotEnoughMemory(
                f"the counts of all sets of up to {self.max_length} features need "
                f"{readable(needed)}, and memory_limit allows {readable(self.memory_limit)}; "
                f"lower max_length (now {self.max_length}), lower bins or cuts, leave out columns "
                f"with many values (column {name} has {n_codes[widest]}), or raise memory_limit"
            )

    def _bytes_needed(self, n_codes: NDArray[np.int64], n_classes: int) -> int:
        return COPIES * kept_bytes(n_codes.tolist(), self.max_length, n_classes)


def _chain(held: list[CodedBatch], left: Iterable[CodedBatch]) -> Iterable[CodedBatch]:
    """Give batches that are held, each only once, and then those that are left."""
    while held:
        yield held.pop()
    yield from left
