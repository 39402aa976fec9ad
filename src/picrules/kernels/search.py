"""Depth-first search for the best rule of a row, over bitmaps."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.best import keep_rule
from picrules.kernels.bits import and_words, count_both, count_columns, popcount
from picrules.kernels.jit import inner_kernel, kernel
from picrules.kernels.measures import best_class, set_needed_hits

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
# n_counted   int64  (1,)            covers counted so far
Place = namedtuple(  # noqa: PYI024
    "Place", ["row", "features", "conditions", "forced", "needed", "marks", "n_counted"]
)

# One level of the search; level d holds what can be added to the d conditions chosen so far.
# covers   uint64 (n_levels, n_words)                 rows covered by the conditions chosen so far
# members  int64  (n_levels, n_present)               conditions that may be added, in order; not
#                                                     set at the last level, which takes the later
#                                                     members of the level above
# counts   int64  (n_levels, n_classes, n_present)    class counts after adding each of them
# columns  uint64 (n_levels, n_words, n_present)      their bitmaps, one a column; empty when wide
# sizes    int64  (n_levels,)                         how many members
# cursors  int64  (n_levels,)                         the member being tried
Levels = namedtuple(  # noqa: PYI024
    "Levels", ["covers", "members", "counts", "columns", "sizes", "cursors"]
)


@kernel()
def search_rows(bitmaps, settings, queries, start, stop, best, n_counted):
    """Find the best rule of the rows from `start` to `stop`.

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
            hope = search_length(bitmaps, settings, place, length, best)
            if not hope or (settings.is_greedy and best.scores[row] <= before):
                break


@inner_kernel()
def look_at_row(bitmaps, queries, row, n_counted):
    """Collect the conditions that a row satisfies, and count the rows identical to it."""
    n_features = queries.shape[0]
    n_classes = bitmaps.class_sizes.shape[0]
    features = np.empty(n_features, np.int64)
    conditions = np.empty(n_features, np.int64)
    identical = np.empty(bitmaps.words.shape[1], np.uint64)
    n_present = 0
    for feature in range(n_features):
        if queries[feature, row] >= 0:
            features[n_present] = feature
            conditions[n_present] = bitmaps.first[feature] + queries[feature, row]
            words = bitmaps.words[conditions[n_present]]
            and_words(words if n_present == 0 else identical, words, identical)
            n_present += 1
    forced = np.empty(n_classes, np.int64)
    if n_present > 0:
        count_both(identical, identical, bitmaps.class_starts, forced)
        n_identical = 0
        for label in range(n_classes):
            n_identical += forced[label]
        for label in range(n_classes):
            forced[label] = n_identical - forced[label]
    needed = np.empty(n_classes, np.int64)
    marks = np.empty(n_present, np.uint8)
    return Place(
        row, features[:n_present], conditions[:n_present], forced, needed, marks, n_counted
    )


@inner_kernel()
def search_length(bitmaps, settings, place, length, best):
    """Look at all rules of one length, depth first, in column order; keep a better one.

    Skipped without loss, because shorter rules and earlier features win ties: covers in which
    no rule can score higher; conditions that do not shrink the cover, since the same rule
    without them was looked at before. A condition skipped beside some others is skipped beside
    more of them as well. Returns whether a longer rule can still score higher.
    """
    levels = open_levels(bitmaps, settings, place, length, best)
    if length == 1:
        score_members(bitmaps, settings, place, levels, 0, best)
        return any_can_hold_better(levels.counts[0], levels.sizes[0], place.needed)
    drop_members(bitmaps, place, levels, 0)
    hope = False
    depth = 0
    while depth >= 0:
        levels.cursors[depth] += 1
        cursor = levels.cursors[depth]
        if cursor > levels.sizes[depth] - (length - depth) or settings.is_stopped[0]:
            depth -= 1
            continue
        if not can_hold_better(levels.counts[depth], cursor, place.needed):
            continue
        count_members(bitmaps, place, levels, depth)
        if depth + 1 == length - 1:
            score_members(bitmaps, settings, place, levels, depth + 1, best)
            if not hope and length < settings.max_length:
                hope = any_can_hold_better(
                    levels.counts[depth + 1], levels.sizes[depth + 1], place.needed
                )
        else:
            depth += 1
            drop_members(bitmaps, place, levels, depth)
    return hope


