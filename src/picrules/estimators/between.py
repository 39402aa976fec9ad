"""Rules between the two leading classes: which pairs they tell apart, and what they weigh.

Where there are many classes, most errors are between the two that lead. Rules among the training
rows of these two alone then say what rules about all classes do not. Weights are learned by
leave-one-out, when the weights of the other rules are known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize_scalar

from picrules.encoding.conditions import ENDLESS, sums_of_products
from picrules.engines.base import Search
from picrules.estimators.scorecards import DIGITS, FLOOR, RIDGE, soft
from picrules.kernels.counting import Asked
from picrules.model.between import Between, Pair, find_leading, group, search_between
from picrules.model.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from picrules.estimators.tuning import Trial
    from picrules.model.searcher import Searcher
    from picrules.scoring.settings import Setting

# At most so many pairs of classes, those between which most errors are expected: at least so many
# of the judged rows.
MOST_PAIRS, LEAST_ERRORS = 32, 1.0

# The longest rules, as long as those of all pairs take no more scores than this.
LONGEST, MOST_SCORES = 3, 1e8

# The most that they may weigh.
HEAVIEST = 4.0


@dataclass
class Apart:
    """Judged training rows, and the best rules for each between pairs of classes."""

    source: Source
    search: Search
    pairs: tuple[Pair, ...]  # of classes
    rows: NDArray[np.int64]  # (n_judged,): pairs of training row and class
    n_threads: int
    weight: float = 0.0
    _known: dict[Pair, NDArray[np.float64]] = field(default_factory=dict)  # nan: not asked

    @classmethod
    def between(
        cls, searcher: Searcher, setting: Setting, pairs: tuple[Pair, ...],
        rows: NDArray[np.int64], n_threads: int,
    ) -> Apart:  # fmt: skip
        """Look for rules as long as can be looked at for so many pairs of classes."""
        n_conditions = np.diff(searcher.sets.first).tolist()
        search = Search(setting, longest_rules(n_conditions, len(pairs)), is_by_class=True)
        return cls(Source(searcher), search, pairs, rows, n_threads)

    def prepare(self, leading: Iterable[NDArray[np.int64]]) -> None:
        """Find what will be asked for, each pair of classes once."""
        wanted: dict[Pair, list[NDArray[np.int64]]] = {}
        for each in leading:
            for pair, rows in group(each, self.pairs):
                wanted.setdefault(pair, []).append(rows)
        for pair, parts in wanted.items():
            rows = np.unique(np.concatenate(parts))
            known = self._known.setdefault(pair, np.full((len(self.rows), 2), np.nan))
            rows = rows[np.isnan(known[rows, 0])]
            if rows.size:
                known[rows] = self._search(pair, rows)

    def _search(self, pair: Pair, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        training = self.source.searcher.training
        distinct, numbers = np.unique(self.rows[rows], return_inverse=True)
        asked = Asked(np.take(training.codes, distinct, axis=1), training.labels[distinct])
        scores = np.empty((len(distinct), 2))
        for own, found in search_between(self.source, self.search, pair, asked, self.n_threads):
            scores[own] = found.scores
        return scores[numbers]

    def hear(self, leading: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what is added to the scores of the classes where these lead, by a weight of 1."""
        self.prepare([leading])
        between = Between.nothing(len(leading))
        for pair, rows in group(leading, self.pairs):
            between.pairs[rows], between.scores[rows] = pair, self._known[pair][rows]
        return between.penalties(FLOOR, self.source.searcher.training.n_classes)

    def add_to(
        self, totals: NDArray[np.float64], trial: Trial, weight: float
    ) -> NDArray[np.float64]:
        """Add what they say, by a weight, to the sums of the other rules."""
        return totals + weight * self.hear(trial.lead_by(totals))

    def weigh(
        self, totals: NDArray[np.float64], trial: Trial, rows: NDArray[np.int64] | None = None
    ) -> float:
        """Find the weight with which the rows' own classes are most likely, or those of some rows.

        `totals` has the sums of the other rules.
        """
        added = self.hear(trial.lead_by(totals))
        rows = np.flatnonzero(added.any(axis=1)) if rows is None else rows
        own, more, labels = totals[rows], added[rows], trial.labels[rows]

        def loss(weight: float) -> float:
            _, logs = soft(own + weight * more)
            likely = trial.weights[rows] @ logs[np.arange(len(rows)), labels]
            return RIDGE * weight**2 / 2 - float(likely)

        found = minimize_scalar(loss, bounds=(0.0, HEAVIEST), method="bounded")
        return round(float(found.x), DIGITS)


def longest_rules(n_conditions: list[int], n_pairs: int) -> int:
    """Return how long rules can be looked at between so many pairs of classes."""
    counts = sums_of_products(n_conditions, min(LONGEST, len(n_conditions)), ENDLESS)
    totals = 2 * n_pairs * np.cumsum(counts[1:], dtype=np.float64)
    return max(1, int(np.searchsorted(totals, MOST_SCORES, side="right")))


def choose_pairs(totals: NDArray[np.float64], class_sizes: NDArray[np.int64]) -> tuple[Pair, ...]:
    """Choose the pairs of classes between which most errors are expected, by the rows' sums.

    True classes have no say in it.
    """
    leading = find_leading(totals, class_sizes)
    known = np.flatnonzero(leading[:, 0] >= 0)
    leading, (shares, _) = leading[known], soft(totals[known])
    found, numbers = np.unique(leading, axis=0, return_inverse=True)
    weaker = shares[np.arange(len(known))[:, np.newaxis], leading].min(axis=1)
    errors = np.bincount(numbers.reshape(-1), weaker, len(found))
    order = np.argsort(-errors, kind="stable")[:MOST_PAIRS]
    return tuple((int(a), int(b)) for a, b in found[np.sort(order[errors[order] >= LEAST_ERRORS])])
