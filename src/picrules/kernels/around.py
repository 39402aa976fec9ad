"""Look-alikes by bitmaps: the box around a row without a look at every training row.

A side of a box is a run of codes of one feature. The rows with a lower code than each bound are
kept as bits, so the rows of any run are those of one bitmap without those of another. Training rows
are sorted by class, each class starting a new word, within a class by the leading feature, and then
by the second: of a box with sides on them only the words of these runs are looked at.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.alike import MOST_STEPS
from picrules.kernels.bits import popcount
from picrules.kernels.jit import inner_kernel, kernel

# The training rows as bits. A feature has one bound more than codes.
# below         uint64 (n_bounds, n_words)     rows whose code is known and lower than a bound
# first         int64  (n_features + 1,)       bound 0 of each feature
# class_starts  int64  (n_classes + 1,)        first word of each class
# class_sizes   int64  (n_classes,)            rows of each class
# has_missing   bool   (n_features,)           whether a training row misses the feature's value
# order         int64  (n_features,)           features whose sides hold few rows first, so that
#                                              words are empty soon; the first is the leading one
# runs          int64  (n_classes, n_codes + 1, n_second + 2)  first bit of the rows of a class, of
#                                              each code of the leading feature, that have at least
#                                              each code of the second; missing values are codes
#                                              after the others, and the last entry is the end
Bits = namedtuple(  # noqa: PYI024
    "Bits", "below first class_starts class_sizes has_missing order runs"
)

# How far boxes reach, by the code of the row that they are around (those of all features one after
# the other) and by steps: all int32 (n_codes, MOST_STEPS + 1).
# first         int64 (n_features + 1,)        code 0 of each feature
# lows, highs                                  first and last code of the box
# side_lows, side_highs                        the same for a condition of a rule; -1 where the side
#                                              excludes nothing that is known
Reach = namedtuple("Reach", "first lows highs side_lows side_highs")  # noqa: PYI024


@kernel()
def pack_below(codes, positions, first, below):
    """Set the bits of every bound.

    codes      int32  (n_features, n_rows)  -1 is missing
    positions  int64  (n_rows,)             bit of each training row
    below      as in `Bits`; zeros, overwritten
    """
    for feature in range(codes.shape[0]):
        start, stop = first[feature], first[feature + 1]
        for row in range(codes.shape[1]):
            if codes[feature, row] >= 0:
                bit = np.uint64(1) << np.uint64(positions[row] & 63)
                below[start + codes[feature, row] + 1, positions[row] >> 6] |= bit
        for bound in range(start + 1, stop):
            for word in range(below.shape[1]):
                below[bound, word] |= below[bound - 1, word]


@inner_kernel()
def take_sides(bits, reach, asked, row, steps, uppers, lowers):
    """Write down the bounds of the sides of the box around a row; return how many exclude rows."""
    n_sides, n_features = 0, bits.order.shape[0]
    for each in range(n_features):
        # The leading and the second last: most words that are looked at are inside of their runs.
        feature = bits.order[(each + 2) % n_features]
        code = asked[feature, row]
        if code < 0:
            continue
        at = reach.first[feature] + code
        low, high = reach.lows[at, steps], reach.highs[at, steps]
        start, last = bits.first[feature], bits.first[feature + 1] - 1
        if low > 0 or start + high + 1 < last or bits.has_missing[feature]:
            uppers[n_sides], lowers[n_sides] = start + high + 1, start + low
            n_sides += 1
    return n_sides


@inner_kernel()
def count_words(below, uppers, lowers, n_sides, begin, end):
    """Count the rows between all the bounds, of which there are some, in a range of words."""
    total = 0
    upper, lower = np.uint64(uppers[0]), np.uint64(lowers[0])
    for word in range(np.uint64(begin), np.uint64(end)):
        found = below[upper, word] ^ below[lower, word]
        for side in range(1, n_sides):
            found &= below[np.uint64(uppers[side]), word] ^ below[np.uint64(lowers[side]), word]
        total += popcount(found)
    return total


@inner_kernel()
def find_ranges(bits, label, runs, ranges):
    """Find the words of a class that hold rows in some runs of codes; return how many ranges.

    runs    first and after the last: codes of the leading feature, and of the second
    ranges  int64 (n_codes + 1, 2)  first word and after the last of each range; overwritten
    """
    low, high, second_low, second_high = runs
    own, last = bits.runs[label], bits.runs.shape[2] - 1
    begin, end = own[low, 0] >> 6, (own[high - 1, last] + 63) >> 6
    if (second_low == 0 and second_high == last) or end - begin <= high - low:
        ranges[0, 0], ranges[0, 1] = begin, end
        return 1
    n_ranges = 0
    for code in range(low, high):
        start, stop = own[code, second_low], own[code, second_high]
        if start < stop:
            # A word may hold the last rows of one code and the first of the next.
            begin = max(begin, start >> 6)
            end = (stop + 63) >> 6
            if begin < end:
                ranges[n_ranges, 0], ranges[n_ranges, 1] = begin, end
                n_ranges += 1
                begin = end
    return n_ranges


@inner_kernel()
def count_class(bits, label, runs, uppers, lowers, n_sides, ranges):
    """Count the rows of a class between all the bounds, which are in some runs."""
    if n_sides == 0:
        return bits.class_sizes[label]
    total = 0
    for each in range(find_ranges(bits, label, runs, ranges)):
        begin, end = ranges[each, 0], ranges[each, 1]
        total += count_words(bits.below, uppers, lowers, n_sides, begin, end)
    return total


@inner_kernel()
def all_runs(bits):
    """Return the runs that hold all codes, and missing values."""
    return np.int64(0), np.int64(bits.runs.shape[1]), np.int64(0), np.int64(bits.runs.shape[2] - 1)


@inner_kernel()
def runs_of(bits, reach, asked, row, steps):
    """Return the codes of the leading and of the second feature that a box holds."""
    low, high, second_low, second_high = all_runs(bits)
    code = asked[bits.order[0], row]
    if code >= 0:
        at = reach.first[bits.order[0]] + code
        low, high = np.int64(reach.lows[at, steps]), np.int64(reach.highs[at, steps]) + 1
    second = bits.order[1] if bits.order.shape[0] > 1 else -1
    if second >= 0 and asked[second, row] >= 0:
        at = reach.first[second] + asked[second, row]
        second_low, second_high = (
            np.int64(reach.lows[at, steps]), np.int64(reach.highs[at, steps]) + 1,
        )  # fmt: skip
    return low, high, second_low, second_high


@inner_kernel()
def holds_enough(bits, reach, asked, row, steps, least, uppers, lowers, ranges):
    """Tell whether the box around a row holds at least that many training rows."""
    n_sides = take_sides(bits, reach, asked, row, steps, uppers, lowers)
    runs, size = runs_of(bits, reach, asked, row, steps), 0
    for label in range(bits.class_sizes.shape[0]):
        size += count_class(bits, label, runs, uppers, lowers, n_sides, ranges)
        if size >= least:
            return True
    return False


@kernel()
def find_around(bits, reach, asked, left_out, least, is_stopped, steps, counts):
    """Find the smallest box around each row that holds enough training rows, as `find_alike`.

    asked     int32 (n_features, n_asked)  codes, -1 where missing: not looked at
    left_out  int64 (n_asked,)             class of a training row that does not count, or -1
    steps     int64 (n_asked,)             how far each box reaches; overwritten
    counts    int64 (n_asked, n_classes)   its class counts, with the row left out; overwritten
    """
    n_features = asked.shape[0]
    uppers, lowers = np.empty(n_features, np.int64), np.empty(n_features, np.int64)
    ranges = np.empty((bits.runs.shape[1], 2), np.int64)
    guess = 1
    for row in range(asked.shape[1]):
        if is_stopped[0]:
            return
        needed = least + (left_out[row] >= 0)
        # Boxes hold those of fewer steps. Most rows need as many as the row before, or nearly.
        low, high, stride = 0, MOST_STEPS, 1
        while low < high:
            tried = min(max(guess, low), high - 1)
            if holds_enough(bits, reach, asked, row, tried, needed, uppers, lowers, ranges):
                high, guess = tried, tried - stride
            else:
                low, guess = tried + 1, tried + stride
            stride *= 2
        guess = low
        steps[row] = low
        n_sides = take_sides(bits, reach, asked, row, low, uppers, lowers)
        runs = runs_of(bits, reach, asked, row, low)
        for label in range(counts.shape[1]):
            counts[row, label] = count_class(bits, label, runs, uppers, lowers, n_sides, ranges)