@inner_kernel()
def open_levels(bitmaps, settings, place, length, best):
    """Make room for a search to one length, with all conditions at the first level."""
    n_present = place.features.shape[0]
    n_words = bitmaps.words.shape[1]
    n_classes = bitmaps.class_sizes.shape[0]
    is_narrow = n_words <= FEW_WORDS and length > 1
    levels = Levels(
        np.empty((length, n_words), np.uint64),
        np.empty((length, n_present), np.int64),
        np.empty((length, n_classes, n_present), np.int64),
        np.empty((length - 1 if is_narrow else 0, n_words, n_present), np.uint64),
        np.empty(length, np.int64),
        np.empty(length, np.int64),
    )
    levels.cursors[0] = -1
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
def can_hold_better(counts, position, needed):
    """Tell whether a cover with these class counts can hold a rule that scores higher."""
    for label in range(needed.shape[0]):
        if counts[label, position] >= needed[label]:
            return True
    return False


@inner_kernel()
def any_can_hold_better(counts, n_members, needed):
    """Tell whether one of the members can hold a rule that scores higher."""
    for position in range(n_members):
        if can_hold_better(counts, position, needed):
            return True
    return False


@inner_kernel()
def cover_size(counts, position):
    """Add up the class counts of one member."""
    size = 0
    for label in range(counts.shape[0]):
        size += counts[label, position]
    return size


@inner_kernel()
def count_members(bitmaps, place, levels, depth):
    """Add the condition at the cursor, and count what each later member would leave."""
    cursor = levels.cursors[depth]
    first = cursor + 1
    n_members = levels.sizes[depth] - first
    below = depth + 1
    words = bitmaps.words[place.conditions[levels.members[depth, cursor]]]
    cover = levels.covers[below]
    and_words(words if depth == 0 else levels.covers[depth], words, cover)
    levels.sizes[below] = n_members
    levels.cursors[below] = -1
    place.n_counted[0] += n_members
    if levels.columns.shape[0] > 0:
        count_columns(
            cover,
            levels.columns[depth],
            first,
            n_members,
            bitmaps.class_starts,
            levels.counts[below],
        )
    else:
        count_each(bitmaps, place, levels, depth)


@inner_kernel()
def count_each(bitmaps, place, levels, depth):
    """Count member by member, where covers have many words; leave out hopeless ones.

    Words are reached by unsigned indices, not by views: a view costs as much as 200 words, and
    a signed index is tested for being negative.
    """
    cursor = levels.cursors[depth]
    n_members = levels.sizes[depth + 1]
    members = levels.members[depth, cursor + 1 : cursor + 1 + n_members]
    cover, out = levels.covers[depth + 1], levels.counts[depth + 1]
    words, singles, starts = bitmaps.words, bitmaps.counts, bitmaps.class_starts
    conditions, needed = place.conditions, place.needed
    n_classes = needed.shape[0]
    parent = np.empty(n_classes, np.int64)
    for label in range(n_classes):
        parent[label] = levels.counts[depth, label, cursor]
    n_hopeless = 0
    for position in range(n_members):
        row = np.uint64(conditions[np.uint64(members[position])])
        is_hopeless = True
        for label in range(n_classes):
            is_hopeless &= min(parent[label], singles[row, label]) < needed[label]
        n_hopeless += is_hopeless
        for label in range(n_classes):
            start = np.uint64(starts[label])
            stop = start if is_hopeless else np.uint64(starts[label + 1])
            count = 0
            for word in range(start, stop):
                count += popcount(cover[word] & words[row, word])
            out[label, position] = count
    place.n_counted[0] -= n_hopeless


