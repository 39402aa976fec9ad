"""The table engine: class counts of all value combinations, one set of features at a time."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np

from picrules.kernels.best import Best, merge_best, start_best
from picrules.kernels.tables import Training, search_subsets
from picrules.kernels.threads import run_parts, split_evenly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.engines.base import Search, TrainingTable


class TableEngine:
    """Counts covers in dense tables; for few features and any number of rows."""

    def __init__(self, table: TrainingTable) -> None:
        self.training = Training(
            table.codes, table.labels, table.n_codes, table.class_sizes, table.class_order
        )

    def best_rules(self, queries: NDArray[np.int32], search: Search, n_threads: int) -> Best:
        """Find the best rule of each row (see `Engine`)."""
        n_classes = self.training.class_sizes.shape[0]
        best = start_best(queries.shape[1], search.max_length, n_classes)
        active = np.arange(queries.shape[1])
        for length in range(1, search.max_length + 1):
            found = self._search_length(length, queries[:, active], search, n_threads)
            better = found.scores > best.scores[active]
            for target, source in zip(best, found, strict=True):
                target[active[better]] = source[better]
            if search.is_greedy:
                active = active[better]
            if active.size == 0:
                break
        return best

    def _search_length(
        self, length: int, queries: NDArray[np.int32], search: Search, n_threads: int
    ) -> Best:
        """Find each row's best rule of one length; threads share the sets of features."""
        n_features, n_classes = queries.shape[0], self.training.class_sizes.shape[0]
        n_subsets = comb(n_features, length)
        n_cells = largest_table(self.training.n_codes, length)
        parts = split_evenly(n_subsets, n_threads)
        found = [start_best(queries.shape[1], search.max_length, n_classes) for _ in parts]

        def search_part(first: int, last: int) -> None:
            for part in range(first, last):
                start, stop = parts[part]
                search_subsets(
                    self.training,
                    search.alpha,
                    queries,
                    nth_subset(n_features, length, start),
                    stop - start,
                    np.empty((n_cells, n_classes), np.int32),
                    found[part],
                )

        run_parts(search_part, len(parts), n_threads)
        for later in found[1:]:  # parts are in the order that wins ties
            merge_best(found[0], later)
        return found[0]


def largest_table(n_codes: NDArray[np.int64], length: int) -> int:
    """Return the number of cells of the largest table of that many features."""
    size = 1
    for count in sorted(n_codes.tolist(), reverse=True)[:length]:
        size *= max(1, count)
    return size


def table_bytes(table: TrainingTable, max_length: int, n_threads: int) -> int:
    """Return the memory that the largest table takes, one a thread."""
    cells = largest_table(table.n_codes, max_length)
    return cells * table.n_classes * 4 * n_threads + table.n_rows * 8 * n_threads


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
