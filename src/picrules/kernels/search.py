"""Depth-first search over bitmaps for the best rules of a row; conditions are sets of codes.

A row satisfies several conditions of one feature, of which a rule has at most one. It has one slot
for its best rule of any class, or one for each class.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.best import keep_rule
from picrules.kernels.bits import add_condition, count_all, count_columns, count_listed
from picrules.kernels.boxes import member_of
from picrules.kernels.jit import inner_kernel, kernel
from picrules.kernels.pairs import read_pairs
from picrules.kernels.pruning import (
    any_can_hold,
    can_hold,
    drop_members,
    list_reachable,
    mark_hopeful,
)
from picrules.kernels.ranking import CANNOT_BEAT, NO_REASON, score_to_reach, visit, why_cut
from picrules.kernels.scorer import hope_of, needed_hits, score_rule

# Up to this many words a cover is counted condition by condition in the inner loop.
FEW_WORDS = 64

# min_length  int64       the shortest rules that are looked at; shorter ones are known already
# max_length  int64       the longest
# is_greedy   bool        stop at the first length that brings no better rule
# is_strict   bool        a rule must score higher than the best so far: where a row satisfies one
#                         condition of each feature, rules come in the order that wins ties
# is_stopped  uint8 (1,)  set to 1 by another thread to end the search early
Limits = namedtuple(  # noqa: PYI024
    "Limits",
    "min_length max_length is_greedy is_strict is_stopped",
)

# What the search knows about the row it is at; arrays of n_classes, or of n_present conditions.
# row         int                    the row
# left_out    int                    the class of a row that must not count itself, or -1
# features    int64   (n_present,)   features of the conditions that the row satisfies, in order
# positions   int64   (n_present,)   which condition of its feature each is
# conditions  int64   (n_present,)   their bitmaps
# forced      float64 (n_classes,)   weight of the misses that no rule can exclude
# needed      int64   (n_classes,)   hits a cover must have, with the row itself, to hold a rule
#                                    that is good enough
# hopes       float32 (4, n_classes) slope, rise, shift and limit; see `hope_of`
# weights     float32 (n_classes,)   of a row of each class
# sizes       float32 (n_present,)   space for the weights of covers
# marks       uint8   (n_present,)   space to mark conditions
# listed      int64   (2, n_present) space to list conditions, and where their counts belong
# n_counted   int64   (1,)           covers counted so far
Place = namedtuple(  # noqa: PYI024
    "Place",
    "row left_out features positions conditions forced needed hopes weights sizes marks "
    "listed n_counted",
)

# One level of the search; level d holds what can be added to the d conditions chosen so far.
# covers   uint64 (n_levels, n_words)                 rows covered by the conditions chosen so far
# members  int64  (n_levels, n_present)               conditions that may be added, in order; not
#                                                     set at the last level, which takes the later
#                                                     members of the level above
# rows     int64  (n_levels, n_present)               their bitmaps, likewise
# counts   int32  (n_levels, n_classes, n_present)    class counts after adding each of them
# columns  uint32 (n_levels, n_halves, n_present)     their bitmaps as columns, in halves of words;
#                                                     empty when wide
# sizes    int64  (n_levels,)                         how many members
# cursors  int64  (n_levels,)                         the member being tried
# firsts   int64  (n_levels,)                         the member above that is the first one here
Levels = namedtuple(  # noqa: PYI024
    "Levels",
    "covers members rows counts columns sizes cursors firsts",
)


@kernel()
def search_rows(bitmaps, pairs, sets, scorer, limits, asked, start, stop, best, n_counted):
    """Find the best rules of the rows from `start` to `stop`.

    pairs      int32 (n_classes, n_pairs)  class counts of every two conditions; may be empty
    best       Best                        rows from `start` to `stop` are updated
    n_counted  int64 (n_rows,)             how many covers were counted for each row
    """
    for row in range(start, stop):
        if limits.is_stopped[0]:
            return
        place = look_at_row(bitmaps, sets, scorer, asked, row, n_counted[row : row + 1])
        n_features = 0
        for position in range(place.features.shape[0]):
            if position == 0 or place.features[position] != place.features[position - 1]:
                n_features += 1
        for length in range(limits.min_length, min(limits.max_length, n_features) + 1):
            before = best.scores[row, 0]
            hope = search_length(bitmaps, pairs, scorer, limits, place, length, best, None)
            if not hope or (limits.is_greedy and best.scores[row, 0] <= before):
                break


@kernel()
def rank_length(bitmaps, pairs, sets, scorer, limits, asked, length, visitor):
    """Show a visitor the rules of one length that cover the only row asked about.

    pairs  int32 (n_classes, 0)  every cover is counted
    """
    place = look_at_row(bitmaps, sets, scorer, asked, 0, np.zeros(1, np.int64))
    search_length(bitmaps, pairs, scorer, limits, place, length, None, visitor)


@inner_kernel()
def look_at_row(bitmaps, sets, scorer, asked, row, n_counted):
    """Collect the conditions that a row satisfies, and weigh the rows alike in all of them."""
    codes, left_out = asked.codes, asked.left_out[row]
    n_present, code = 0, 0
    for feature in range(codes.shape[0]):
        if codes[feature, row] >= 0:
            n_present += sets.n_members[code + codes[feature, row]]
        code += sets.n_codes[feature]
    features, positions = np.empty(n_present, np.int64), np.empty(n_present, np.int64)
    conditions = np.empty(n_present, np.int64)
    at, code = 0, 0
    for feature in range(codes.shape[0]):
        if codes[feature, row] >= 0:
            own = code + codes[feature, row]
            for place in range(sets.n_members[own]):
                position = member_of(sets, feature, codes[feature, row], place, own)
                features[at], positions[at] = feature, position
                conditions[at] = sets.first[feature] + position
                at += 1
        code += sets.n_codes[feature]
    n_classes = scorer.groups.shape[0]
    alike = np.empty(n_classes, np.int64)
    count_all(bitmaps.words, conditions, bitmaps.class_starts, alike)
    weights = np.empty(n_classes, np.float32)
    forced, needed = np.zeros(n_classes), np.ones(n_classes, np.int64)
    if left_out >= 0:
        needed[left_out] += 1
    for label in range(n_classes):
        weights[label] = scorer.weights[scorer.groups[label]]
        for other in range(n_classes):
            # A row that is asked about with values that no training row has has nobody alike.
            n_alike = max(alike[other] - (other == left_out), 0)
            if other != label:
                forced[label] += scorer.weights[scorer.groups[other]] * n_alike
    return Place(
        row, left_out, features, positions, conditions, forced,
        needed, np.empty((4, n_classes), np.float32), weights,
        np.empty(n_present, np.float32), np.empty(n_present, np.uint8),
        np.empty((2, n_present), np.int64), n_counted,
    )  # fmt: skip


@inner_kernel()
def ask_for(to_reach, scorer, is_strict, place, label):
    """Set what a cover, and a rule, of a class must fulfil to be good enough."""
    omission = scorer.omissions[place.left_out, label]
    own = np.int64(label == place.left_out)
    least, forced = place.needed[label] - own, place.forced[label]
    hits = needed_hits(to_reach, is_strict, forced, least, scorer, label, omission)
    place.needed[label] = hits + own
    slope, rise, shift, limit = hope_of(to_reach, scorer, label, omission, 0)
    place.hopes[0, label], place.hopes[1, label] = slope, rise
    place.hopes[2, label], place.hopes[3, label] = shift, limit


@inner_kernel()
def ask_for_better(best, scorer, is_strict, place, slot):
    """Set what is good enough for one slot of a row, after a rule was found for it."""
    if best.scores.shape[1] > 1:
        ask_for(best.scores[place.row, slot], scorer, is_strict, place, slot)
    else:
        for label in range(place.needed.shape[0]):
            ask_for(best.scores[place.row, 0], scorer, is_strict, place, label)


@inner_kernel()
def ask_for_all(best, visitor, scorer, is_strict, place):
    """Set what is good enough for every class."""
    if best is not None:
        for slot in range(best.scores.shape[1]):
            ask_for_better(best, scorer, is_strict, place, slot)
    if visitor is not None:
        for label in range(place.needed.shape[0]):
            ask_for(score_to_reach(visitor, label), scorer, False, place, label)


@inner_kernel()
def search_length(bitmaps, pairs, scorer, limits, place, length, best, visitor):
    """Look at all rules of one length, depth first, in column order; keep a better one.

    A visitor keeps rules itself, and is told of everything that is skipped. Either `best` or
    `visitor` is None, and what is for it is then not compiled.

    Skipped without loss, because shorter rules and earlier features win ties: covers in which
    no rule can be good enough; conditions that do not shrink the cover, since the same rule
    without them was looked at before. A condition skipped beside some others is skipped beside
    more of them as well. Returns whether a longer rule can still be good enough.
    """
    has_pairs = pairs.shape[1] > 0
    ask_for_all(best, visitor, scorer, limits.is_strict, place)
    levels = open_levels(bitmaps, has_pairs, place, length, visitor is not None)
    # Arrays are taken out of their tuples here, once: each time costs as much as 50 words.
    words, class_starts, is_stopped = bitmaps.words, bitmaps.class_starts, limits.is_stopped
    covers, rows, counts, columns = levels.covers, levels.rows, levels.counts, levels.columns
    needed, marks, listed, n_counted = place.needed, place.marks, place.listed, place.n_counted
    sizes, cursors, firsts, members = levels.sizes, levels.cursors, levels.firsts, levels.members
    features, chosen = place.features, np.empty(length, np.int64)
    hopes, weights, left_out, weighed = place.hopes, place.weights, place.left_out, place.sizes
    smoothing, space = scorer.smoothings[0], np.empty(place.needed.shape[0], np.int64)
    hope = False
    depth = np.int64(0)  # a plain 0 is a type of its own, for which all would be compiled again
    while depth >= 0:
        if depth == length - 1:
            is_hopeful = mark_hopeful(
                hopes, weights, left_out, smoothing, counts, depth, sizes[depth], weighed, marks
            )
            if visitor is not None:
                show_members(bitmaps, scorer, place, levels, depth, visitor)
            if best is not None and is_hopeful:
                score_members(scorer, limits.is_strict, place, levels, depth, space, best)
            if not hope and length < limits.max_length:
                hope = any_can_hold(counts, depth, sizes[depth], needed)
            depth -= 1
            continue
        if cursors[depth] == -1:
            is_dropping = visitor is None
            drop_members(bitmaps, scorer.min_cover, place, levels, depth, is_dropping)
        cursors[depth] += 1
        cursor = cursors[depth]
        if sizes[depth] - cursor < length - depth or is_stopped[0]:
            depth -= 1
            continue
        if visitor is not None:
            chosen[depth] = members[depth, cursor]
            reason = why_cut(bitmaps, scorer, place, levels, chosen, depth)
            if reason != NO_REASON:
                visitor.tally.cuts[reason, depth, features[members[depth, cursor]]] += 1
                continue
        elif not can_hold(counts, depth, cursor, needed):
            continue
        # A rule has one condition of a feature, so those of later features follow.
        first, feature = cursor + 1, features[members[depth, cursor]]
        while first < sizes[depth] and features[members[depth, first]] == feature:
            first += 1
        n_later = sizes[depth] - first
        n_listed = n_later
        reads = has_pairs and depth == 0
        if length > 2 or not reads:
            add_condition(covers, depth, words, rows[depth, cursor])
        if reads:
            read_pairs(pairs, rows, cursor, first, n_later, words.shape[0], counts)
            n_listed = 0
        elif columns.shape[0] > 0:
            count_columns(covers, columns, depth, first, n_later, class_starts, counts)
        else:
            # Who visits is told of covers above the last level that are counted in vain.
            lists_all = visitor is not None and depth < length - 2
            n_listed = list_reachable(
                counts, depth, cursor, first, n_later, needed, lists_all, marks, listed
            )
            if visitor is not None and not lists_all:
                for position in range(n_later):
                    feature = features[members[depth, first + position]]
                    visitor.tally.cuts[CANNOT_BEAT, length - 1, feature] += marks[position] == 0
                visitor.tally.looked_at[0] += n_listed
            for index in range(n_listed):
                listed[0, index] = rows[depth, first + listed[1, index]]
            count_listed(covers, words, depth, listed, n_listed, class_starts, counts)
        n_counted[0] += n_listed
        depth += 1
        sizes[depth], cursors[depth], firsts[depth] = n_later, -1, first
    return hope


@inner_kernel()
def open_levels(bitmaps, has_pairs, place, length, is_visited):
    """Make space for a search to one length, with all conditions at the first level."""
    n_present = place.features.shape[0]
    n_words, n_classes = bitmaps.words.shape[1], place.needed.shape[0]
    is_narrow = n_words <= FEW_WORDS and length > (2 if has_pairs else 1) and not is_visited
    levels = Levels(
        aligned_covers(length, n_words),
        np.empty((length, n_present), np.int64),
        np.empty((length, n_present), np.int64),
        np.empty((length, n_classes, n_present), np.int32),
        np.empty((length - 1 if is_narrow else 0, 2 * n_words, n_present), np.uint32),
        np.empty(length, np.int64),
        np.empty(length, np.int64),
        np.zeros(length, np.int64),
    )
    levels.cursors[0] = -1
    for word in range(n_words):
        levels.covers[0, word] = ~np.uint64(0)
    levels.sizes[0] = n_present
    for position in range(n_present):
        levels.members[0, position] = position
        for label in range(n_classes):
            levels.counts[0, label, position] = bitmaps.counts[place.conditions[position], label]
    return levels


@inner_kernel()
def aligned_covers(n_covers, n_words):
    """Make space for covers that begin with a line of the cache, as bitmaps do."""
    space = np.empty(n_covers * n_words + 8, np.uint64)
    start = (-space.ctypes.data & 63) >> 3
    return space[start : start + n_covers * n_words].reshape((n_covers, n_words))


@inner_kernel()
def score_members(scorer, is_strict, place, levels, depth, member_counts, best):
    """Score the rules that each marked member completes, and keep the better ones.

    Unless rules come in the order that wins ties, of equally good ones the one with earlier
    features stays; with the same features the first one found has the earlier conditions.
    """
    row, length, n_slots = place.row, depth + 1, best.scores.shape[1]
    n_classes = scorer.groups.shape[0]
    above, left_out = max(depth - 1, 0), place.left_out
    marks, hopes, weights = place.marks, place.hopes, place.weights
    counts, class_order, best_counts = levels.counts, scorer.class_order, best.counts
    added = scorer.smoothings[0] - (weights[left_out] if left_out >= 0 else 0.0)
    for position in range(levels.sizes[depth]):
        if marks[position] == 0:
            continue
        size, is_same = added, is_strict
        for label in range(n_classes):
            member_counts[label] = counts[depth, label, position]
            size += weights[label] * member_counts[label]
            is_same &= member_counts[label] == best_counts[row, 0, label]
        if is_same:  # it scores as the best does, and comes later
            continue
        for label in class_order:
            # What was hopeful when it was marked may no longer be.
            hits = member_counts[label] - (label == left_out)
            gain = hits * (hopes[0, label] + hopes[1, label] * size) + hopes[2, label]
            if hits < 1 or gain < hopes[3, label] * size:
                continue
            slot = label if n_slots > 1 else 0
            omission = scorer.omissions[place.left_out, label]
            value = score_rule(member_counts, scorer, label, omission)
            if value == -np.inf or value < best.scores[row, slot]:
                continue
            is_tie = value == best.scores[row, slot]
            if is_tie and is_strict:
                continue
            chosen, features = np.empty(length, np.int64), np.empty(length, np.int64)
            for level in range(depth):
                chosen[level] = levels.members[level, levels.cursors[level]]
            chosen[depth] = levels.members[above, levels.firsts[depth] + position]
            for level in range(length):
                features[level] = place.features[chosen[level]]
            if is_tie and not is_earlier(features, best, row, slot):
                continue
            keep_rule(best, row, slot, value, label, features, length, member_counts)
            for level in range(length):
                best.positions[row, slot, level] = place.positions[chosen[level]]
            ask_for_better(best, scorer, is_strict, place, slot)


@inner_kernel()
def show_members(bitmaps, scorer, place, levels, depth, visitor):
    """Show a visitor the rules that the counted members complete, if they may be listed."""
    length, n_classes = depth + 1, scorer.groups.shape[0]
    counts, members = np.empty(n_classes, np.int64), np.empty(length, np.int64)
    above = max(depth - 1, 0)
    if depth == 0:
        visitor.tally.looked_at[0] += levels.sizes[0]
    for level in range(depth):
        members[level] = levels.members[level, levels.cursors[level]]
    for position in range(levels.sizes[depth]):
        if place.marks[position] == 0:
            continue
        members[depth] = levels.members[above, levels.firsts[depth] + position]
        for label in range(n_classes):
            counts[label] = levels.counts[depth, label, position]
        if visit(bitmaps, scorer, place, levels, members, counts, visitor):
            for label in range(n_classes):
                ask_for(score_to_reach(visitor, label), scorer, False, place, label)


@inner_kernel()
def is_earlier(features, best, row, slot):
    """Tell whether a rule has earlier features than the best, if that is of the same length."""
    if best.lengths[row, slot] != features.shape[0]:
        return False
    for level in range(features.shape[0]):
        if features[level] != best.features[row, slot, level]:
            return features[level] < best.features[row, slot, level]
    return False
