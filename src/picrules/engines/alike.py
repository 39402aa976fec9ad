"""Rules that come from the look-alikes of a row: the training rows in a box around it.

The box is too long to be read, one side per feature. Its class counts decide; what is shown is a
rule made of as few of its sides as are no less precise for the class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from picrules.encoding.conditions import positions_by_ends
from picrules.engines.found import Found, Rules, distinct_pairs
from picrules.engines.threads import run_blocks, split_evenly
from picrules.kernels.alike import (
    APART,
    FAR,
    MOST_STEPS,
    Scales,
    find_alike,
    score_counts,
    shorten,
)
from picrules.kernels.around import Bits, Reach, find_around, pack_below
from picrules.kernels.sides import Sums, add_up_pairs, add_up_triples, shorten_around

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.engines.base import Alike, Question
    from picrules.engines.threads import Watch
    from picrules.engines.training import Training
    from picrules.kernels.boxes import Sets

# Scales of ordered features reach from 0 to this, whatever the number of their codes.
SCALE = 32

# Rows asked about at once by a thread.
BLOCK = 256

# Training rows are kept as bits while they take at most that many bytes, and the class counts of
# every two and three sides as well; else each row that asks is held against all of them.
BIT_BYTES, PAIR_BYTES, TRIPLE_BYTES = 2**28, 2**26, 2**24

# Features are put in the order of how few rows boxes of that many steps hold on them.
USUAL_STEPS = 2


@dataclass(frozen=True, slots=True)
class Boxes:
    """The boxes around rows, with the class counts of the training rows in them."""

    steps: NDArray[np.int64]  # (n_rows,): how many steps each reaches
    counts: NDArray[np.int64]  # (n_rows, n_classes): with a row that is left out


@dataclass(frozen=True, eq=False)
class AlikeRows:
    """The training rows on the scales of the features that have a say."""

    training: Training
    sets: Sets
    alike: Alike

    @cached_property
    def features(self) -> NDArray[np.int64]:
        """The features that boxes have sides for."""
        return np.flatnonzero(np.array(self.alike.widths) > 0)

    @cached_property
    def _scales(self) -> Scales:
        """The training rows as kernels take them."""
        training, is_ordered = self.training, np.array(self.alike.is_ordered, np.bool_)
        positions = to_positions(training.codes[self.features], self._scale)
        positions[training.codes[self.features] < 0] = FAR
        return Scales(
            positions,
            ~is_ordered[self.features],
            training.labels,
            np.ascontiguousarray(training.occurrences),
        )

    @cached_property
    def _scale(self) -> NDArray[np.float64]:
        is_ordered = np.array(self.alike.is_ordered, np.bool_)
        return scale_of(self.sets.n_codes, is_ordered)[self.features]

    def search(self, question: Question) -> Found:
        """Find the look-alikes of rows, and how they score for each class."""
        left_out, n_threads = question.asked.left_out, question.n_threads
        boxes = self._find_boxes(question.asked.codes, left_out, n_threads, question.watch)
        scores = np.empty((len(left_out), self.training.n_classes))
        score_counts(boxes.counts, left_out, question.scorer, scores)
        is_unknown = (question.asked.codes[self.features] < 0).all(axis=0)
        scores[is_unknown] = -np.inf  # nothing is known that could be alike
        labels = np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
        find = partial(self._find_rules, question.asked.codes, left_out, boxes, n_threads)
        return Found(scores, labels, find)

    def find_boxes(
        self, codes: NDArray[np.int32], left_out: NDArray[np.int64], n_threads: int
    ) -> Boxes:
        """Find the boxes around rows of which some may be training rows."""
        return self._find_boxes(codes, left_out, n_threads, None)

    def _positions(self, own: NDArray[np.int32]) -> NDArray[np.float32]:
        positions = to_positions(own, self._scale)
        positions[own < 0] = np.nan
        return positions

    def _find_boxes(
        self,
        codes: NDArray[np.int32],
        left_out: NDArray[np.int64],
        n_threads: int,
        watch: Watch | None,
    ) -> Boxes:
        n_asked, bits = len(left_out), self._bits
        boxes = Boxes(
            np.empty(n_asked, np.int64), np.empty((n_asked, self.training.n_classes), np.int64)
        )
        is_stopped = np.zeros(1, np.uint8) if watch is None else watch.is_stopped
        own = codes[self.features]

        def work(_: int, start: int, stop: int) -> None:
            rows = slice(start, stop)
            common = (left_out[rows], self.alike.least, is_stopped)
            found = (boxes.steps[rows], boxes.counts[rows])
            if bits is not None:
                find_around(bits, self._reach, own[:, rows].copy("C"), *common, *found)
            else:
                positions = self._positions(own[:, rows])
                find_alike(
                    self._scales, positions, left_out[rows], self._inverses, *common[1:], *found
                )

        blocks = split_evenly(n_asked, -(-n_asked // BLOCK))
        run_blocks(work, blocks, n_threads, watch, 1 / max(n_asked, 1))
        return boxes

    def _find_rules(
        self,
        codes: NDArray[np.int32],
        left_out: NDArray[np.int64],
        boxes: Boxes,
        n_threads: int,
        rows: NDArray[np.int64],
        labels: NDArray[np.int64],
    ) -> Rules:
        """Make a rule of each row and class from the sides of the row's box."""
        pairs, numbers = distinct_pairs(rows, labels)
        n_pairs, n_sides = len(pairs), max(1, len(self.features))
        rules = Rules.empty(n_pairs, n_sides, self.training.n_classes)
        lows, highs = np.zeros((2, n_pairs, n_sides), np.int32)
        own, is_stopped = codes[self.features].copy("C"), np.zeros(1, np.uint8)
        steps, counts, bits = boxes.steps, boxes.counts, self._bits

        def work(_: int, start: int, stop: int) -> None:
            part = slice(start, stop)
            found = (rules.lengths[part], rules.features[part], lows[part], highs[part])
            if bits is not None:
                shorten_around(
                    bits, self._sums, self._reach, own, left_out, steps, pairs[part], counts,
                    is_stopped, *found, rules.counts[part],
                )  # fmt: skip
            else:
                self._shorten(own, left_out, boxes, pairs[part], *found, rules.counts[part])

        run_blocks(work, split_evenly(n_pairs, -(-n_pairs // BLOCK)), n_threads)
        sides = rules.features  # numbered among those that have a say
        is_side = sides >= 0
        known, first, widths = self._conditions
        at = sides[is_side]
        codes_at = lows[is_side] * widths[at] + highs[is_side] % widths[at]
        rules.positions[is_side] = known[first[at] + codes_at]
        rules.features[is_side] = self.features[at]
        return rules if numbers is None else rules.take(numbers)

    def _shorten(
        self,
        codes: NDArray[np.int32],
        left_out: NDArray[np.int64],
        boxes: Boxes,
        pairs: NDArray[np.int64],
        lengths: NDArray[np.integer],
        features: NDArray[np.integer],
        lows: NDArray[np.int32],
        highs: NDArray[np.int32],
        counts: NDArray[np.int64],
    ) -> None:
        """Choose sides with a look at every training row; `shorten_around` tells what is filled."""
        rows, own = np.unique(pairs[:, 0], return_inverse=True)
        asked, steps = np.ascontiguousarray(codes[:, rows]), boxes.steps[rows]
        at = self._reach.first[:-1, np.newaxis] + asked
        side_lows = np.where(asked >= 0, self._reach.side_lows[at, steps], -1)
        side_highs = self._reach.side_highs[at, steps]
        reaches = np.array(self.alike.widths, np.float32)[self.features][:, np.newaxis] * steps
        reaches[~np.array(self.alike.is_ordered)[self.features]] = 0
        chosen = np.empty((len(pairs), len(codes)), np.bool_)
        shorten(
            self._scales, self._positions(asked), left_out[rows],
            np.where(side_lows < 0, -1, reaches).astype(np.float32),
            np.column_stack([own, pairs[:, 1]]), boxes.counts[rows], np.zeros(1, np.uint8), chosen,
            counts,
        )  # fmt: skip
        lengths[:] = chosen.sum(axis=1)
        which, side = np.nonzero(chosen)
        place = np.cumsum(chosen, axis=1)[which, side] - 1
        features[which, place] = side
        lows[which, place] = side_lows[side, own[which]]
        highs[which, place] = side_highs[side, own[which]]

    def count_sides(self, codes: NDArray[np.int32], steps: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many sides the boxes around rows have that exclude something known."""
        own = codes[self.features]
        at = self._reach.first[:-1, np.newaxis] + np.maximum(own, 0)
        counts: NDArray[np.int64] = ((own >= 0) & (self._reach.side_lows[at, steps] >= 0)).sum(
            axis=0
        )
        return counts

    @cached_property
    def _reach(self) -> Reach:
        """How far boxes reach around each code, after each number of steps."""
        n_codes = self.sets.n_codes[self.features].tolist()
        tables = [
            self._reach_of(side, feature) for side, feature in enumerate(self.features.tolist())
        ]
        empty = np.empty((4, 0, MOST_STEPS + 1), np.int32)
        joined = np.concatenate([empty, *tables], axis=1, dtype=np.int32)
        return Reach(np.cumsum([0, *n_codes]), *joined)

    def _reach_of(self, side: int, feature: int) -> NDArray[np.int64]:
        """Return what `Reach` has four arrays for, of one feature."""
        n_codes, steps = int(self.sets.n_codes[feature]), np.arange(MOST_STEPS + 1)
        codes = np.broadcast_to(np.arange(n_codes)[:, np.newaxis], (n_codes, len(steps)))
        reaches = np.float32(self.alike.widths[feature]) * steps
        if self.alike.is_ordered[feature]:
            scale = to_positions(np.arange(n_codes)[np.newaxis], self._scale[[side]])[0]
            distances = np.abs(scale - scale[:, np.newaxis]) * self._inverses[side]
            # Codes further away are more steps away, so those that are not are a run.
            is_in = distances[:, np.newaxis] <= steps[:, np.newaxis]
            lows, highs = is_in.argmax(axis=2), n_codes - 1 - is_in[..., ::-1].argmax(axis=2)
            side_lows = np.searchsorted(scale, scale[:, np.newaxis] - reaches)
            side_highs = np.searchsorted(scale, scale[:, np.newaxis] + reaches, "right") - 1
        else:
            is_all = APART * self._inverses[side] <= steps
            lows, highs = np.where(is_all, 0, codes), np.where(is_all, n_codes - 1, codes)
            is_all = reaches >= APART
            side_lows, side_highs = np.where(is_all, 0, codes), np.where(is_all, n_codes - 1, codes)
        is_all = (side_lows == 0) & (side_highs == n_codes - 1)
        return np.stack([lows, highs, np.where(is_all, -1, side_lows), side_highs])

    @cached_property
    def _inverses(self) -> NDArray[np.float32]:
        """How many steps a position is, for each feature that has a say."""
        widths = np.array(self.alike.widths, np.float32)[self.features]
        return (1 / widths).astype(np.float32)

    @cached_property
    def _bits(self) -> Bits | None:
        """The training rows as bits; None where they would take too much memory."""
        training, n_codes = self.training, self.sets.n_codes[self.features]
        n_bounds = int(n_codes.sum()) + len(n_codes)
        if len(n_codes) == 0 or n_bounds * (training.n_rows / 8 + 8) > BIT_BYTES:
            return None
        rows = np.repeat(np.arange(training.n_pairs), training.occurrences)
        codes, labels = training.codes[self.features][:, rows], training.labels[rows]
        shares = [
            _mean_share(np.bincount(own[own >= 0], minlength=count), *table)
            for own, count, table in zip(codes, n_codes.tolist(), self._usual_runs(), strict=True)
        ]
        order = np.argsort(shares, kind="stable")
        known = np.where(codes < 0, n_codes[:, np.newaxis], codes)  # missing values last
        rows = np.lexsort([*known[order[:4]][::-1], labels])
        codes, labels, known = codes[:, rows], labels[rows], known[:, rows]
        class_starts = np.cumsum([0, *(-(-training.class_sizes // 64))])
        first_rows = np.searchsorted(labels, np.arange(training.n_classes))
        positions = np.arange(len(labels)) - first_rows[labels] + class_starts[labels] * 64
        second = order[1:2]
        n_second = int(n_codes[second].sum()) + 2  # one more for missing values, and for the end
        keys = known[order[0]] * n_second + known[second].sum(axis=0)
        bounds = np.arange((n_codes[order[0]] + 1) * n_second).reshape(-1, n_second)
        runs = [
            np.searchsorted(keys[labels == label], bounds) + class_starts[label] * 64
            for label in range(training.n_classes)
        ]
        first = np.cumsum([0, *(n_codes + 1)])
        below = np.zeros((n_bounds, class_starts[-1]), np.uint64)
        pack_below(np.ascontiguousarray(codes), positions, first, below)
        return Bits(
            below, first, class_starts, training.class_sizes, (codes < 0).any(axis=1), order,
            np.array(runs),
        )  # fmt: skip

    def _usual_runs(self) -> list[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Return for each feature the first and the last code of usual boxes around each code."""
        reach = self._reach
        return [
            (reach.lows[start:stop, USUAL_STEPS], reach.highs[start:stop, USUAL_STEPS])
            for start, stop in pairwise(reach.first.tolist())
        ]

    @cached_property
    def _sums(self) -> Sums:
        """The class counts of all sides, and of every two where they fit into memory."""
        training, bits = self.training, self._bits
        assert bits is not None
        codes, n_bounds = training.codes[self.features], np.diff(bits.first)
        width = training.n_classes + 1
        singles = np.zeros((len(bits.below), width), np.int32)
        for own, first, count in zip(codes, bits.first.tolist(), n_bounds.tolist(), strict=False):
            cells = np.zeros((count, width))
            np.add.at(cells, (own + 1, training.labels), training.occurrences)
            cells[0] = 0  # missing
            singles[first : first + count] = cells.cumsum(axis=0)
        singles[:, -1] = singles.sum(axis=1)
        rows = np.ascontiguousarray(codes), training.labels, training.occurrences.copy("C")
        pair_sizes = np.multiply.outer(n_bounds, n_bounds) * width
        triple_sizes = np.multiply.outer(n_bounds, pair_sizes)
        n_pairs, pair_first = _lay_out(pair_sizes, PAIR_BYTES)
        n_triples, triple_first = _lay_out(triple_sizes, TRIPLE_BYTES if n_pairs else 0)
        pairs, triples = np.empty(n_pairs, np.int32), np.empty(n_triples, np.int32)
        sums = Sums(singles, pairs, pair_first, triples, triple_first)
        if n_pairs:
            add_up_pairs(*rows, bits.first, sums)
        if n_triples:
            add_up_triples(*rows, bits.first, sums)
        return sums

    @cached_property
    def _conditions(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Which condition holds the codes from one to another, of each feature that has a say.

        The tables of all features one after the other, where each begins, and how many columns it
        has: one where the feature has no order, since a side holds one code then.
        """
        tables = [self._conditions_of(feature) for feature in self.features.tolist()]
        sizes, widths = [table.size for table in tables], [table.shape[1] for table in tables]
        flat = np.concatenate([np.empty(0, np.int64), *(table.reshape(-1) for table in tables)])
        return flat, np.cumsum([0, *sizes]), np.array(widths, np.int64)

    def _conditions_of(self, feature: int) -> NDArray[np.int64]:
        n_codes, is_ordered = int(self.sets.n_codes[feature]), self.alike.is_ordered[feature]
        own = slice(self.sets.first[feature], self.sets.first[feature + 1])
        steps = zip(self.sets.parents[own].tolist(), self.sets.codes[own].tolist(), strict=True)
        table = np.full((n_codes, n_codes if is_ordered else 1), -1)
        for (low, high), position in positions_by_ends(tuple(steps)).items():
            if low == high or is_ordered:
                table[low, high % table.shape[1]] = position
        return table


def _lay_out(sizes: NDArray[np.int64], most_bytes: int) -> tuple[int, NDArray[np.int64]]:
    """Return how many entries tables of different features have, and where each begins.

    `sizes` has that of each combination; of each one in column order counts. None if there are
    more entries than fit.
    """
    places = np.indices(sizes.shape)
    sizes = np.where((np.diff(places, axis=0) > 0).all(axis=0), sizes, 0)
    total = int(sizes.sum())
    return total if total * 4 <= most_bytes else 0, np.cumsum(sizes).reshape(sizes.shape) - sizes


def _mean_share(
    counts: NDArray[np.int64], lows: NDArray[np.int32], highs: NDArray[np.int32]
) -> float:
    """Return which share of the rows, by code, the run around a row holds on average."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    return float((counts * (ends[highs + 1] - ends[lows])).sum() / max(ends[-1], 1) ** 2)


def scale_of(n_codes: NDArray[np.int64], is_ordered: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return by how much positions rise from code to code, for each feature."""
    return np.where(is_ordered, SCALE / np.maximum(n_codes - 1, 1), 1.0)


def to_positions(codes: NDArray[np.integer], scale: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return where codes, (n_features, n_rows), lie on the scales of their features."""
    return np.round(codes * scale[:, np.newaxis]).astype(np.float32)
