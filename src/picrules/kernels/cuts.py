"""From numbers to codes: how many cuts lie below each."""

from __future__ import annotations

import numpy as np

from picrules.kernels.jit import kernel


@kernel()
def count_cuts(numbers, cuts, out):
    """Count the cuts below each number; -1 where it is missing.

    All cuts are compared: 5 ns for 30 of them, where halving takes 25 ns as no branch is foreseen.

    numbers  float64 (n_rows,)  NaN is missing
    cuts     float64 (n_cuts,)
    out      int32   (n_rows,)  overwritten
    """
    for row in range(numbers.shape[0]):
        number, n_below = numbers[row], 0
        for cut in cuts:
            n_below += cut < number
        out[row] = -1 if np.isnan(number) else n_below