@inner_kernel()
def drop_members(bitmaps, place, levels, depth):
    """Drop the members below which no better rule can lie; bring the bitmaps of the rest."""
    counts = levels.counts[depth]
    n_classes = counts.shape[0]
    parent_size = -1
    first = 0
    above = max(depth - 1, 0)
    if depth > 0:
        parent_size = cover_size(levels.counts[above], levels.cursors[above])
        first = levels.cursors[above] + 1
    n_kept = 0
    for position in range(levels.sizes[depth]):
        shrinks = cover_size(counts, position) != parent_size
        if shrinks and can_hold_better(counts, position, place.needed):
            levels.members[depth, n_kept] = levels.members[above, first + position]
            for label in range(n_classes):
                counts[label, n_kept] = counts[label, position]
            n_kept += 1
    levels.sizes[depth] = n_kept
    if levels.columns.shape[0] > 0:
        columns = levels.columns[depth]
        for position in range(n_kept):
            words = bitmaps.words[place.conditions[levels.members[depth, position]]]
            for word in range(words.shape[0]):
                columns[word, position] = words[word]


@inner_kernel()
def mark_hopeful(counts, class_sizes, alpha, to_beat, marks):
    """Mark the members that may score higher; without division, so that it runs in vectors.

    From `alpha * h / t + (1 - alpha) * h / n > to_beat` follows `h * (alpha + (1 - alpha) * t / n)
    > to_beat * t`; the small factor covers the rounding, and the exact score decides later.

    counts  int64 (n_classes, n_members)
    marks   uint8 (n_members,)  overwritten
    Returns how many are marked.
    """
    limit = to_beat * (1.0 - 1e-12)
    n_marked = 0
    if counts.shape[0] == 2:
        slope_0, slope_1 = (1.0 - alpha) / class_sizes[0], (1.0 - alpha) / class_sizes[1]
        hits_0, hits_1 = counts[0], counts[1]
        for position in range(marks.shape[0]):
            size = float(hits_0[position] + hits_1[position])
            first = hits_0[position] * (alpha + slope_0 * size) > limit * size
            second = hits_1[position] * (alpha + slope_1 * size) > limit * size
            marks[position] = first | second
            n_marked += first | second
        return n_marked
    for position in range(marks.shape[0]):
        size = 0.0
        for label in range(counts.shape[0]):
            size += counts[label, position]
        gain = 0.0
        for label in range(counts.shape[0]):
            slope = (1.0 - alpha) / class_sizes[label]
            gain = max(gain, counts[label, position] * (alpha + slope * size))
        marks[position] = gain > limit * size
        n_marked += marks[position]
    return n_marked


@inner_kernel()
def score_members(bitmaps, settings, place, levels, depth, best):
    """Score the rules that each member completes, and keep a better one."""
    row = place.row
    length = depth + 1
    counts = levels.counts[depth]
    n_members = levels.sizes[depth]
    marks = place.marks[:n_members]
    n_marked = mark_hopeful(counts, bitmaps.class_sizes, settings.alpha, best.scores[row], marks)
    if n_marked > 0:
        member_counts = np.empty(counts.shape[0], np.int64)
        for position in range(n_members):
            if marks[position] == 0:
                continue
            for label in range(counts.shape[0]):
                member_counts[label] = counts[label, position]
            label, value = best_class(
                member_counts, bitmaps.class_sizes, bitmaps.class_order, settings.alpha
            )
            if value > best.scores[row]:
                features = np.empty(length, np.int64)
                for level in range(depth):
                    member = levels.members[level, levels.cursors[level]]
                    features[level] = place.features[member]
                if depth > 0:
                    position_above = levels.cursors[depth - 1] + 1 + position
                    features[depth] = place.features[levels.members[depth - 1, position_above]]
                else:
                    features[0] = place.features[position]
                keep_rule(best, row, value, label, features, length, member_counts)
                set_needed_hits(
                    value, place.forced, bitmaps.class_sizes, settings.alpha, place.needed
                )
