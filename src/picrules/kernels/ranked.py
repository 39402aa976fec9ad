"""Depth-first search over bitmaps for the best rules of one row, whatever their class."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.bits import and_words, count_both, popcount
from picrules.kernels.jit import inner_kernel, kernel
from picrules.kernels.measures import natural_log
from picrules.kernels.ranking import best_class, is_better, is_full, put_in, score_to_reach
from picrules.kernels.scorer import LOG_LIMIT, SLACK
from picrules.kernels.search import ask_for, look_at_row

# Rules that a listed one must not resemble.
# covers       uint64 (n_rules, n_words)
# max_overlap  float                      highest share of common rows among the rows of either
Chosen = namedtuple("Chosen", ["covers", "max_overlap"])  # noqa: PYI024

# What was done for the rules of one length.
# looked_at  int64 (1,)                             rules whose cover was counted
# cuts       int64 (n_reasons, length, n_features)  rules or first parts of rules that were left
#                                                   alone: by reason, conditions before the last,
#                                                   and feature of the last
Tally = namedtuple("Tally", ["looked_at", "cuts"])  # noqa: PYI024

# The conditions chosen so far, and what may follow.
# cursors   int64   (length,)                         the condition being tried at each level
# covers    uint64  (length + 1, n_words)             rows covered by the conditions above a level
# counts    int64   (length + 1, n_classes)           their class counts
# children  int64   (length, n_satisfied, n_classes)  class counts with one more condition; for
#                                                     all levels but the last
# weights   float64 (n_classes,)                      of a row of each class
# allowed   float64 (n_classes,)                      weight of misses with which a rule of each
#                                                     class can be listed, if it has all hits of
#                                                     the conditions above the last level
Path = namedtuple(  # noqa: PYI024
    "Path", ["cursors", "covers", "counts", "children", "weights", "allowed"]
)

# Why a cover is left alone, and the rules below it with it.
NO_REASON, CANNOT_BEAT, SAME_COVER, TOO_SMALL = -1, 0, 1, 2
N_REASONS = 3


@kernel()
def rank_length(bitmaps, sets, scorer, asked, length, order, chosen, is_stopped, ranking, tally):
    """Look at the rules of one length that cover a row, and list those among the best.

    asked       Asked       one row
    is_stopped  uint8 (1,)  set by another thread to end the search early
    ranking     Ranking     of the shorter rules; better ones are put in
    tally       Tally       added to
    """
    place = look_at_row(bitmaps, sets, scorer, asked, 0, np.zeros(1, np.int64))
    place.needed[:] = 1
    ask_for_more(scorer, place, order, ranking)
    path = start_path(bitmaps, scorer, place, length)
    n_satisfied = place.features.shape[0]
    depth = np.int64(0)
    while depth >= 0:
        if depth == length - 1:
            look_at_last(bitmaps, scorer, place, path, order, chosen, ranking, tally)
            depth -= 1
            continue
        path.cursors[depth] += 1
        cursor = path.cursors[depth]
        if cursor >= n_satisfied or is_stopped[0]:
            depth -= 1
            continue
        if depth > 0 and place.features[cursor] == place.features[path.cursors[depth - 1]]:
            continue
        reason = why_cut(bitmaps, scorer, place, path, depth)
        if reason == NO_REASON:
            depth += 1
            go_down(bitmaps, place, path, depth)
        else:
            tally.cuts[reason, depth, place.features[cursor]] += 1


@inner_kernel()
def start_path(bitmaps, scorer, place, length):
    """Begin with no condition and all rows."""
    n_satisfied = place.features.shape[0]
    n_words, n_classes = bitmaps.words.shape[1], scorer.groups.shape[0]
    path = Path(
        np.zeros(length, np.int64),
        np.empty((length + 1, n_words), np.uint64),
        np.empty((length + 1, n_classes), np.int64),
        np.empty((length, n_satisfied, n_classes), np.int64),
        np.empty(n_classes),
        np.empty(n_classes),
    )
    path.cursors[0] = -1
    for label in range(n_classes):
        # The last omission is of another class's row, or of nobody: all rows of this class.
        path.counts[0, label] = np.int64(scorer.class_sizes[-1, label])
        path.weights[label] = scorer.weights[scorer.groups[label]]
        for cursor in range(n_satisfied):
            path.children[0, cursor, label] = bitmaps.counts[place.conditions[cursor], label]
    return path


@inner_kernel()
def go_down(bitmaps, place, path, depth):
    """Add the condition at the cursor above, and count the covers with one more."""
    cursor = path.cursors[depth - 1]
    words = bitmaps.words[place.conditions[cursor]]
    and_words(words if depth == 1 else path.covers[depth - 1], words, path.covers[depth])
    for label in range(path.counts.shape[1]):
        path.counts[depth, label] = path.children[depth - 1, cursor, label]
    path.cursors[depth] = cursor
    if depth < path.cursors.shape[0] - 1:
        cover, children = path.covers[depth], path.children[depth]
        for other in range(cursor + 1, place.features.shape[0]):
            if place.features[other] != place.features[cursor]:
                words = bitmaps.words[place.conditions[other]]
                count_both(cover, words, bitmaps.class_starts, children[other])


@inner_kernel()
def ask_for_more(scorer, place, order, ranking):
    """Find how many hits a rule of each class needs to be listed, once the list is full."""
    if is_full(ranking):
        for label in range(order.offset.shape[0]):
            ask_for(score_to_reach(order, ranking, label), scorer, False, place, label)


@inner_kernel()
def why_cut(bitmaps, scorer, place, path, depth):
    """Tell why no rule worth listing begins with the conditions at the cursors."""
    counts = path.children[depth, path.cursors[depth]]
    if depth > 0 and is_same(counts, path.counts[depth]):
        return SAME_COVER
    left_out = place.left_out
    size = 0
    for label in range(counts.shape[0]):
        size += counts[label]
    if size - (left_out >= 0) < scorer.min_cover:
        return TOO_SMALL
    for label in range(counts.shape[0]):
        if counts[label] >= place.needed[label]:
            return NO_REASON if is_lean(bitmaps, place, path.cursors, depth + 1) else SAME_COVER
    return CANNOT_BEAT


@inner_kernel()
def look_at_last(bitmaps, scorer, place, path, order, chosen, ranking, tally):
    """Look at the rules that have one more condition than is chosen.

    Most are left alone for a bound from covers that are counted already. Let P be the conditions
    but the last two, and B and C these two. The rule has at most as many hits as P with B and as
    P with C, and excludes at most the rows of P that B excludes and those that C excludes.

    No calls and no views in the loop: each takes longer than the rest.
    """
    length = path.cursors.shape[0]
    depth = length - 1
    left_out = place.left_out
    first = path.cursors[depth - 1] + 1 if depth > 0 else 0
    before, above = path.counts[max(depth - 1, 0)], path.counts[depth]
    beside = path.children[max(depth - 1, 0)]
    features, needed = place.features, place.needed
    weights, allowed = path.weights, path.allowed
    n_classes = weights.shape[0]
    set_allowed(scorer, place, path, order, ranking)
    for cursor in range(first, features.shape[0]):
        if depth > 0 and features[cursor] == features[first - 1]:
            continue
        is_open = depth == 0
        for label in range(n_classes):
            if is_open or min(above[label], beside[cursor, label]) < needed[label]:
                continue
            misses = 0.0
            for other in range(n_classes):
                n_rows = above[other] + beside[cursor, other] - before[other]
                n_rows -= other == left_out
                if other != label and n_rows > 0:
                    misses += weights[other] * n_rows
            is_open = misses <= allowed[label]
        if not is_open:
            tally.cuts[CANNOT_BEAT, depth, features[cursor]] += 1
            continue
        path.cursors[depth] = cursor
        tally.looked_at[0] += 1
        words = bitmaps.words[place.conditions[cursor]]
        cover = words if depth == 0 else path.covers[depth]
        count_both(cover, words, bitmaps.class_starts, path.counts[length])
        consider(bitmaps, scorer, place, path, order, chosen, ranking)


@inner_kernel()
def set_allowed(scorer, place, path, order, ranking):
    """Find with how many misses a rule of each class can be listed, whatever the last condition.

    The measures are solved for the misses, with some slack since that rounds.
    """
    length = path.cursors.shape[0]
    alpha, smoothing = scorer.alphas[0], scorer.smoothings[0]
    for label in range(path.weights.shape[0]):
        path.allowed[label] = np.inf
        omission = scorer.omissions[place.left_out, label]
        n_hits = path.counts[length - 1, label] - (label == place.left_out)
        if not is_full(ranking) or n_hits < 1 or alpha == 0.0:
            continue
        hits = path.weights[label] * n_hits
        recall = n_hits / scorer.class_sizes[omission, label]
        prior, base = scorer.priors[omission, label], scorer.bases[omission, label, 0]
        to_reach = score_to_reach(order, ranking, label) - SLACK
        if scorer.n_linear == 0:
            to_reach = (to_reach - (1.0 - alpha) * natural_log(recall)) / alpha + base
            odds = np.exp(min(max(to_reach, -LOG_LIMIT), LOG_LIMIT))
            misses = (hits + smoothing * prior) / odds - smoothing * (1.0 - prior)
        else:
            to_reach = (to_reach - (1.0 - alpha) * recall) / alpha * (1.0 - base) + base
            if to_reach <= 0.0:
                continue
            misses = (hits + smoothing * prior) / to_reach - hits - smoothing
        path.allowed[label] = misses + SLACK * (1.0 + abs(misses))


@inner_kernel()
def is_same(counts, others):
    """Tell whether two class counts are the same."""
    for label in range(counts.shape[0]):
        if counts[label] != others[label]:
            return False
    return True


@inner_kernel()
def is_lean(bitmaps, place, cursors, length):
    """Tell whether the cover would grow without any one of the conditions.

    A single condition stays, though it may exclude no row.
    """
    for dropped in range(length if length > 1 else 0):
        own = bitmaps.words[place.conditions[cursors[dropped]]]
        excludes = False
        for word in range(own.shape[0]):
            others = ~own[word]
            for level in range(length):
                if level != dropped:
                    others &= bitmaps.words[place.conditions[cursors[level]], word]
            if others != 0:
                excludes = True
                break
        if not excludes:
            return False
    return True


@inner_kernel()
def consider(bitmaps, scorer, place, path, order, chosen, ranking):
    """Put the rule at the cursors into the list if it is among the best."""
    length = path.cursors.shape[0]
    left_out = place.left_out
    rule = best_class(path.counts[length], scorer, order, left_out)
    last = ranking.values.shape[0] - 1
    if rule[0] == -np.inf:
        return
    if is_full(ranking) and not is_better(rule, place, path, order, ranking, last):
        return
    if not is_lean(bitmaps, place, path.cursors, length):
        return
    if resembles(bitmaps, place, path, chosen, left_out >= 0):
        return
    put_in(rule, place, path, order, ranking)
    ask_for_more(scorer, place, order, ranking)


@inner_kernel()
def resembles(bitmaps, place, path, chosen, is_leaving_out):
    """Tell whether the cover has too many rows in common with one of those chosen."""
    length = path.cursors.shape[0]
    words = bitmaps.words[place.conditions[path.cursors[length - 1]]]
    cover = path.covers[length]
    and_words(words if length == 1 else path.covers[length - 1], words, cover)
    for other in chosen.covers:
        common, either = 0, 0
        for word in range(cover.shape[0]):
            common += popcount(cover[word] & other[word])
            either += popcount(cover[word] | other[word])
        if (common - is_leaving_out) / (either - is_leaving_out) > chosen.max_overlap:
            return True
    return False
