"""Look-alikes: the training rows in a box around a row that reaches equally far on all sides.

Every feature has a scale of positions, and a step on it: with each step the box reaches further,
by as much as the feature's step is wide. A row's distance from another one is the number of steps
after which the box around the one holds the other.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.jit import inner_kernel, kernel
from picrules.kernels.scorer import score_rule

# Boxes grow up to this number of steps.
MOST_STEPS = 32

# How far another category is away on the scale of a feature without order, and further away than
# any box reaches: a missing value.
APART, FAR = np.float32(8.0), np.float32(1e8)

# The training rows on the scales of some features.
# positions     float32 (n_features, n_rows)  FAR where missing
# is_category   bool    (n_features,)         whether all other positions are equally far away
# labels        int64   (n_rows,)
# occurrences   int64   (n_rows,)
Scales = namedtuple("Scales", "positions is_category labels occurrences")  # noqa: PYI024


@inner_kernel()
def widen(positions, is_category, position, inverse, distances):
    """Raise the distances of training rows by one feature, where a row stands at `position`."""
    if is_category:
        other, missing = APART * inverse, FAR * inverse
        for row in range(distances.shape[0]):
            apart = other if positions[row] < FAR else missing
            apart = apart if positions[row] != position else np.float32(0.0)
            distances[row] = max(distances[row], apart)
        return
    for row in range(distances.shape[0]):
        apart = abs(positions[row] - position) * inverse
        distances[row] = max(distances[row], apart)


@inner_kernel()
def add_steps(distances, scales, counts):
    """Count the classes of training rows by the number of steps they are away."""
    last = np.float32(counts.shape[0] - 1)
    for row in range(distances.shape[0]):
        if distances[row] <= last:
            counts[int(np.ceil(distances[row])), scales.labels[row]] += scales.occurrences[row]


@inner_kernel()
def count_steps(scales, asked, row, inverses, distances, nested):
    """Count the classes of training rows by the steps from one row that asks.

    distances  float32 (n_rows,)               overwritten
    nested     int64   (n_steps, n_classes)    overwritten
    """
    distances[:] = 0.0
    for feature in range(asked.shape[0]):
        if inverses[feature] > 0 and not np.isnan(asked[feature, row]):
            widen(
                scales.positions[feature], scales.is_category[feature], asked[feature, row],
                inverses[feature], distances,
            )  # fmt: skip
    nested[:] = 0
    add_steps(distances, scales, nested)


@inner_kernel()
def first_box(counts, least):
    """Return after how many steps a box holds at least so many rows, or the last."""
    size = 0
    for step in range(counts.shape[0]):
        for label in range(counts.shape[1]):
            size += counts[step, label]
        if size >= least:
            return step
    return counts.shape[0] - 1


@kernel()
def find_alike(scales, asked, left_out, inverses, least, is_stopped, steps, counts):
    """Find the smallest box around each row that holds enough training rows.

    asked     float32 (n_features, n_asked)  positions, NaN where missing: not looked at
    left_out  int64   (n_asked,)             class of a training row that does not count, or -1
    inverses  float32 (n_features,)          steps per position
    steps     int64   (n_asked,)             how far each box reaches; overwritten
    counts    int64   (n_asked, n_classes)   its class counts, with the row left out; overwritten
    """
    distances = np.empty(scales.positions.shape[1], np.float32)
    nested = np.empty((MOST_STEPS + 1, counts.shape[1]), np.int64)
    for row in range(asked.shape[1]):
        if is_stopped[0]:
            return
        count_steps(scales, asked, row, inverses, distances, nested)
        steps[row] = first_box(nested, least + (left_out[row] >= 0))
        counts[row] = 0
        for step in range(steps[row] + 1):
            for label in range(counts.shape[1]):
                counts[row, label] += nested[step, label]


@kernel()
def judge(scales, asked, left_out, shares, inverses, leasts, is_stopped, out):
    """Add up how likely rows' own classes are by the look-alikes of each.

    asked     as in `find_alike`; all are left out
    shares    float64 (n_classes,)   share of each class: what one row more is like
    inverses  float32 (n_features,)  steps per position; 0: the feature has no say
    leasts    int64   (n_leasts,)    rows that a box must hold, to try; increasing
    out       float64 (n_leasts,)    sums of logarithms; added to
    """
    distances = np.empty(scales.positions.shape[1], np.float32)
    nested = np.empty((MOST_STEPS + 1, shares.shape[0]), np.int64)
    for row in range(asked.shape[1]):
        if is_stopped[0]:
            return
        count_steps(scales, asked, row, inverses, distances, nested)
        nested[0, left_out[row]] -= 1
        add_likelihoods(nested, left_out[row], shares, leasts, out)


@kernel()
def judge_steps(scales, asked, left_out, shares, inverses, tried, leasts, is_stopped, out):
    """The same as `judge`, with one feature's steps changed at a time.

    tried  float32 (n_features, n_tried)            what to try for each feature, the others as now
    out    float64 (n_features, n_tried, n_leasts)  sums of logarithms; added to
    """
    n_features, n_rows = scales.positions.shape
    after = np.empty((n_features + 1, n_rows), np.float32)
    before, distances = np.empty(n_rows, np.float32), np.empty(n_rows, np.float32)
    nested = np.empty((MOST_STEPS + 1, shares.shape[0]), np.int64)
    for row in range(asked.shape[1]):
        if is_stopped[0]:
            return
        # Distances by all features from one on, then by all before one: together all but one.
        after[n_features] = 0.0
        for feature in range(n_features - 1, -1, -1):
            after[feature] = after[feature + 1]
            if inverses[feature] > 0 and not np.isnan(asked[feature, row]):
                widen(
                    scales.positions[feature], scales.is_category[feature], asked[feature, row],
                    inverses[feature], after[feature],
                )  # fmt: skip
        before[:] = 0.0
        for feature in range(n_features):
            position, is_category = asked[feature, row], scales.is_category[feature]
            for each in range(tried.shape[1]):
                following = after[feature + 1]
                for other in range(n_rows):
                    is_more = before[other] > following[other]
                    distances[other] = before[other] if is_more else following[other]
                if tried[feature, each] > 0 and not np.isnan(position):
                    widen(
                        scales.positions[feature], is_category, position, tried[feature, each],
                        distances,
                    )  # fmt: skip
                nested[:] = 0
                add_steps(distances, scales, nested)
                nested[0, left_out[row]] -= 1
                add_likelihoods(nested, left_out[row], shares, leasts, out[feature, each])
            if inverses[feature] > 0 and not np.isnan(position):
                widen(scales.positions[feature], is_category, position, inverses[feature], before)


@inner_kernel()
def add_likelihoods(nested, label, shares, leasts, out):
    """Add the logarithm of a class's share in the smallest box that holds enough rows.

    nested  int64   (n_steps, n_classes)  rows by step
    leasts  int64   (n_leasts,)           increasing
    out     float64 (n_leasts,)           added to
    """
    size, hits, step = 0, 0, -1
    for each in range(leasts.shape[0]):
        while step < nested.shape[0] - 1 and (step < 0 or size < leasts[each]):
            step += 1
            hits += nested[step, label]
            for other in range(nested.shape[1]):
                size += nested[step, other]
        out[each] += np.log((hits + shares[label]) / (size + 1.0))


@kernel()
def shorten(scales, asked, left_out, reaches, pairs, boxes, is_stopped, chosen, counts):
    """Choose as few sides of the box around a row as make a rule no less precise than the box.

    The side that leaves the best odds comes first; then those that others make superfluous go,
    until none is.

    asked     as in `find_alike`
    reaches   float32 (n_features, n_asked)  positions that a side reaches to; -1: there is none
    pairs     int64   (n_pairs, 2)           a row, and the class that the rule is for
    boxes     int64   (n_asked, n_classes)   class counts of the boxes, with the rows left out
    chosen    bool    (n_pairs, n_features)  overwritten; none where no row of the class is alike
    counts    int64   (n_pairs, n_classes)   class counts of the rules, with the rows left out;
                                             overwritten
    """
    n_features, n_rows = scales.positions.shape
    remaining = np.empty(n_rows, np.int64)
    n_excluding = np.empty(n_rows, np.int64)
    for pair in range(pairs.shape[0]):
        if is_stopped[0]:
            return
        row, label = pairs[pair, 0], pairs[pair, 1]
        is_own, is_left_out = left_out[row] == label, left_out[row] >= 0
        own_reaches, own_positions = reaches[:, row].copy(), asked[:, row].copy()
        box_hits, box_size = boxes[row, label] - is_own, boxes[row].sum() - is_left_out
        chosen[pair], counts[pair] = False, 0
        if box_hits < 1:
            continue
        n_remaining = n_rows
        for other in range(n_rows):
            remaining[other] = other
        while True:
            best, best_hits, best_misses = -1, 0, 0
            for feature in range(n_features):
                if own_reaches[feature] < 0 or chosen[pair, feature]:
                    continue
                hits, misses = count_near(
                    scales, feature, own_positions[feature], own_reaches[feature],
                    remaining[:n_remaining], label,
                )  # fmt: skip
                hits, misses = hits - is_own, misses - (is_left_out and not is_own)
                if best < 0 or has_better_odds(hits, misses, best_hits, best_misses):
                    best, best_hits, best_misses = feature, hits, misses
            if best < 0:
                break
            chosen[pair, best] = True
            n_remaining = keep_near(
                scales, best, own_positions[best], own_reaches[best], remaining[:n_remaining]
            )
            if best_hits * box_size >= box_hits * (best_hits + best_misses):
                break
        count_excluding(scales, own_positions, own_reaches, chosen[pair], n_excluding)
        feature, n_chosen = -1, chosen[pair].sum()
        while feature < n_features - 1 and n_chosen > 1:
            feature += 1
            if not chosen[pair, feature]:
                continue
            chosen[pair, feature] = False
            add_excluding(
                scales, feature, own_positions[feature], own_reaches[feature], -1, n_excluding
            )
            hits, size = count_covered(scales, n_excluding, label)
            if (hits - is_own) * box_size >= box_hits * (size - is_left_out):
                feature, n_chosen = -1, n_chosen - 1
                continue
            chosen[pair, feature] = True
            add_excluding(
                scales, feature, own_positions[feature], own_reaches[feature], 1, n_excluding
            )
        for other in range(n_rows):
            if n_excluding[other] == 0:
                counts[pair, scales.labels[other]] += scales.occurrences[other]


@inner_kernel()
def has_better_odds(hits, misses, best_hits, best_misses):
    """Compare (hits + 1/2) / (misses + 1/2), without division."""
    return (2 * hits + 1) * (2 * best_misses + 1) > (2 * best_hits + 1) * (2 * misses + 1)


@inner_kernel()
def count_near(scales, feature, position, reach, rows, label):
    """Count the rows of a class, and the others, among some rows and within reach."""
    positions = scales.positions[feature]
    hits, misses = 0, 0
    for row in rows:
        if abs(positions[row] - position) <= reach:
            if scales.labels[row] == label:
                hits += scales.occurrences[row]
            else:
                misses += scales.occurrences[row]
    return hits, misses


@inner_kernel()
def keep_near(scales, feature, position, reach, rows):
    """Keep of some rows those within reach, in front; return how many there are."""
    positions = scales.positions[feature]
    n_kept = 0
    for row in rows:
        if abs(positions[row] - position) <= reach:
            rows[n_kept] = row
            n_kept += 1
    return n_kept


@inner_kernel()
def count_excluding(scales, own_positions, own_reaches, chosen, n_excluding):
    """Count for each training row how many of the chosen sides exclude it."""
    n_excluding[:] = 0
    for feature in range(chosen.shape[0]):
        if chosen[feature]:
            position, reach = own_positions[feature], own_reaches[feature]
            add_excluding(scales, feature, position, reach, 1, n_excluding)


@inner_kernel()
def add_excluding(scales, feature, position, reach, change, n_excluding):
    """Count one side more or less for each training row that it excludes."""
    positions = scales.positions[feature]
    for row in range(n_excluding.shape[0]):
        n_excluding[row] += change * (not abs(positions[row] - position) <= reach)


@inner_kernel()
def count_covered(scales, n_excluding, label):
    """Count the rows of a class, and all rows, that no side excludes."""
    hits, size = 0, 0
    for row in range(n_excluding.shape[0]):
        if n_excluding[row] == 0:
            size += scales.occurrences[row]
            hits += scales.occurrences[row] * (scales.labels[row] == label)
    return hits, size


@kernel()
def score_counts(counts, left_out, scorer, out):
    """Score each cover for each class by the first setting.

    counts    int64   (n_covers, n_classes)  with the row that is left out
    left_out  int64   (n_covers,)            its class, or -1
    out       float64 (n_covers, n_classes)  overwritten
    """
    for cover in range(counts.shape[0]):
        for label in range(counts.shape[1]):
            omission = scorer.omissions[left_out[cover], label]
            out[cover, label] = score_rule(counts[cover], scorer, label, omission)
