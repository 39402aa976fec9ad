"""From the best scores of rows and classes to their rules: the boxes that have these scores.

A search notes only the best score and which set of features has it. For few rows the boxes that
hold their cells are looked at one by one; for many the best box of every cell is found once and
looked up, and kept for later questions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.counts import Counts, count_type
from picrules.engines.found import Rules, distinct_pairs
from picrules.engines.subsets import largest_product, nth_subset
from picrules.engines.table_costs import buffer_sizes
from picrules.engines.threads import Watch, run_blocks, split_evenly
from picrules.kernels.boxes import Buffers, Sets
from picrules.kernels.by_class import find_boxes
from picrules.kernels.counting import number_distinct
from picrules.kernels.first_boxes import find_first_boxes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.engines.base import Question
    from picrules.engines.kept_counts import KeptCounts
    from picrules.kernels.counting import SlotRows
    from picrules.kernels.scorer import Scorer

# From this many rows and classes on, looking for their rules can be interrupted.
MANY_PAIRS = 200

# The best boxes of all cells of a set of features are found when, one by one, this many times as
# many boxes would have been looked at as the set has. Each time all are counted, which takes as
# long as to look at this share of them.
ENOUGH, COUNTING = 1.0, 0.25

# The boxes of at most so many cells are found at once, for several classes.
CELLS_AT_ONCE = 2**20

# Sets of features are found again at no cost while they are not more than this.
MOST_LOCATED = 2**14

# Blocks of sets of features that each thread takes, so that threads end together.
BLOCKS_PER_THREAD = 8


@dataclass(frozen=True, slots=True)
class BestBoxes:
    """The best box of every cell of a set of features, for one class: a few rules."""

    numbers: NDArray[np.int32]  # (n_cells,): which of the rules is a cell's
    scores: NDArray[np.float64]  # (n_rules,)
    positions: NDArray[np.int64]  # (n_rules, length)
    counts: NDArray[np.int32]  # (n_rules, n_classes)

    @classmethod
    def of(
        cls,
        boxes: NDArray[np.int64],
        scores: NDArray[np.float64],
        n_conditions: NDArray[np.int64],
        counts: NDArray[np.int32],
    ) -> BestBoxes:
        """Take the numbers and scores of the cells' boxes, and the class counts of all boxes."""
        first, numbers = np.empty(len(boxes), np.int64), np.empty(len(boxes), np.int64)
        first = first[: number_distinct(boxes, first, numbers)]
        # Boxes are numbered with the first feature's condition first, counts lie the other way.
        positions = np.stack(np.unravel_index(np.maximum(boxes[first], 0), n_conditions), axis=1)
        flat = np.ravel_multi_index(tuple(positions.T[::-1]), tuple(n_conditions[::-1]))
        return cls(numbers.astype(np.int32), scores[first], positions, counts[flat])

    def take(
        self, cells: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int32]]:
        """Return the scores, positions and class counts of the boxes of some cells."""
        which = self.numbers[cells]
        return self.scores[which], self.positions[which], self.counts[which]

    @property
    def n_bytes(self) -> int:
        """The memory that they take."""
        return self.numbers.nbytes + self.scores.nbytes + self.positions.nbytes + self.counts.nbytes


@dataclass(frozen=True, slots=True)
class CountedSet:
    """A set of features, the class counts of its cells, and space for its boxes."""

    subset: NDArray[np.int64]
    cells: NDArray[np.unsignedinteger]
    buffers: Buffers


@dataclass(frozen=True, slots=True)
class Wanted:
    """Pairs of a row and a class whose rules are asked for."""

    question: Question
    pairs: NDArray[np.int64]  # (n_pairs, 2)
    targets: NDArray[np.float64]  # (n_pairs,): the best scores
    omissions: NDArray[np.int64]  # (n_pairs,): which way the row is left out
    rules: Rules  # of all pairs, filled

    @property
    def keys(self) -> NDArray[np.int64]:
        """A number for each class and way to leave a row out, for each pair."""
        return self.pairs[:, 1] * len(self.question.scorer.omitted) + self.omissions

    def put(
        self,
        chosen: NDArray[np.int64],
        subset: NDArray[np.int64],
        found: tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.integer]],
    ) -> None:
        """Write the rules of some pairs: scores, positions and class counts of their boxes."""
        scores, positions, counts = found
        if self.question.is_stopped[0]:
            return
        if not np.array_equal(scores, self.targets[chosen]):
            raise AssertionError(
                f"the boxes of features {subset.tolist()} do not have the scores that were found "
                "before; this is a defect of picrules, please report it"
            )
        length, rules = len(subset), self.rules
        rules.lengths[chosen], rules.counts[chosen] = length, counts
        rules.features[chosen, :length] = subset
        rules.positions[chosen, :length] = positions


