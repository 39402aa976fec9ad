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


# Words in a line of the cache.
LINE = 8

# Words in a step of the counting loop.
STEP = 32

# Blocks of rows that each thread takes, so that threads end together.
BLOCKS_A_THREAD = 16


class BitmapEngine:
    """Counts covers by AND and popcount; for many features or long rules."""

    kernels: tuple[Any, ...] = (search_rows,)

    def __init__(self, table: TrainingTable) -> None:
        class_starts = first_words(table.class_sizes)
        first = np.concatenate(([0], np.cumsum(table.n_codes)))
        words = new_bitmaps(first[-1], class_starts[-1])
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


def new_bitmaps(n_bitmaps: int, n_words: int) -> NDArray[np.uint64]:
    """Make empty bitmaps, the first of which begins with a line of the cache.

    A loop over words that straddle two lines counts 8 instead of 13 G words a second.
    """
    room = np.zeros(n_bitmaps * n_words + LINE, np.uint64)
    start = -(room.ctypes.data // 8) % LINE
    return room[start : start + n_bitmaps * n_words].reshape(n_bitmaps, n_words)


def first_words(class_sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """First word of each class, and the number of words.

    Large classes are whole lines of the cache; so are all words together, if a class is large.
    """
    starts = [0]
    for n_words in ((class_sizes + 63) // 64).tolist():
        step = STEP if n_words >= 4 * STEP else LINE if n_words >= 4 * LINE else 1
        start = _round_up(starts[-1], min(step, LINE))
        starts[-1:] = [start, start + _round_up(n_words, step)]
    starts[-1] = _round_up(starts[-1], LINE if starts[-1] >= 4 * LINE else 1)
    return np.array(starts, np.int64)


def _round_up(number: int, step: int) -> int:
    return -(-number // step) * step


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
