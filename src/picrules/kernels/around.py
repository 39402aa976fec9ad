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


# The functions below have one exit each, and take arrays out of their tuples outside of loops: else
# these are counted as references, which took half of the time.


@inner_kernel()
def take_sides(bits, reach, asked, row, steps, uppers, lowers):
    """Write down the bounds of the sides of the box around a row, as `count_class` takes them."""
    order, first, has_missing = bits.order, bits.first, bits.has_missing
    starts, lows, highs = reach.first, reach.lows, reach.highs
    n_sides, n_features = 0, order.shape[0]
    for each in range(2, n_features + 1):
        feature = order[each % n_features + each // n_features]  # the second one last
        code = asked[feature, row]
        if code >= 0:
            low, high = lows[starts[feature] + code, steps], highs[starts[feature] + code, steps]
            start, last = first[feature], first[feature + 1] - 1
            is_second = each == n_features  # which is there wherever its run is
            if is_second or low > 0 or start + high + 1 < last or has_missing[feature]:
                uppers[n_sides], lowers[n_sides] = start + high + 1, start + low
                n_sides += 1
    return n_sides


@inner_kernel()
def find_ranges(table, label, runs, ranges):
    """Find the bits of a class that stand for rows in some runs of codes.

    table   `Bits.runs`
    runs    first and after the last: codes of the leading feature, and of the second
    ranges  int64 (n_codes + 1, 2)  first bit and after the last of each range; overwritten
    Returns how many ranges there are, and whether all rows in them are in the run of the second.
    """
    low, high, second_low, second_high = runs
    last = table.shape[2] - 1
    start, stop = table[label, low, 0], table[label, high - 1, last]
    is_whole = second_low == 0 and second_high == last
    is_one = is_whole or stop - start <= (high - low) * 64
    ranges[0, 0], ranges[0, 1] = start, stop
    n_ranges = int(is_one and start < stop)
    for code in range(high if is_one else low, high):
        start, stop = table[label, code, second_low], table[label, code, second_high]
        ranges[n_ranges, 0], ranges[n_ranges, 1] = start, stop
        n_ranges += start < stop
    return n_ranges, is_whole or not is_one


@inner_kernel()
def count_class(below, table, label, runs, uppers, lowers, n_sides, ranges):
    """Count the rows of a class between all the bounds, which are in some runs.

    below, table    `Bits.below` and `Bits.runs`
    uppers, lowers  int64 (n_features,)  bounds of `n_sides` sides; the leading feature has none,
                                         since its run tells it, and the second's are the last
    """
    n_ranges, is_exact = find_ranges(table, label, runs, ranges)
    n_sides -= is_exact and (runs[2] > 0 or runs[3] < table.shape[2] - 1)
    total, every = 0, ~np.uint64(0)
    for each in range(n_ranges):
        start, stop = np.uint64(ranges[each, 0]), np.uint64(ranges[each, 1])
        begin, end = start >> np.uint64(6), (stop - np.uint64(1)) >> np.uint64(6)
        begin_mask = every << (start & np.uint64(63))
        end_mask = every >> (np.uint64(63) - ((stop - np.uint64(1)) & np.uint64(63)))
        for word in range(begin, end + np.uint64(1)):
            found = begin_mask if word == begin else every
            found &= end_mask if word == end else every
            for side in range(n_sides):
                upper, lower = np.uint64(uppers[side]), np.uint64(lowers[side])
                found &= below[upper, word] ^ below[lower, word]
            total += popcount(found)
    return total


@inner_kernel()
def all_runs(table):
    """Return the runs that hold all codes, and missing values."""
    return np.int64(0), np.int64(table.shape[1]), np.int64(0), np.int64(table.shape[2] - 1)


@inner_kernel()
def runs_of(bits, reach, asked, row, steps):
    """Return the codes of the leading and of the second feature that a box holds."""
    order, starts, lows, highs = bits.order, reach.first, reach.lows, reach.highs
    low, high, second_low, second_high = all_runs(bits.runs)
    code = asked[order[0], row]
    if code >= 0:
        at = starts[order[0]] + code
        low, high = np.int64(lows[at, steps]), np.int64(highs[at, steps]) + 1
    if order.shape[0] > 1 and asked[order[1], row] >= 0:
        at = starts[order[1]] + asked[order[1], row]
        second_low, second_high = np.int64(lows[at, steps]), np.int64(highs[at, steps]) + 1
    return low, high, second_low, second_high


@inner_kernel()
def count_box(bits, reach, asked, row, steps, least, first_label, uppers, lowers, ranges, counts):
    """Count the classes of a box around a row from one on, until enough training rows are counted.

    counts  int64 (n_classes,)  overwritten from `first_label` on, as far as classes are counted
    Returns after which class there were `least` rows; 0 where there are fewer.
    """
    below, table = bits.below, bits.runs
    n_sides = take_sides(bits, reach, asked, row, steps, uppers, lowers)
    runs, size, n_counted = runs_of(bits, reach, asked, row, steps), 0, 0
    for label in range(first_label, counts.shape[0]):
        if n_counted == 0:
            counts[label] = count_class(below, table, label, runs, uppers, lowers, n_sides, ranges)
            size += counts[label]
            n_counted = label + 1 if size >= least else 0
    return n_counted


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
    tried_counts, found = np.empty(counts.shape[1], np.int64), np.empty(counts.shape[1], np.int64)
    guess, everything = 1, np.iinfo(np.int64).max
    for row in range(asked.shape[1]):
        if is_stopped[0]:
            return
        needed = least + (left_out[row] >= 0)
        # Boxes hold those of fewer steps. Most rows need as many as the row before, or nearly.
        low, high, stride, n_counted = 0, MOST_STEPS, 1, 0
        while low < high:
            tried = min(max(guess, low), high - 1)
            n_tried = count_box(
                bits, reach, asked, row, tried, needed, 0, uppers, lowers, ranges, tried_counts
            )
            if n_tried > 0:
                high, guess, n_counted = tried, tried - stride, n_tried
                tried_counts, found = found, tried_counts
            else:
                low, guess = tried + 1, tried + stride
            stride *= 2
        guess = low
        steps[row] = low
        if n_counted < counts.shape[1]:
            count_box(
                bits, reach, asked, row, low, everything, n_counted, uppers, lowers, ranges, found
            )
        for label in range(counts.shape[1]):
            counts[row, label] = found[label]
