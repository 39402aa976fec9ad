"""The quality of a rule, and bounds on the quality of longer ones, from integer counts.

The paper's A(r, D) is `score`, its ub(r, D) is `ub` and its con(r, D) is `con`. The formula
itself stands in `kernels.measures`, where the engines call it.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

import numpy as np

from picrules.kernels import measures

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def precision(hits: int, cover_size: int) -> float:
    """Return the share of the cover that belongs to the rule's class; NaN without any row."""
    return float(hits / cover_size) if cover_size else nan


def recall(hits: int, class_size: int) -> float:
    """Return the share of the rule's class that the rule covers."""
    return float(hits / class_size)


def score(hits: int, cover_size: int, class_size: int, alpha: float) -> float:
    """Return `alpha * precision + (1 - alpha) * recall`."""
    return float(measures.score(hits, cover_size, class_size, alpha))


def con(class_counts: ArrayLike, class_sizes: ArrayLike, alpha: float) -> float:
    """Bound the score of every rule that adds conditions to a rule with these class counts."""
    counts, sizes = np.asarray(class_counts, np.int64), np.asarray(class_sizes, np.int64)
    return max(
        float(measures.best_possible(hits, 0, size, alpha))
        for hits, size in zip(counts, sizes, strict=True)
    )


def ub(subrule_counts: ArrayLike, class_sizes: ArrayLike, alpha: float) -> float:
    """Bound the score of a rule from the class counts of the rules with one condition fewer.

    `subrule_counts` has the shape (length, n_classes).
    """
    return con(np.min(np.asarray(subrule_counts, np.int64), axis=0), class_sizes, alpha)
