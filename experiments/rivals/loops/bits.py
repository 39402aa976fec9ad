"""Covers as bitmaps, positive rows first: pack, intersect and count them.

Positive rows fill the first words and negative rows begin a new word, so the rows of both classes
in a cover are counts over two runs of words.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from picrules.kernels.bits import popcount


def bit_positions(is_positive: np.ndarray) -> tuple[np.ndarray, int, int]:
    """Give each row its bit; also return how many words the positive rows and all rows take."""
    n_positive = int(is_positive.sum())
    n_positive_words = -(-n_positive // 64)
    positions = np.empty(len(is_positive), np.int64)
    positions[is_positive] = np.arange(n_positive)
    positions[~is_positive] = np.arange(len(is_positive) - n_positive) + 64 * n_positive_words
    return positions, n_positive_words, n_positive_words - (-(len(is_positive) - n_positive) // 64)


@njit(cache=True)
def pack(covers, positions, out):
    """Set the bits of covers.

    covers     bool   (n_covers, n_rows)
    positions  int64  (n_rows,)
    out        uint64 (n_covers, n_words)  zeros, overwritten
    """
    for cover in range(covers.shape[0]):
        for row in range(covers.shape[1]):
            if covers[cover, row]:
                bit = np.uint64(1) << np.uint64(positions[row] & 63)
                out[cover, positions[row] >> 6] |= bit


@njit(cache=True)
def count(words):
    """Count the bits set in a run of words."""
    total = np.int64(0)
    for word in range(words.shape[0]):
        total += popcount(words[word])
    return total


@njit(cache=True)
def count_within(covers, mask, n_positive_words, out):
    """Count the positive and negative rows of each cover that are in a mask.

    covers  uint64 (n_covers, n_words)
    mask    uint64 (n_words,)
    out     int64  (n_covers, 2)        overwritten: positive, negative
    """
    for cover in range(covers.shape[0]):
        for side in range(2):
            start = 0 if side == 0 else n_positive_words
            stop = n_positive_words if side == 0 else mask.shape[0]
            total = np.int64(0)
            for word in range(start, stop):
                total += popcount(covers[cover, word] & mask[word])
            out[cover, side] = total
