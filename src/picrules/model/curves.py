"""How often predictions are right, by their lead: a curve that never falls.

Of few rows little is known: what a curve says is drawn to what is known before, as if by a few more
rows that tell it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import isotonic_regression  # scikit-learn's checks take 50 times as long

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A lead over a class without any rule counts as a very large one.
LARGEST_LEAD = 1e6

# As many rows as tell what is known before, in each block of a curve.
PRIOR_ROWS = 16.0

# How firmly the level and the slope of a curve are held to those of all classes, in rows.
HELD = 4.0

# Log odds are not taken further than this.
FARTHEST = 8.0

# How often, and how closely, what adds to log odds is looked for; and the digits that are kept.
STEPS, CLOSE, DIGITS = 25, 1e-9, 6


@dataclass(frozen=True)
class Curve:
    """The share of right predictions by their lead."""

    leads: NDArray[np.float64]  # (n_knots,): increasing
    shares: NDArray[np.float64]  # (n_knots,): never falling
    sizes: NDArray[np.float64]  # (n_knots,): how many left-out rows tell it

    def at(self, leads: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the shares at some leads, and how many left-out rows tell them."""
        shares = np.interp(leads, self.leads, self.shares)
        return shares, np.interp(leads, self.leads, self.sizes)


def fit_curve(
    leads: NDArray[np.float64], right: NDArray[np.float64], known: NDArray[np.float64]
) -> Curve:
    """Learn a curve from left-out predictions; `known` has the shares known before.

    Isotonic regression joins rows into blocks; the share of each is that from its first lead to
    its last.
    """
    order = np.lexsort((-right, leads))  # so that equal leads are in one block
    rising = isotonic_regression(right[order]).x
    starts = np.flatnonzero(np.diff(rising, prepend=-1.0))
    sizes = np.diff([*starts, len(order)]).astype(np.float64)

    def mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
        means: NDArray[np.float64] = np.add.reduceat(values[order], starts) / sizes
        return means

    rows = sizes + PRIOR_ROWS
    shares = (sizes * mean(right) + PRIOR_ROWS * mean(known)) / rows
    shares = isotonic_regression(shares, weights=rows).x
    stops = np.array([*starts[1:], len(order)]) - 1
    ends = np.stack([leads[order[starts]], leads[order[stops]]], axis=1).ravel()
    knots, first = np.unique(ends, return_index=True)
    return Curve(knots, np.repeat(shares, 2)[first], np.repeat(sizes, 2)[first])


def match(leads: NDArray[np.float64], final: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give leads the lengths of others of the same rows: the longest that of the longest."""
    _, numbers, sizes = np.unique(leads, return_inverse=True, return_counts=True)
    stops = np.cumsum(sizes)
    sums = np.concatenate([[0.0], np.cumsum(np.sort(final))])
    means = (sums[stops] - sums[stops - sizes]) / sizes
    # By rounding, the mean of the largest leads can be a hair above them.
    matched: NDArray[np.float64] = np.minimum(means, LARGEST_LEAD)[numbers]
    return matched


def fit_stretch(known: NDArray[np.float64], right: NDArray[np.float64]) -> tuple[float, float]:
    """Find how log odds of shares known before are to be moved and stretched."""
    odds = to_odds(known)
    design = np.stack([np.ones(len(odds)), odds], axis=1)
    level, more = fit_line(design, right, odds, HELD).tolist()
    return level, max(1 + more, 0.0)


def stretch(known: NDArray[np.float64], line: tuple[float, float]) -> NDArray[np.float64]:
    """Move and stretch shares on the scale of log odds."""
    return from_odds(line[0] + line[1] * to_odds(known))


def fit_line(
    design: NDArray[np.float64],
    right: NDArray[np.float64],
    odds: NDArray[np.float64],
    held: float,
) -> NDArray[np.float64]:
    """Find what columns add to log odds, so that what happened is most likely.

    What each adds is held to 0 as if by so many rows; it is rounded, so that the same rows say the
    same everywhere.
    """
    added = np.zeros(design.shape[1])
    for _ in range(STEPS):
        shares = from_odds(odds + design @ added)
        slopes = design.T @ (right - shares) - held * added
        bends = (design * (shares * (1 - shares))[:, np.newaxis]).T @ design
        step = np.linalg.solve(bends + held * np.eye(len(added)), slopes)
        added += np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < CLOSE:
            break
    return added.round(DIGITS)


def likelihood(shares: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm of how likely what happened is by some shares."""
    odds = to_odds(shares)
    logs: NDArray[np.float64] = right * odds - np.logaddexp(0, odds)
    return logs


def to_odds(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log odds of shares."""
    with np.errstate(divide="ignore"):
        odds: NDArray[np.float64] = np.clip(np.log(shares / (1 - shares)), -FARTHEST, FARTHEST)
    return odds


def from_odds(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shares that have these log odds."""
    shares: NDArray[np.float64] = 1 / (1 + np.exp(-odds))
    return shares
