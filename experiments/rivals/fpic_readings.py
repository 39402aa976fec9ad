"""Other readings of fPIC: what its authors may have run, since Algorithm 3 gives other figures.

All count every itemset of at most three items, as Algorithm 3 does; they differ in the score, in
who wins a tie, in which itemsets count, or in how the class is chosen.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Self

import numpy as np

from experiments.rivals.items import ItemEncoder
from experiments.rivals.rule import FoundRule, RuleUse

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

LONGEST = 3
ALPHA = 0.9


@dataclass(frozen=True)
class Counts:
    """Class counts of every itemset of every row: `hits` is (n_rows, n_itemsets, n_classes)."""

    hits: np.ndarray
    itemsets: list[tuple[int, ...]]
    class_sizes: np.ndarray
    rng: np.random.Generator

    @property
    def covers(self) -> np.ndarray:
        return self.hits.sum(axis=2, keepdims=True)

    @property
    def precision(self) -> np.ndarray:
        return self.hits / np.maximum(self.covers, 1)

    @property
    def score(self) -> np.ndarray:
        """The score of Algorithm 3."""
        return ALPHA * self.precision + (1 - ALPHA) * self.hits / self.class_sizes

    @property
    def lengths(self) -> np.ndarray:
        return np.array([len(itemset) for itemset in self.itemsets])[None, :, None]


def _recall_of_all_rows(c: Counts) -> np.ndarray:
    return ALPHA * c.precision + (1 - ALPHA) * c.hits / c.class_sizes.sum()


def _certainty(c: Counts) -> np.ndarray:
    prior = c.class_sizes / c.class_sizes.sum()
    recall = c.hits / c.class_sizes
    return ALPHA * (c.precision - prior) / (1 - prior) + (1 - ALPHA) * recall


def _voted(c: Counts, votes: np.ndarray) -> np.ndarray:
    """The score, for the class with most votes alone."""
    winner = votes.sum(axis=1).argmax(axis=1)
    is_winner = np.arange(votes.shape[2]) == winner[:, None, None]
    return np.where(is_winner, c.score, -1.0)


def _neighbours(c: Counts) -> np.ndarray:
    is_run = np.array([s[-1] - s[0] == len(s) - 1 for s in c.itemsets])[None, :, None]
    return np.where(is_run, c.score, -1.0)


def _frequent(c: Counts) -> np.ndarray:
    return np.where(c.covers >= 0.01 * c.class_sizes.sum(), c.score, c.score - 1)


# Ties go to the first itemset in order of length, as in Algorithm 3, unless the reading says else.
READINGS: dict[str, Callable[[Counts], np.ndarray]] = {
    "as written": lambda c: c.score,
    "ties to the longer rule": lambda c: c.score + 1e-9 * c.lengths,
    "precision alone": lambda c: c.precision,
    "precision alone, ties at random": lambda c: c.precision + 1e-9 * c.rng.random(c.hits.shape),
    "precision alone, ties to the longer rule": lambda c: c.precision + 1e-9 * c.lengths,
    "recall as share of all rows": _recall_of_all_rows,
    "precision against the class's share": _certainty,
    "scores rounded to one decimal": lambda c: np.round(c.score, 1),
    "class by sum of all scores": lambda c: _voted(c, c.score),
    "class by number of pure rules": lambda c: _voted(
        c, (c.hits == c.covers) * (c.hits > 0) + 1e-6 * c.score
    ),
    "itemsets in 1% of the rows or more": _frequent,
    "neighbouring features only": _neighbours,
}


class FPICReading:
    """fPIC by one of the readings, by brute force."""

    is_personal = True

    def __init__(self, reading: str, bins: int, seed: int) -> None:
        self.reading, self.bins, self.seed = reading, bins, seed

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Self:
        self.encoder = ItemEncoder(self.bins).fit(X)
        self.codes = self.encoder.transform(X)
        self.classes, self.labels = np.unique(y, return_inverse=True)
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        return self.classes[self._best(X)[1]]

    def rules(self, X: pd.DataFrame) -> list[RuleUse]:
        codes = self.encoder.transform(X)
        itemsets, labels = self._best(X)
        counts = Counter(
            (tuple((feature, int(row[feature])) for feature in itemset), int(label))
            for itemset, label, row in zip(itemsets, labels, codes, strict=True)
        )
        return [
            RuleUse(
                FoundRule(frozenset(self.encoder.item(*i) for i in items), self.classes[label]), n
            )
            for (items, label), n in counts.items()
            if all(code >= 0 for _, code in items)
        ]

    def _best(self, X: pd.DataFrame) -> tuple[list[tuple[int, ...]], np.ndarray]:
        counts = self._count(self.encoder.transform(X))
        scores = READINGS[self.reading](counts)
        best = scores.reshape(len(X), -1).argmax(axis=1)
        places, labels = np.divmod(best, len(self.classes))
        return [counts.itemsets[place] for place in places], labels

    def _count(self, codes: np.ndarray) -> Counts:
        n_features = codes.shape[1]
        itemsets = [s for k in range(1, LONGEST + 1) for s in combinations(range(n_features), k)]
        hits = np.zeros((len(codes), len(itemsets), len(self.classes)), np.int32)
        for place, itemset in enumerate(itemsets):
            hits[:, place] = self._count_itemset(codes[:, itemset], self.codes[:, itemset])
        sizes = np.bincount(self.labels)
        return Counts(hits, itemsets, sizes, np.random.default_rng(self.seed))

    def _count_itemset(self, codes: np.ndarray, training: np.ndarray) -> np.ndarray:
        """Class counts of the training rows that agree with each row on some features."""
        base = int(max(codes.max(), training.max())) + 2
        radix = base ** np.arange(codes.shape[1])
        keys, places = np.unique((training + 1) @ radix, return_inverse=True)
        counts = np.zeros((len(keys) + 1, len(self.classes)), np.int32)
        np.add.at(counts, (places, self.labels), 1)
        wanted = (codes + 1) @ radix
        found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        is_known = (keys[found] == wanted) & (codes >= 0).all(axis=1)
        return counts[np.where(is_known, found, len(keys))]
