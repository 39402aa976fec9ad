import numpy as np
import pytest
from numba import njit

from picrules.kernels.bits import popcount


@njit
def popcount_compiled(word):
    return popcount(word)


@pytest.mark.parametrize("word", [0, 1, 2**63, 2**64 - 1, 0x0F0F_1234_5678_9ABC])
def test_popcount_counts_bits(word):
    assert popcount(np.uint64(word)) == bin(word).count("1")
    assert popcount_compiled(np.uint64(word)) == bin(word).count("1")
