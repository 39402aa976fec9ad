"""The bitmap engine: one bitmap a condition, rules searched depth first for each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from picrules.kernels.best import Best, start_best
from picrules.kernels.bits import Bitmaps, count_cover, pack_conditions
from picrules.kernels.search import Settings, search_rows
from picrules.kernels.threads import run_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.engines.base import Search, TrainingTable


class BitmapEngine:
    """Counts covers by AND and popcount; for many features or long rules."""

    def __init__(self, table: TrainingTable) -> None:
        class_starts = _class_starts(table.class_sizes)
        first = np.concatenate(([0], np.cumsum(table.n_codes)))
        words = np.zeros((first[-1], class_starts[-1]), np.uint64)
        pack_conditions(table.codes, _positions(table, class_starts), first, words)
        counts = np.zeros((first[-1], table.n_classes), np.int64)
        for condition in range(first[-1]):
            count_cover(words[condition], class_starts, counts[condition])
        self.bitmaps = Bitmaps(
            words, counts, first, class_starts, table.class_sizes, table.class_order
        )

    def best_rules(self, queries: NDArray[np.int32], search: Search, n_threads: int) -> Best:
        """Find the best rule of each row (see `Engine`)."""
        n_rows = queries.shape[1]
        best = start_best(n_rows, search.max_length, self.bitmaps.class_sizes.shape[0])
        n_counted = np.zeros(n_rows, np.int64)
        settings = Settings(
            search.alpha, search.max_length, search.is_greedy, np.zeros(1, np.uint8)
        )

        def search_part(start: int, stop: int) -> None:
            search_rows(self.bitmaps, settings, queries, start, stop, best, n_counted)

        run_parts(search_part, n_rows, n_threads)
        return best


def bitmap_bytes(table: TrainingTable) -> int:
    """Return the memory that the bitmaps of a table take."""
    return int(table.n_codes.sum()) * int(_class_starts(table.class_sizes)[-1]) * 8


def _class_starts(class_sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """First word of each class, and the number of words."""
    starts: NDArray[np.int64] = np.concatenate(([0], np.cumsum((class_sizes + 63) // 64)))
    return starts


def _positions(table: TrainingTable, class_starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Bit of each training row: its class's first word, then its place within the class."""
    order = np.argsort(table.labels, kind="stable")
    sorted_labels = table.labels[order]
    class_firsts = np.concatenate(([0], np.cumsum(table.class_sizes)[:-1]))
    positions = np.empty(table.n_rows, np.int64)
    positions[order] = (
        class_starts[sorted_labels] * 64 + np.arange(table.n_rows) - class_firsts[sorted_labels]
    )
    return positions
