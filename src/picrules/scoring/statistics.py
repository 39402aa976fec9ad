"""What counts say beyond themselves: intervals and p-values."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# The 97.5% point of the normal distribution.
_Z = 1.959963984540054


def wilson_interval(hits: float, n_rows: float) -> tuple[float, float]:
    """Return the ends of the 95% Wilson interval of the share `hits / n_rows`.

    Without any row they are 0 and 1: nothing is known.
    """
    if n_rows == 0:
        return 0.0, 1.0
    share, weight = hits / n_rows, _Z**2 / n_rows
    middle = (share + weight / 2) / (1 + weight)
    reach = _Z * sqrt(share * (1 - share) / n_rows + weight / (4 * n_rows)) / (1 + weight)
    # At the ends the formula is exact, but its rounding is not.
    lower = 0.0 if hits == 0 else max(middle - reach, 0.0)
    return lower, 1.0 if hits == n_rows else min(middle + reach, 1.0)


def wilson_intervals(
    hits: NDArray[np.int64], n_rows: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what `wilson_interval` does, for many shares at once."""
    with np.errstate(invalid="ignore", divide="ignore"):
        share, weight = hits / n_rows, _Z**2 / n_rows
        middle = (share + weight / 2) / (1 + weight)
        reach = _Z * np.sqrt(share * (1 - share) / n_rows + weight / (4 * n_rows)) / (1 + weight)
    lower = np.where(hits == 0, 0.0, np.maximum(middle - reach, 0.0))
    return lower, np.where(hits == n_rows, 1.0, np.minimum(middle + reach, 1.0))


def fisher_p_value(hits: int, cover_size: int, class_size: int, n_rows: int) -> float:
    """Return Fisher's exact p-value that a cover has `hits` rows of a class, or more."""
    from scipy.stats import hypergeom  # noqa: PLC0415  (half a second, and seldom asked for)

    return float(min(hypergeom.sf(hits - 1, n_rows, class_size, cover_size), 1.0))


def adjust_p_values(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return Benjamini and Hochberg's false discovery rate at which each p-value is significant."""
    from scipy.stats import false_discovery_control  # noqa: PLC0415

    adjusted: NDArray[np.float64] = false_discovery_control(np.asarray(p_values, np.float64))
    return adjusted
