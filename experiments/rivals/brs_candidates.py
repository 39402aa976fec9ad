"""The pool of rules that BRS chooses from: frequent, of at most three literals, informative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.rivals.loops import bits
from experiments.rivals.loops import brs as loops

LONGEST = 3
SUPPORT = 0.05  # share of the positive rows that a rule must cover
POOL_SIZE = 2000
MOST_TREES = 4000


@dataclass(frozen=True)
class Pool:
    """Candidate rules, the most informative first.

    members  int32  (n_rules, 3)        literals: column j, or its negation j + n_columns; -1 none
    words    uint64 (n_rules, n_words)  covers, positive rows in the first `n_positive_words`
    """

    members: np.ndarray
    words: np.ndarray
    n_positive_words: int

    @property
    def lengths(self) -> np.ndarray:
        return (self.members >= 0).sum(axis=1)


def make_pool(X: np.ndarray, is_positive: np.ndarray, seed: int) -> Pool:
    """Take candidates from random trees of depth 1 to 3 on a 0/1 table, one row a column."""
    positions, n_positive_words, n_words = bits.bit_positions(is_positive)
    literals = np.zeros((2 * len(X) + 1, n_words), np.uint64)
    bits.pack(np.vstack([X, ~X, np.ones((1, X.shape[1]), bool)]), positions, literals)
    plain, everything = literals[: len(X)], literals[-1]
    members = np.unique(
        np.sort(_grow(plain, everything, n_positive_words, seed), axis=1)[:, ::-1], axis=0
    )
    covers = literals[members[:, 0]] & literals[members[:, 1]] & literals[members[:, 2]]
    counts = np.empty((len(members), 2), np.int64)
    bits.count_within(covers, everything, n_positive_words, counts)
    n_positive = int(is_positive.sum())
    is_frequent = counts[:, 0] >= SUPPORT * n_positive
    entropies = np.array(
        [loops.entropy(*pair, n_positive, len(is_positive) - n_positive) for pair in counts]
    )
    entropies[~is_frequent] = np.inf
    best = np.argsort(entropies, kind="stable")[: min(POOL_SIZE, is_frequent.sum())]
    return Pool(members[best], covers[best], n_positive_words)


def _grow(
    plain: np.ndarray, everything: np.ndarray, n_positive_words: int, seed: int
) -> np.ndarray:
    paths = []
    for depth in range(1, LONGEST + 1):
        n_trees = int(min((2 * len(plain)) ** depth, MOST_TREES))
        out = np.empty((n_trees * 2**depth, LONGEST), np.int32)
        args = plain, everything, n_positive_words, depth, n_trees, seed + depth
        paths.append(out[: loops.grow_paths(*args, out)])
    return np.vstack(paths)
