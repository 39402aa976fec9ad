"""What a model holds of its training rows: the rows themselves, or counts in their place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.tables import MAX_ROWS
from picrules.engines.batches import FEW_ROWS, CodedBatch, add_up, join, row_bytes, to_training
from picrules.engines.blocks import BlockCounter
from picrules.engines.draws import Draws
from picrules.engines.kept_counts import KeptCounts, kept_bytes
from picrules.engines.plan import readable
from picrules.engines.sample import RowSample
from picrules.engines.shared import Shared, read_ahead, run_streams
from picrules.engines.training import Training, find_distinct
from picrules.errors import BadTable, NotEnoughMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

# Counts are in memory this many times while they are made: in blocks, by sets, and by length.
COPIES = 3

# The share of the memory limit that larger sets of features may take while rows are counted.
BLOCK_SHARE = 0.25

# The share of the memory limit that distinct rows may take: they are copied while they are joined.
ROW_SHARE = 0.5

# Rows that wait to be joined with others take up to that many times what distinct ones may take.
GROWTH = 1.25

# Counts of one set of features: their positions are numbers of 32 bits.
MOST_CELLS = 2**32 - 1

# Rows that are counted at once: what is made of them on the way is no larger than they are.
CUT_ROWS = 2**17


def rows_fit(n_rows: int, n_features: int, memory_limit: float) -> bool:
    """Whether so many distinct rows are kept where rows are kept as long as they fit."""
    return n_rows * row_bytes(n_features) <= ROW_SHARE * memory_limit


@dataclass(frozen=True)
class Holding:
    """What is wanted: rows (True), counts of sets of features (False), or rows if they fit."""

    keep_rows: bool | str
    max_length: int  # features of the largest sets whose counts may take the place of rows
    memory_limit: float
    n_threads: int = 1
    names: Sequence[str] = ()  # of the features, for messages
    # What makes the draws of the sample, where more is known than positions.
    make_draws: Callable[[], Draws] | None = None

    def gather(
        self, batches: Iterable[CodedBatch], n_codes: NDArray[np.int64], n_classes: int
    ) -> Training:
        """Take rows that come batch by batch; shared ones are counted by several threads."""
        is_kept = self._is_kept(n_codes)
        if self.keep_rows is False and not is_kept:
            return self._count(self._split(batches, n_codes, n_classes), n_codes, n_classes)
        first, *others = self._split(batches, n_codes, n_classes)
        left = read_ahead(first) if others else first  # as one thread joins them
        if is_kept:
            return join(left, n_codes, n_classes)
        held, are_fitting = self._hold(left, n_codes, n_classes)
        if are_fitting:
            return to_training(held[0], n_classes)
        return self._count([_chain(held, left), *others], n_codes, n_classes)

    def take(self, training: Training, n_codes: NDArray[np.int64]) -> Training:
        """Take rows that are in memory already: where counts do not fit either, they stay."""
        if self._is_kept(n_codes):
            return training
        if self.keep_rows == "auto" and (
            self._are_fitting(training, n_codes) or not self.fits(n_codes, training.n_classes)
        ):
            return training
        return self._count([[CodedBatch.of(training)]], n_codes, training.n_classes)

    def merge(self, parts: Sequence[Training], n_codes: NDArray[np.int64]) -> Training:
        """Put together what was gathered from parts of the rows, whatever each holds of its own."""
        n_classes = parts[0].n_classes
        rows = [CodedBatch.of(part) for part in parts if part.counts is None]
        if len(rows) == len(parts):
            return self.gather(rows, n_codes, n_classes)
        counted = [part for part in parts if part.counts is not None]
        if rows:
            counted.append(self._count([rows], n_codes, n_classes))
        counts = [part.counts for part in counted if part.counts is not None]
        draws = self._draws(n_codes, n_classes)
        return _together(counts, [RowSample.resume(part, draws) for part in counted])

    def check(self, n_codes: NDArray[np.int64], n_classes: int) -> None:
        """Refuse counts that are asked for and do not fit, before any row is read."""
        if self.keep_rows is False:
            self.check_counts(n_codes, n_classes)

    def keeps_all(self, n_rows: int, n_features: int) -> bool:
        """Whether rows are kept, even if no two of them are alike."""
        is_fitting = rows_fit(n_rows, n_features, self.memory_limit)
        return self.keep_rows is True or (self.keep_rows == "auto" and is_fitting)

    def _is_kept(self, n_codes: NDArray[np.int64]) -> bool:
        """Whether rows are kept, however many: without features there is one for each class."""
        return self.keep_rows is True or not len(n_codes)

    def _are_fitting(self, training: Training, n_codes: NDArray[np.int64]) -> bool:
        """Whether rows fit; some of them may be alike, and would be one row elsewhere."""
        n_features, n_pairs = training.n_features, training.n_pairs
        if not rows_fit(n_pairs, n_features, self.memory_limit):
            keys = (training.labels.astype(np.int32), *training.codes)
            first, _ = find_distinct(keys, [training.n_classes, *n_codes.tolist()], n_pairs)
            n_pairs = len(first)
        return rows_fit(n_pairs, n_features, self.memory_limit)

    def _hold(
        self, batches: Iterable[CodedBatch], n_codes: NDArray[np.int64], n_classes: int
    ) -> tuple[list[CodedBatch], bool]:
        """Join batches as long as their distinct rows fit.

        Whether they do does not depend on how the rows are split into batches. Rows are joined when
        they are twice as many as were distinct, and sooner where these are nearly too many.
        """
        held: list[CodedBatch] = []
        n_features, limit = len(n_codes), self.memory_limit
        room = GROWTH * ROW_SHARE * limit / row_bytes(n_features)
        most = min(FEW_ROWS, room)
        for batch in batches:
            held.append(batch)
            if sum(map(len, held)) > most:
                held = [add_up(held, n_codes, n_classes)]
                if not rows_fit(len(held[0]), n_features, limit):
                    return held, False
                most = min(max(FEW_ROWS, 2 * len(held[0])), room)
        held = [add_up(held, n_codes, n_classes)]
        return held, rows_fit(len(held[0]), n_features, limit)

    def _split(
        self, batches: Iterable[CodedBatch], n_codes: NDArray[np.int64], n_classes: int
    ) -> list[Any]:
        """Split shared batches into streams, of which each can be counted by a thread.

        Each has counts of its own: together they take no more of the limit than blocks may.
        """
        if not isinstance(batches, Shared):
            return [iter(batches)]
        n_bytes = max(1, kept_bytes(n_codes.tolist(), self.max_length, n_classes))
        n_fitting = max(1, BLOCK_SHARE * self.memory_limit // n_bytes)
        streams = batches.split(int(min(self.n_threads, n_fitting)))
        is_alone = len(streams) == 1 and self.n_threads > 1
        return [read_ahead(streams[0])] if is_alone else streams

    def _count(
        self, streams: Sequence[Iterable[CodedBatch]], n_codes: NDArray[np.int64], n_classes: int
    ) -> Training:
        """Count rows batch by batch, each stream in a thread of its own, and keep a sample."""
        self.check_counts(n_codes, n_classes)
        n_threads = max(1, self.n_threads // len(streams))
        most_bytes = BLOCK_SHARE * self.memory_limit / len(streams)
        draws = self._draws(n_codes, n_classes)

        def count(batches: Iterable[CodedBatch]) -> tuple[KeptCounts, RowSample]:
            counter = BlockCounter(n_codes, n_classes, self.max_length, n_threads, most_bytes)
            sample, n_rows = RowSample(draws), 0
            for batch in batches:
                n_rows += int(batch.occurrences.sum())
                if n_rows > MAX_ROWS:
                    raise BadTable(f"X has at least {n_rows} rows; at most {MAX_ROWS} are accepted")
                for own in batch.cut(CUT_ROWS):
                    counter.add(own.codes, own.labels, own.times)
                    sample.add(own.codes, own.labels, own.times)
            return counter.finish(), sample

        counts, samples = zip(*run_streams(count, streams), strict=True)
        return _together(counts, samples)

    def _draws(self, n_codes: NDArray[np.int64], n_classes: int) -> Draws:
        if self.make_draws is None:
            return Draws.by_position(n_codes, n_classes)
        return self.make_draws()

    def fits(self, n_codes: NDArray[np.int64], n_classes: int) -> bool:
        """Whether the counts fit into memory."""
        needed, limit = self._bytes_needed(n_codes, n_classes), self.memory_limit
        return needed <= limit and self._most_cells(n_codes, n_classes) <= MOST_CELLS

    def check_counts(self, n_codes: NDArray[np.int64], n_classes: int) -> None:
        """Refuse counts that do not fit into memory."""
        if self.fits(n_codes, n_classes):
            return
        needed, widest = self._bytes_needed(n_codes, n_classes), int(n_codes.argmax())
        name = repr(self.names[widest]) if len(self.names) else widest
        told = (
            f"the counts of all sets of up to {self.max_length} features need {readable(needed)}, "
            f"and memory_limit allows {readable(self.memory_limit)}"
        )
        more = ", or raise memory_limit"
        if needed <= self.memory_limit:
            n_cells = self._most_cells(n_codes, n_classes)
            told, more = f"a set of features has {n_cells} counts; at most {MOST_CELLS} fit", ""
        raise NotEnoughMemory(
            f"{told}; lower max_length (now {self.max_length}), lower bins or cuts, leave out "
            f"columns with many values (column {name} has {n_codes[widest]}){more}"
        )

    def _most_cells(self, n_codes: NDArray[np.int64], n_classes: int) -> int:
        """Return how many counts the largest set of features has."""
        slots = sorted((n_codes + 1).tolist(), reverse=True)
        n_cells: int = prod(slots[: self.max_length])
        return n_classes * n_cells

    def _bytes_needed(self, n_codes: NDArray[np.int64], n_classes: int) -> int:
        return COPIES * kept_bytes(n_codes.tolist(), self.max_length, n_classes)


def _together(counts: Iterable[KeptCounts], samples: Iterable[RowSample]) -> Training:
    return Training.of_counts(reduce(add, counts), reduce(RowSample.merge, samples).finish())


def _chain(held: list[CodedBatch], left: Iterable[CodedBatch]) -> Iterable[CodedBatch]:
    """Give batches that are held, each only once, and then those that are left."""
    while held:
        yield held.pop()
    yield from left
