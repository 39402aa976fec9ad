"""From class counts to probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# How far the predicted class stands above a class that is as probable.
_LEAD = 1e-9


def class_probabilities(
    counts: NDArray[np.int64], labels: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Turn the class counts of each row's rule, (n_rows, n_classes), into probabilities.

    Each row sums to 1, and its largest entry is at the predicted class. One is added to every
    count. A rule may predict a class that is not the most frequent one in its cover, because
    recall counts too; then the classes above the predicted one share their probability with it
    equally: the nearest probabilities whose highest is the prediction.

    Examples
    --------
    >>> class_probabilities(np.array([[7, 1]]), np.array([0]))
    array([[0.8, 0.2]])
    """
    smoothed = (counts + 1) / (counts + 1).sum(axis=1, keepdims=True)
    for row in np.flatnonzero(smoothed.argmax(axis=1) != labels):
        _raise_to_top(smoothed[row], labels[row])
    return smoothed  # type: ignore[no-any-return]


def _raise_to_top(probabilities: NDArray[np.float64], label: np.int64) -> None:
    order = np.argsort(-probabilities, kind="stable")
    others = order[order != label]
    total = probabilities[label]
    for n_shared, other in enumerate(others, start=1):
        total += probabilities[other]
        share = total / (n_shared + 1)
        following = others[n_shared : n_shared + 1]
        if not (probabilities[following] > share).any():
            break
    probabilities[others[:n_shared]] = share - _LEAD / n_shared
    probabilities[label] = share + _LEAD
