"""Depth-first search for the best rule of a row, over bitmaps."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.best import keep_rule
from picrules.kernels.bits import add_condition, count_all, count_columns, count_listed, split_word
from picrules.kernels.jit import inner_kernel, kernel
from picrules.kernels.measures import best_class, set_needed_hits
from picrules.kernels.pairs import read_pairs

# Up to this many words a cover is counted condition by condition in the inner loop.
FEW_WORDS = 64

# alpha       float64     weight of precision
# max_length  int64       the longest rules that are looked at
# is_greedy   bool        stop at the first length that brings no better rule
# is_stopped  uint8 (1,)  set to 1 by another thread to end the search early
Settings = namedtuple(  # noqa: PYI024
    "Settings", ["alpha", "max_length", "is_greedy", "is_stopped"]
)

# What the search knows about the row it is at; arrays of n_classes, or of n_present conditions.
# row         int                    the row
# features    int64  (n_present,)    features whose value is known
# conditions  int64  (n_present,)    their conditions
# forced      int64  (n_classes,)    misses that no rule can exclude: rows identical to this one
# needed      int64  (n_classes,)    hits a cover must have to hold a better rule
# marks       uint8  (n_present,)    room to mark conditions
# listed      int64  (2, n_present)  room to list conditions, and where their counts belong
# n_counted   int64  (1,)            covers counted so far
Place = namedtuple(  # noqa: PYI024
    "Place", ["row", "features", "conditions", "forced", "needed", "marks", "listed", "n_counted"]
)

# One level of the search; level d holds what can be added to the d conditions chosen so far.
# covers   uint64 (n_levels, n_words)                 rows covered by the conditions chosen so far
# members  int64  (n_levels, n_present)               conditions that may be added, in order; not
#                                                     set at the last level, which takes the later
#                                                     members of the level above
# rows     int64  (n_levels, n_present)               their bitmaps, likewise
# counts   int32  (n_levels, n_classes, n_present)    class counts after adding each of them
# columns  uint32 (n_levels, n_halves, n_present)     their bitmaps, one a column, in halves of
#                                                     words; empty when wide
# sizes    int64  (n_levels,)                         how many members
# cursors  int64  (n_levels,)                         the member being tried
Levels = namedtuple(  # noqa: PYI024
    "Levels", ["covers", "members", "rows", "counts", "columns", "sizes", "cursors"]
)


@kernel()
def search_rows(bitmaps, pairs, settings, queries, start, stop, best, n_counted):
    """Find the best rule of the rows from `start` to `stop`.

    pairs      int32 (n_classes, n_places) class counts of every two conditions; may be empty
    queries    int32 (n_features, n_rows)  codes of the rows to classify, -1 is missing
    best       Best                        rows from `start` to `stop` are overwritten
    n_counted  int64 (n_rows,)             how many covers were counted for each row
    """
    for row in range(start, stop):
        if settings.is_stopped[0]:
            return
        place = look_at_row(bitmaps, queries, row, n_counted[row : row + 1])
        for length in range(1, min(settings.max_length, place.features.shape[0]) + 1):
            before = best.scores[row]
            hope = search_length(bitmaps, pairs, settings, place, length, best)
            if not hope or (settings.is_greedy and best.scores[row] <= before):
                break


@inner_kernel()
def look_at_row(bitmaps, queries, row, n_counted):
    """Collect the conditions that a row satisfies, and count the rows identical to it."""
    n_features = queries.shape[0]
    n_classes = bitmaps.class_sizes.shape[0]
    features = np.empty(n_features, np.int64)
    conditions = np.empty(n_features, np.int64)
    n_present = 0
    for feature in range(n_features):
        if queries[feature, row] >= 0:
            features[n_present] = feature
            conditions[n_present] = bitmaps.first[feature] + queries[feature, row]
            n_present += 1
    forced = np.empty(n_classes, np.int64)
    count_all(bitmaps.words, conditions[:n_present], bitmaps.class_starts, forced)
    n_identical = 0
    for label in range(n_classes):
        n_identical += forced[label]
    for label in range(n_classes):
        forced[label] = n_identical - forced[label]
    return Place(
        row,
        features[:n_present],
        conditions[:n_present],
        forced,
        np.empty(n_classes, np.int64),
        np.empty(n_present, np.uint8),
        np.empty((2, n_present), np.int64),
        n_counted,
    )


@inner_kernel()
def search_length(bitmaps, pairs, settings, place, length, best):
    """Look at all rules of one length, depth first, in column order; keep a better one.

    Skipped without loss, because shorter rules and earlier features win ties: covers in which
    no rule can score higher; conditions that do not shrink the cover, since the same rule
    without them was looked at before. A condition skipped beside some others is skipped beside
    more of them as well. Returns whether a longer rule can still score higher.
    """
    has_pairs = pairs.shape[1] > 0
    levels = open_levels(bitmaps, has_pairs, settings, place, length, best)
    # Arrays are taken out of their tuples here, once: each time costs as much as 50 words.
    words, class_starts, class_sizes = bitmaps.words, bitmaps.class_starts, bitmaps.class_sizes
    covers, rows, counts, columns = levels.covers, levels.rows, levels.counts, levels.columns
    needed, marks, listed, n_counted = place.needed, place.marks, place.listed, place.n_counted
    sizes, cursors = levels.sizes, levels.cursors
    is_stopped, scores = settings.is_stopped, best.scores
    hope = False
    depth = np.int64(0)  # a plain 0 is a type of its own, for which all would be compiled again
    while depth >= 0:
        if depth == length - 1:
            to_beat = scores[place.row]
            if mark_hopeful(
                class_sizes, settings.alpha, to_beat, counts, depth, sizes[depth], marks
            ):
                score_members(bitmaps, settings, place, levels, depth, best)
            if not hope and length < settings.max_length:
                hope = any_can_hold_better(counts, depth, sizes[depth], needed)
            depth -= 1
            continue
        if cursors[depth] == -1:
            drop_members(bitmaps, place, levels, depth)
        cursors[depth] += 1
        cursor, n_later = cursors[depth], sizes[depth] - cursors[depth] - 1
        if n_later < length - depth - 1 or is_stopped[0]:
            depth -= 1
            continue
        if not can_hold_better(counts, depth, cursor, needed):
            continue
        n_listed = n_later
        reads = has_pairs and depth == 0
        if length > 2 or not reads:
            add_condition(covers, depth, words, rows[depth, cursor])
        if reads:
            read_pairs(pairs, rows, cursor, n_later, words.shape[0], counts)
            n_listed = 0
        elif columns.shape[0] > 0:
            count_columns(covers, columns, depth, cursor + 1, n_later, class_starts, counts)
        else:
            n_listed = list_reachable(counts, depth, cursor, n_later, needed, marks, listed)
            for index in range(n_listed):
                listed[0, index] = rows[depth, cursor + 1 + listed[1, index]]
            count_listed(covers, words, depth, listed, n_listed, class_starts, counts)
        n_counted[0] += n_listed
        depth += 1
        sizes[depth], cursors[depth] = n_later, -1
    return hope


@inner_kernel()
def open_levels(bitmaps, has_pairs, settings, place, length, best):
    """Make room for a search to one length, with all conditions at the first level."""
    n_present = place.features.shape[0]
    n_words = bitmaps.words.shape[1]
    n_classes = bitmaps.class_sizes.shape[0]
    is_narrow = n_words <= FEW_WORDS and length > (2 if has_pairs else 1)
    levels = Levels(
        aligned_covers(length, n_words),
        np.empty((length, n_present), np.int64),
        np.empty((length, n_present), np.int64),
        np.empty((length, n_classes, n_present), np.int32),
        np.empty((length - 1 if is_narrow else 0, 2 * n_words, n_present), np.uint32),
        np.empty(length, np.int64),
        np.empty(length, np.int64),
    )
    levels.cursors[0] = -1
    for word in range(n_words):
        levels.covers[0, word] = ~np.uint64(0)
    set_needed_hits(
        best.scores[place.row], place.forced, bitmaps.class_sizes, settings.alpha, place.needed
    )
    levels.sizes[0] = n_present
    for position in range(n_present):
        levels.members[0, position] = position
        for label in range(n_classes):
            levels.counts[0, label, position] = bitmaps.counts[place.conditions[position], label]
    return levels


@inner_kernel()
def aligned_covers(n_covers, n_words):
    """Make room for covers that begin with a line of the cache, as bitmaps do."""
    room = np.empty(n_covers * n_words + 8, np.uint64)
    start = (-room.ctypes.data & 63) >> 3
    return room[start : start + n_covers * n_words].reshape((n_covers, n_words))


# The functions below take the arrays of all levels and a depth, not views of one level: a view
# is counted as a reference, which costs as much as 50 words.


@inner_kernel()
def can_hold_better(counts, depth, position, needed):
    """Tell whether a cover with these class counts can hold a rule that scores higher."""
    for label in range(needed.shape[0]):
        if counts[depth, label, position] >= needed[label]:
            return True
    return False


@inner_kernel()
def any_can_hold_better(counts, depth, n_members, needed):
    """Tell whether one of the members can hold a rule that scores higher."""
    for position in range(n_members):
        if can_hold_better(counts, depth, position, needed):
            return True
    return False


@inner_kernel()
def cover_size(counts, depth, position):
    """Add up the class counts of one member."""
    size = 0
    for label in range(counts.shape[1]):
        size += counts[depth, label, position]
    return size


@inner_kernel()
def list_reachable(counts, depth, cursor, n_later, needed, marks, listed):
    """List the later members that can leave a better rule; the others leave counts of 0.

    What two conditions cover together is no more than what either of them covers.

    counts  int32 (n_levels, n_classes, n_present)  class counts; those below are set to 0
    marks   uint8 (n_present,)                      overwritten
    listed  int64 (2, n_present)                    the second row is overwritten by the places
                                                    of the members after the cursor
    Returns how many are listed.
    """
    level, below, n_marks = np.uint64(depth), np.uint64(depth + 1), np.uint64(n_later)
    at, first = np.uint64(cursor), np.uint64(cursor + 1)
    for position in range(n_marks):
        marks[position] = 0
    for label in range(np.uint64(needed.shape[0])):
        limit = needed[label]
        is_reachable = counts[level, label, at] >= limit
        for position in range(n_marks):
            marks[position] |= is_reachable & (counts[level, label, first + position] >= limit)
            counts[below, label, position] = 0
    n_listed = 0
    for position in range(n_later):
        listed[1, n_listed] = position
        n_listed += marks[position]
    return n_listed


@inner_kernel()
def drop_members(bitmaps, place, levels, depth):
    """Drop the members below which no better rule can lie; bring the bitmaps of the rest."""
    counts, members = levels.counts, levels.members
    parent_size = -1
    first = 0
    above = max(depth - 1, 0)
    if depth > 0:
        parent_size = cover_size(counts, above, levels.cursors[above])
        first = levels.cursors[above] + 1
    n_kept = 0
    for position in range(levels.sizes[depth]):
        shrinks = cover_size(counts, depth, position) != parent_size
        if shrinks and can_hold_better(counts, depth, position, place.needed):
            members[depth, n_kept] = members[above, first + position]
            levels.rows[depth, n_kept] = place.conditions[members[depth, n_kept]]
            for label in range(counts.shape[1]):
                counts[depth, label, n_kept] = counts[depth, label, position]
            n_kept += 1
    levels.sizes[depth] = n_kept
    if levels.columns.shape[0] > 0:
        for position in range(n_kept):
            condition = levels.rows[depth, position]
            for word in range(bitmaps.words.shape[1]):
                low, high = split_word(bitmaps.words[condition, word])
                levels.columns[depth, 2 * word, position] = low
                levels.columns[depth, 2 * word + 1, position] = high


@inner_kernel()
def mark_hopeful(class_sizes, alpha, to_beat, counts, depth, n_members, marks):
    """Mark the members that may score higher; without division, so that it runs in vectors.

    From `alpha * h / t + (1 - alpha) * h / n > to_beat` follows `h * (alpha + (1 - alpha) * t / n)
    > to_beat * t`. Nothing is subtracted, so single precision is off by less than the factor on
    the right side, which lets too many pass and never too few; the exact score decides later.

    counts  int32 (n_levels, n_classes, n_present)
    marks   uint8 (n_present,)  overwritten
    Returns whether any is marked.
    """
    limit, weight = np.float32(to_beat * (1.0 - 1e-5)), np.float32(alpha)
    level, n_marked = np.uint64(depth), np.uint8(0)
    if counts.shape[1] == 2:
        slope_0 = np.float32((1.0 - alpha) / class_sizes[0])
        slope_1 = np.float32((1.0 - alpha) / class_sizes[1])
        for position in range(np.uint64(n_members)):
            hits_0 = np.float32(counts[level, 0, position])
            hits_1 = np.float32(counts[level, 1, position])
            size = hits_0 + hits_1
            is_hopeful = (hits_0 * (weight + slope_0 * size) > limit * size) | (
                hits_1 * (weight + slope_1 * size) > limit * size
            )
            marks[position] = is_hopeful
            n_marked |= np.uint8(is_hopeful)
        return n_marked > 0
    for position in range(np.uint64(n_members)):
        size = np.float32(cover_size(counts, depth, position))
        is_hopeful = False
        for label in range(counts.shape[1]):
            slope = np.float32((1.0 - alpha) / class_sizes[label])
            gain = np.float32(counts[level, label, position]) * (weight + slope * size)
            is_hopeful |= gain > limit * size
        marks[position] = is_hopeful
        n_marked |= np.uint8(is_hopeful)
    return n_marked > 0


@inner_kernel()
def score_members(bitmaps, settings, place, levels, depth, best):
    """Score the rules that each marked member completes, and keep a better one."""
    row = place.row
    length = depth + 1
    n_classes = bitmaps.class_sizes.shape[0]
    member_counts = np.empty(n_classes, np.int64)
    features = np.empty(length, np.int64)
    for position in range(levels.sizes[depth]):
        if place.marks[position] == 0:
            continue
        for label in range(n_classes):
            member_counts[label] = levels.counts[depth, label, position]
        label, value = best_class(
            member_counts, bitmaps.class_sizes, bitmaps.class_order, settings.alpha
        )
        if value > best.scores[row]:
            for level in range(depth):
                member = levels.members[level, levels.cursors[level]]
                features[level] = place.features[member]
            above = max(depth - 1, 0)
            first = levels.cursors[above] + 1
            features[depth] = place.features[levels.members[above, first + position]]
            keep_rule(best, row, value, label, features, length, member_counts)
            set_needed_hits(value, place.forced, bitmaps.class_sizes, settings.alpha, place.needed)
