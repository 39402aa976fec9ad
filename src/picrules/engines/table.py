"""The table engine: class counts of all cells, one set of features at a time.

Its work depends on the number of cells and boxes more than on how many rows ask: every set of
features is counted once, and each row looks its cell up. Where conditions are single codes and one
rule per row is wanted, cells are scored directly; else they add up to boxes.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from math import comb, inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from picrules.encoding.conditions import ENDLESS, sums_of_products
from picrules.engines.box_rules import BLOCKS_PER_THREAD, BoxRules, make_buffers
from picrules.engines.counts import Counts, are_single, count_type, to_slot_rows
from picrules.engines.found import Found
from picrules.engines.subsets import largest_product, nth_subset
from picrules.engines.table_costs import (
    box_seconds,
    buffer_sizes,
    cell_seconds,
    count_seconds,
    kept_score_bytes,
    max_cells,
)
from picrules.engines.threads import run_blocks, split_evenly
from picrules.kernels.best import Best, merge_best, place_codes, start_best, take_better
from picrules.kernels.by_class import (
    cells_before,
    keep_scores,
    raise_scores,
    read_kept,
)
from picrules.kernels.cells import read_cells, search_cells
from picrules.kernels.counting import Asked
from picrules.scoring.settings import part_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.engines.base import Question, Task
    from picrules.engines.training import Training
    from picrules.kernels.boxes import Sets
    from picrules.kernels.counting import SlotRows
    from picrules.kernels.scorer import Scorer

# Counts or scores are kept for later predictions while all of them take at most that many bytes,
# and no more than some and a few for each training row: few rows are counted soon.
KEPT_BYTES, FEW_BYTES, KEPT_PER_ROW = 2**28, 2**25, 2**15

# Settings are scored together as long as the scores of a set of features take no more bytes.
SCORE_BYTES = 2**26

# Rows that a thread looks up in kept scores at once: their state fits into a cache.
ROWS_AT_ONCE = 2048

# And in kept counts, where the cells of a set are scored once for all of them.
ROWS_COUNTED = 2**15

# Kept counts are looked up when the rows asked about, times this, are no more than the training
# rows.
FEW = 8


class TableEngine:
    """Counts covers in tables; for few features and any number of rows.

    Tables are counted anew for each search, one at a time in one place. `keep` counts or scores
    all of them once: then a prediction for few rows is a look-up in each.
    """

    name: ClassVar[str] = "table"
    kernels: ClassVar[tuple[Any, ...]] = (search_cells, read_cells, raise_scores)
    is_by_row: ClassVar[bool] = False

    def __init__(self, training: Training, sets: Sets, kept_bytes: float = KEPT_BYTES) -> None:
        self.training, self.sets = training, sets
        self.rows = to_slot_rows(training, sets.n_codes, max_cells(training.n_pairs))
        # Boxes add up cells of which none may be left out, whether rows are in it or not.
        self.box_rows = self.rows._replace(max_cells=ENDLESS)
        self._kept_bytes = min(kept_bytes, _most_kept(training))
        self._kept_counts = {} if training.counts is None else training.counts.by_length.copy()
        self._kept_scores: tuple[Scorer, list[NDArray[np.float64]]] | None = None
        self._box_rules = BoxRules(self.box_rows, sets, self._kept_bytes, training.counts)
        self._lock = threading.Lock()

    @staticmethod
    def bytes_needed(task: Task) -> int:
        """Estimate the memory that a task takes."""
        n_codes, training = task.sets.n_codes, task.training
        slots = training.n_features * training.n_walked * (1 if n_codes.max(initial=0) < 256 else 4)
        cells = largest_product((n_codes + 1).tolist(), task.max_length)
        if not task.search.is_by_class:
            cells = min(cells, max_cells(training.n_walked))
            cells_and_boxes = cells * training.n_classes * 4
        else:
            counts, n_boxes, *scores = buffer_sizes(
                task.sets, task.max_length, training.n_classes, task.n_omissions
            )
            cells_and_boxes = cells * training.n_classes * 4 + counts * 8 + n_boxes * 17
            # Scores, and beside them the boxes that have them.
            cells_and_boxes += sum(scores) * 16
        return slots + task.n_threads * (cells_and_boxes + training.n_walked * 24)

    @staticmethod
    def seconds(task: Task) -> float:
        """Estimate the time that a task takes with one thread."""
        return box_seconds(task) if task.search.is_by_class else cell_seconds(task)

    @staticmethod
    def row_bytes(task: Task) -> int:
        """Estimate the memory that the state of each row that asks takes, in all threads."""
        n_classes = task.training.n_classes
        state = 52 + 8 * task.search.max_length + 8 * n_classes
        if task.search.is_by_class:
            state = n_classes * (8 * task.n_settings + 8) + 24
        return (task.n_threads + 1) * state

    @staticmethod
    def keep_seconds(task: Task) -> float:
        """Estimate how long `keep` takes; infinite where nothing can be kept."""
        if task.search.is_by_class:
            most = _most_kept(task.training)
            can_keep = task.n_omissions == 1 and kept_score_bytes(task) <= most
            return box_seconds(task) if can_keep else inf
        if task.n_asked * FEW > task.training.n_rows:
            return inf
        return count_seconds(task)

    def keep(self, question: Question) -> bool:
        """Keep what makes later searches of that kind quick; return whether it is there."""
        return (self._keep_scores if question.search.is_by_class else self._keep_counts)(question)

    def search(self, question: Question) -> Found:
        """Find the best rules of rows by the only setting of the scorer."""
        if question.search.is_by_class:
            return self._search_boxes(question)
        if question.search.setting.measure != "precision" or not are_single(self.sets):
            raise NotImplementedError(
                "the table engine finds one rule per row by the measure 'precision' and for "
                "conditions of one code only; search by class"
            )
        return self._search_cells(question)

    def raise_scores(self, question: Question, length: int, best: NDArray[np.float64]) -> None:
        """Raise the best scores of rows and classes over all rules of one length."""
        scorer, n_settings = question.scorer, best.shape[2]
        no_places = np.empty((0, self.rows.n_classes), np.int64)
        _, _, *sizes = buffer_sizes(self.sets, length, self.rows.n_classes, len(scorer.omitted))
        step = max(1, SCORE_BYTES // (sum(sizes) * 8))
        for start in range(0, n_settings, step):
            part = slice(start, start + step)
            scores = best if step >= n_settings else best[:, :, part].copy("C")
            some = replace(question, scorer=part_of(scorer, part))
            self._raise(some, length, scores, no_places)
            best[:, :, part] = scores

    # Conditions that are single codes, one rule per row.

    def _search_cells(self, question: Question) -> Found:
        codes, search = question.asked.codes, question.search
        best = start_best(codes.shape[1], 1, search.max_length, self.rows.n_classes)
        active = np.arange(codes.shape[1])
        for length in range(1, min(search.max_length, len(codes)) + 1):
            chosen = codes if active.size == codes.shape[1] else codes[:, active].copy("C")
            found = self._search_length(question, length, chosen, best.scores[active])
            is_taken = np.empty(active.size, np.bool_)
            take_better(best, found, active, is_taken)
            if search.is_greedy:
                active = active[is_taken]
            if active.size == 0:
                break
        place_codes(codes, best)
        return Found.from_best(best)

    def _search_length(
        self,
        question: Question,
        length: int,
        codes: NDArray[np.int32],
        to_beat: NDArray[np.float64],
    ) -> Best:
        """Find each row's best rule of one length, if it scores higher than what is to beat."""
        n_classes, n_features, search = self.rows.n_classes, len(codes), question.search

        def start() -> Best:
            best = start_best(codes.shape[1], 1, search.max_length, n_classes)
            return best._replace(scores=to_beat.copy())

        # A class without rows has no rule; a size of 1 lets its recall be 0.
        sizes, scorer = np.maximum(self.training.class_sizes, 1), question.scorer
        rules = (sizes, scorer.class_order, float(scorer.alphas[0]))
        kept = self._kept_counts.get(length)
        is_few = codes.shape[1] * FEW <= self.training.n_rows
        if kept is not None and (is_few or self.training.counts is not None):
            return _read_counts(question, kept, rules, codes, length, start())
        n_cells = min(largest_product(self.rows.n_slots.tolist(), length), self.rows.max_cells)
        n_cells = max(n_cells, self.training.n_pairs)  # that many may be occupied
        n_blocks = question.n_threads * BLOCKS_PER_THREAD
        blocks = split_evenly(comb(n_features, length), n_blocks)
        n_threads = min(question.n_threads, len(blocks))
        found = [start() for _ in range(n_threads)]
        tables = [np.empty(n_cells * n_classes, count_type(self.rows)) for _ in range(n_threads)]
        is_stopped = question.is_stopped

        def search_block(thread: int, start: int, stop: int) -> None:
            sets = (nth_subset(n_features, length, start), stop - start, is_stopped)
            search_cells(self.rows, *rules, codes, *sets, tables[thread], found[thread])

        n_all = sum(comb(n_features, size) for size in range(1, search.max_length + 1))
        run_blocks(search_block, blocks, n_threads, question.watch, 1 / n_all)
        for other in found[1:]:
            merge_best(found[0], other)
        return found[0]

    def _keep_counts(self, question: Question) -> bool:
        """Count and keep the tables of each length, as long as they are not too large."""
        n_slots, max_length = self.rows.n_slots.tolist(), question.search.usual_length
        is_stopped = question.is_stopped
        with self._lock:
            for length in range(len(self._kept_counts) + 1, max_length + 1):
                n_cells = sums_of_products(n_slots, length, ENDLESS)[length]
                n_bytes = n_cells * self.rows.n_classes * np.dtype(count_type(self.rows)).itemsize
                n_kept = sum(counts.cells.nbytes for counts in self._kept_counts.values())
                is_large = largest_product(n_slots, length) > self.rows.max_cells
                if is_large or n_kept + n_bytes > self._kept_bytes:
                    return False
                counted: dict[int, Counts] = {}

                def count(_: int, size: int, __: int, into: dict[int, Counts] = counted) -> None:
                    into[size] = Counts.of(self.rows, size, is_stopped=is_stopped)

                run_blocks(count, [(length, length + 1)], 1, question.watch)
                if is_stopped[0]:
                    return False
                self._kept_counts |= counted
            return self.has_kept(max_length)

    def has_kept(self, max_length: int) -> bool:
        """Tell whether the counts of every length are kept."""
        return all(length in self._kept_counts for length in range(1, max_length + 1))

    # Conditions that are sets of codes, one rule per row and class.

    def _search_boxes(self, question: Question) -> Found:
        shape = (len(question.asked.left_out), self.rows.n_classes)
        best, places = np.full((*shape, 1), -np.inf), np.full(shape, -1, np.int64)
        n_lengths = min(question.search.max_length, self.training.n_features)
        for length in range(1, n_lengths + 1):
            self._raise(question, length, best, places, 1 / n_lengths)
        scores, labels = best[:, :, 0], np.broadcast_to(np.arange(shape[1]), shape)
        question = replace(question, watch=None)  # who waited for the search has gone
        return Found(scores, labels, partial(self._box_rules.find, question, scores, places))

    def _raise(
        self,
        question: Question,
        length: int,
        best: NDArray[np.float64],
        places: NDArray[np.int64],
        share: float = 1.0,
    ) -> None:
        """Raise the best scores, and note their places, in threads that share the sets."""
        n_features, scorer = self.training.n_features, question.scorer
        n_subsets = comb(n_features, length)
        if n_subsets == 0 or len(best) == 0:
            return
        first_place = sum(comb(n_features, shorter) for shorter in range(1, length))
        kept_for, all_kept = self._kept_scores or (None, [])
        kept = all_kept[length - 1] if kept_for is scorer and len(all_kept) >= length else None
        if kept is not None:
            self._read_kept(question, length, kept, best, places, first_place, share)
            return
        blocks = split_evenly(n_subsets, question.n_threads * BLOCKS_PER_THREAD)
        n_threads = min(question.n_threads, len(blocks))
        states = [(best, places)] + [(best.copy(), places.copy()) for _ in range(n_threads - 1)]
        buffers = [
            make_buffers(self.rows, self.sets, scorer, length, question.is_stopped)
            for _ in range(n_threads)
        ]

        def work(thread: int, start: int, stop: int) -> None:
            subset = nth_subset(n_features, length, start)
            common = (question.asked, self.sets, scorer, subset, stop - start, first_place + start)
            rows = self._rows_from(length, start)
            raise_scores(rows, *common, buffers[thread], *states[thread])

        run_blocks(work, blocks, n_threads, question.watch, share / n_subsets)
        for other_best, other_places in states[1:]:
            _merge(best, places, other_best, other_places)

    def _rows_from(self, length: int, first: int) -> SlotRows:
        """Return the rows, or what was counted of the sets of features from one of them on."""
        counts = self.training.counts
        if counts is None:
            return self.box_rows
        return self.box_rows._replace(counted=counts.cells(length, first))

    def _read_kept(
        self,
        question: Question,
        length: int,
        kept: NDArray[np.float64],
        best: NDArray[np.float64],
        places: NDArray[np.int64],
        first_place: int,
        share: float,
    ) -> None:
        """Raise the best scores by those that are kept, in threads that share the rows."""
        asked, n_subsets = question.asked, comb(self.training.n_features, length)

        def work(_: int, start: int, stop: int) -> None:
            rows = slice(start, stop)
            own = Asked(asked.codes[:, rows].copy("C"), asked.left_out[rows])
            common = (own, self.sets, question.scorer, np.arange(length), n_subsets, first_place)
            read_kept(kept, *common, question.is_stopped, best[rows], places[rows])

        blocks = split_evenly(len(best), -(-len(best) // ROWS_AT_ONCE))
        if len(blocks) > 1:
            run_blocks(work, blocks, question.n_threads, question.watch, share / len(best))
            return
        # Over in a moment: a thread to watch it, as for a search that is long, would take longer.
        work(0, 0, len(best))
        if question.watch is not None:
            question.watch.report(share)

    def _keep_scores(self, question: Question) -> bool:
        """Keep the best score of every cell, if there is space, so that predictions look it up."""
        scorer, n_classes = question.scorer, self.rows.n_classes
        n_lengths = min(question.search.max_length, self.training.n_features)
        kept_for, known = self._kept_scores or (None, [])
        if kept_for is scorer and len(known) >= n_lengths:
            return True
        sums = sums_of_products(self.sets.n_codes.tolist(), n_lengths, ENDLESS)
        if sum(sums[1:]) * n_classes * 8 > self._kept_bytes:
            return False
        with self._lock:
            is_known = self._kept_scores is not None and self._kept_scores[0] is scorer
            kept = list(self._kept_scores[1]) if is_known and self._kept_scores else []
            for length in range(len(kept) + 1, n_lengths + 1):
                kept.append(np.empty(sums[length] * n_classes))
                self._keep_length(question, length, kept[-1])
                if question.is_stopped[0]:
                    return False
            self._kept_scores = (scorer, kept)
        return True

    def _keep_length(self, question: Question, length: int, out: NDArray[np.float64]) -> None:
        n_features, n_threads = self.training.n_features, question.n_threads
        blocks = split_evenly(comb(n_features, length), n_threads)
        buffers = [
            make_buffers(self.rows, self.sets, question.scorer, length, question.is_stopped)
            for _ in blocks
        ]

        def work(thread: int, start: int, stop: int) -> None:
            subset = nth_subset(n_features, length, start)
            first = cells_before(self.sets, np.arange(length), start) * self.rows.n_classes
            sets = (self.sets, question.scorer, subset, stop - start)
            rows = self._rows_from(length, start)
            keep_scores(rows, *sets, buffers[thread], out[first:])

        run_blocks(work, blocks, n_threads, question.watch)

    def __getstate__(self) -> dict[str, Any]:
        return {"training": self.training, "sets": self.sets, "kept_bytes": self._kept_bytes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def _read_counts(
    question: Question,
    kept: Counts,
    rules: tuple[NDArray[np.int64], NDArray[np.int64], float],
    codes: NDArray[np.int32],
    length: int,
    best: Best,
) -> Best:
    """Read the kept counts of one length, in threads that share the rows."""

    def work(_: int, start: int, stop: int) -> None:
        own, state = codes[:, start:stop].copy("C"), Best(*(each[start:stop] for each in best))
        read_cells(kept.cells, kept.n_slots, *rules, own, length, state)

    blocks = split_evenly(codes.shape[1], -(-codes.shape[1] // ROWS_COUNTED))
    if len(blocks) == 1:
        work(0, 0, codes.shape[1])
    else:
        run_blocks(work, blocks, question.n_threads, question.watch)
    return best


def _most_kept(training: Training) -> int:
    """Return how many bytes are kept at most for these training rows."""
    return min(KEPT_BYTES, FEW_BYTES + KEPT_PER_ROW * training.n_rows)


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
