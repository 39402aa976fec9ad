from itertools import pairwise

import numpy as np
import pytest
from numba import njit

from picrules.kernels.bits import count_columns, popcount


@njit
def popcount_compiled(word):
    return popcount(word)


@pytest.mark.parametrize("word", [0, 1, 2**63, 2**64 - 1, 0x0F0F_1234_5678_9ABC])
def test_popcount_counts_bits(word):
    assert popcount(np.uint64(word)) == bin(word).count("1")
    assert popcount_compiled(np.uint64(word)) == bin(word).count("1")


@pytest.mark.parametrize("sizes", [(1, 2), (3, 4), (5, 6, 7), (8, 9)])
def test_columns_are_counted_as_numpy_counts_them(sizes, rng):
    """Every number of words a class: they are counted four at a time, and the rest first."""
    class_starts = np.concatenate([[0], np.cumsum(sizes)])
    columns = rng.integers(0, 2**63, (class_starts[-1], 12), dtype=np.uint64)
    cover = rng.integers(0, 2**63, class_starts[-1], dtype=np.uint64)
    out = np.empty((len(sizes), 12), np.int64)
    count_columns(cover, columns, 3, 9, class_starts, out)
    shared = np.bitwise_count(cover[:, np.newaxis] & columns[:, 3:])
    expected = [shared[a:b].sum(axis=0).tolist() for a, b in pairwise(class_starts)]
    assert out[:, :9].tolist() == expected
