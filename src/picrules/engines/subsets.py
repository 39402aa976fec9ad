"""Sets of features of one length, in lexicographic order, and sums over them."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np

from picrules.encoding.conditions import ENDLESS
from picrules.kernels.boxes import Sets

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


def n_subsets_of(n_features: int, length: int) -> int:
    """Return how many sets of that many features there are, or endless."""
    return min(comb(n_features, length), ENDLESS)


def nth_subset(n_features: int, length: int, position: int) -> NDArray[np.int64]:
    """Return the set of features at a position of the lexicographic order."""
    subset = np.empty(length, np.int64)
    feature = 0
    for level in range(length):
        following = comb(n_features - feature - 1, length - level - 1)
        while position >= following:
            position -= following
            feature += 1
            following = comb(n_features - feature - 1, length - level - 1)
        subset[level] = feature
        feature += 1
    return subset


def largest_product(counts: Iterable[int], length: int) -> int:
    """Return the largest product of that many different counts, or endless."""
    product = 1
    for count in sorted(counts, reverse=True)[:length]:
        product = min(product * max(1, count), ENDLESS)
    return product


def take_features(sets: Sets, features: Sequence[int]) -> Sets:
    """Return the conditions of some features alone, which have consecutive numbers then."""
    chosen = np.array(features, np.int64)
    first_code = np.append(0, np.cumsum(sets.n_codes))
    conditions = [np.arange(sets.first[each], sets.first[each + 1]) for each in chosen]
    codes = np.concatenate([np.arange(first_code[each], first_code[each + 1]) for each in chosen])
    every = np.concatenate(conditions)
    return Sets(
        sets.n_codes[chosen],
        np.cumsum([0, *map(len, conditions)]),
        sets.parents[every],
        sets.codes[every],
        sets.n_members[codes],
        sets.first_member[codes],
        sets.members,
    )
