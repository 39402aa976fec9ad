"""Covers as bitmaps: pack them and count them.

Training rows are sorted by class and each class starts a new word, so the class counts of a
cover are the bits set in consecutive runs of words.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba.extending import intrinsic, overload

from picrules.kernels.jit import inner_kernel, kernel

# words         uint64 (n_conditions, n_words)    bit set: the training row satisfies the condition
# counts        int64  (n_conditions, n_classes)  class counts of each condition
# first         int64  (n_features + 1,)          condition of a feature's code 0
# class_starts  int64  (n_classes + 1,)           first word of each class
# class_sizes   int64  (n_classes,)               training rows of each class
# class_order   int64  (n_classes,)               labels in the order that wins ties
Bitmaps = namedtuple(  # noqa: PYI024
    "Bitmaps", ["words", "counts", "first", "class_starts", "class_sizes", "class_order"]
)


def popcount(word):
    """Count the bits set in a word."""
    return int(word).bit_count()


@intrinsic
def _count_bits(typing_context, word):
    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return word(word), generate


@overload(popcount, inline="always")
def _compile_popcount(word):
    return lambda word: np.int64(_count_bits(word))


@kernel()
def pack_conditions(codes, positions, first, words):
    """Set the bits of every condition.

    codes      int32  (n_features, n_rows)      -1 is missing
    positions  int64  (n_rows,)                 bit of each training row
    first      int64  (n_features + 1,)         condition of a feature's code 0
    words      uint64 (n_conditions, n_words)   zeros, overwritten
    """
    for feature in range(codes.shape[0]):
        for row in range(codes.shape[1]):
            code = codes[feature, row]
            if code >= 0:
                bit = np.uint64(1) << np.uint64(positions[row] & 63)
                words[first[feature] + code, positions[row] >> 6] |= bit


@inner_kernel()
def and_words(left, right, out):
    """Write the intersection of two covers; `out` may be one of them.

    A cover with itself is a copy; `out[:] = left` would compile text functions for its error.
    """
    for word in range(out.shape[0]):
        out[word] = left[word] & right[word]


@kernel()
def count_both(left, right, class_starts, out):
    """Count the rows of each class in the intersection of two covers.

    left, right   uint64 (n_words,)
    class_starts  int64  (n_classes + 1,)
    out           int64  (n_classes,)  overwritten
    """
    for label in range(out.shape[0]):
        start, stop = class_starts[label], class_starts[label + 1]
        left_words, right_words = left[start:stop], right[start:stop]
        count = 0
        for word in range(stop - start):
            count += popcount(left_words[word] & right_words[word])
        out[label] = count


@kernel()
def count_columns(cover, columns, first, n_columns, class_starts, out):
    """Count the rows of each class that a cover shares with each of many conditions.

    For few words and many conditions: the inner loop runs over conditions, several words at a
    time, so that the counts are seldom loaded and stored.

    cover         uint64 (n_words,)
    columns       uint64 (n_words, n_conditions)  one column a condition
    first         int                             the first column to count
    n_columns     int                             how many columns to count
    class_starts  int64  (n_classes + 1,)
    out           int64  (n_classes, n_columns)   overwritten
    """
    for label in range(class_starts.shape[0] - 1):
        word, stop = class_starts[label], class_starts[label + 1]
        step = (stop - word) & 3
        if step == 0:
            for position in range(n_columns):
                out[label, position] = 0
        elif step == 1:
            start_one(cover, columns, word, first, n_columns, out[label])
        elif step == 2:
            start_two(cover, columns, word, first, n_columns, out[label])
        else:
            start_three(cover, columns, word, first, n_columns, out[label])
        for following in range(word + step, stop, 4):
            add_four(cover, columns, following, first, n_columns, out[label])


# In the four functions below words and rows are named before the loop. Otherwise the compiler
# loads the words anew for each column, since it cannot know that `out` is another array, and
# checks every index for being negative: 1 instead of 10 thousand million words a second.


@inner_kernel()
def start_one(cover, columns, word, first, n_columns, out):
    """Count one word of each column; `out` is overwritten."""
    cover_0, row_0 = cover[word], columns[word, first : first + n_columns]
    for position in range(n_columns):
        out[position] = popcount(cover_0 & row_0[position])


@inner_kernel()
def start_two(cover, columns, word, first, n_columns, out):
    """Count two words of each column; `out` is overwritten."""
    stop = first + n_columns
    cover_0, row_0 = cover[word], columns[word, first:stop]
    cover_1, row_1 = cover[word + 1], columns[word + 1, first:stop]
    for position in range(n_columns):
        out[position] = popcount(cover_0 & row_0[position]) + popcount(cover_1 & row_1[position])


@inner_kernel()
def start_three(cover, columns, word, first, n_columns, out):
    """Count three words of each column; `out` is overwritten."""
    stop = first + n_columns
    cover_0, row_0 = cover[word], columns[word, first:stop]
    cover_1, row_1 = cover[word + 1], columns[word + 1, first:stop]
    cover_2, row_2 = cover[word + 2], columns[word + 2, first:stop]
    for position in range(n_columns):
        out[position] = (
            popcount(cover_0 & row_0[position])
            + popcount(cover_1 & row_1[position])
            + popcount(cover_2 & row_2[position])
        )


@inner_kernel()
def add_four(cover, columns, word, first, n_columns, out):
    """Count four words of each column, and add them to `out`."""
    stop = first + n_columns
    cover_0, row_0 = cover[word], columns[word, first:stop]
    cover_1, row_1 = cover[word + 1], columns[word + 1, first:stop]
    cover_2, row_2 = cover[word + 2], columns[word + 2, first:stop]
    cover_3, row_3 = cover[word + 3], columns[word + 3, first:stop]
    for position in range(n_columns):
        out[position] += (
            popcount(cover_0 & row_0[position])
            + popcount(cover_1 & row_1[position])
            + popcount(cover_2 & row_2[position])
            + popcount(cover_3 & row_3[position])
        )
