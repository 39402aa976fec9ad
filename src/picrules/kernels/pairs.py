"""Class counts of every two conditions, counted once for all rows to classify.

A pair has its place by the earlier condition, then by the later one; pairs of one feature have a
place too, so that it is found by arithmetic, and are never counted or read.
"""

from __future__ import annotations

import numpy as np

from picrules.kernels.bits import popcount
from picrules.kernels.jit import inner_kernel, kernel

# Conditions are counted over a few of their words at a time, all conditions together, so that
# the words stay in the cache; but not over fewer than the second number.
CACHED_WORDS = 2**16
FEWEST_WORDS = 64


def n_places(n_conditions: int) -> int:
    """Return how many pairs have a place."""
    return n_conditions * (n_conditions - 1) // 2


@inner_kernel()
def place_before(condition, n_conditions):
    """Return what to add to a later condition to get the place of both."""
    return condition * (2 * n_conditions - condition - 1) // 2 - condition - 1


@kernel()
def count_pairs(words, later, class_starts, start, stop, is_stopped, out):
    """Count what each condition from `start` to `stop` shares with those of later features.

    words         uint64 (n_conditions, n_words)
    later         int64  (n_conditions,)         the first condition of the next feature
    class_starts  int64  (n_classes + 1,)
    is_stopped    uint8  (1,)                    set by another thread to end early
    out           int32  (n_classes, n_places)   zeros, overwritten
    """
    n_conditions = words.shape[0]
    step = max(CACHED_WORDS // n_conditions // 32 * 32, FEWEST_WORDS)
    for label in range(out.shape[0]):
        for first_word in range(class_starts[label], class_starts[label + 1], step):
            last_word = min(first_word + step, class_starts[label + 1])
            for condition in range(start, stop):
                if is_stopped[0]:
                    return
                before = place_before(condition, n_conditions)
                for other in range(later[condition], n_conditions, 2):
                    following = min(other + 1, n_conditions - 1)
                    count_1, count_2 = count_two(
                        words, condition, other, following, first_word, last_word
                    )
                    out[label, before + other] += count_1
                    if following > other:
                        out[label, before + following] += count_2


@inner_kernel()
def count_two(words, condition, other, following, first_word, last_word):
    """Count the words that a condition shares with two others; unsigned, to test no index."""
    left, right_1, right_2 = np.uint64(condition), np.uint64(other), np.uint64(following)
    count_1, count_2 = 0, 0
    for word in range(np.uint64(first_word), np.uint64(last_word)):
        count_1 += popcount(words[left, word] & words[right_1, word])
        count_2 += popcount(words[left, word] & words[right_2, word])
    return count_1, count_2


@inner_kernel()
def read_pairs(pairs, rows, cursor, first, n_later, n_conditions, counts):
    """Look up what the condition at the cursor shares with the members from `first` on.

    pairs   int32 (n_classes, n_places)
    rows    int64 (n_levels, n_present)             conditions, of which the first level is taken
    counts  int32 (n_levels, n_classes, n_present)  overwritten at the second level
    """
    before = place_before(rows[0, cursor], n_conditions)
    level, below, start = np.uint64(0), np.uint64(1), np.uint64(first)
    for label in range(np.uint64(pairs.shape[0])):
        for position in range(np.uint64(n_later)):
            place = np.uint64(before + rows[level, start + position])
            counts[below, label, position] = pairs[label, place]
