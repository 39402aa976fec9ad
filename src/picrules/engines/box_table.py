"""The table engine for conditions that are sets of codes: all boxes of a set of features at once.

Its work depends on the number of boxes, not on how many rows ask: every box is counted and
scored once, and each row looks up the best one of its cell.
"""

from __future__ import annotations

import threading
from math import comb, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.engines.boxes import BoxRules, Found
from picrules.engines.table import nth_subset
from picrules.kernels.boxes import (
    Room,
    Rows,
    Sets,
    cells_before,
    find_boxes,
    keep_scores,
    raise_scores,
    read_kept,
)
from picrules.kernels.threads import Watch, run_blocks, split_evenly
from picrules.scoring.settings import part_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.kernels.judge import Judge

# Settings are scored together as long as the scores of a set of features take no more bytes.
ROOM_BYTES = 2**26

# Best scores of all cells are kept for later predictions while they take at most so many bytes.
KEPT_BYTES = 2**28

# Blocks of sets of features that each thread takes, so that threads end together.
BLOCKS_A_THREAD = 8


class BoxTable:
    """Scores all boxes of one set of features after the other.

    Parameters
    ----------
    training : Rows
        The training rows, with the features that have conditions.
    sets : Sets
        The conditions.
    n_classes : int
        How many classes there are.
    """

    kernels: tuple[Any, ...] = (raise_scores,)

    def __init__(self, training: Rows, sets: Sets, n_classes: int) -> None:
        self.training = training
        self.sets = sets
        self.n_classes = n_classes
        self._kept: tuple[Judge, list[NDArray[np.float64]]] | None = None
        self._lock = threading.Lock()

    @property
    def n_features(self) -> int:
        """How many features have conditions."""
        return int(self.training.codes.shape[0])

    def raise_scores(
        self,
        asked: Rows,
        judge: Judge,
        length: int,
        best: NDArray[np.float64],
        n_threads: int,
        watch: Watch | None = None,
    ) -> None:
        """Raise the best scores over all rules of one length (see `BoxEngine`)."""
        no_places = np.empty((0, self.n_classes), np.int64)
        step = self._settings_at_once(judge, length)
        n_settings = best.shape[2]
        for start in range(0, n_settings, step):
            part = slice(start, start + step)
            scores = best if step >= n_settings else best[:, :, part].copy("C")
            self._raise(asked, part_of(judge, part), length, scores, no_places, n_threads, watch)
            best[:, :, part] = scores

    def search(
        self,
        asked: Rows,
        judge: Judge,
        max_length: int,
        n_threads: int,
        watch: Watch | None = None,
    ) -> Found:
        """Find the best rule of each row and class (see `BoxEngine`)."""
        shape = (asked.labels.shape[0], self.n_classes)
        best, places = np.full((*shape, 1), -np.inf), np.full(shape, -1, np.int64)
        for length in range(1, min(max_length, self.n_features) + 1):
            self._raise(asked, judge, length, best, places, n_threads, watch)
        return FoundInTables(self, asked, judge, best[:, :, 0], places, max_length)

    def keep(self, judge: Judge, max_length: int, n_threads: int) -> None:
        """Keep the best score of every cell, if there is room, so that predictions look it up."""
        lengths = range(1, min(max_length, self.n_features) + 1)
        with self._lock:
            kept = self._kept[1] if self._kept is not None and self._kept[0] is judge else []
            if len(kept) >= len(lengths) or not can_keep(self.sets, self.n_classes, max_length):
                return
            longer = lengths[len(kept) :]
            new = [np.empty(count_cells(self.sets, length) * self.n_classes) for length in longer]
            for length, out in zip(longer, new, strict=True):
                self._keep_length(judge, length, out, n_threads)
            self._kept = (judge, kept + new)

    def find_rules(
        self,
        found: FoundInTables,
        rows: NDArray[np.int64],
        labels: NDArray[np.int64],
    ) -> BoxRules:
        """Find the rules that have the best scores of some rows and classes."""
        rules = BoxRules.empty(len(rows), found.max_length, self.n_classes)
        places = found.places[rows, labels]
        pairs = np.stack([rows, labels], axis=1)
        targets = found.scores[rows, labels]
        for place in np.unique(places[places >= 0]).tolist():
            chosen = np.flatnonzero(places == place)
            subset = self._subset_at(place)
            positions = np.full((len(chosen), len(subset)), -1, np.int64)
            counts = np.empty((len(chosen), self.n_classes), np.int64)
            n_boxes = prod(np.diff(self.sets.first)[subset].tolist())
            find_boxes(
                self.training, found.asked, self.sets, found.judge, subset, pairs[chosen],
                targets[chosen], _make_room(n_boxes * self.n_classes, [0] * 4), positions, counts,
            )  # fmt: skip
            rules.lengths[chosen] = len(subset)
            rules.features[chosen, : len(subset)] = subset
            rules.positions[chosen, : len(subset)] = positions
            rules.counts[chosen] = counts
        return rules

    def _raise(
        self,
        asked: Rows,
        judge: Judge,
        length: int,
        best: NDArray[np.float64],
        places: NDArray[np.int64],
        n_threads: int,
        watch: Watch | None,
    ) -> None:
        """Raise the best scores, and note their places, in threads that share the sets."""
        n_subsets = comb(self.n_features, length)
        if n_subsets == 0:
            return
        first_place = sum(comb(self.n_features, shorter) for shorter in range(1, length))
        kept = self._kept_scores(judge, length)
        blocks = split_evenly(n_subsets, 1 if kept is not None else n_threads * BLOCKS_A_THREAD)
        n_threads = min(n_threads, len(blocks))
        states = [(best, places)] + [
            (np.full_like(best, -np.inf), np.full_like(places, -1)) for _ in range(n_threads - 1)
        ]
        rooms = [] if kept is not None else self._make_rooms(judge, length, n_threads)

        def work(thread: int, start: int, stop: int) -> None:
            subset = nth_subset(self.n_features, length, start)
            sizes = (subset, stop - start, first_place + start)
            if kept is not None:
                read_kept(kept, asked, self.sets, judge, *sizes, *states[thread])
            else:
                raise_scores(
                    self.training, asked, self.sets, judge, *sizes, rooms[thread], *states[thread]
                )

        run_blocks(work, blocks, n_threads, watch, 1 / n_subsets)
        for other_best, other_places in states[1:]:
            _merge(best, places, other_best, other_places)

    def _keep_length(
        self, judge: Judge, length: int, out: NDArray[np.float64], n_threads: int
    ) -> None:
        n_subsets = comb(self.n_features, length)
        blocks = split_evenly(n_subsets, n_threads)
        rooms = self._make_rooms(judge, length, len(blocks))
        starts = self._first_cells(length, [start for start, _ in blocks])

        def work(thread: int, start: int, stop: int) -> None:
            subset = nth_subset(self.n_features, length, start)
            place = starts[start] * self.n_classes
            keep_scores(
                self.training, self.sets, judge, subset, stop - start, rooms[thread], out[place:]
            )

        run_blocks(work, blocks, n_threads)

    def _first_cells(self, length: int, subsets: list[int]) -> dict[int, int]:
        """Return the number of cells before each of some sets of features."""
        return {
            position: int(cells_before(self.sets, np.arange(length), position))
            for position in subsets
        }

    def _kept_scores(self, judge: Judge, length: int) -> NDArray[np.float64] | None:
        kept = self._kept
        if kept is None or kept[0] is not judge or len(kept[1]) < length:
            return None
        return kept[1][length - 1]

    def _subset_at(self, place: int) -> NDArray[np.int64]:
        """Return the set of features with a number, counted over all lengths."""
        length = 1
        while place >= comb(self.n_features, length):
            place -= comb(self.n_features, length)
            length += 1
        return nth_subset(self.n_features, length, place)

    def _settings_at_once(self, judge: Judge, length: int) -> int:
        n_bytes = sum(_room_sizes(self.sets, length)) * self.n_classes * len(judge.left_groups) * 8
        return max(1, ROOM_BYTES // n_bytes)

    def _make_rooms(self, judge: Judge, length: int, n_threads: int) -> list[Room]:
        n_counts = largest_boxes(self.sets, length) * self.n_classes
        width = self.n_classes * len(judge.left_groups) * len(judge.alphas)
        sizes = [size * width for size in _room_sizes(self.sets, length)]
        return [_make_room(n_counts, sizes) for _ in range(n_threads)]

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("training", "sets", "n_classes")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


class FoundInTables(Found):
    """Best scores with the sets of features that have them; rules are found when asked for."""

    def __init__(
        self,
        engine: BoxTable,
        asked: Rows,
        judge: Judge,
        scores: NDArray[np.float64],
        places: NDArray[np.int64],
        max_length: int,
    ) -> None:
        self.engine, self.asked, self.judge = engine, asked, judge
        self.scores, self.places, self.max_length = scores, places, max_length

    def rules(self, rows: NDArray[np.int64], labels: NDArray[np.int64]) -> BoxRules:
        """Return the best rules of some rows for some classes (see `Found`)."""
        return self.engine.find_rules(self, rows, labels)


def largest_boxes(sets: Sets, length: int) -> int:
    """Return the number of boxes of the largest set of so many features, or endless."""
    return int(min(prod(sorted(np.diff(sets.first).tolist(), reverse=True)[:length]), 2**62))


def count_cells(sets: Sets, length: int) -> int:
    """Return the number of cells of all sets of so many features."""
    sums = [1] + [0] * length
    for n_codes in sets.n_codes.tolist():
        for size in range(length, 0, -1):
            sums[size] += sums[size - 1] * n_codes
    return sums[length]


def can_keep(sets: Sets, n_classes: int, max_length: int) -> bool:
    """Tell whether the best scores of all cells are few enough to be kept."""
    n_cells = sum(count_cells(sets, length) for length in range(1, max_length + 1))
    return n_cells * n_classes * 8 <= KEPT_BYTES


def room_bytes(sets: Sets, length: int, n_classes: int, n_ways: int) -> int:
    """Return the memory that the scores of the largest set of features take, for one setting."""
    n_scores = sum(_room_sizes(sets, length)) * n_ways
    return n_classes * (largest_boxes(sets, length) * 2 * 4 + n_scores * 8)


def _room_sizes(sets: Sets, length: int) -> list[int]:
    """Bound the sizes of two slabs, of all slabs and of the cells, without the width."""
    if length == 0:
        return [1, 1, 1, 1]
    n_conditions = np.diff(sets.first)
    n_cells = min(prod(sorted(sets.n_codes.tolist(), reverse=True)[:length]), 2**62)
    slab = largest_boxes(sets, max(1, length - 1))
    most = float((n_conditions / sets.n_codes).max(initial=1.0))
    return [slab, slab, int(most * n_cells) + 1, n_cells]


def _make_room(n_counts: int, sizes: list[int]) -> Room:
    counts = (np.empty(n_counts, np.int32) for _ in range(2))
    return Room(*counts, *(np.empty(size) for size in sizes))


def _merge(
    best: NDArray[np.float64],
    places: NDArray[np.int64],
    other_best: NDArray[np.float64],
    other_places: NDArray[np.int64],
) -> None:
    """Take over higher scores, and of equal ones the earlier place."""
    if places.size:
        is_better = other_best[:, :, 0] > best[:, :, 0]
        is_earlier = (other_best[:, :, 0] == best[:, :, 0]) & (other_places < places)
        taken = is_better | (is_earlier & (other_places >= 0))
        places[taken] = other_places[taken]
    np.maximum(best, other_best, out=best)
