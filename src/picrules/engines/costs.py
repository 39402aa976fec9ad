"""What the steps of a search cost, and what to keep by it."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

from picrules.kernels.search import FEW_WORDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Pairs are shared when that saves more than this, in nanoseconds: a kernel has to be loaded.
SHARING = 2e7


@dataclass(frozen=True, slots=True)
class Costs:
    """Nanoseconds of the steps that searches consist of, fitted to `benchmarks/planner.py`."""

    table_call: float = 1e5  # begin a search
    table_subset: float = 300.0  # begin with a set of features
    table_row: float = 0.6  # count a training row in a table
    table_sort: float = 8.0  # number an occupied cell, times the binary logarithm of the rows
    table_entry: float = 2.0  # score one class of a cell
    table_query: float = 1.2  # look a query up in a table
    bitmap_query: float = 2500.0  # begin with a query
    bitmap_condition: float = 25.0  # begin with a condition of a query
    bitmap_block: float = 250.0  # begin with a set of covers
    bitmap_cover: float = 0.1  # judge a cover, for each class
    bitmap_each: float = 8.0  # begin with one cover, where covers have many words
    bitmap_word: float = 0.12  # AND and count a word
    pair_count: float = 12.0  # begin with a pair of conditions that all rows share
    pair_read: float = 0.8  # look a pair up, for each class


COSTS = Costs()


def cover_cost(n_words: int, n_classes: int) -> float:
    """Estimate how long a cover of so many words takes to count and judge."""
    cost = COSTS.bitmap_cover * n_classes + COSTS.bitmap_word * n_words
    return cost + COSTS.bitmap_each if n_words > FEW_WORDS else cost


def count_pairs_cost(n_codes: NDArray[np.int64], n_words: int) -> float:
    """Estimate how long it takes to count every two conditions of different features."""
    n_conditions = int(n_codes.sum())
    n_pairs = (n_conditions**2 - int((n_codes**2).sum())) // 2
    return n_pairs * (COSTS.pair_count + COSTS.bitmap_word * n_words)


def pairs_pay(n_codes: NDArray[np.int64], n_words: int, n_classes: int, n_queries: int) -> bool:
    """Tell whether to count every two conditions once, for all rows to classify.

    Parameters
    ----------
    n_codes : int64 array of shape (n_features,)
        How many conditions each feature has.
    n_words : int
        Words of a cover.
    n_classes : int
        How many classes there are.
    n_queries : int
        How many rows will be classified.

    Returns
    -------
    bool
        Whether that is faster than counting the pairs of each row.
    """
    read = COSTS.pair_read * n_classes
    saved = n_queries * comb(len(n_codes), 2) * (cover_cost(n_words, n_classes) - read)
    return saved > count_pairs_cost(n_codes, n_words) + SHARING
