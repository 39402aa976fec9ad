from itertools import pairwise

import numpy as np
import pytest
from numba import njit

from picrules.kernels.bits import count_all, count_columns, count_listed, popcount


@njit
def popcount_compiled(word):
    return popcount(word)


@pytest.mark.parametrize("word", [0, 1, 2**63, 2**64 - 1, 0x0F0F_1234_5678_9ABC])
def test_popcount_counts_bits(word):
    assert popcount(np.uint64(word)) == bin(word).count("1")
    assert popcount_compiled(np.uint64(word)) == bin(word).count("1")


SIZES = [(1, 2), (3, 4), (5, 6, 7), (0, 8, 9), (40, 33)]


def random_words(shape, rng):
    return rng.integers(0, 2**64, shape, dtype=np.uint64)


def count_with_numpy(cover, words, class_starts):
    bits = np.unpackbits((cover & words).view(np.uint8), axis=1)  # bitwise_count is of NumPy 2
    shared = bits.reshape(*words.shape, 64).sum(axis=2)
    return [shared[:, a:b].sum(axis=1).tolist() for a, b in pairwise(class_starts)]


@pytest.mark.parametrize("sizes", SIZES)
def test_columns_are_counted_as_numpy_counts_them(sizes, rng):
    """Every number of words a class: they are counted two at a time, and an odd one first."""
    class_starts = np.concatenate([[0], np.cumsum(sizes)])
    words = random_words((12, class_starts[-1]), rng)
    covers = random_words((2, class_starts[-1]), rng)
    columns = np.ascontiguousarray(words.view("<u4").T)[np.newaxis]
    counts = np.full((2, len(sizes), 12), 77, np.int32)
    count_columns(covers, columns, 0, 3, 9, class_starts, counts)
    assert counts[1, :, :9].tolist() == count_with_numpy(covers[1], words[3:], class_starts)
    assert (counts[0] == 77).all()


@njit
def count_listed_compiled(*arguments):
    count_listed(*arguments)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("chosen", [[], [4], [0, 11], [7, 2, 9, 3, 5]])
def test_listed_conditions_are_counted_as_numpy_counts_them(sizes, chosen, rng):
    """Two at a time, so that with an odd number one is left over."""
    class_starts = np.concatenate([[0], np.cumsum(sizes)])
    words = random_words((12, class_starts[-1]), rng)
    covers = random_words((3, class_starts[-1]), rng)
    places = rng.permutation(12)[: len(chosen)]
    listed = np.zeros((2, 12), np.int64)
    listed[:, : len(chosen)] = chosen, places
    counts = np.full((3, len(sizes), 12), 77, np.int32)
    count_listed_compiled(covers, words, 1, listed, len(chosen), class_starts, counts)
    expected = count_with_numpy(covers[2], words[chosen], class_starts)
    assert counts[2][:, places].tolist() == expected
    assert (np.delete(counts[2], places, axis=1) == 77).all()


@njit
def count_all_compiled(*arguments):
    count_all(*arguments)


@pytest.mark.parametrize("n_conditions", [0, 1, 2, 3, 12])
def test_rows_that_satisfy_all_conditions_are_counted_as_numpy_counts_them(n_conditions, rng):
    class_starts = np.array([0, 2, 7])
    words = random_words((12, 7), rng) | random_words((12, 7), rng) | random_words((12, 7), rng)
    conditions = rng.permutation(12)[:n_conditions]
    out = np.full(2, 77)
    count_all_compiled(words, conditions, class_starts, out)
    cover = np.bitwise_and.reduce(words[conditions], axis=0) if n_conditions else np.zeros(7, "u8")
    assert out.tolist() == [row[0] for row in count_with_numpy(cover, cover[None], class_starts)]
