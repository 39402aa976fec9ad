"""Rules that come from the look-alikes of a row: the training rows in a box around it.

The box is too long to be read, one side per feature. Its class counts decide; what is shown is a
rule made of as few of its sides as are no less precise for the class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from picrules.encoding.conditions import positions_by_ends
from picrules.engines.found import Found, Rules
from picrules.engines.threads import run_blocks, split_evenly
from picrules.kernels.alike import APART, FAR, Scales, find_alike, score_counts, shorten

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
    def scales(self) -> Scales:
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
        positions = self._positions(question.asked.codes)
        left_out, n_threads = question.asked.left_out, question.n_threads
        boxes = self._find_boxes(positions, left_out, n_threads, question.watch)
        scores = np.empty((len(left_out), self.training.n_classes))
        score_counts(boxes.counts, left_out, question.scorer, scores)
        scores[np.isnan(positions).all(axis=0)] = -np.inf  # nothing is known that could be alike
        labels = np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
        find = partial(self._find_rules, question.asked.codes, left_out, boxes, n_threads)
        return Found(scores, labels, find)

    def find_boxes(
        self, codes: NDArray[np.int32], left_out: NDArray[np.int64], n_threads: int
    ) -> Boxes:
        """Find the boxes around rows of which some may be training rows."""
        return self._find_boxes(self._positions(codes), left_out, n_threads, None)

    def _positions(self, codes: NDArray[np.int32]) -> NDArray[np.float32]:
        own = codes[self.features]
        positions = to_positions(own, self._scale)
        positions[own < 0] = np.nan
        return positions

    def _find_boxes(
        self,
        positions: NDArray[np.float32],
        left_out: NDArray[np.int64],
        n_threads: int,
        watch: Watch | None,
    ) -> Boxes:
        n_asked = len(left_out)
        boxes = Boxes(
            np.empty(n_asked, np.int64), np.empty((n_asked, self.training.n_classes), np.int64)
        )
        inverses = (1 / np.array(self.alike.widths, np.float32)[self.features]).astype(np.float32)
        is_stopped = np.zeros(1, np.uint8) if watch is None else watch.is_stopped

        def work(_: int, start: int, stop: int) -> None:
            rows = slice(start, stop)
            find_alike(
                self.scales, np.ascontiguousarray(positions[:, rows]), left_out[rows], inverses,
                self.alike.least, is_stopped, boxes.steps[rows], boxes.counts[rows],
            )  # fmt: skip

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
        pairs, numbers = np.unique(np.stack([rows, labels], axis=1), axis=0, return_inverse=True)
        asked, pairs[:, 0] = np.unique(pairs[:, 0], return_inverse=True)
        codes, steps = np.ascontiguousarray(codes[:, asked]), boxes.steps[asked]
        positions, counts = self._positions(codes), boxes.counts[asked]
        lows, highs, reaches = self._sides(codes, steps)
        n_pairs = len(pairs)
        chosen = np.empty((n_pairs, len(self.features)), np.bool_)
        rules = Rules.empty(n_pairs, max(1, len(self.features)), self.training.n_classes)
        is_stopped = np.zeros(1, np.uint8)

        def work(_: int, start: int, stop: int) -> None:
            part = slice(start, stop)
            shorten(
                self.scales, positions, left_out[asked], reaches, pairs[part], counts, is_stopped,
                chosen[part], rules.counts[part],
            )  # fmt: skip

        run_blocks(work, split_evenly(n_pairs, -(-n_pairs // BLOCK)), n_threads)
        rules.lengths[:] = chosen.sum(axis=1)
        for pair, sides in enumerate(chosen):
            used = np.flatnonzero(sides)
            row = pairs[pair, 0]
            rules.features[pair, : len(used)] = self.features[used]
            rules.positions[pair, : len(used)] = [
                self._conditions[side][lows[side, row], highs[side, row]] for side in used.tolist()
            ]
        return rules.take(numbers.reshape(-1))

    def _sides(
        self, codes: NDArray[np.int32], steps: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Return the first and the last code of each side of each box, and how far it reaches.

        A side that holds every code of its feature, or where the row's value is missing, is none:
        it reaches to -1.
        """
        own = codes[self.features]
        positions = to_positions(own, self._scale)
        reaches = np.array(self.alike.widths, np.float32)[self.features][:, np.newaxis] * steps
        lows, highs = own.astype(np.int64), own.astype(np.int64)
        for side, feature in enumerate(self.features.tolist()):
            n_codes = int(self.sets.n_codes[feature])
            if not self.alike.is_ordered[feature]:
                reaches[side] = np.where(reaches[side] < APART, 0, -1)
            else:
                scale = to_positions(np.arange(n_codes)[np.newaxis], self._scale[[side]])[0]
                lows[side] = np.searchsorted(scale, positions[side] - reaches[side])
                highs[side] = np.searchsorted(scale, positions[side] + reaches[side], "right") - 1
            is_all = (lows[side] == 0) & (highs[side] == n_codes - 1)
            reaches[side, is_all | (own[side] < 0)] = -1
        return lows, highs, np.ascontiguousarray(reaches, np.float32)

    @cached_property
    def _conditions(self) -> list[dict[tuple[int, int], int]]:
        """For each feature that has a say which condition holds the codes from one to another."""
        first, parents, codes = self.sets.first, self.sets.parents, self.sets.codes
        own = [slice(first[feature], first[feature + 1]) for feature in self.features]
        steps = (zip(parents[each].tolist(), codes[each].tolist(), strict=True) for each in own)
        return [positions_by_ends(tuple(each)) for each in steps]


def scale_of(n_codes: NDArray[np.int64], is_ordered: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return by how much positions rise from code to code, for each feature."""
    return np.where(is_ordered, SCALE / np.maximum(n_codes - 1, 1), 1.0)


def to_positions(codes: NDArray[np.integer], scale: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return where codes, (n_features, n_rows), lie on the scales of their features."""
    return np.round(codes * scale[:, np.newaxis]).astype(np.float32)
