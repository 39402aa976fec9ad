"""Where to cut the numbers of a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def equal_width_cuts(numbers: NDArray[np.float64], n_parts: int) -> NDArray[np.float64]:
    """Cut the range of a column into parts of equal width.

    The cuts stand at `min + i * (max - min) / n_parts`, and a number belongs to the part
    with `lower < number <= upper`. Each cut is rounded to 12 digits, which takes away
    float noise such as 0.30000000000000004, unless a number of the column would change sides.

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

    Examples
    --------
    >>> import numpy as np
    >>> equal_width_cuts(np.array([0.1, 0.3, 0.6]), 5)
    array([0.2, 0.3, 0.4, 0.5])
    """
    known = np.unique(numbers[~np.isnan(numbers)])
    if known.size < 2:
        return np.empty(0)
    low, high = known[0], known[-1]
    steps = np.arange(1, n_parts)
    with np.errstate(over="ignore"):
        width = high - low
    if np.isfinite(width) and np.isfinite(width * n_parts):
        exact = low + steps * width / n_parts
    else:  # the range itself is larger than any float
        exact = low * (1 - steps / n_parts) + high * (steps / n_parts)
    rounded = np.array([float(f"{cut:.12g}") for cut in exact])
    same_side = np.searchsorted(known, exact, "right") == np.searchsorted(known, rounded, "right")
    cuts = np.unique(np.where(same_side, rounded, exact))
    inside: NDArray[np.float64] = cuts[(low <= cuts) & (cuts < high)]
    return inside
