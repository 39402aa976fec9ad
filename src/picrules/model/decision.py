"""The class offset: what is added to the scores of a class before the highest wins.

The best rules of a rare class score lower than those of a frequent one, or the other way round;
how much so is seen on the training rows, each judged by the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from picrules.kernels import decision as kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The offset is taken where the rows around it, this share of all on either side, do well too.
NEIGHBOURS = 1 / 50

# How often the offsets of all classes are gone through when there are more than two.
PASSES = 2

# Parts of the rows; the offset for each is found on the others.
PARTS = 5


def decide(
    scores: NDArray[np.float64],
    class_sizes: NDArray[np.int64],
    left_out: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return the class with the highest score, of shape (n_rows, n_classes), for each row.

    A score is that of the best rule for the class plus its offset, -inf without a rule. The larger
    class wins a tie, and where no class has a rule; of equally large ones the first. `left_out` has
    the class of each row where the row itself does not count.
    """
    labels = np.empty(len(scores), np.int64)
    own = np.empty(0, np.int64) if left_out is None else left_out
    kernels.decide(np.ascontiguousarray(scores), class_sizes, own, labels)
    return labels


def fit_offset(
    scores: NDArray[np.float64], labels: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Find the class offsets with which most rows are right; 0 for the first class of two.

    `scores` are those of leaving each row out, of shape (n_rows, n_classes), `labels` the true
    classes, and `weights` what it is worth to be right about each row.
    """
    n_classes = scores.shape[1]
    offset = np.zeros(n_classes)
    # Of two classes, an offset of the second says all, and it is found at once.
    for label in [1] if n_classes == 2 else [*range(n_classes)] * PASSES:
        offset[label] = _best_for_class(scores, offset, label, labels, weights)
    return offset


def cross_fit(
    scores: NDArray[np.float64],
    labels: NDArray[np.int64],
    weights: NDArray[np.float64],
    parts: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Add to the scores of each part of the rows the offset that `fit_offset` finds on the others.

    `parts` has the part of each row.
    """
    shifted = scores.copy()
    for part in np.unique(parts):
        is_in = parts == part
        if not is_in.all():
            shifted[is_in] += fit_offset(scores[~is_in], labels[~is_in], weights[~is_in])
    return shifted


def _best_for_class(
    scores: NDArray[np.float64],
    offset: NDArray[np.float64],
    label: int,
    labels: NDArray[np.int64],
    weights: NDArray[np.float64],
) -> float:
    """Find the offset of one class, the others given.

    A row goes to the class once its offset exceeds the row's limit: what the best of the other
    classes is ahead by. So one pass over the rows, sorted by limit, counts who is right.
    """
    others = scores + offset
    others[:, label] = -np.inf
    rivals = others.argmax(axis=1)
    with np.errstate(invalid="ignore"):
        limits = others[np.arange(len(labels)), rivals] - scores[:, label]
    gains = weights * ((labels == label) * 1.0 - (rivals == labels))
    is_movable = np.isfinite(limits)
    order = np.argsort(limits[is_movable], kind="stable")
    limits, gains = limits[is_movable][order], gains[is_movable][order]
    if limits.size == 0:
        return float(offset[label])
    worth = np.concatenate(([0.0], np.cumsum(gains)))
    around = _mean_around(worth, max(1, int(len(labels) * NEIGHBOURS)))
    # Between equal limits there is no room for an offset.
    around[1:-1][limits[1:] <= limits[:-1]] = -np.inf
    between = (limits[1:] + limits[:-1]) / 2
    middles = np.concatenate(([limits[0] - 1e-3], between, [limits[-1] + 1e-3]))
    best = np.flatnonzero(around >= around.max() - 1e-9)
    return float(middles[best[np.abs(middles[best]).argmin()]])


def _mean_around(values: NDArray[np.float64], reach: int) -> NDArray[np.float64]:
    """Return the mean of each value and of up to `reach` neighbours on either side."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    own = np.arange(len(values))
    low, high = np.maximum(own - reach, 0), np.minimum(own + reach + 1, len(values))
    means: NDArray[np.float64] = (sums[high] - sums[low]) / (high - low)
    return means
