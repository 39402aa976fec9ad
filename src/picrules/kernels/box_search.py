"""Depth-first search over bitmaps for the best rule of a row for each class.

Conditions are sets of codes, so a row satisfies several conditions of one feature, of which a
rule has at most one.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.bits import and_words, count_both
from picrules.kernels.jit import inner_kernel, kernel
from picrules.kernels.judge import score_rule
from picrules.kernels.measures import evidence, measured, natural_log

# Scores are compared with this slack before a cover is skipped: a bound may be rounded down by
# as much as a score is rounded up.
SLACK = 1e-9

# The best rule of each row for each class.
# scores     float64 (n_rows, n_classes)              -inf where there is none
# lengths    int64   (n_rows, n_classes)
# features   int64   (n_rows, n_classes, max_length)  in column order, then -1
# positions  int64   (n_rows, n_classes, max_length)  which condition of each feature
# counts     int64   (n_rows, n_classes, n_classes)   class counts of the cover
BestBoxes = namedtuple(  # noqa: PYI024
    "BestBoxes", ["scores", "lengths", "features", "positions", "counts"]
)

# The conditions that a row satisfies, by feature and then by position, and what bounds its rules.
# row         int
# features    int64   (n_satisfied,)
# positions   int64   (n_satisfied,)
# conditions  int64   (n_satisfied,)  bitmaps
# forced      float64 (n_classes,)    weight of the misses that no rule can exclude
# needed      int64   (n_classes,)    hits a cover must have to hold a rule as good as the best
Place = namedtuple(  # noqa: PYI024
    "Place", ["row", "features", "positions", "conditions", "forced", "needed"]
)

# covers   uint64 (n_levels + 1, n_words)   rows covered by the conditions chosen so far
# counts   int64  (n_levels + 1, n_classes)
# cursors  int64  (n_levels,)               the condition being tried at each level
Levels = namedtuple("Levels", ["covers", "counts", "cursors"])  # noqa: PYI024


@kernel()
def search_boxes(bitmaps, sets, judge, asked, start, stop, max_length, is_stopped, best):
    """Find the best rule of the rows from `start` to `stop` for each class.

    asked       Rows       rows to classify; their labels are classes to leave out, or -1
    is_stopped  uint8 (1,) set by another thread to end the search early
    best        BestBoxes  rows from `start` to `stop` are overwritten
    """
    n_words, n_classes = bitmaps.words.shape[1], bitmaps.class_sizes.shape[0]
    for row in range(start, stop):
        place = look_at_row(bitmaps, sets, judge, asked, row)
        n_features = 0
        for position in range(place.features.shape[0]):
            if position == 0 or place.features[position] != place.features[position - 1]:
                n_features += 1
        for length in range(1, min(max_length, n_features) + 1):
            levels = Levels(
                np.empty((length + 1, n_words), np.uint64),
                np.empty((length + 1, n_classes), np.int64),
                np.empty(length, np.int64),
            )
            search_length(bitmaps, judge, asked, place, levels, length, is_stopped, best)
            if is_stopped[0]:
                return


@inner_kernel()
def look_at_row(bitmaps, sets, judge, asked, row):
    """Collect the conditions that a row satisfies, and weigh the rows alike in all of them."""
    n_features = asked.codes.shape[0]
    n_satisfied = 0
    code = 0
    for feature in range(n_features):
        if asked.codes[feature, row] >= 0:
            own = code + asked.codes[feature, row]
            n_satisfied += sets.first_member[own + 1] - sets.first_member[own]
        code += sets.n_codes[feature]
    features = np.empty(n_satisfied, np.int64)
    positions = np.empty(n_satisfied, np.int64)
    conditions = np.empty(n_satisfied, np.int64)
    alike = np.empty(bitmaps.words.shape[1], np.uint64)
    at = 0
    code = 0
    for feature in range(n_features):
        if asked.codes[feature, row] >= 0:
            own = code + asked.codes[feature, row]
            for member in range(sets.first_member[own], sets.first_member[own + 1]):
                features[at] = feature
                positions[at] = sets.members[member]
                conditions[at] = sets.first[feature] + sets.members[member]
                words = bitmaps.words[conditions[at]]
                and_words(words if at == 0 else alike, words, alike)
                at += 1
        code += sets.n_codes[feature]
    n_classes = bitmaps.class_sizes.shape[0]
    counts = np.zeros(n_classes, np.int64)
    if n_satisfied > 0:
        count_both(alike, alike, bitmaps.class_starts, counts)
        if asked.labels[row] >= 0:
            counts[asked.labels[row]] -= 1
    forced = np.zeros(n_classes)
    for label in range(n_classes):
        for other in range(n_classes):
            if other != label:
                forced[label] += judge.weights[judge.groups[other]] * counts[other]
    needed = np.ones(n_classes, np.int64)
    return Place(row, features, positions, conditions, forced, needed)


@inner_kernel()
def best_possible(hits, forced, judge, label, way):
    """Bound the score of every rule for a class in a cover with so many hits.

    All measures rise with the hits and fall with the misses, so at best all hits stay, and
    all misses go but those that no rule can exclude.
    """
    weighted = judge.weights[judge.groups[label]] * hits
    recall = hits / judge.class_sizes[way, label]
    prior, base = judge.priors[way, label], judge.bases[way, label, 0]
    alpha, smoothing = judge.alphas[0], judge.smoothings[0]
    if judge.n_linear == 0:
        log_recall = natural_log(recall)
        return evidence(weighted, weighted + forced, log_recall, prior, base, alpha, smoothing)
    return measured(weighted, weighted + forced, recall, prior, base, alpha, smoothing)


@inner_kernel()
def set_needed(judge, asked, place, label, to_reach):
    """Find by halving how many hits a cover must have to hold a rule with that score."""
    way = judge.ways[asked.labels[place.row], label]
    low, high = 1, np.int64(judge.class_sizes[way, label]) + 1
    while low < high:
        middle = (low + high) // 2
        if best_possible(middle, place.forced[label], judge, label, way) + SLACK >= to_reach:
            high = middle
        else:
            low = middle + 1
    place.needed[label] = low


@inner_kernel()
def can_hold(counts, judge, asked, place):
    """Tell whether a cover can hold a rule as good as the best of its class so far."""
    left_out = asked.labels[place.row]
    size = 0
    for label in range(counts.shape[0]):
        size += counts[label]
    if size - (left_out >= 0) < judge.min_cover:
        return False
    for label in range(counts.shape[0]):
        if counts[label] - (label == left_out) >= place.needed[label]:
            return True
    return False


@inner_kernel()
def search_length(bitmaps, judge, asked, place, levels, length, is_stopped, best):
    """Look at all rules of one length, depth first, and keep the best of each class.

    Skipped without loss: covers in which no class can have a rule as good as its best, and
    conditions that do not shrink the cover, since a shorter rule has the same one.
    """
    n_satisfied = place.features.shape[0]
    depth = 0
    levels.cursors[0] = -1
    while depth >= 0:
        levels.cursors[depth] += 1
        cursor = levels.cursors[depth]
        if cursor >= n_satisfied or is_stopped[0]:
            depth -= 1
            continue
        if depth > 0 and place.features[cursor] == place.features[levels.cursors[depth - 1]]:
            continue
        words = bitmaps.words[place.conditions[cursor]]
        above = words if depth == 0 else levels.covers[depth]
        counts = levels.counts[depth + 1]
        count_both(above, words, bitmaps.class_starts, counts)
        if depth > 0 and is_same(counts, levels.counts[depth]):
            continue
        if not can_hold(counts, judge, asked, place):
            continue
        if depth == length - 1:
            keep_better(judge, asked, place, levels, length, best)
        else:
            and_words(above, words, levels.covers[depth + 1])
            depth += 1
            levels.cursors[depth] = cursor


@inner_kernel()
def is_same(counts, others):
    """Tell whether two class counts are the same."""
    for label in range(counts.shape[0]):
        if counts[label] != others[label]:
            return False
    return True


@inner_kernel()
def keep_better(judge, asked, place, levels, length, best):
    """Score the rule at the cursors for each class, and keep it where it is better.

    Of equally good rules of one length the one with earlier features stays; with the same
    features the first one found has the earlier conditions.
    """
    row = place.row
    counts = levels.counts[length]
    for label in range(counts.shape[0]):
        way = judge.ways[asked.labels[row], label]
        value = score_rule(counts, judge, label, way)
        if value < best.scores[row, label] or value == -np.inf:
            continue
        if value == best.scores[row, label] and not is_earlier(place, levels, length, best, label):
            continue
        best.scores[row, label] = value
        best.lengths[row, label] = length
        for level in range(length):
            best.features[row, label, level] = place.features[levels.cursors[level]]
            best.positions[row, label, level] = place.positions[levels.cursors[level]]
        for other in range(counts.shape[0]):
            best.counts[row, label, other] = counts[other]
        set_needed(judge, asked, place, label, value)


@inner_kernel()
def is_earlier(place, levels, length, best, label):
    """Tell whether the rule at the cursors has earlier features than one of the same length."""
    if best.lengths[place.row, label] != length:
        return False
    for level in range(length):
        feature = place.features[levels.cursors[level]]
        if feature != best.features[place.row, label, level]:
            return feature < best.features[place.row, label, level]
    return False
