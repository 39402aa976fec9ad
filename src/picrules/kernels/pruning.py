"""Which conditions a search over bitmaps still has to look at: what is left out loses nothing."""

from __future__ import annotations

import numpy as np

from picrules.kernels.bits import split_word
from picrules.kernels.jit import inner_kernel

# The functions below take the arrays of all levels and a depth, not views of one level: a view
# is counted as a reference, which costs as much as 50 words.


@inner_kernel()
def can_hold(counts, depth, position, needed):
    """Tell whether a cover with these class counts can hold a rule that is good enough."""
    for label in range(needed.shape[0]):
        if counts[depth, label, position] >= needed[label]:
            return True
    return False


@inner_kernel()
def any_can_hold(counts, depth, n_members, needed):
    """Tell whether one of the members can hold a rule that is good enough."""
    for position in range(n_members):
        if can_hold(counts, depth, position, needed):
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
def list_reachable(counts, depth, cursor, first, n_later, needed, lists_all, marks, listed):
    """List the later members that can leave a good enough rule; the others leave counts of 0.

    What two conditions cover together is no more than what either of them covers.

    counts  int32 (n_levels, n_classes, n_present)  class counts; those below are set to 0
    marks   uint8 (n_present,)                      overwritten
    listed  int64 (2, n_present)                    the second row is overwritten by the positions
                                                    of the members from `first` on
    Returns how many are listed.
    """
    level, below, n_marks = np.uint64(depth), np.uint64(depth + 1), np.uint64(n_later)
    at, start = np.uint64(cursor), np.uint64(first)
    for position in range(n_marks):
        marks[position] = lists_all
    for label in range(np.uint64(needed.shape[0])):
        limit = needed[label]
        is_reachable = counts[level, label, at] >= limit
        for position in range(n_marks):
            marks[position] |= is_reachable & (counts[level, label, start + position] >= limit)
            counts[below, label, position] = 0
    n_listed = 0
    for position in range(n_later):
        listed[1, n_listed] = position
        n_listed += marks[position]
    return n_listed


@inner_kernel()
def drop_members(bitmaps, min_cover, place, levels, depth, is_dropping):
    """Drop the members below which no good enough rule can lie; bring the bitmaps of the rest.

    Unless `is_dropping`, all stay.
    """
    counts, members = levels.counts, levels.members
    smallest = min_cover + (place.left_out >= 0)
    parent_size = -1
    above, first = max(depth - 1, 0), levels.firsts[depth]
    if depth > 0:
        parent_size = cover_size(counts, above, levels.cursors[above])
    n_kept = 0
    for position in range(levels.sizes[depth]):
        size = cover_size(counts, depth, position)
        is_kept = size != parent_size and size >= smallest
        if not is_dropping or (is_kept and can_hold(counts, depth, position, place.needed)):
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
def mark_hopeful(hopes, weights, left_out, smoothing, counts, depth, n_members, sizes, marks):
    """Mark the members whose rule may be good enough; without division, so that it runs in vectors.

    Single precision, which lets too many pass and never too few; the exact score decides later.
    Returns whether any is marked.
    """
    level, count = np.uint64(depth), np.uint64(n_members)
    added = np.float32(smoothing)
    if left_out >= 0:
        added -= weights[left_out]
    n_marked = np.uint8(0)
    if counts.shape[1] == 2:
        own_0, own_1 = np.float32(left_out == 0), np.float32(left_out == 1)
        slope_0, rise_0, shift_0, limit_0 = hopes[0, 0], hopes[1, 0], hopes[2, 0], hopes[3, 0]
        slope_1, rise_1, shift_1, limit_1 = hopes[0, 1], hopes[1, 1], hopes[2, 1], hopes[3, 1]
        weight_0, weight_1 = weights[0], weights[1]
        if left_out < 0 and added + shift_0 + shift_1 == 0.0 and weight_0 == weight_1 == 1.0:
            # The paper's score: in fewer steps, since these are a sixth of all.
            for position in range(count):
                hits_0 = np.float32(counts[level, 0, position])
                hits_1 = np.float32(counts[level, 1, position])
                size = hits_0 + hits_1
                is_hopeful = (hits_0 * (slope_0 + rise_0 * size) >= limit_0 * size) | (
                    hits_1 * (slope_1 + rise_1 * size) >= limit_1 * size
                )
                marks[position] = is_hopeful
                n_marked |= np.uint8(is_hopeful)
            return n_marked > 0
        for position in range(count):
            hits_0 = np.float32(counts[level, 0, position])
            hits_1 = np.float32(counts[level, 1, position])
            size = weight_0 * hits_0 + weight_1 * hits_1 + added
            is_hopeful = (
                (hits_0 - own_0) * (slope_0 + rise_0 * size) + shift_0 >= limit_0 * size
            ) | ((hits_1 - own_1) * (slope_1 + rise_1 * size) + shift_1 >= limit_1 * size)
            marks[position] = is_hopeful
            n_marked |= np.uint8(is_hopeful)
        return n_marked > 0
    for position in range(count):
        sizes[position] = added
        marks[position] = 0
    for label in range(np.uint64(counts.shape[1])):
        weight = weights[label]
        for position in range(count):
            sizes[position] += weight * np.float32(counts[level, label, position])
    for label in range(np.uint64(counts.shape[1])):
        slope, rise, shift, limit = (
            hopes[0, label], hopes[1, label], hopes[2, label], hopes[3, label],
        )  # fmt: skip
        own = np.float32(left_out == np.int64(label))
        for position in range(count):
            hits, size = np.float32(counts[level, label, position]) - own, sizes[position]
            is_hopeful = hits * (slope + rise * size) + shift >= limit * size
            marks[position] |= np.uint8(is_hopeful)
            n_marked |= np.uint8(is_hopeful)
    return n_marked > 0
