"""Covers as bitmaps: pack them and count them.

Training rows are sorted by class and each class starts a new word, so the class counts of a
cover are the bits set in consecutive runs of words.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from picrules.kernels.jit import inner_kernel, kernel

# words         uint64 (n_conditions, n_words)    bit set: the training row satisfies the condition
# counts        int64  (n_conditions, n_classes)  class counts of each condition
# first         int64  (n_features + 1,)          condition of a feature's code 0
# class_starts  int64  (n_classes + 1,)           first word of each class
Bitmaps = namedtuple("Bitmaps", "words counts first class_starts")  # noqa: PYI024


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


def count_shared(left, right):
    """Count the bits set in both of two halves of words."""
    return np.int32(int(left & right).bit_count())


@intrinsic
def _count_shared_bits(typing_context, left, right):
    def generate(context, builder, signature, arguments):
        return builder.ctpop(builder.and_(*arguments))

    return types.int32(left, right), generate


@overload(count_shared, inline="always")
def _compile_count_shared(left, right):
    # `popcount(left & right)` would make whole words of the halves before it combines them.
    def compiled(left, right):
        return _count_shared_bits(left, right)

    return compiled


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


@inner_kernel()
def count_all(words, conditions, class_starts, out):
    """Count the rows of each class that satisfy all conditions; 0 where there are none.

    words         uint64 (n_conditions, n_words)
    conditions    int64  (n_present,)
    class_starts  int64  (n_classes + 1,)
    out           int64  (n_classes,)  overwritten
    """
    left = np.zeros(words.shape[1], np.uint64)
    any_left = conditions.shape[0] > 0
    if any_left:
        and_words(words[conditions[0]], words[conditions[0]], left)
    for condition in conditions[1:]:
        # A few conditions leave no row of most tables, and the rest need not be looked at.
        if any_left:
            any_left = keep_words(left, words[condition])
    count_both(left, left, class_starts, out)


@inner_kernel()
def keep_words(left, right):
    """Keep what a cover shares with another; return whether anything is left."""
    any_left = np.uint64(0)
    for word in range(left.shape[0]):
        left[word] &= right[word]
        any_left |= left[word]
    return any_left != 0


# The functions below take the arrays of all levels of a search and a depth, not views of one
# level: a view is counted as a reference, which costs as much as 50 words. Indices are unsigned,
# or each would be tested for being negative.


@inner_kernel()
def add_condition(covers, depth, words, condition):
    """Write what is left of a level's cover by one more condition to the level below.

    covers  uint64 (n_levels, n_words)
    words   uint64 (n_conditions, n_words)
    """
    level, below, row = np.uint64(depth), np.uint64(depth + 1), np.uint64(condition)
    for word in range(np.uint64(covers.shape[1])):
        covers[below, word] = covers[level, word] & words[row, word]


@inner_kernel()
def count_listed(covers, words, depth, listed, n_listed, class_starts, counts):
    """Count the rows of each class that a cover shares with each of the listed conditions.

    For many words. Two conditions at a time, so that the cover is loaded once for both; where
    one is left over it is counted twice.

    covers        uint64 (n_levels, n_words)                of which that below `depth` is taken
    words         uint64 (n_conditions, n_words)
    listed        int64  (2, n_present)                     conditions, and their places in `counts`
    n_listed      int                                       how many are listed
    class_starts  int64  (n_classes + 1,)
    counts        int32  (n_levels, n_classes, n_present)   overwritten below `depth`
    """
    below = np.uint64(depth + 1)
    for index in range(0, n_listed, 2):
        following = min(index + 1, n_listed - 1)
        first, second = np.uint64(listed[0, index]), np.uint64(listed[0, following])
        for label in range(counts.shape[1]):
            count_1, count_2 = 0, 0
            for word in range(np.uint64(class_starts[label]), np.uint64(class_starts[label + 1])):
                count_1 += popcount(covers[below, word] & words[first, word])
                count_2 += popcount(covers[below, word] & words[second, word])
            counts[below, label, listed[1, index]] = count_1
            counts[below, label, listed[1, following]] = count_2


@kernel()
def count_columns(covers, columns, depth, first, n_columns, class_starts, counts):
    """Count the rows of each class that a cover shares with each of many conditions.

    For few words and many conditions: the inner loop runs over conditions, two words at a
    time, so that the counts are seldom loaded and stored. Columns hold words in halves, low and
    high, so that their counts are as narrow as `counts`.

    covers        uint64 (n_levels, n_words)                   of which that below `depth` is taken
    columns       uint32 (n_levels, 2 * n_words, n_present)    one column a condition
    first         int                                          the first column to count
    n_columns     int                                          how many columns to count
    class_starts  int64  (n_classes + 1,)
    counts        int32  (n_levels, n_classes, n_present)      overwritten below `depth`
    """
    cover, rows = covers[depth + 1], columns[depth]
    for label in range(class_starts.shape[0] - 1):
        word, stop = class_starts[label], class_starts[label + 1]
        out = counts[depth + 1, label, :n_columns]
        if word == stop:
            out[:] = 0
        elif (stop - word) & 1:
            set_one(cover[word], rows, 2 * word, first, out)
            word += 1
        else:
            set_two(cover[word], cover[word + 1], rows, 2 * word, first, out)
            word += 2
        for following in range(word, stop, 2):
            add_two(cover[following], cover[following + 1], rows, 2 * following, first, out)


# In the functions below words and rows are named before the loop. Otherwise the compiler
# loads the words anew for each column, since it cannot know that `out` is another array: 1
# instead of 10 thousand million words a second.


@inner_kernel()
def split_word(word):
    """Return the low and the high half of a word."""
    return np.uint32(word & np.uint64(0xFFFFFFFF)), np.uint32(word >> np.uint64(32))


@inner_kernel()
def set_one(word, columns, half, first, out):
    """Count one word of each column; `out` is overwritten."""
    low, high = split_word(word)
    stop = first + out.shape[0]
    low_row, high_row = columns[half, first:stop], columns[half + 1, first:stop]
    for position in range(out.shape[0]):
        out[position] = count_shared(low, low_row[position]) + count_shared(
            high, high_row[position]
        )


@inner_kernel()
def set_two(word_0, word_1, columns, half, first, out):
    """Count two words of each column; `out` is overwritten."""
    low_0, high_0 = split_word(word_0)
    low_1, high_1 = split_word(word_1)
    stop = first + out.shape[0]
    low_row_0, high_row_0 = columns[half, first:stop], columns[half + 1, first:stop]
    low_row_1, high_row_1 = columns[half + 2, first:stop], columns[half + 3, first:stop]
    for position in range(out.shape[0]):
        out[position] = (
            count_shared(low_0, low_row_0[position])
            + count_shared(high_0, high_row_0[position])
            + count_shared(low_1, low_row_1[position])
            + count_shared(high_1, high_row_1[position])
        )


@inner_kernel()
def add_two(word_0, word_1, columns, half, first, out):
    """Count two words of each column, and add them to `out`."""
    low_0, high_0 = split_word(word_0)
    low_1, high_1 = split_word(word_1)
    stop = first + out.shape[0]
    low_row_0, high_row_0 = columns[half, first:stop], columns[half + 1, first:stop]
    low_row_1, high_row_1 = columns[half + 2, first:stop], columns[half + 3, first:stop]
    for position in range(out.shape[0]):
        out[position] += (
            count_shared(low_0, low_row_0[position])
            + count_shared(high_0, high_row_0[position])
            + count_shared(low_1, low_row_1[position])
            + count_shared(high_1, high_row_1[position])
        )
