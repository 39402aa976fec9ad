"""The best rules of one row in order, whatever their class: a visitor of the search.

The search shows it every rule that may be listed, and it counts what is left alone and why.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.bits import popcount
from picrules.kernels.jit import inner_kernel
from picrules.kernels.scorer import SLACK, score_rule

# Which rule is better.
# offset          float64 (n_classes,)  added to the scores of each class
# labels          int64   (n_classes,)  in the order that wins ties
# ranks           int64   (n_classes,)  rank of each label in that order
# is_class_first  bool                  whether the class settles a tie, or the conditions
Order = namedtuple("Order", "offset labels ranks is_class_first")  # noqa: PYI024

# The best rules so far, the best first.
# n_rules    int64   (1,)              how many there are
# values     float64 (top,)            score and offset
# scores     float64 (top,)
# labels     int64   (top,)
# lengths    int64   (top,)
# features   int64   (top, depth)      in column order, then -1
# positions  int64   (top, depth)      which condition of each feature
# counts     int64   (top, n_classes)  class counts of the cover
Ranking = namedtuple(  # noqa: PYI024
    "Ranking",
    "n_rules values scores labels lengths features positions counts",
)

# Rules that a listed one must not resemble.
# covers       uint64 (n_rules, n_words)
# max_overlap  float                      highest share of common rows among the rows of either
Chosen = namedtuple("Chosen", "covers max_overlap")  # noqa: PYI024

# What was done for the rules of one length.
# looked_at  int64 (1,)                             rules whose cover was counted
# cuts       int64 (n_reasons, length, n_features)  rules or first parts of rules that were left
#                                                   alone: by reason, conditions before the last,
#                                                   and feature of the last
Tally = namedtuple("Tally", "looked_at cuts")  # noqa: PYI024

Visitor = namedtuple("Visitor", "order chosen ranking tally")  # noqa: PYI024

# Why a cover is left alone, and the rules below it with it.
NO_REASON, CANNOT_BEAT, SAME_COVER, TOO_SMALL = -1, 0, 1, 2
N_REASONS = 3


@inner_kernel()
def is_full(ranking):
    """Tell whether a rule must be better than the last one to be listed."""
    return ranking.n_rules[0] == ranking.values.shape[0]


@inner_kernel()
def score_to_reach(visitor, label):
    """Return the score that a rule of a class needs to be listed; -inf while there is space.

    The sum of score and offset is rounded, the more the larger the offset.
    """
    if not is_full(visitor.ranking):
        return -np.inf
    offset = visitor.order.offset[label]
    return visitor.ranking.values[-1] - offset - SLACK * abs(offset)


@inner_kernel()
def why_cut(bitmaps, scorer, place, levels, members, depth):
    """Tell why no rule worth listing begins with the members at the cursors."""
    counts, cursor = levels.counts, levels.cursors[depth]
    size, is_same = 0, depth > 0
    for label in range(counts.shape[1]):
        count = counts[depth, label, cursor]
        size += count
        if depth > 0:
            is_same &= count == counts[depth - 1, label, levels.cursors[depth - 1]]
    if is_same:
        return SAME_COVER
    if size - (place.left_out >= 0) < scorer.min_cover:
        return TOO_SMALL
    for label in range(counts.shape[1]):
        if counts[depth, label, cursor] >= place.needed[label]:
            return NO_REASON if is_lean(bitmaps, place, members, depth + 1) else SAME_COVER
    return CANNOT_BEAT


@inner_kernel()
def is_lean(bitmaps, place, members, length):
    """Tell whether the cover would grow without any one of the first conditions chosen.

    A single condition stays, though it may exclude no row.
    """
    words, conditions = bitmaps.words, place.conditions
    for dropped in range(length if length > 1 else 0):
        own = conditions[members[dropped]]
        excludes = False
        for word in range(words.shape[1]):
            others = ~words[own, word]
            for level in range(length):
                if level != dropped:
                    others &= words[conditions[members[level]], word]
            if others != 0:
                excludes = True
                break
        if not excludes:
            return False
    return True


@inner_kernel()
def visit(bitmaps, scorer, place, levels, members, counts, visitor):
    """Put a rule into the list if it is among the best; tell whether it was put in.

    members  int64 (length,)     the conditions of the rule, among those that the row satisfies
    counts   int64 (n_classes,)  class counts of its cover
    """
    order, ranking, left_out = visitor.order, visitor.ranking, place.left_out
    label, score, value = order.labels[0], -np.inf, -np.inf
    for other in order.labels:
        found = score_rule(counts, scorer, other, scorer.omissions[left_out, other])
        if found + order.offset[other] > value:
            label, score, value = other, found, found + order.offset[other]
    rule = (value, score, label)
    last = ranking.values.shape[0] - 1
    if value == -np.inf:
        return False
    if is_full(ranking) and not is_better(rule, place, members, order, ranking, last):
        return False
    if not is_lean(bitmaps, place, members, members.shape[0]):
        return False
    if resembles(bitmaps, place, levels, members, visitor.chosen):
        return False
    put_in(rule, place, members, counts, order, ranking)
    return True


@inner_kernel()
def resembles(bitmaps, place, levels, members, chosen):
    """Tell whether a cover has too many rows in common with one of those chosen."""
    last = members.shape[0] - 1
    own, above = bitmaps.words[place.conditions[members[last]]], levels.covers[last]
    is_leaving_out = place.left_out >= 0
    for other in chosen.covers:
        common, either = 0, 0
        for word in range(own.shape[0]):
            cover = own[word] & above[word]
            common += popcount(cover & other[word])
            either += popcount(cover | other[word])
        if (common - is_leaving_out) / (either - is_leaving_out) > chosen.max_overlap:
            return True
    return False


@inner_kernel()
def is_better(rule, place, members, order, ranking, at):
    """Tell whether a rule goes before one in the list.

    With the same features the one found first has the earlier conditions, and stays before.
    """
    value, score, label = rule
    length = members.shape[0]
    if value != ranking.values[at]:
        return value > ranking.values[at]
    if order.is_class_first:
        if label != ranking.labels[at]:
            return order.ranks[label] < order.ranks[ranking.labels[at]]
        if score != ranking.scores[at]:  # two scores plus an offset may round alike
            return score > ranking.scores[at]
    if length != ranking.lengths[at]:
        return length < ranking.lengths[at]
    for level in range(length):
        feature = place.features[members[level]]
        if feature != ranking.features[at, level]:
            return feature < ranking.features[at, level]
    return False


@inner_kernel()
def put_in(rule, place, members, counts, order, ranking):
    """Put a rule where it belongs in the list; the last goes if the list is full."""
    ranking.n_rules[0] = min(ranking.n_rules[0] + 1, ranking.values.shape[0])
    at = ranking.n_rules[0] - 1
    while at > 0 and is_better(rule, place, members, order, ranking, at - 1):
        move_down(ranking, at)
        at -= 1
    length = members.shape[0]
    ranking.values[at], ranking.scores[at], ranking.labels[at] = rule
    ranking.lengths[at] = length
    for level in range(ranking.features.shape[1]):
        is_used = level < length
        member = members[level if is_used else 0]
        ranking.features[at, level] = place.features[member] if is_used else -1
        ranking.positions[at, level] = place.positions[member] if is_used else -1
    for label in range(ranking.counts.shape[1]):
        ranking.counts[at, label] = counts[label]


@inner_kernel()
def move_down(ranking, at):
    """Make space in the list: the rule before goes to this position."""
    for column in (ranking.values, ranking.scores):
        column[at] = column[at - 1]
    for column in (ranking.labels, ranking.lengths):
        column[at] = column[at - 1]
    for table in (ranking.features, ranking.positions, ranking.counts):
        for entry in range(table.shape[1]):
            table[at, entry] = table[at - 1, entry]
