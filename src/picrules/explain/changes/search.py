"""Search for the smallest changes of a row: one feature, then two, then three."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from picrules.encoding.conditions import sums_of_products
from picrules.encoding.nearest import nearest_number
from picrules.encoding.row import Cell, plain_cell, plain_number
from picrules.encoding.schema import CategoryFeature, Feature
from picrules.explain.changes.change import Change, Changes, Tried
from picrules.explain.evidence import distances_by_code
from picrules.explain.explanations import Explanations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.explain.changes.limits import ChangeLimits
    from picrules.explain.explanation import Explanation
    from picrules.model.model import Model
    from picrules.model.searcher import Report

# Rows that are predicted at once, and their codes.
CHUNK_ROWS = 2**16
CHUNK_CODES = 2**23

# Sums of costs are equal when they differ by less.
COST_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Moves:
    """Single changes of a row, the cheapest first: one feature gets another code.

    A combination of moves is a row of their positions here, all of different features.
    """

    features: NDArray[np.int64]  # positions among the features of the model
    codes: NDArray[np.int32]
    costs: NDArray[np.float64]  # distance from the row, times the weight of the feature

    def __len__(self) -> int:
        return len(self.features)

    def count(self, max_size: int, among: NDArray[np.int64]) -> list[int]:
        """Count the combinations of 0, 1, ... and `max_size` of some moves."""
        n_moves = np.unique(self.features[among], return_counts=True)[1]
        return sums_of_products(n_moves.tolist(), max_size)

    def combine(self, size: int, among: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Give all combinations of `size` moves, in int64 blocks of shape (n, size).

        `among` has the increasing positions of the moves in use, and each combination is
        increasing, too. All combinations of the cheapest moves come before any with a dearer
        one, so that whoever stops early has seen all of the cheapest.
        """
        if size == 1:
            yield among[:, np.newaxis]
            return
        for position, last in enumerate(among.tolist()):
            before = among[:position]
            others = before[self.features[before] != self.features[last]]
            for block in self.combine(size - 1, others):
                yield np.column_stack([block, np.full(len(block), last)])

    def apply(self, row: NDArray[np.int32], chosen: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the codes of the changed rows, one column for each combination."""
        codes = np.repeat(row[:, np.newaxis], len(chosen), axis=1)
        rows = np.arange(len(chosen))
        for moves in chosen.T:
            codes[self.features[moves], rows] = self.codes[moves]
        return codes


def list_moves(model: Model, row: NDArray[np.int32], limits: ChangeLimits) -> Moves:
    """List the single changes that a row allows, by cost, then columns, then codes.

    The codes are all that the model can tell apart, so that nothing is lost by leaving out
    other values of the same cells.
    """
    found: list[tuple[float, int, int]] = []
    for position, (feature, own) in enumerate(zip(model.features, row.tolist(), strict=True)):
        if feature.name in limits.fixed:
            continue
        weight = limits.weights.get(feature.name, 1.0) / len(row)
        distances = weight * distances_by_code(feature, own)
        for code, distance in enumerate(distances[:-1].tolist()):
            if code != own and limits.allow(feature, code):
                found.append((distance, position, code))
    costs, features, codes = np.array(sorted(found), np.float64).reshape(-1, 3).T
    return Moves(features.astype(np.int64), codes.astype(np.int32), costs)


@dataclass(frozen=True)
class ChangeSearch:
    """The search for the smallest changes of one row."""

    model: Model
    columns: list[Column]  # the row, with all columns of the table
    limits: ChangeLimits

    @cached_property
    def row(self) -> NDArray[np.int32]:
        """The codes of the row."""
        codes: NDArray[np.int32] = self.model.encode(self.columns)[:, 0]
        return codes

    @cached_property
    def moves(self) -> Moves:
        """The single changes that the row allows."""
        return list_moves(self.model, self.row, self.limits)

    @cached_property
    def n_steps(self) -> int:
        """How many changed rows are predicted at most; at least 1."""
        _, *counts = self.moves.count(self.limits.max_changes, np.arange(len(self.moves)))
        return max(1, min(self.limits.max_rows, sum(counts)))

    @cached_property
    def _column_of(self) -> dict[str, Column]:
        names = (feature.name for feature in self.model.conditions.schema.features)
        return dict(zip(names, self.columns, strict=True))

    def run(self, report: Report | None = None) -> Changes:
        """Find the smallest changes; `report` is told the share of the work just done."""
        before = Explanations.of(self.model, self.row[:, np.newaxis], cells=self.columns)[0]
        is_wanted = self._find_wanted(before)
        levels: list[Tried] = []
        answers: list[NDArray[np.int64]] = []
        given: list[NDArray[np.int64]] = []
        n_enough = 0
        for size in range(1, self.limits.max_changes + 1) if is_wanted.any() else ():
            n_left = self.limits.max_rows - sum(level.n_tried for level in levels)
            level, found = self._try_all(size, answers, is_wanted, n_left, report)
            levels.append(level)
            answers.append(found)
            given.append(self._choose(found))
            n_enough += len(given[-1])
            if not level.is_complete or (self.limits.top or np.inf) <= n_enough:
                break
        changes, limits = self._describe(given), self.limits
        return Changes(before, limits.to, changes, tuple(levels), n_enough, limits.min_confidence)

    def _find_wanted(self, before: Explanation) -> NDArray[np.bool_]:
        """Tell which classes are looked for: not the one that the row has, if it is sure enough."""
        to, now, least = self.limits.to, before.prediction, self.limits.min_confidence
        is_unsure = to is not None and least is not None and (before.confidence or 0.0) < least
        return np.array([
            (one != now or is_unsure) and to in (None, one) for one in self.model.classes
        ])  # fmt: skip

    def _is_enough(
        self, codes: NDArray[np.int32], is_wanted: NDArray[np.bool_], report: Report | None
    ) -> NDArray[np.bool_]:
        """Tell which changed rows have a wanted class, and are sure enough of it."""
        if self.limits.min_confidence is None:
            labels, _ = self.model.predict(codes, report)
            return is_wanted[labels]
        # The most probable class is not the prediction where classes have weights or errors costs.
        answers = Explanations.of(self.model, codes, report)
        return is_wanted[answers.labels] & (answers.confidences >= self.limits.min_confidence)

    def _choose(self, found: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sort by cost, columns, codes; leave the first of each set of features if asked for."""
        order = np.argsort(self.moves.features[found], axis=1)
        by_column = np.take_along_axis(found, order, axis=1)
        features, codes = self.moves.features[by_column], self.moves.codes[by_column]
        ranks = np.lexsort([*codes.T[::-1], *features.T[::-1], self._costs(by_column)])
        if self.limits.one_each:
            _, first = np.unique(features[ranks], axis=0, return_index=True)
            ranks = ranks[np.sort(first)]
        return found[ranks]

    def _try_all(
        self,
        size: int,
        smaller: list[NDArray[np.int64]],
        is_wanted: NDArray[np.bool_],
        n_left: int,
        report: Report | None,
    ) -> tuple[Tried, NDArray[np.int64]]:
        """Predict all changes of `size` features, or the first `n_left` of them."""
        # A move that is enough alone is part of no other answer.
        alone = smaller[0][:, 0] if smaller else np.empty(0, np.int64)
        among = np.setdiff1d(np.arange(len(self.moves)), alone)
        n_tried, is_complete, found = 0, True, [np.empty((0, size), np.int64)]
        for chunk in self._chunks(size, among):
            tried = _without(chunk, smaller[1:], len(self.moves))
            is_complete = n_tried + len(tried) <= n_left
            tried = tried[: n_left - n_tried]
            if len(tried):
                part = len(tried) / self.n_steps
                told = None if report is None else lambda share, part=part: report(share * part)
                codes = self.moves.apply(self.row, tried)
                found.append(tried[self._is_enough(codes, is_wanted, told)])
                n_tried += len(tried)
            if not is_complete:
                break
        answers = np.concatenate(found)
        n_possible = self.moves.count(size, among)[size]
        return Tried(size, n_tried, n_possible, len(answers), is_complete), answers

    def _chunks(self, size: int, among: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Give all combinations of moves in parts whose codes fit into memory."""
        n_rows = max(1, min(CHUNK_ROWS, CHUNK_CODES // max(len(self.row), 1)))
        kept: list[NDArray[np.int64]] = []
        n_kept = 0
        for block in self.moves.combine(size, among):
            kept.append(block)
            n_kept += len(block)
            if n_kept >= n_rows:
                gathered = np.concatenate(kept)
                yield from np.split(gathered, range(n_rows, n_kept, n_rows))
                kept, n_kept = [], 0
        if n_kept:
            yield np.concatenate(kept)

    def _costs(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        costs: NDArray[np.float64] = self.moves.costs[chosen].sum(axis=1).round(COST_DIGITS)
        return costs

    def _describe(self, answers: list[NDArray[np.int64]]) -> tuple[Change, ...]:
        """Explain the smallest of the answers."""
        changes: list[Change] = []
        for chosen in answers:
            n_left = None if self.limits.top is None else self.limits.top - len(changes)
            shown = chosen[:n_left]
            if len(shown):
                explanations = Explanations.of(
                    self.model, self.moves.apply(self.row, shown), cells=self.columns
                )
                changes += map(self._change, shown, self._costs(shown).tolist(), explanations)
        return tuple(changes)

    def _change(self, chosen: NDArray[np.int64], cost: float, explanation: Explanation) -> Change:
        in_order = chosen[np.argsort(self.moves.features[chosen])]
        features = [self.model.features[number] for number in self.moves.features[in_order]]
        new = list(zip(features, self.moves.codes[in_order].tolist(), strict=True))
        conditions = tuple(feature.condition(code) for feature, code in new)
        values = {feature.name: self._value(feature, code) for feature, code in new}
        old_values = {one.name: plain_cell(one, self._column_of[one.name]) for one in features}
        return Change(conditions, values, old_values, cost, explanation)

    def _value(self, feature: Feature, code: int) -> Cell:
        """Return a new value with a code: the category, or a number near the row's own."""
        if isinstance(feature, CategoryFeature):
            return feature.categories[code]
        current = float(feature.read(self._column_of[feature.name])[0])
        number = nearest_number(feature, code, current, self.limits.span(feature))
        return plain_number(feature, number)


def _without(
    chunk: NDArray[np.int64], smaller: list[NDArray[np.int64]], n_moves: int
) -> NDArray[np.int64]:
    """Leave out combinations that hold a smaller answer."""
    is_kept = np.ones(len(chunk), np.bool_)
    for answers in smaller:
        size = answers.shape[1]
        to_keys = partial(np.ravel_multi_index, dims=(n_moves,) * size)
        keys = to_keys(np.sort(answers, axis=1).T)
        for columns in combinations(range(chunk.shape[1]), size):
            is_kept &= ~np.isin(to_keys(chunk[:, columns].T), keys)
    return chunk[is_kept]
