"""Count rows that come batch by batch, and are not kept: the class counts of all small sets."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from math import comb, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.engines.counts import Counts
from picrules.engines.kept_counts import KeptCounts, sum_over
from picrules.engines.threads import Watch, run_blocks, split_evenly
from picrules.kernels.blocks import add_to_block, to_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# A block has at most that many counts: then they lie in a cache while rows are added. With 12
# features of 11 slots and 2 classes, all sets of 3 take 300 ns a row set by set, 45 ns in blocks
# of 5 features, and far more in blocks of 6, which leave the cache.
BLOCK_ENTRIES = 3 * 2**17

# Blocks are looked for where sets of features are no more; else each set is its own.
MANY_SUBSETS = 5_000

# Rows that are counted at once, and the memory that they may take: 74 ns for a row at 2 ** 16 rows,
# 40 ns at 2 ** 19.
ROWS_AT_ONCE, WAITING_BYTES = 2**19, 2**26

# Blocks of work that each thread takes.
SHARES = 4


class BlockCounter:
    """Adds up the class counts of rows: what it takes does not grow with their number."""

    def __init__(
        self,
        n_codes: NDArray[np.int64],
        n_classes: int,
        max_length: int,
        n_threads: int = 1,
        most_bytes: float = np.inf,
    ) -> None:
        self._n_codes, self._n_threads = n_codes, n_threads
        self._n_slots = np.array([n_classes, *(n_codes + 1)], np.int64)
        self._max_length = min(max_length, len(n_codes))
        slots = (n_codes + 1).tolist()
        self._blocks = cover_sets(slots, self._max_length, BLOCK_ENTRIES // n_classes)
        n_entries = sum(prod(slots[each] for each in block) for block in self._blocks)
        if n_entries * n_classes * 4 > most_bytes:
            self._blocks = list(combinations(range(len(slots)), self._max_length))
        self._slot_type = np.uint8 if self._n_slots.max() <= 256 else np.int32
        self._n_waiting, self._has_once = 0, True

    @cached_property
    def _cells(self) -> list[NDArray[np.uint32]]:
        """The class counts of each block so far."""
        slots = (self._n_slots[[0, *(each + 1 for each in block)]] for block in self._blocks)
        return [np.zeros(int(own.prod()), np.uint32) for own in slots]

    @cached_property
    def _plan(self) -> tuple[NDArray[Any], list[tuple[Any, Any]]]:
        """How slots are combined into columns, and which columns make the cells of each block.

        Fewer columns take less time: an entry is found from three at once.
        """
        most = 256 if self._slot_type is np.uint8 else 2**31
        number_of: dict[tuple[int, ...], int] = {}
        blocks = []
        for block in self._blocks:
            runs = _combine([0, *(each + 1 for each in block)], self._n_slots.tolist(), most)
            chosen = [number_of.setdefault(run, len(number_of)) for run in runs]
            sizes = [self._n_slots[list(run)].prod() for run in runs]
            strides = [int(np.prod(sizes[:at])) for at in range(len(sizes))]
            n_spare = -len(chosen) % 3
            columns = np.array(chosen + [0] * n_spare)
            blocks.append((columns, np.array(strides + [0] * n_spare, np.uint32)))
        factors = np.zeros((len(number_of), len(self._n_slots)), self._slot_type)
        for own, run in zip(factors, number_of, strict=True):
            own[list(run)] = np.cumprod([1, *self._n_slots[list(run[:-1])]])
        return factors, blocks

    def add(
        self,
        codes: NDArray[np.int32],
        labels: NDArray[np.int64],
        occurrences: NDArray[np.int64] | None = None,
        watch: Watch | None = None,
    ) -> None:
        """Add rows, given as codes (n_features, n_rows) and classes, each once or so often.

        They wait in `_columns` until many are counted at once: blocks change places in the cache
        then less often.
        """
        start, n_most, codes = 0, self._columns.shape[1], np.ascontiguousarray(codes)
        factors, _ = self._plan
        while start < len(labels):
            self._has_once &= occurrences is None  # anew for those that come after a count
            stop = min(len(labels), start + n_most - self._n_waiting)
            held = slice(self._n_waiting, self._n_waiting + stop - start)
            to_columns(codes, labels, self._n_codes, start, factors, self._columns[:, held])
            self._times[held] = 1 if occurrences is None else occurrences[start:stop]
            self._n_waiting, start = held.stop, stop
            if self._n_waiting == n_most:
                self._count(watch)

    @cached_property
    def _columns(self) -> NDArray[Any]:
        """The slots of the rows that wait, combined."""
        n_columns, size = len(self._plan[0]), np.dtype(self._slot_type).itemsize
        n_rows = max(1, min(ROWS_AT_ONCE, WAITING_BYTES // (n_columns * size)))
        return np.empty((n_columns, n_rows), self._slot_type)

    @cached_property
    def _times(self) -> NDArray[np.int64]:
        """How often each row that waits occurs."""
        return np.empty(self._columns.shape[1], np.int64)

    def _count(self, watch: Watch | None = None) -> None:
        """Count the rows that wait."""
        n_rows, (_, blocks) = self._n_waiting, self._plan
        is_stopped = np.zeros(1, np.uint8) if watch is None else watch.is_stopped
        columns, cells = self._columns[:, :n_rows], self._cells
        times = np.empty(0, np.int64) if self._has_once else self._times[:n_rows]

        def count(_: int, start: int, stop: int) -> None:
            for at in range(start, stop):
                add_to_block(columns, times, *blocks[at], is_stopped, cells[at])

        shares = split_evenly(len(blocks), self._n_threads * SHARES)
        run_blocks(count, shares, self._n_threads, watch)
        self._n_waiting, self._has_once = 0, True

    def finish(self) -> KeptCounts:
        """Return the class counts of all sets of features."""
        self._count()
        n_slots, n_classes = self._n_slots[1:], int(self._n_slots[0])
        block_of = {
            subset: at
            for at in reversed(range(len(self._blocks)))
            for subset in combinations(self._blocks[at], self._max_length)
        }
        known = [{block: cells} for block, cells in zip(self._blocks, self._cells, strict=True)]
        pieces = [
            _sum_to(subset, self._blocks[block_of[subset]], n_slots, known[block_of[subset]])
            for subset in combinations(range(len(n_slots)), self._max_length)
        ]
        n_subsets = comb(len(n_slots), self._max_length)
        counts = Counts(n_slots, self._max_length, 0, n_subsets, np.concatenate(pieces))
        return KeptCounts(counts, n_classes)


def cover_sets(n_slots: Sequence[int], length: int, most_cells: int) -> list[tuple[int, ...]]:
    """Find larger sets of features, of few cells, that hold every set of that many features.

    One after the other: the first set that is not yet in a block begins one, to which the features
    are added that bring most other sets into it.
    """
    n_features = len(n_slots)
    left = dict.fromkeys(combinations(range(n_features), length))
    if len(left) > MANY_SUBSETS or length == 0:
        return list(left)
    blocks = []
    while left:
        block = set(next(iter(left)))
        n_cells = prod(n_slots[each] for each in block)
        while True:
            gains = {
                each: _count_new(block, each, length, left)
                for each in range(n_features)
                if each not in block and n_cells * n_slots[each] <= most_cells
            }
            best = max(gains, key=lambda each: (gains[each], -each), default=None)
            if best is None or gains[best] == 0:
                break
            block.add(best)
            n_cells *= n_slots[best]
        blocks.append(tuple(sorted(block)))
        for subset in combinations(blocks[-1], length):
            left.pop(subset, None)
    return blocks


def _combine(axes: list[int], n_slots: list[int], most: int) -> list[tuple[int, ...]]:
    """Cut a list of axes into runs of which each has at most so many slots together."""
    runs: list[tuple[int, ...]] = []
    for axis in axes:
        if runs and prod(n_slots[each] for each in (*runs[-1], axis)) <= most:
            runs[-1] = (*runs[-1], axis)
        else:
            runs.append((axis,))
    return runs


def _sum_to(
    subset: tuple[int, ...],
    block: tuple[int, ...],
    n_slots: NDArray[np.int64],
    known: dict[tuple[int, ...], NDArray[np.uint32]],
) -> NDArray[np.uint32]:
    """Add up the counts of a block to those of some of its features, one feature after another."""
    if subset not in known:
        spare = next(each for each in block if each not in subset)
        larger = tuple(sorted((*subset, spare)))
        whole = _sum_to(larger, block, n_slots, known)
        known[subset] = sum_over(whole, n_slots, larger, spare)
    return known[subset]


def _count_new(
    block: set[int], feature: int, length: int, left: dict[tuple[int, ...], None]
) -> int:
    """Count the sets of features that another one brings into a block."""
    others = combinations(sorted(block), length - 1)
    return sum(tuple(sorted((*each, feature))) in left for each in others)
