"""Search for the smallest changes of a row: one feature, then two, then three."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from picrules.encoding.nearest import nearest_number
from picrules.encoding.row import plain_cell, plain_number
from picrules.encoding.schema import CategoryFeature
from picrules.explain.changes.moves import list_moves
from picrules.explain.changes.smallest import Change, Changes, Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.encoding.row import Cell
    from picrules.encoding.schema import NumberFeature
    from picrules.explain.changes.moves import Moves
    from picrules.explain.changes.wishes import Wishes
    from picrules.explain.explanation import Explanation
    from picrules.explain.model import Model
    from picrules.rules.condition import Condition
    from picrules.rules.text import Value

# Rows that are predicted at once, and their codes.
CHUNK_ROWS = 2**16
CHUNK_CODES = 2**23

# Sums of costs are equal when they differ by less.
COST_DIGITS = 12


@dataclass(frozen=True)
class ChangeSearch:
    """The search for the smallest changes of one row.

    Attributes
    ----------
    model : Model
        The fitted estimator.
    columns : list of Column
        The row.
    wishes : Wishes
        Which changes are asked for.
    """

    model: Model
    columns: list[Column]
    wishes: Wishes

    @cached_property
    def row(self) -> NDArray[np.int32]:
        """The codes of the row."""
        codes: NDArray[np.int32] = self.model.encode(self.columns)[:, 0]
        return codes

    @cached_property
    def moves(self) -> Moves:
        """The single changes that the row allows."""
        return list_moves(self.model, self.row, self.wishes)

    @cached_property
    def n_steps(self) -> int:
        """At most so many changed rows are predicted."""
        among = np.arange(len(self.moves))
        n_possible = sum(self.moves.count(size, among) for size in self._sizes)
        return max(1, min(self.wishes.max_rows, n_possible))

    @property
    def _sizes(self) -> range:
        return range(1, self.wishes.max_changes + 1)

    def run(self, report: Callable[[float], None] | None = None) -> Changes:
        """Find the smallest changes.

        Parameters
        ----------
        report : callable or None
            Called with the share of the work that was just done.

        Returns
        -------
        Changes
            What was found, and how far everything was tried.
        """
        before = self.model.explain(self.row[:, np.newaxis])[0]
        is_wanted = self._wanted(before.prediction)
        levels: list[Level] = []
        answers: list[NDArray[np.int64]] = []
        for size in self._sizes if is_wanted.any() else ():
            n_left = self.wishes.max_rows - sum(level.n_tried for level in levels)
            level, found = self._try_all(size, answers, is_wanted, n_left, report)
            levels.append(level)
            answers.append(self._sort(found))
            if not level.is_complete or self._is_enough(answers):
                break
        given = [self._given(found) for found in answers]
        n_enough = sum(map(len, given))
        return Changes(before, self.wishes.to, self._describe(given), tuple(levels), n_enough)

    def _wanted(self, prediction: Value) -> NDArray[np.bool_]:
        """Tell which classes are answers."""
        to, classes = self.wishes.to, self.model.classes
        is_other = np.array([name != prediction for name in classes])
        return is_other if to is None else is_other & np.array([name == to for name in classes])

    def _is_enough(self, answers: list[NDArray[np.int64]]) -> bool:
        top = self.wishes.top
        return top is not None and sum(len(self._given(found)) for found in answers) >= top

    def _given(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Leave the cheapest of each set of features, if that is asked for."""
        if not self.wishes.one_each:
            return chosen
        places = np.sort(self.moves.places[chosen], axis=1)
        _, first = np.unique(places, axis=0, return_index=True)
        return chosen[np.sort(first)]

    def _try_all(
        self,
        size: int,
        smaller: list[NDArray[np.int64]],
        is_wanted: NDArray[np.bool_],
        n_left: int,
        report: Callable[[float], None] | None,
    ) -> tuple[Level, NDArray[np.int64]]:
        """Predict all changes of so many features, or as many of them as are left."""
        # A move that is enough alone is part of no other answer.
        alone = smaller[0][:, 0] if smaller else np.empty(0, np.int64)
        among = np.setdiff1d(np.arange(len(self.moves)), alone)
        n_tried, is_complete, found = 0, True, [np.empty((0, size), np.int64)]
        for chunk in self._chunks(size, among):
            tried = _without(chunk, smaller[1:], len(self.moves))
            is_complete = n_tried + len(tried) <= n_left
            tried = tried[: n_left - n_tried]
            if len(tried):
                found.append(tried[is_wanted[self._predict(tried, report)]])
                n_tried += len(tried)
            if not is_complete:
                break
        answers = np.concatenate(found)
        n_possible = self.moves.count(size, among)
        return Level(size, n_tried, n_possible, len(answers), is_complete), answers

    def _chunks(self, size: int, among: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Give all combinations of moves, so many at once that their codes fit into memory."""
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

    def _predict(
        self, chosen: NDArray[np.int64], report: Callable[[float], None] | None
    ) -> NDArray[np.int64]:
        part = len(chosen) / self.n_steps
        scaled = None if report is None else lambda share: report(share * part)
        return self.model.answer(self.moves.apply(self.row, chosen), scaled).labels

    def _sort(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sort combinations by cost, then columns, then codes."""
        places = self.moves.places[chosen]
        by_place = np.take_along_axis(chosen, np.argsort(places, axis=1), axis=1)
        costs = self._costs(by_place)
        keys = [*self.moves.codes[by_place].T[::-1], *self.moves.places[by_place].T[::-1], costs]
        return chosen[np.lexsort(keys)]

    def _costs(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        costs: NDArray[np.float64] = self.moves.costs[chosen].sum(axis=1).round(COST_DIGITS)
        return costs

    def _describe(self, answers: list[NDArray[np.int64]]) -> tuple[Change, ...]:
        """Explain the smallest of the answers."""
        changes: list[Change] = []
        for chosen in answers:
            n_left = None if self.wishes.top is None else self.wishes.top - len(changes)
            shown = chosen[:n_left]
            if len(shown):
                explanations = self.model.explain(self.moves.apply(self.row, shown))
                changes += map(self._change, shown, self._costs(shown).tolist(), explanations)
        return tuple(changes)

    def _change(self, chosen: NDArray[np.int64], cost: float, explanation: Explanation) -> Change:
        pairs = zip(
            self.moves.places[chosen].tolist(), self.moves.codes[chosen].tolist(), strict=True
        )
        conditions: list[Condition] = []
        values: dict[str, Cell] = {}
        old_values: dict[str, Cell] = {}
        for place, code in sorted(pairs):
            feature, column = self.model.features[place], self.columns[self.model.places[place]]
            conditions.append(feature.condition(code))
            values[feature.name] = self._value(feature, column, code)
            old_values[feature.name] = plain_cell(feature, column)
        return Change(tuple(conditions), values, old_values, cost, explanation)

    def _value(
        self, feature: CategoryFeature | NumberFeature, column: Column, code: int
    ) -> Value | datetime:
        """Return a new value with a code: the category, or a number near the row's own."""
        if isinstance(feature, CategoryFeature):
            return feature.categories[code]
        current = float(feature.read(column)[0])
        span = self.wishes.span(feature)
        return plain_number(feature, nearest_number(feature, code, current, span))


def _without(
    chunk: NDArray[np.int64], smaller: list[NDArray[np.int64]], n_moves: int
) -> NDArray[np.int64]:
    """Leave out combinations that hold a smaller answer."""
    is_kept = np.ones(len(chunk), np.bool_)
    for answers in smaller:
        keys = _to_keys(np.sort(answers, axis=1), n_moves)
        for columns in combinations(range(chunk.shape[1]), answers.shape[1]):
            is_kept &= ~np.isin(_to_keys(chunk[:, columns], n_moves), keys)
    return chunk[is_kept]


def _to_keys(positions: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """Write each row of small numbers as one number."""
    keys = np.zeros(len(positions), np.int64)
    for column in positions.T:
        keys = keys * base + column
    return keys
