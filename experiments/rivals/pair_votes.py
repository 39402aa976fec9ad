"""One-versus-one: a learner for two classes answers tables with more, one vote a pair."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np

from experiments.rivals.items import ItemEncoder, covers
from experiments.rivals.rule import FoundRule, RuleUse

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

Literals = list[tuple[int, int, bool]]  # (feature, code, is_negated)


class PairLearner(Protocol):
    """Learns rules for the positive rows; rows that no rule covers are negative."""

    def fit(self, codes: np.ndarray, n_codes: np.ndarray, is_positive: np.ndarray) -> Self: ...

    def predict(self, codes: np.ndarray) -> np.ndarray: ...

    def rules(self) -> list[Literals]: ...


@dataclass
class Pair:
    """A learner between two classes, as positions among the classes."""

    negative: int
    positive: int
    learner: PairLearner


class PairVotes:
    """The class with most votes; a tie goes to the larger class in training, then to the first.

    Of two classes in sorted order the second is positive, or the rarer one.
    """

    is_personal = False

    def __init__(
        self, make_learner: Callable[[], PairLearner], bins: int, *, rarer_is_positive: bool = False
    ) -> None:
        self.make_learner = make_learner
        self.bins = bins
        self.rarer_is_positive = rarer_is_positive

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Self:
        self.encoder = ItemEncoder(self.bins).fit(X)
        codes = self.encoder.transform(X)
        self.classes, labels = np.unique(y, return_inverse=True)
        self.sizes = np.bincount(labels)
        self.pairs = [
            self._learn(codes, labels, *pair) for pair in combinations(range(len(self.classes)), 2)
        ]
        return self

    def _learn(self, codes: np.ndarray, labels: np.ndarray, first: int, second: int) -> Pair:
        if self.rarer_is_positive and self.sizes[first] < self.sizes[second]:
            first, second = second, first
        rows = np.flatnonzero((labels == first) | (labels == second))
        learner = self.make_learner()
        learner.fit(codes[rows], self.encoder.n_codes, labels[rows] == second)
        return Pair(first, second, learner)

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        codes = self.encoder.transform(X)
        votes = np.zeros((len(codes), len(self.classes)))
        for pair in self.pairs:
            is_positive = pair.learner.predict(codes)
            votes[:, pair.positive] += is_positive
            votes[:, pair.negative] += ~is_positive
        return self.classes[(votes + self.sizes / (self.sizes.sum() + 1)).argmax(axis=1)]

    @property
    def note(self) -> str:
        """What a reader of the results must know of the fit."""
        untaught = sum(getattr(pair.learner, "n_updates", 1) == 0 for pair in self.pairs)
        return f"no update made in {untaught} of {len(self.pairs)} networks" if untaught else ""

    def rules(self, X: pd.DataFrame) -> list[RuleUse]:
        """The rules of all pairs."""
        codes = self.encoder.transform(X)
        return [
            RuleUse(self._found(literals, pair), int(covers(literals, codes).sum()))
            for pair in self.pairs
            for literals in pair.learner.rules()
        ]

    def _found(self, literals: Literals, pair: Pair) -> FoundRule:
        items = frozenset(
            self.encoder.item(feature, code, is_negated=is_negated)
            for feature, code, is_negated in literals
        )
        return FoundRule(items, self.classes[pair.positive])
