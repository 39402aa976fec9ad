"""Rules that tell the two leading classes of a row apart, among the training rows of these alone.

They speak last, when the others have named the two: whichever has the weaker case falls behind by
as much as the rules say, and no other class moves. So the winner is always one of the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.found import Found, Rules
from picrules.kernels.counting import Asked
from picrules.model.calibration import is_covered
from picrules.model.decision import decide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from picrules.engines.base import Search
    from picrules.model.source import Source

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Between:
    """What was found between the two leading classes of rows."""

    pairs: NDArray[np.int64]  # (n_rows, 2): the two in order; -1 where nothing was asked
    scores: NDArray[np.float64]  # (n_rows, 2): of the best rule for each; -inf: there is none

    @classmethod
    def nothing(cls, n_rows: int) -> Between:
        """Return what is known before anything is asked."""
        return cls(np.full((n_rows, 2), -1), np.full((n_rows, 2), -np.inf))

    @classmethod
    def join(cls, parts: Sequence[Between]) -> Between:
        """Put what was found for parts of the rows together, in their order."""
        return cls(*(np.concatenate([getattr(p, name) for p in parts]) for name in cls.__slots__))

    def take(self, rows: NDArray[np.int64] | slice) -> Between:
        """Return the same of some rows."""
        return Between(self.pairs[rows], self.scores[rows])

    def penalties(self, floor: float, n_classes: int) -> NDArray[np.float64]:
        """Return what is added to the scores of the classes, (n_rows, n_classes); 0 or less."""
        heard = np.maximum(self.scores, floor)
        added = np.zeros((len(heard), n_classes))
        rows = np.flatnonzero(self.pairs[:, 0] >= 0)
        behind = self.pairs[rows, 1 - self._find_stronger(floor)[rows]]
        added[rows, behind] = -np.abs(heard[rows, 0] - heard[rows, 1])
        return added

    def speaks_for(self, floor: float) -> NDArray[np.int64]:
        """Return the class of each row that has the stronger case; -1 where nothing was asked."""
        return self.pairs[np.arange(len(self.pairs)), self._find_stronger(floor)]

    def _find_stronger(self, floor: float) -> NDArray[np.int64]:
        heard = np.maximum(self.scores, floor)
        return np.less_equal(heard[:, 0], heard[:, 1]).astype(np.int64)


def find_leading(
    values: NDArray[np.float64],
    class_sizes: NDArray[np.int64],
    left_out: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return the two leading classes of each row, (n_rows, 2), in their order.

    -1 for rows that nothing is known about, or where one of the two has no row that counts.
    """
    rows, others = np.arange(len(values)), values.copy()
    first = decide(values, class_sizes, left_out)
    others[rows, first] = -np.inf
    leading = np.sort(np.stack([first, decide(others, class_sizes, left_out)], axis=1), axis=1)
    sizes = class_sizes[leading]
    if left_out is not None:
        sizes -= leading == left_out[:, np.newaxis]
    leading[~is_covered(values) | (sizes == 0).any(axis=1)] = -1
    return leading


def group(
    leading: NDArray[np.int64], pairs: Sequence[Pair]
) -> Iterator[tuple[Pair, NDArray[np.int64]]]:
    """Give each of some pairs of classes that leads in some rows, and these rows."""
    for pair in pairs:
        rows = np.flatnonzero((leading == pair).all(axis=1))
        if rows.size:
            yield pair, rows


def search_between(
    source: Source, search: Search, pair: Pair, asked: Asked, n_threads: int
) -> Iterator[tuple[NDArray[np.int64], Found]]:
    """Find the best rules for each of two classes, in two slots, among their training rows alone.

    A training row of another class has no say here, so nothing is left out of it. Gives which rows,
    and what was found for them.
    """
    left_out, own = np.full(len(asked.left_out), -1), source.between(pair)
    for number, label in enumerate(pair):
        left_out[asked.left_out == label] = number
    for is_own in (False, True):
        rows = np.flatnonzero((left_out >= 0) == is_own)
        if not rows.size:
            continue
        codes = np.ascontiguousarray(asked.codes[:, rows])
        if is_own:
            yield rows, own.leave_one_out(search, n_threads, None, Asked(codes, left_out[rows]))
        else:
            yield rows, Found.join([part for _, part in own.parts(codes, search, n_threads, None)])


def ask_between(
    source: Source,
    search: Search,
    groups: Iterable[tuple[Pair, NDArray[np.int64]]],
    asked: Asked,
    n_classes: int,
    n_threads: int,
) -> tuple[Found, Between]:
    """Find rules for rows between their two leading classes; others have none.

    Each of the groups is a pair of classes, and the rows in which these lead.
    """
    n_rows = len(asked.left_out)
    between, nothing = Between.nothing(n_rows), np.full((n_rows, n_classes), -np.inf)
    labels = np.tile(np.arange(n_classes), (n_rows, 1))
    found = Found(nothing, labels, partial(_find_nothing, n_classes))
    for pair, rows in groups:
        asked_here = Asked(asked.codes[:, rows], asked.left_out[rows])
        for some, told in search_between(source, search, pair, asked_here, n_threads):
            own = rows[some]
            between.pairs[own], between.scores[own] = pair, told.scores
            scores = nothing[own]
            scores[:, pair] = told.scores
            wide = Found(scores, labels[own], partial(_among_all, told.rules, pair, n_classes))
            found = found.replaced(own, wide)
    return found, between


def _find_nothing(n_classes: int, rows: NDArray[np.int64], _slots: NDArray[np.int64]) -> Rules:
    return Rules.empty(len(rows), 1, n_classes)


def _among_all(
    find: Callable[[NDArray[np.int64], NDArray[np.int64]], Rules],
    pair: Pair,
    n_classes: int,
    rows: NDArray[np.int64],
    slots: NDArray[np.int64],
) -> Rules:
    """Find rules between two classes as rules among all classes, of which no others have any."""
    own = np.flatnonzero(np.isin(slots, pair))
    rules = find(rows[own], np.searchsorted(pair, slots[own]))
    counts = np.zeros((len(own), n_classes), np.int64)
    counts[:, pair] = rules.counts
    wide = Rules.empty(len(rows), rules.features.shape[1], n_classes)
    wide.put(own, Rules(rules.lengths, rules.features, rules.positions, counts))
    return wide
