"""From scores, or from the class counts of a rule, to probabilities.

From scores: of leave-one-out predictions like this one, how many were right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from picrules.kernels import decision as kernels
from picrules.model.curves import (
    LARGEST_LEAD,
    Curve,
    fit_curve,
    fit_stretch,
    likelihood,
    match,
    stretch,
)
from picrules.scoring.statistics import wilson_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

# How far the predicted class stands above a class that is as probable.
_LEAD = 1e-9

# Curves of fewer than so many rows are held against other parts of them than they are learned on.
MANY_ROWS, PARTS = 5000, 5

# How many standard errors more than nothing the best of many settings tells by chance.
LUCK = 1.0

# How alike the predictions by rules with the same confidence are: the fewer, the less.
ROWS_PER_RULE = 60


@dataclass(frozen=True)
class Calibration:
    """How often predictions of each class are right, by how far the class is ahead of the next."""

    curves: tuple[Curve, ...]  # by predicted class
    errors: NDArray[np.float64]  # (n_classes, n_classes): true classes of wrong predictions of each
    # Whether the predicted class has the highest probability. With weights or costs another class
    # may be more probable, and the prediction be the better one to make.
    is_peaked: bool = True

    def probabilities(
        self,
        scores: NDArray[np.float64],
        labels: NDArray[np.int64],
        class_sizes: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Return the probability of each class, (n_rows, n_classes).

        `scores` are those of the classes plus offsets, and `labels` the predictions. The class
        sizes are what is known about a row that no rule covers.
        """
        return self.share_out(self.read(scores, labels)[0], scores, labels, class_sizes)

    def share_out(
        self,
        right: NDArray[np.float64],
        scores: NDArray[np.float64],
        labels: NDArray[np.int64],
        class_sizes: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Return the probability of each class where that of the predicted one is known."""
        if scores.shape[1] == 1:
            return np.ones((len(labels), 1))
        errors = self.errors[labels]
        if self.is_peaked:
            # The predicted class stays ahead of every other: wherever its share is too small, all
            # that the others may not have is its own.
            highest = self.errors.max(axis=1)[labels]
            right = np.maximum(right, highest / (1 + highest) + _LEAD)
        probabilities: NDArray[np.float64] = errors * (1 - right)[:, np.newaxis]
        probabilities[np.arange(len(labels)), labels] = right
        bare = np.flatnonzero(~is_covered(scores))
        if bare.size:
            counts = np.tile(class_sizes, (len(bare), 1))
            probabilities[bare] = class_probabilities(counts, labels[bare])
        return probabilities

    @property
    def is_counted(self) -> bool:
        """Whether it is known how many rows tell it; not in files of the first formats."""
        return all(bool(curve.sizes.all()) for curve in self.curves)

    def stretched(self, line: tuple[float, float], n_rows: int) -> Calibration:
        """Return the same with all shares moved and stretched on the scale of log odds."""
        least = 1 / (n_rows + 2)
        shares = (stretch(each.shares, line).clip(least, 1 - least) for each in self.curves)
        curves = zip(self.curves, shares, strict=True)
        return replace(self, curves=tuple(replace(each, shares=own) for each, own in curves))

    def read(
        self, scores: NDArray[np.float64], labels: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how often predictions are right, and how many left-out rows tell it."""
        return _read(self.curves, lead(scores, labels), labels)


def interval_of(share: float, n_rows: float) -> tuple[float, float]:
    """Return the 95% interval of a share of right predictions that so many left-out rows tell.

    The share is that of all predictions alike; that of one rule's differs from it as if it were
    known from `ROWS_PER_RULE` rows.
    """
    n_known = 1 / (1 / n_rows + 1 / ROWS_PER_RULE)
    return wilson_interval(share * n_known, n_known)


def is_covered(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which rows have a rule for some class."""
    covered = np.empty(len(scores), np.bool_)
    kernels.is_covered(np.ascontiguousarray(scores), covered)
    return covered


def lead(scores: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how far the predicted class is ahead of the next; 0 where no class has a rule."""
    leads = np.empty(len(labels))
    kernels.lead(np.ascontiguousarray(scores), labels, leads)
    return leads


def fit_calibration(
    scores: NDArray[np.float64],
    predicted: NDArray[np.int64],
    labels: NDArray[np.int64],
    *,
    is_right: NDArray[np.bool_] | None = None,
    final: NDArray[np.float64] | None = None,
    is_peaked: bool = True,
    is_chosen: bool = True,
) -> Calibration:
    """Learn from leave-one-out predictions how often predictions of each class are right.

    `scores`, (n_rows, n_classes), have the class offsets added; `labels` are the true classes. The
    curve of a class is drawn to that of all classes, moved and stretched as its own rows tell.
    `is_right` tells which are right where settings were chosen on other rows, if that is known, and
    `final` has the scores by what decides in the end, where the others are of parts of the rows.
    `is_chosen` tells whether settings were chosen by how many of these predictions are right.
    """
    n_classes = scores.shape[1]
    leads = np.minimum(lead(scores, predicted), LARGEST_LEAD)
    covered = is_covered(scores)
    if final is not None:
        leads = match(leads, np.minimum(lead(final, final.argmax(axis=1)), LARGEST_LEAD))
    is_right = predicted == labels if is_right is None else is_right
    if covered.any():  # the others are judged by the shares of the classes
        leads, predicted, labels = leads[covered], predicted[covered], labels[covered]
        is_right = is_right[covered]
    is_wrong = predicted != labels
    errors = np.ones((n_classes, n_classes))
    np.add.at(errors, (predicted[is_wrong], labels[is_wrong]), 1)
    np.fill_diagonal(errors, 0)
    errors /= np.maximum(errors.sum(axis=1, keepdims=True), 1)
    shares = (np.bincount(labels, minlength=n_classes) + 1) / (len(labels) + n_classes)
    curves = _fit_curves(leads, predicted, is_right.astype(np.float64), shares, is_chosen=is_chosen)
    return Calibration(curves, errors, is_peaked)


def _fit_curves(
    leads: NDArray[np.float64],
    predicted: NDArray[np.int64],
    right: NDArray[np.float64],
    shares: NDArray[np.float64],
    *,
    is_chosen: bool,
) -> tuple[Curve, ...]:
    """Learn a curve for each class, drawn to the share of the class as far as it may be luck."""
    curves, parts = _by_class(leads, predicted, right, len(shares)), np.arange(len(leads)) % PARTS
    if MANY_ROWS > len(leads) >= PARTS:
        told = np.empty(len(leads))
        for part in range(PARTS):
            own, rest = parts == part, parts != part
            found = _by_class(leads[rest], predicted[rest], right[rest], len(shares))
            told[own] = _read(found, leads[own], predicted[own])[0]
        line = fit_stretch(told, right)
        gains = likelihood(told, right) - likelihood(shares[predicted], right)
        kept = _kept(gains, is_chosen=is_chosen)
        curves = tuple(
            replace(curve, shares=kept * stretch(curve.shares, line) + (1 - kept) * share)
            for curve, share in zip(curves, shares.tolist(), strict=True)
        )
    # Nothing is surer than what was always so would be after as many rows.
    least = 1 / (len(leads) + 2)
    return tuple(replace(each, shares=each.shares.clip(least, 1 - least)) for each in curves)


def _kept(gains: NDArray[np.float64], *, is_chosen: bool) -> float:
    """Return the share of what leads tell about other rows that is kept.

    What is z standard errors from nothing is kept but for 1 / z ** 2 of it (James and Stein), and
    z ** 2 is twice the gain of likelihood. The best of many settings that tell nothing tells more
    by chance, a gain of about `LUCK` standard errors: what is not more is nothing, and what is
    much more is nearly all true.
    """
    if not is_chosen:
        return 1.0 - float(min(1 / max(2 * gains.sum(), 1e-12), 1.0))
    luck = LUCK * np.sqrt((gains**2).sum()) / len(gains)
    return 1.0 - float(min((luck / max(gains.mean(), 1e-12)) ** 2, 1.0))


def _by_class(
    leads: NDArray[np.float64],
    predicted: NDArray[np.int64],
    right: NDArray[np.float64],
    n_classes: int,
) -> tuple[Curve, ...]:
    """Learn a curve for each class, from its own rows and from those of all classes."""
    share = (right.sum() + 1) / (len(leads) + 2)
    common = fit_curve(leads, right, np.full(len(leads), share))
    curves = [common] * n_classes
    for label in np.unique(predicted).tolist():
        own = predicted == label
        known = common.at(leads[own])[0]
        known = stretch(known, fit_stretch(known, right[own]))
        curves[label] = fit_curve(leads[own], right[own], known)
    return tuple(curves)


def _read(
    curves: tuple[Curve, ...], leads: NDArray[np.float64], labels: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if len(labels) == 1:
        return curves[int(labels[0])].at(leads)
    right, sizes = np.empty(len(labels)), np.empty(len(labels))
    for label in np.flatnonzero(np.bincount(labels)).tolist():
        own = np.flatnonzero(labels == label)
        right[own], sizes[own] = curves[label].at(leads[own])
    return right, sizes


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
