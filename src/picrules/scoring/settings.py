"""Measures by name, and what a kernel needs to know to score rules by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from picrules.kernels.measures import natural_log
from picrules.kernels.scorer import NOBODY, OWN, Scorer, score_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Names of the measures.
MEASURES = ("precision", "smoothed_precision", "certainty_factor", "evidence")

HIGHEST_PRIOR = 1 - 2**-40


@dataclass(frozen=True, slots=True)
class Setting:
    """How a rule is scored.

    With p the precision after adding `smoothing` rows in the proportion of the classes:

    - `precision`: `alpha * precision + (1 - alpha) * recall`, the paper's A(r, D);
    - `smoothed_precision`: `alpha * p + (1 - alpha) * recall`;
    - `certainty_factor`: `alpha * (p - share) / (1 - share) + (1 - alpha) * recall`, where
      share is that of the class in the training rows, whatever the class weights;
    - `evidence`: `alpha * (log odds of p - log odds of share) + (1 - alpha) * log recall`.

    Each never falls with more hits, and never rises with more misses.
    """

    measure: str  # one of the names above
    alpha: float  # weight of precision, from 0 to 1; recall has the rest
    smoothing: float  # how many rows are added; 0 for `precision`, more than 0 for `evidence`


def make_scorer(
    settings: Sequence[Setting],
    class_sizes: NDArray[np.int64],
    class_weights: NDArray[np.float64],
    min_cover: int,
    *,
    is_leaving_out: bool,
) -> Scorer:
    """Prepare the scoring of rules; settings of linear measures come first, then evidence.

    With `is_leaving_out` the rows asked about are training rows, each judged by the others.
    """
    weights, groups = np.unique(class_weights, return_inverse=True)
    omitted = np.array([OWN, *range(len(weights))] if is_leaving_out else [NOBODY], np.int64)
    sizes, priors = _sizes_and_priors(class_sizes, class_weights, groups, omitted)
    # What a measure counts from is the share of the class as it is: a weight then shows.
    _, shares = _sizes_and_priors(class_sizes, np.ones(len(class_sizes)), groups, omitted)
    # The odds of a class that is alone must not be infinite.
    priors = np.minimum(priors, HIGHEST_PRIOR)
    bases = [_base(setting.measure, shares) for setting in settings]
    return Scorer(
        np.array([setting.alpha for setting in settings]),
        np.array([setting.smoothing for setting in settings]),
        sum(setting.measure != "evidence" for setting in settings),
        np.ascontiguousarray(np.stack(bases, axis=-1)),
        priors,
        sizes,
        order_classes(class_sizes),
        groups.astype(np.int64),
        weights,
        omitted,
        _omissions(groups, is_leaving_out=is_leaving_out),
        min_cover,
    )


def order_classes(class_sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return labels in the order that wins ties: the more frequent class, then the first."""
    return np.argsort(-class_sizes, kind="stable")


def empty_rule_score(
    setting: Setting,
    class_sizes: NDArray[np.int64],
    class_weights: NDArray[np.float64],
    label: int,
) -> float:
    """Return the score of the rule without conditions for a class."""
    scorer = make_scorer([setting], class_sizes, class_weights, 0, is_leaving_out=False)
    value = float(score_rule(class_sizes, scorer, label, 0))
    # Evidence of nothing is 0, up to rounding.
    return value if abs(value) > 1e-12 else 0.0


def part_of(scorer: Scorer, part: slice) -> Scorer:
    """Return the scorer with some of its settings."""
    n_linear = min(max(scorer.n_linear - part.start, 0), len(scorer.alphas[part]))
    return scorer._replace(
        alphas=scorer.alphas[part],
        smoothings=scorer.smoothings[part],
        n_linear=n_linear,
        bases=scorer.bases[:, :, part].copy("C"),
    )


def _sizes_and_priors(
    class_sizes: NDArray[np.int64],
    class_weights: NDArray[np.float64],
    groups: NDArray[np.int64],
    omitted: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return class sizes and shares of the classes, both of shape (n_omitted, n_classes)."""
    _, first = np.unique(groups, return_index=True)
    is_own = (omitted == OWN)[:, np.newaxis]
    sizes = class_sizes - is_own.astype(np.float64)
    group_left = np.where(is_own, groups, omitted[:, np.newaxis])[:, :, np.newaxis]
    rows = np.bincount(groups, class_sizes) - (group_left == np.arange(len(first)))
    totals = np.maximum((class_weights[first] * rows).sum(axis=-1), 1e-300)
    return sizes, np.minimum(class_weights * sizes / totals, 1.0)


def _base(measure: str, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what a measure counts from; with a single class it counts from 0."""
    # A class of which no row is left has no rule, whatever its base.
    is_certain = (shares >= 1) | (shares <= 0)
    if measure == "certainty_factor":
        return np.where(is_certain, 0.0, shares)
    if measure == "evidence":
        odds = np.where(is_certain, 1.0, shares / np.where(is_certain, 1.0, 1 - shares))
        return np.array([[natural_log(entry) for entry in row] for row in odds])
    return np.zeros_like(shares)


def _omissions(groups: NDArray[np.int64], *, is_leaving_out: bool) -> NDArray[np.int64]:
    n_classes = len(groups)
    omissions = np.zeros((n_classes + 1, n_classes), np.int64)
    if is_leaving_out:
        omissions[:n_classes] = 1 + groups[:, np.newaxis]
        np.fill_diagonal(omissions[:n_classes], 0)
    return omissions
