"""From scores to probabilities: of leave-one-out predictions like this one, how many were right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.isotonic import isotonic_regression

from picrules.model.probability import class_probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Calibration:
    """How often a prediction is right, by how far its class is ahead of the next.

    Attributes
    ----------
    leads : float64 array of shape (n_knots,)
        Increasing leads of the predicted class over the next.
    shares : float64 array of shape (n_knots,)
        Share of the predictions with such a lead that were right, never decreasing.
    errors : float64 array of shape (n_classes, n_classes)
        Of the wrong predictions of each class, the share of each true class.
    """

    leads: NDArray[np.float64]
    shares: NDArray[np.float64]
    errors: NDArray[np.float64]

    def probabilities(
        self,
        scores: NDArray[np.float64],
        labels: NDArray[np.int64],
        class_sizes: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Estimate the probability of each class.

        Parameters
        ----------
        scores : float64 array of shape (n_rows, n_classes)
            Scores plus class offsets.
        labels : int64 array of shape (n_rows,)
            The predicted classes.
        class_sizes : int64 array of shape (n_classes,)
            Training rows of each class: what is known about a row that no rule covers.

        Returns
        -------
        float64 array of shape (n_rows, n_classes)
            Each row sums to 1, and its largest entry is at the predicted class.
        """
        rows = np.arange(len(labels))
        n_classes = scores.shape[1]
        if n_classes == 1:
            return np.ones((len(labels), 1))
        right: NDArray[np.float64] = np.interp(lead(scores, labels), self.leads, self.shares)
        errors = self.errors[labels]
        # The predicted class stays ahead of every other: wherever its share is too small, all
        # that the others may not have is its own.
        highest = errors.max(axis=1)
        right = np.maximum(right, highest / (1 + highest) + 1e-9)
        probabilities: NDArray[np.float64] = errors * (1 - right)[:, np.newaxis]
        probabilities[rows, labels] = right
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
    rival = others.max(axis=1)
    with np.errstate(invalid="ignore"):
        leads: NDArray[np.float64] = np.where(np.isneginf(own), 0.0, own - rival)
    return leads


def fit_calibration(
    scores: NDArray[np.float64],
    predicted: NDArray[np.int64],
    labels: NDArray[np.int64],
) -> Calibration:
    """Learn from leave-one-out predictions how often a prediction is right.

    Parameters
    ----------
    scores : float64 array of shape (n_rows, n_classes)
        Leave-one-out scores plus class offsets.
    predicted : int64 array of shape (n_rows,)
        The class with the highest.
    labels : int64 array of shape (n_rows,)
        The true classes.

    Returns
    -------
    Calibration
        Shares of right predictions by lead, and of errors by class.
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
    knots, shares = _rising_shares(leads, is_right)
    return Calibration(knots, shares, errors)


def _rising_shares(
    leads: NDArray[np.float64], is_right: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Share of right predictions by lead, never decreasing.

    Isotonic regression joins rows into blocks; each block is counted with one right and one
    wrong prediction more, and stands for its mean lead.
    """
    order = np.lexsort((is_right, leads))
    rising = isotonic_regression(is_right[order].astype(np.float64))
    starts = np.flatnonzero(np.diff(rising, prepend=-1.0))
    blocks = np.split(order, starts[1:])
    sizes = np.array([len(block) + 2.0 for block in blocks])
    shares = (np.array([is_right[block].sum() for block in blocks]) + 1) / sizes
    knots, first = np.unique([_finite_mean(leads[block]) for block in blocks], return_index=True)
    return knots, isotonic_regression(shares, sample_weight=sizes)[first]


def _finite_mean(values: NDArray[np.float64]) -> float:
    """Mean of the values; a lead over a class without any rule counts as a very large one."""
    return float(np.minimum(values, 1e6).mean())
