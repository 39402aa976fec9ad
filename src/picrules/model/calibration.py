"""From scores, or from the class counts of a rule, to probabilities.

From scores: of leave-one-out predictions like this one, how many were right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.isotonic import isotonic_regression

if TYPE_CHECKING:
    from numpy.typing import NDArray

# How far the predicted class stands above a class that is as probable.
_LEAD = 1e-9


@dataclass(frozen=True)
class Calibration:
    """How often a prediction is right, by how far its class is ahead of the next."""

    leads: NDArray[np.float64]  # (n_knots,): of the predicted class over the next; increasing
    shares: NDArray[np.float64]  # (n_knots,): of right predictions with that lead; never falling
    errors: NDArray[np.float64]  # (n_classes, n_classes): true classes of wrong predictions of each

    def probabilities(
        self,
        scores: NDArray[np.float64],
        labels: NDArray[np.int64],
        class_sizes: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Return the probability of each class, (n_rows, n_classes), highest at the labels.

        `scores` are those of the classes plus offsets, and `labels` the predictions. The class
        sizes are what is known about a row that no rule covers.
        """
        if scores.shape[1] == 1:
            return np.ones((len(labels), 1))
        right: NDArray[np.float64] = np.interp(lead(scores, labels), self.leads, self.shares)
        errors = self.errors[labels]
        # The predicted class stays ahead of every other: wherever its share is too small, all
        # that the others may not have is its own.
        highest = errors.max(axis=1)
        right = np.maximum(right, highest / (1 + highest) + _LEAD)
        probabilities: NDArray[np.float64] = errors * (1 - right)[:, np.newaxis]
        probabilities[np.arange(len(labels)), labels] = right
        bare = np.flatnonzero(~is_covered(scores))
        counts = np.tile(class_sizes, (len(bare), 1))
        probabilities[bare] = class_probabilities(counts, labels[bare])
        return probabilities


def is_covered(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which rows have a rule for some class."""
    return np.asarray((scores > -np.inf).any(axis=1))


def lead(scores: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how far the predicted class is ahead of the next; 0 where no class has a rule."""
    rows = np.arange(len(labels))
    own = scores[rows, labels]
    others = scores.copy()
    others[rows, labels] = -np.inf
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(own), 0.0, own - others.max(axis=1))


def fit_calibration(
    scores: NDArray[np.float64], predicted: NDArray[np.int64], labels: NDArray[np.int64]
) -> Calibration:
    """Learn from leave-one-out predictions how often a prediction is right.

    `scores`, (n_rows, n_classes), have the class offsets added; `labels` are the true classes.
    """
    n_classes = scores.shape[1]
    covered = is_covered(scores)
    if covered.any():  # the others are judged by the shares of the classes
        scores, predicted, labels = scores[covered], predicted[covered], labels[covered]
    leads = lead(scores, predicted)
    is_right = predicted == labels
    errors = np.ones((n_classes, n_classes))
    np.add.at(errors, (predicted[~is_right], labels[~is_right]), 1)
    np.fill_diagonal(errors, 0)
    errors /= np.maximum(errors.sum(axis=1, keepdims=True), 1)
    return Calibration(*_rising_shares(leads, is_right), errors)


def _rising_shares(
    leads: NDArray[np.float64], is_right: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return leads, and the shares of right predictions at them, never decreasing.

    Isotonic regression joins rows into blocks; each block is counted with one right and one
    wrong prediction more, and stands for its mean lead.
    """
    order = np.lexsort((is_right, leads))
    rising = isotonic_regression(is_right[order].astype(np.float64))
    starts = np.flatnonzero(np.diff(rising, prepend=-1.0))
    blocks = np.split(order, starts[1:])
    sizes = np.array([len(block) + 2.0 for block in blocks])
    shares = (np.array([is_right[block].sum() for block in blocks]) + 1) / sizes
    # A lead over a class without any rule counts as a very large one.
    means = [np.minimum(leads[block], 1e6).mean() for block in blocks]
    knots, first = np.unique(means, return_index=True)
    return knots, isotonic_regression(shares, sample_weight=sizes)[first]


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
    smoothed: NDArray[np.float64] = (counts + 1) / (counts + 1).sum(axis=1, keepdims=True)
    for row in np.flatnonzero(smoothed.argmax(axis=1) != labels):
        _raise_to_top(smoothed[row], labels[row])
    return smoothed


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
