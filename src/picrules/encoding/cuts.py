"""Where to cut the numbers of a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def equal_width_cuts(numbers: NDArray[np.float64], n_parts: int) -> NDArray[np.float64]:
    """Cut the range of a column into parts of equal width.

    The cuts stand at `min + i * (max - min) / n_parts`, and a number belongs to the part
    with `lower < number <= upper`.

    Parameters
    ----------
    numbers : array of shape (n_rows,)
        Training values; NaN is missing.
    n_parts : int
        How many parts.

    Returns
    -------
    array of shape (n_cuts,)
        Increasing cuts, at most `n_parts - 1`; none when the column has fewer than two values.
    """
    known = numbers[~np.isnan(numbers)]
    if known.size == 0:
        return np.empty(0)
    low, high = known.min(), known.max()
    steps = np.arange(1, n_parts)
    with np.errstate(over="ignore"):
        reach = (high - low) * n_parts
    if np.isfinite(reach):
        cuts = low + steps * (high - low) / n_parts
    else:  # the range itself is larger than any float
        cuts = low * (1 - steps / n_parts) + high * (steps / n_parts)
    inside: NDArray[np.float64] = np.unique(cuts[(low <= cuts) & (cuts < high)])
    return inside


def shorten_cuts(cuts: NDArray[np.float64], numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round cuts to 12 digits, unless a number of the column would change sides.

    This takes away float noise, so that a cut can be printed exactly and still be read.

    Parameters
    ----------
    cuts : array of shape (n_cuts,)
        Increasing cuts.
    numbers : array of shape (n_rows,)
        The training values they cut.

    Returns
    -------
    array of shape (n_cuts,)
        Cuts that part the numbers in the same way.

    Examples
    --------
    >>> shorten_cuts(np.array([0.30000000000000004, 0.5]), np.array([0.1, 0.6]))
    array([0.3, 0.5])
    """
    rounded = [float(f"{cut:.12g}") for cut in cuts]
    pairs = zip(cuts.tolist(), rounded, strict=True)
    return np.unique([short if _part_alike(cut, short, numbers) else cut for cut, short in pairs])


def _part_alike(cut: float, other: float, numbers: NDArray[np.float64]) -> bool:
    """Whether no number lies between two cuts."""
    return cut == other or not ((min(cut, other) < numbers) & (numbers <= max(cut, other))).any()
