"""From numbers to codes: how many cuts lie below each."""

from __future__ import annotations

import numpy as np

from picrules.kernels.jit import kernel

# Rows that are compared with one cut after the other: they lie in the fastest cache.
TILE = 512


@kernel()
def count_cuts(numbers, cuts, out):
    """Count the cuts below each number; -1 where it is missing.

    All cuts are compared, for many rows at a time in vectors: 1.7 ns for 30 of them, where halving
    takes 25 ns as no branch is foreseen.

    numbers  float64 (n_rows,)  NaN is missing
    cuts     float64 (n_cuts,)
    out      int32   (n_rows,)  overwritten
    """
    one, none = np.int32(1), np.int32(0)
    for start in range(0, numbers.shape[0], TILE):
        own, codes = numbers[start : start + TILE], out[start : start + TILE]
        for row in range(own.shape[0]):
            codes[row] = -np.int32(own[row] != own[row])
        for position in range(cuts.shape[0]):
            cut = cuts[position]
            for row in range(own.shape[0]):
                codes[row] += one if own[row] > cut else none


@kernel()
def widen(numbers, codes, ends):
    """Move the ends of the parts that numbers lie in, so that these hold them.

    numbers  float64 (n_rows,)
    codes    int32   (n_rows,)    the part of each; -1 where it is missing
    ends     float64 (2, n_parts) the least and the largest number of each part; updated
    """
    lows, highs = ends[0], ends[1]
    for row in range(numbers.shape[0]):
        if codes[row] >= 0:
            # Unsigned, or the index would be tested for being negative.
            number, part = numbers[row], np.uint64(codes[row])
            # Few numbers move an end: branches that are foreseen take half the time of writing.
            if number < lows[part]:  # noqa: PLR1730
                lows[part] = number
            if number > highs[part]:  # noqa: PLR1730
                highs[part] = number