class BoxRules:
    """Finds the rules of rows and classes in the sets of features where they are."""

    def __init__(
        self, rows: SlotRows, sets: Sets, kept_bytes: float, counts: KeptCounts | None = None
    ) -> None:
        self._rows, self._sets, self._kept_bytes, self._counts = rows, sets, kept_bytes, counts
        # By set of features and class, for the scorer of rows that are not left out.
        self._kept: tuple[Scorer | None, dict[tuple[int, int], BestBoxes]] = (None, {})
        self._n_kept_bytes = 0
        self._n_looked_at: dict[int, float] = {}  # boxes, by set of features
        self._located: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def find(
        self,
        question: Question,
        scores: NDArray[np.float64],
        places: NDArray[np.int64],
        rows: NDArray[np.int64],
        labels: NDArray[np.int64],
    ) -> Rules:
        """Find the rules that have the best scores of some rows and classes, at their places."""
        pairs, numbers = distinct_pairs(rows, labels)
        rules = Rules.empty(len(pairs), question.search.max_length, self._rows.n_classes)
        own_places, scorer = places[tuple(pairs.T)], question.scorer
        omissions = scorer.omissions[question.asked.left_out[pairs[:, 0]], pairs[:, 1]]
        if len(pairs) >= MANY_PAIRS:  # may take long, so may be stopped
            question = replace(question, watch=Watch())
        wanted = Wanted(question, pairs, scores[tuple(pairs.T)], omissions, rules)
        if len(pairs) == 1:
            if own_places[0] >= 0:
                self._find_in(wanted, int(own_places[0]), np.arange(1), {})
            return rules if numbers is None else rules.take(numbers)
        order = np.lexsort((wanted.keys, own_places))
        order = order[own_places[order] >= 0]
        groups = [order[run] for run in split_runs(own_places[order])]
        blocks = split_evenly(len(groups), question.n_threads * BLOCKS_PER_THREAD)
        buffers: list[dict[int, Buffers]] = [{} for _ in blocks]

        def work(thread: int, start: int, stop: int) -> None:
            for group in groups[start:stop]:
                if not question.is_stopped[0]:
                    self._find_in(wanted, int(own_places[group[0]]), group, buffers[thread])

        run_blocks(work, blocks, question.n_threads, question.watch)
        return rules if numbers is None else rules.take(numbers)

    def _find_in(
        self, wanted: Wanted, place: int, group: NDArray[np.int64], buffers: dict[int, Buffers]
    ) -> None:
        """Find the rules of pairs in the set of features at a place; they are sorted by key."""
        subset, strides = self._locate(place)
        codes = wanted.question.asked.codes[subset[:, np.newaxis], wanted.pairs[group, 0]]
        cells = strides @ codes
        kept, unknown = self._kept_for(wanted.question.scorer), []
        for part in split_runs(wanted.keys[group]):
            best = kept.get((place, int(wanted.pairs[group[part[0]], 1])))
            if best is None:
                unknown.append(part)
            else:
                wanted.put(group[part], subset, best.take(cells[part]))
        if not unknown:
            return
        length, position = locate_set(len(self._rows.n_slots), place)
        if length not in buffers:
            scorer, is_stopped = wanted.question.scorer, wanted.question.is_stopped
            buffers[length] = make_buffers(self._rows, self._sets, scorer, length, is_stopped)
        if self._counts is None:
            counted = Counts.of(self._rows, length, position, 1).cells
        else:
            counted = self._counts.one(length, position)
        counted_set = CountedSet(subset, counted, buffers[length])
        if not self._is_many(place, subset, codes[:, np.concatenate(unknown)]):
            for part in unknown:
                self._look_at(wanted, counted_set, group[part], cells[part])
            return
        found = self._find_all(wanted, counted_set, [group[part[0]] for part in unknown])
        for part, best in zip(unknown, found, strict=True):
            wanted.put(group[part], subset, best.take(cells[part]))
            self._keep(wanted.question, place, int(wanted.pairs[group[part[0]], 1]), best)

    def _locate(self, place: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the set of features at a place, and by how much each code raises the cell."""
        found = self._located.get(place)
        if found is None:
            n_features = len(self._rows.n_slots)
            subset = nth_subset(n_features, *locate_set(n_features, place))
            found = subset, np.cumprod([1, *self._sets.n_codes[subset[:-1]]])
            if len(self._located) < MOST_LOCATED:
                self._located[place] = found
        return found

    def _kept_for(self, scorer: Scorer) -> dict[tuple[int, int], BestBoxes]:
        """Return what is kept for a scorer; nothing for one that leaves rows out."""
        if len(scorer.omitted) > 1:
            return {}
        if self._kept[0] is not scorer:
            self._kept, self._n_looked_at, self._n_kept_bytes = (scorer, {}), {}, 0
        return self._kept[1]

    def _keep(self, question: Question, place: int, label: int, best: BestBoxes) -> None:
        is_whole = not question.is_stopped[0]
        if is_whole and self._n_kept_bytes + best.n_bytes <= self._kept_bytes:
            self._n_kept_bytes += best.n_bytes
            self._kept_for(question.scorer)[place, label] = best

    def _is_many(self, place: int, subset: NDArray[np.int64], codes: NDArray[np.int32]) -> bool:
        """Whether it pays to find the boxes of all cells, since so many were looked at so far."""
        first_code = np.append(0, np.cumsum(self._sets.n_codes))[subset]
        n_members = self._sets.n_members[codes + first_code[:, np.newaxis]]
        n_boxes = float(np.prod(np.diff(self._sets.first)[subset]))
        n_looked_at = self._n_looked_at.get(place, 0.0) + COUNTING * n_boxes
        self._n_looked_at[place] = n_looked_at + float(n_members.prod(axis=0).sum())
        return self._n_looked_at[place] >= ENOUGH * n_boxes

    def _look_at(
        self,
        wanted: Wanted,
        counted: CountedSet,
        chosen: NDArray[np.int64],
        cells: NDArray[np.int64],
    ) -> None:
        """Look at the boxes that hold some cells, one by one."""
        subset = counted.subset
        _, first, numbers = np.unique(cells, return_index=True, return_inverse=True)
        pairs, targets = wanted.pairs[chosen[first]], wanted.targets[chosen[first]]
        positions = np.empty((len(pairs), len(subset)), np.int64)
        counts = np.empty((len(pairs), self._rows.n_classes), np.int64)
        scores = find_boxes(
            counted.cells, wanted.question.asked, self._sets, self._rows.n_slots,
            wanted.question.scorer, subset, pairs, targets, counted.buffers, positions, counts,
        )  # fmt: skip
        wanted.put(chosen, subset, (scores[numbers], positions[numbers], counts[numbers]))

    def _find_all(
        self, wanted: Wanted, counted: CountedSet, examples: list[np.int64]
    ) -> list[BestBoxes]:
        """Find the best boxes of all cells, for the class and omission of each of some pairs."""
        subset = counted.subset
        n_cells = int(self._sets.n_codes[subset].prod())
        n_conditions, n_classes = np.diff(self._sets.first)[subset], self._rows.n_classes
        found = []
        step = max(1, CELLS_AT_ONCE // n_cells)
        for start in range(0, len(examples), step):
            some = examples[start : start + step]
            boxes, scores = np.empty((len(some), n_cells), np.int64), np.empty((len(some), n_cells))
            counts = find_first_boxes(
                counted.cells, subset, self._rows.n_slots, self._sets, wanted.question.scorer,
                wanted.pairs[some, 1], wanted.omissions[some], counted.buffers, boxes, scores,
            )  # fmt: skip
            by_box = counts[: n_conditions.prod() * n_classes].reshape(-1, n_classes)
            each = zip(boxes, scores, strict=True)
            found += [BestBoxes.of(*one, n_conditions, by_box) for one in each]
        return found


def locate_set(n_features: int, place: int) -> tuple[int, int]:
    """Return the length of a set numbered over all lengths, and its position among them."""
    length = 1
    while place >= comb(n_features, length):
        place -= comb(n_features, length)
        length += 1
    return length, place


def split_runs(values: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the positions of each run of equal values."""
    positions = np.arange(len(values))
    if len(values) < 2:
        return [positions] * len(values)
    return np.split(positions, np.flatnonzero(np.diff(values)) + 1)


def make_buffers(
    rows: SlotRows, sets: Sets, scorer: Scorer, length: int, is_stopped: NDArray[np.uint8]
) -> Buffers:
    """Make space for the largest set of that many features."""
    counts, n_boxes, *scores = buffer_sizes(sets, length, rows.n_classes, len(scorer.omitted))
    n_cells = largest_product(rows.n_slots.tolist(), length) * rows.n_classes
    slab, more_slab, slabs, cells = (np.empty(size * len(scorer.alphas)) for size in scores)
    return Buffers(
        np.empty(n_cells, count_type(rows)),
        np.empty(counts, np.int32),
        np.empty(counts, np.int32),
        np.empty(n_boxes * len(scorer.weights), np.int32),
        np.empty(n_boxes, np.int32),
        np.empty(n_boxes),
        np.empty(n_boxes, np.uint8),
        slab,
        more_slab,
        slabs,
        cells,
        is_stopped,
    )
