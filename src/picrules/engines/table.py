"""The table engine: class counts of all value combinations, one set of features at a time."""

from __future__ import annotations

import threading
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.kernels.best import Best, merge_best, start_best
from picrules.kernels.tables import Training, keep_subsets, search_kept, search_subsets
from picrules.kernels.threads import Watch, run_blocks, split_evenly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.engines.base import Search, TrainingTable

# Tables are kept for later predictions while all of them take at most so many bytes.
KEPT_BYTES = 2**28

# Kept tables are looked up when the queries, times this, are no more than the training rows.
FEW = 8

# Blocks of sets of features that each thread takes, so that threads end together; more when
# one would take longer than this many steps, about a tenth of a second, so that a search can
# be interrupted.
BLOCKS_A_THREAD = 8
BLOCK_STEPS = 5e7
MAX_BLOCKS = 10_000


class TableEngine:
    """Counts covers in tables; for few features and any number of rows.

    Tables are counted anew for each search, one at a time in one place. `keep` counts and keeps
    all of them: then a prediction for few rows is a look-up in each.
    """

    kernels: tuple[Any, ...] = (search_subsets, search_kept)

    def __init__(self, table: TrainingTable, kept_bytes: float = KEPT_BYTES) -> None:
        has_missing = (table.codes < 0).any(axis=1)
        n_slots = table.n_codes + has_missing
        missing_slots = table.n_codes[:, np.newaxis].astype(np.int32)
        slots = np.where(table.codes < 0, missing_slots, table.codes)
        slot_type = np.uint8 if n_slots.max() <= 256 else np.int32
        self.training = Training(
            slots.astype(slot_type, copy=False),
            table.labels,
            np.maximum(n_slots, 1),
            table.class_sizes,
            table.class_order,
            max_cells(table.n_rows),
        )
        self._kept_bytes = min(kept_bytes, KEPT_BYTES)
        self._kept: dict[int, NDArray[Any]] = {}
        self._lock = threading.Lock()

    def best_rules(
        self,
        queries: NDArray[np.int32],
        search: Search,
        n_threads: int,
        watch: Watch | None = None,
    ) -> Best:
        """Find the best rule of each row (see `Engine`)."""
        n_classes = self.training.class_sizes.shape[0]
        best = start_best(queries.shape[1], search.max_length, n_classes)
        active = np.arange(queries.shape[1])
        for length in range(1, search.max_length + 1):
            asked = queries if active.size == queries.shape[1] else queries[:, active].copy("C")
            to_beat = best.scores[active]
            found = self._search_length(length, asked, to_beat, search, n_threads, watch)
            better = found.scores > best.scores[active]
            for target, source in zip(best, found, strict=True):
                target[active[better]] = source[better]
            if search.is_greedy:
                active = active[better]
            if active.size == 0:
                break
        return best

    def _search_length(
        self,
        length: int,
        queries: NDArray[np.int32],
        to_beat: NDArray[np.float64],
        search: Search,
        n_threads: int,
        watch: Watch | None,
    ) -> Best:
        """Find each row's best rule of one length, if it scores higher than what is to beat."""

        def start() -> Best:
            n_classes = self.training.class_sizes.shape[0]
            best = start_best(queries.shape[1], search.max_length, n_classes)
            return best._replace(scores=to_beat.copy())

        if queries.shape[1] * FEW <= self.training.slots.shape[1]:
            tables = self._kept.get(length)
            if tables is not None:
                best = start()
                search_kept(self.training, search.alpha, queries, length, tables, best)
                return best
        n_features = queries.shape[0]
        n_subsets = comb(n_features, length)
        n_cells = min(largest_table(self.training.n_slots, length), self.training.max_cells)
        steps = n_subsets * (self.training.slots.shape[1] + queries.shape[1] + n_cells)
        n_blocks = min(max(n_threads * BLOCKS_A_THREAD, int(steps / BLOCK_STEPS)), MAX_BLOCKS)
        blocks = split_evenly(n_subsets, n_blocks)
        n_threads = min(n_threads, len(blocks))
        found = [start() for _ in range(n_threads)]
        rooms = [self._new_table(n_cells) for _ in range(n_threads)]

        def search_block(thread: int, start: int, stop: int) -> None:
            subset = nth_subset(n_features, length, start)
            search_subsets(
                self.training, search.alpha, queries, subset, stop - start,
                rooms[thread], found[thread],
            )  # fmt: skip

        all_subsets = sum(comb(n_features, size) for size in range(1, search.max_length + 1))
        run_blocks(search_block, blocks, n_threads, watch, 1 / all_subsets)
        for other in found[1:]:
            merge_best(found[0], other)
        return found[0]

    def keep(self, max_length: int) -> None:
        """Count and keep the tables of each length, as long as they are not too large."""
        n_slots, n_classes = self.training.n_slots, self.training.class_sizes.shape[0]
        with self._lock:
            for length in range(len(self._kept) + 1, max_length + 1):
                n_cells = all_cells(n_slots, length)
                n_bytes = n_cells * n_classes * self._new_table(0).itemsize
                is_large = largest_table(n_slots, length) > self.training.max_cells
                n_kept = sum(tables.nbytes for tables in self._kept.values())
                if is_large or n_kept + n_bytes > self._kept_bytes:
                    return
                tables = self._new_table(n_cells)
                n_subsets = comb(len(n_slots), length)
                keep_subsets(self.training, np.arange(length), n_subsets, tables)
                self._kept[length] = tables

    def has_kept(self, max_length: int) -> bool:
        """Tell whether the tables of every length are kept."""
        return all(length in self._kept for length in range(1, max_length + 1))

    def _new_table(self, n_cells: int) -> NDArray[Any]:
        """Make room for a table, with the smallest count that can hold all rows."""
        count_type = np.uint16 if self.training.slots.shape[1] < 2**16 else np.uint32
        return np.empty((n_cells, self.training.class_sizes.shape[0]), count_type)

    def __getstate__(self) -> dict[str, Any]:
        return {"training": self.training, "_kept_bytes": self._kept_bytes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._kept = {}
        self._lock = threading.Lock()


def max_cells(n_rows: int) -> int:
    """Return the largest number of cells that is worth numbering one by one."""
    return 4 * n_rows + 2**14


def largest_table(n_slots: NDArray[np.int64], length: int) -> int:
    """Return the number of cells of the largest table of that many features."""
    size = 1
    for count in sorted(n_slots.tolist(), reverse=True)[:length]:
        size = min(size * max(1, count), 2**62)
    return size


def all_cells(n_slots: NDArray[np.int64], length: int) -> int:
    """Return the number of cells of all tables of that many features together."""
    sums = [1] + [0] * length
    for count in n_slots.tolist():
        for size in range(length, 0, -1):
            sums[size] = min(sums[size] + sums[size - 1] * count, 2**62)
    return sums[length]


def table_bytes(table: TrainingTable, max_length: int, n_threads: int) -> int:
    """Return the memory that the tables, and the cells of the training rows, take."""
    cells = min(largest_table(table.n_codes + 1, max_length), max_cells(table.n_rows))
    slots = table.n_features * table.n_rows * (1 if table.n_codes.max() < 256 else 4)
    return slots + n_threads * (cells * table.n_classes * 4 + table.n_rows * 24)


def nth_subset(n_features: int, length: int, position: int) -> NDArray[np.int64]:
    """Return the set of features at a position of the lexicographic order."""
    subset = np.empty(length, np.int64)
    feature = 0
    for place in range(length):
        following = comb(n_features - feature - 1, length - place - 1)
        while position >= following:
            position -= following
            feature += 1
            following = comb(n_features - feature - 1, length - place - 1)
        subset[place] = feature
        feature += 1
    return subset
