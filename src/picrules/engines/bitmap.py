"""The bitmap engine: one bitmap a condition, rules searched depth first for each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.kernels.best import Best, start_best
from picrules.kernels.bits import Bitmaps, count_both, pack_conditions
from picrules.kernels.search import Settings, search_rows
from picrules.kernels.threads import Watch, run_blocks, split_evenly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.engines.base import Search, TrainingTable


# Classes of at least this many words are filled up to whole steps of the counting loop.
LARGE_CLASS = 128

# Blocks of rows that each thread takes, so that threads end together.
BLOCKS_A_THREAD = 16


class BitmapEngine:
    """Counts covers by AND and popcount; for many features or long rules."""

    kernels: tuple[Any, ...] = (search_rows,)

    def __init__(self, table: TrainingTable) -> None:
        class_starts = first_words(table.class_sizes)
        first = np.concatenate(([0], np.cumsum(table.n_codes)))
        words = np.zeros((first[-1], class_starts[-1]), np.uint64)
        pack_conditions(table.codes, row_bits(table, class_starts), first, words)
        counts = np.zeros((first[-1], table.n_classes), np.int64)
        for condition in range(first[-1]):
            count_both(words[condition], words[condition], class_starts, counts[condition])
        self.bitmaps = Bitmaps(
            words, counts, first, class_starts, table.class_sizes, table.class_order
        )

    def best_rules(
        self,
        queries: NDArray[np.int32],
        search: Search,
        n_threads: int,
        watch: Watch | None = None,
    ) -> Best:
        """Find the best rule of each row (see `Engine`)."""
        n_rows = queries.shape[1]
        best = start_best(n_rows, search.max_length, self.bitmaps.class_sizes.shape[0])
        n_counted = np.zeros(n_rows, np.int64)
        is_stopped = np.zeros(1, np.uint8) if watch is None else watch.is_stopped
        settings = Settings(search.alpha, search.max_length, search.is_greedy, is_stopped)

        def search_block(_: int, start: int, stop: int) -> None:
            search_rows(self.bitmaps, settings, queries, start, stop, best, n_counted)

        blocks = split_evenly(n_rows, n_threads * BLOCKS_A_THREAD)
        run_blocks(search_block, blocks, n_threads, watch, 1 / n_rows)
        return best


def bitmap_bytes(table: TrainingTable) -> int:
    """Return the memory that the bitmaps of a table, and their class counts, take."""
    n_words = int(first_words(table.class_sizes)[-1])
    return int(table.n_codes.sum()) * (n_words + table.n_classes) * 8


def first_words(class_sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """First word of each class, and the number of words.

    Large classes are filled up to whole steps of the counting loop, which is unrolled to 32
    words and counts what is left over one word at a time: 10 instead of 7 G words a second.
    """
    n_words = (class_sizes + 63) // 64
    n_words = np.where(n_words >= LARGE_CLASS, (n_words + 31) // 32 * 32, n_words)
    starts: NDArray[np.int64] = np.concatenate(([0], np.cumsum(n_words)))
    return starts


def row_bits(table: TrainingTable, class_starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Bit of each training row: its class's first word, then its place within the class."""
    order = np.argsort(table.labels, kind="stable")
    sorted_labels = table.labels[order]
    class_firsts = np.concatenate(([0], np.cumsum(table.class_sizes)[:-1]))
    positions = np.empty(table.n_rows, np.int64)
    positions[order] = (
        class_starts[sorted_labels] * 64 + np.arange(table.n_rows) - class_firsts[sorted_labels]
    )
    return positions
