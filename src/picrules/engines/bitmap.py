"""The bitmap engine: one bitmap a condition, rules searched depth first for each row."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.engines.costs import pairs_pay
from picrules.kernels.best import Best, start_best
from picrules.kernels.bits import Bitmaps, count_both, pack_conditions
from picrules.kernels.pairs import count_pairs, n_places
from picrules.kernels.search import Settings, search_rows
from picrules.kernels.threads import Watch, run_blocks, split_evenly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.engines.base import Search, TrainingTable


# Words in a line of the cache.
LINE = 8

# Words in a step of the counting loop.
STEP = 32

# Pairs of conditions are kept while all of them take at most so many bytes.
KEPT_BYTES = 2**28

# Blocks of rows that each thread takes, so that threads end together.
BLOCKS_A_THREAD = 16


class BitmapEngine:
    """Counts covers by AND and popcount; for many features or long rules.

    For many rows the counts of every two conditions are kept, and shared by all rows.
    """

    kernels: tuple[Any, ...] = (search_rows,)

    def __init__(self, table: TrainingTable, kept_bytes: float = KEPT_BYTES) -> None:
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
        self._kept_bytes = min(kept_bytes, KEPT_BYTES)
        self._pairs = np.empty((table.n_classes, 0), np.int32)
        self._lock = threading.Lock()

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
        if search.max_length > 1 and self._pairs_pay(n_rows):
            self.keep_pairs(n_threads, watch)
        pairs = self._pairs

        def search_block(_: int, start: int, stop: int) -> None:
            search_rows(self.bitmaps, pairs, settings, queries, start, stop, best, n_counted)

        blocks = split_evenly(n_rows, n_threads * BLOCKS_A_THREAD)
        run_blocks(search_block, blocks, n_threads, watch, 1 / n_rows)
        return best

    def keep_pairs(self, n_threads: int = 1, watch: Watch | None = None) -> None:
        """Count and keep every two conditions, unless they take too much memory."""
        bitmaps = self.bitmaps
        n_conditions, n_classes = bitmaps.counts.shape
        places = n_places(n_conditions)
        with self._lock:
            if self.has_pairs or places * n_classes * 4 > self._kept_bytes:
                return
            pairs = np.zeros((n_classes, places), np.int32)
            later = np.repeat(bitmaps.first[1:], np.diff(bitmaps.first))

            def count_block(_: int, start: int, stop: int) -> None:
                count_pairs(bitmaps.words, later, bitmaps.class_starts, start, stop, pairs)

            # The first conditions have the most pairs, so that small blocks end together.
            blocks = split_evenly(n_conditions, n_threads * BLOCKS_A_THREAD)
            run_blocks(count_block, blocks, n_threads, watch)
            if watch is None or not watch.is_stopped[0]:
                self._pairs = pairs

    @property
    def has_pairs(self) -> bool:
        """Whether the counts of every two conditions are kept."""
        return self._pairs.size > 0

    def _pairs_pay(self, n_queries: int) -> bool:
        n_codes = np.diff(self.bitmaps.first)
        n_words, n_classes = self.bitmaps.words.shape[1], len(self._pairs)
        return pairs_pay(n_codes, n_words, n_classes, n_queries)

    def __getstate__(self) -> dict[str, Any]:
        return {"bitmaps": self.bitmaps, "_kept_bytes": self._kept_bytes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        words = new_bitmaps(*self.bitmaps.words.shape)
        words[:] = self.bitmaps.words
        self.bitmaps = self.bitmaps._replace(words=words)
        self._pairs = np.empty((self.bitmaps.counts.shape[1], 0), np.int32)
        self._lock = threading.Lock()


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
