"""The best boxes: rules whose conditions are sets of codes, for one set of features at a time.

A cell is one code of each feature of the set, a box one condition of each. The class counts of
cells add up to those of boxes, axis by axis; boxes are scored for one class at a time; then the
scores are passed down, axis by axis, so that each cell holds the best score of the boxes that
contain it. The axes are the features of a set from the last to the first, as cells are numbered.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.counting import count_table, locate_asked, locate_prefix, next_subset
from picrules.kernels.jit import inner_kernel, kernel
from picrules.kernels.measures import evidence, measured, natural_log
from picrules.kernels.scorer import NOBODY, OWN, hope_of, score_rule

# The conditions of all features, each a set of codes.
# n_codes       int64 (n_features,)        codes of each feature
# first         int64 (n_features + 1,)    first condition of each feature
# parents       int64 (n_conditions,)      an earlier condition of the feature that holds all codes
#                                          but one; -1 for none, ALL_BUT_ONE for every other code
# codes         int64 (n_conditions,)      that one code
# first_member  int64 (sum(n_codes) + 1,)  first member of each code, features one after the other
# members       int64 (n_members,)         conditions that hold the code, counted from the
#                                          feature's first
Sets = namedtuple(  # noqa: PYI024
    "Sets", ["n_codes", "first", "parents", "codes", "first_member", "members"]
)

ALL_BUT_ONE = -2

# Space for the largest set of features; all flat and overwritten.
# cells                uint16 or uint32  class counts of cells
# counts, more_counts  int32             class counts of boxes
# group_rows           int32             rows of each box, by groups of classes of one weight
# sizes                int32             rows of each box
# covers               float64           weight of these rows
# marks                uint8             boxes that can raise a score
# slab, more_slab      float64           scores of boxes with one condition of the first axis, or of
#                                        all where they are few, by settings
# slabs                float64           conditions of the first axis times cells of the others
# scores               float64           best scores of cells, by omissions and settings
Buffers = namedtuple(  # noqa: PYI024
    "Buffers",
    [
        "cells",
        "counts",
        "more_counts",
        "group_rows",
        "sizes",
        "covers",
        "marks",
        "slab",
        "more_slab",
        "slabs",
        "scores",
    ],
)

# Boxes of a set of features are scored at once if they are no more.
FEW_BOXES = 2**11

# What a box must fulfil to raise the score of any row, by class, omission and setting; see
# `hope_of`. Found anew after that many sets of features.
# slopes, rises, shifts, limits  float64 (n_classes, n_omissions, n_settings)
Hopes = namedtuple("Hopes", ["slopes", "rises", "shifts", "limits"])  # noqa: PYI024

HOPE_LASTS = 32


@inner_kernel()
def n_conditions_of(sets, feature):
    """Return how many conditions a feature has."""
    return sets.first[feature + 1] - sets.first[feature]


@inner_kernel()
def n_cells_of(sets, subset):
    """Return how many cells a set of features has."""
    n_cells = 1
    for axis in range(subset.shape[0]):
        n_cells *= sets.n_codes[subset[axis]]
    return n_cells


# The functions below take arrays and where to begin, not views: a view is counted as a reference,
# which costs as much as twenty scores. Indices are unsigned, or each would be tested for being
# negative.


@inner_kernel()
def add_up(source, n_before, n_slots, n_after, sets, feature, out):
    """Turn the codes of one axis into conditions: the counts of a condition add up.

    source  int flat (n_before, n_slots, n_after)
    out     int32 flat (n_before, n_conditions, n_after)  overwritten
    """
    n_codes, first = np.uint64(sets.n_codes[feature]), np.uint64(sets.first[feature])
    n_conditions, width = np.uint64(n_conditions_of(sets, feature)), np.uint64(n_after)
    codes, parents = sets.codes, sets.parents
    cells, boxes = np.uint64(0), np.uint64(0)
    for _ in range(n_before):
        for condition in range(n_conditions):
            box = boxes + condition * width
            cell = cells + np.uint64(codes[first + condition]) * width
            parent = parents[first + condition]
            if parent == ALL_BUT_ONE:
                for place in range(width):
                    out[box + place] = -np.int32(source[cell + place])
                for other in range(n_codes):
                    for place in range(width):
                        out[box + place] += np.int32(source[cells + other * width + place])
            elif parent < 0:
                for place in range(width):
                    out[box + place] = source[cell + place]
            else:
                smaller = boxes + np.uint64(parent) * width
                for place in range(width):
                    out[box + place] = out[smaller + place] + np.int32(source[cell + place])
        cells += np.uint64(n_slots) * width
        boxes += n_conditions * width


@inner_kernel()
def pass_down(source, begin, n_before, n_after, sets, feature, out, out_begin):
    """Turn the conditions of one axis into codes: a code gets the best of those that hold it.

    source  float64 flat (n_before, n_conditions, n_after), from `begin` on  overwritten
    out     float64 flat (n_before, n_codes, n_after), from `out_begin` on   overwritten
    """
    n_codes, first = np.uint64(sets.n_codes[feature]), np.uint64(sets.first[feature])
    n_conditions, width = np.uint64(n_conditions_of(sets, feature)), np.uint64(n_after)
    codes, parents = sets.codes, sets.parents
    boxes, cells = np.uint64(begin), np.uint64(out_begin)
    for _ in range(n_before):
        for place in range(n_codes * width):
            out[cells + place] = -np.inf
        # A condition stands after those it holds, so from the last each hands on what it got.
        for step in range(n_conditions):
            condition = n_conditions - np.uint64(1) - step
            box, code = boxes + condition * width, np.uint64(codes[first + condition])
            parent = parents[first + condition]
            if parent == ALL_BUT_ONE:
                for other in range(n_codes):
                    if other != code:
                        cell = cells + other * width
                        for place in range(width):
                            out[cell + place] = max(out[cell + place], source[box + place])
                continue
            cell = cells + code * width
            for place in range(width):
                out[cell + place] = max(out[cell + place], source[box + place])
            if parent >= 0:
                smaller = boxes + np.uint64(parent) * width
                for place in range(width):
                    source[smaller + place] = max(source[smaller + place], source[box + place])
        boxes += n_conditions * width
        cells += n_codes * width


@inner_kernel()
def count_boxes(cells, subset, n_slots, sets, scorer, buffers):
    """Add up the class counts of cells to those of every box.

    cells  uint16 or uint32 flat (n_cells, n_classes)
    Returns the counts, int32 flat (n_boxes, n_classes), one of the arrays of `buffers`.
    """
    counts, spare = buffers.counts, buffers.more_counts
    n_before = 1
    for axis in range(1, subset.shape[0]):
        n_before *= n_slots[subset[axis]]
    n_classes = scorer.omissions.shape[1]
    add_up(cells, n_before, n_slots[subset[0]], n_classes, sets, subset[0], counts)
    n_after = n_classes * n_conditions_of(sets, subset[0])
    for axis in range(1, subset.shape[0]):
        feature = subset[axis]
        n_before //= n_slots[feature]
        add_up(counts, n_before, n_slots[feature], n_after, sets, feature, spare)
        n_after *= n_conditions_of(sets, feature)
        counts, spare = spare, counts
    weigh_boxes(counts, n_after // n_classes, scorer, buffers)
    return counts


@inner_kernel()
def weigh_boxes(counts, n_boxes, scorer, buffers):
    """Count and weigh the rows of each box, whatever their class."""
    # Arrays are taken out of their tuples once: each time costs as much as a score.
    groups, weights = scorer.groups, scorer.weights
    group_rows, sizes, covers = buffers.group_rows, buffers.sizes, buffers.covers
    n_classes, n_groups = np.uint64(groups.shape[0]), np.uint64(weights.shape[0])
    if n_groups == 1:  # no class weights: in vectors
        weight = weights[0]
        for box in range(np.uint64(n_boxes)):
            group_rows[box] = counts[box * n_classes]
        for label in range(np.uint64(1), n_classes):
            for box in range(np.uint64(n_boxes)):
                group_rows[box] += counts[box * n_classes + label]
        for box in range(np.uint64(n_boxes)):
            sizes[box], covers[box] = group_rows[box], weight * group_rows[box]
        return
    for box in range(np.uint64(n_boxes)):
        size = 0
        for group in range(n_groups):
            group_rows[box * n_groups + group] = 0
        for label in range(n_classes):
            count = counts[box * n_classes + label]
            size += count
            group_rows[box * n_groups + np.uint64(groups[label])] += count
        cover = 0.0
        for group in range(n_groups):
            cover += weights[group] * group_rows[box * n_groups + group]
        sizes[box], covers[box] = size, cover


@inner_kernel()
def mark_hopeful(counts, first_box, n_boxes, scorer, label, omission, hopes, buffers):
    """Mark the boxes that can raise the score of a row, for one class and omission.

    Without division or logarithm, so that it runs in vectors. Returns whether any is marked.
    """
    sizes, covers, marks = buffers.sizes, buffers.covers, buffers.marks
    smoothings, weights = scorer.smoothings, scorer.weights
    slopes, rises, shifts, limits = hopes.slopes, hopes.rises, hopes.shifts, hopes.limits
    n_classes, own = np.uint64(scorer.groups.shape[0]), np.uint64(label)
    left = scorer.omitted[omission]
    is_own = np.int32(left == OWN)
    if is_own:
        left = scorer.groups[label]
    least = np.int32(scorer.min_cover + (left != NOBODY))
    first, count = np.uint64(first_box), np.uint64(n_boxes)
    any_marked = np.uint8(0)
    for box in range(count):
        marks[box] = 0
    for setting in range(smoothings.shape[0]):
        added = smoothings[setting]
        if left != NOBODY:
            added -= weights[left]
        slope, rise = slopes[label, omission, setting], rises[label, omission, setting]
        shift, limit = shifts[label, omission, setting], limits[label, omission, setting]
        for box in range(count):
            at = first + box
            hits = counts[at * n_classes + own] - is_own
            smoothed = covers[at] + added
            is_hopeful = (
                (hits >= 1)
                & (sizes[at] >= least)
                & (hits * (slope + rise * smoothed) + shift >= limit * smoothed)
            )
            marks[box] |= np.uint8(is_hopeful)
            any_marked |= np.uint8(is_hopeful)
    return any_marked > 0


@inner_kernel()
def score_boxes(counts, first_box, n_boxes, scorer, label, omission, buffers):
    """Score the marked boxes for one class by every setting, into `buffers.slab`; others -inf."""
    group_rows, marks, out = buffers.group_rows, buffers.marks, buffers.slab
    alphas, smoothings, bases = scorer.alphas, scorer.smoothings, scorer.bases
    weights, groups = scorer.weights, scorer.groups
    n_classes, n_groups = np.uint64(groups.shape[0]), np.uint64(weights.shape[0])
    n_settings, n_linear = np.uint64(alphas.shape[0]), np.uint64(scorer.n_linear)
    left = scorer.omitted[omission]
    is_own = np.int64(left == OWN)
    if is_own:
        left = groups[label]
    weight, own = weights[groups[label]], np.uint64(label)
    prior, class_size = scorer.priors[omission, label], scorer.class_sizes[omission, label]
    needs_recall = False
    for setting in range(n_linear, n_settings):
        needs_recall |= alphas[setting] < 1.0
    at, first = np.uint64(0), np.uint64(first_box)
    for box in range(np.uint64(n_boxes)):
        if marks[box] == 0:
            for setting in range(n_settings):
                out[at + setting] = -np.inf
        else:
            hits = np.int64(counts[(first + box) * n_classes + own]) - is_own
            cover = 0.0
            for group in range(n_groups):
                n_rows = np.int64(group_rows[(first + box) * n_groups + group])
                cover += weights[group] * (n_rows - (left == np.int64(group)))
            weighted, recall = weight * hits, hits / class_size
            for setting in range(n_linear):
                out[at + setting] = measured(
                    weighted, cover, recall, prior, bases[omission, label, setting],
                    alphas[setting], smoothings[setting],
                )  # fmt: skip
            log_recall = natural_log(recall) if needs_recall else 0.0
            for setting in range(n_linear, n_settings):
                out[at + setting] = evidence(
                    weighted, cover, log_recall, prior, bases[omission, label, setting],
                    alphas[setting], smoothings[setting],
                )  # fmt: skip
        at += n_settings


@inner_kernel()
def score_cells(counts, subset, sets, scorer, label, omission, hopes, buffers, begin):
    """Find the best score of the boxes that contain each cell, for one class and omission.

    Unless boxes are few, one condition of the first axis after the other, so that most of the work
    is done in a slab that fits into the cache. Fills `buffers.scores` from `begin` on, flat
    (n_cells, n_settings). Returns whether any score can raise that of a row; if not, nothing is
    filled.
    """
    width, length = scorer.alphas.shape[0], subset.shape[0]
    first = subset[length - 1]
    n_boxes, n_cells = 1, 1
    for axis in range(length - 1):
        n_boxes *= n_conditions_of(sets, subset[axis])
        n_cells *= sets.n_codes[subset[axis]]
    n_first = n_conditions_of(sets, first)
    if length == 1 or n_boxes * n_first <= FEW_BOXES:
        n_boxes *= n_first
        if not mark_hopeful(counts, 0, n_boxes, scorer, label, omission, hopes, buffers):
            return False
        score_boxes(counts, 0, n_boxes, scorer, label, omission, buffers)
        pass_down_all(subset, length, sets, width, n_boxes, buffers, buffers.scores, begin)
        return True
    any_hopeful = False
    for condition in range(n_first):
        box, out_begin = condition * n_boxes, condition * n_cells * width
        if mark_hopeful(counts, box, n_boxes, scorer, label, omission, hopes, buffers):
            any_hopeful = True
            score_boxes(counts, box, n_boxes, scorer, label, omission, buffers)
            pass_down_all(
                subset, length - 1, sets, width, n_boxes, buffers, buffers.slabs, out_begin
            )
        else:
            slabs = buffers.slabs
            for place in range(np.uint64(out_begin), np.uint64(out_begin + n_cells * width)):
                slabs[place] = -np.inf
    if any_hopeful:
        pass_down(buffers.slabs, 0, 1, n_cells * width, sets, first, buffers.scores, begin)
    return any_hopeful


@inner_kernel()
def pass_down_all(subset, n_axes, sets, width, n_boxes, buffers, out, begin):
    """Turn the scores of boxes in `buffers.slab` into those of cells, from the last axis on."""
    source, target = buffers.slab, buffers.more_slab
    n_before, n_after = n_boxes, width
    for axis in range(n_axes):
        feature = subset[axis]
        n_before //= n_conditions_of(sets, feature)
        if axis == n_axes - 1:
            pass_down(source, 0, n_before, n_after, sets, feature, out, begin)
        else:
            pass_down(source, 0, n_before, n_after, sets, feature, target, 0)
        n_after *= sets.n_codes[feature]
        source, target = target, source


@inner_kernel()
def set_hopes(asked, scorer, best, hopes):
    """Find what a box must fulfil to raise the lowest score of the rows, by class and omission."""
    n_classes, n_settings = best.shape[1], best.shape[2]
    lowest = np.full(hopes.limits.shape, np.inf)
    for row in range(best.shape[0]):
        for label in range(n_classes):
            omission = scorer.omissions[asked.left_out[row], label]
            for setting in range(n_settings):
                value = best[row, label, setting]
                lowest[label, omission, setting] = min(lowest[label, omission, setting], value)
    for label in range(n_classes):
        for omission in range(lowest.shape[1]):
            for setting in range(n_settings):
                slope, rise, shift, limit = hope_of(
                    lowest[label, omission, setting], scorer, label, omission, setting
                )
                hopes.slopes[label, omission, setting] = slope
                hopes.rises[label, omission, setting] = rise
                hopes.shifts[label, omission, setting] = shift
                hopes.limits[label, omission, setting] = limit


@inner_kernel()
def start_hopes(scorer):
    """Make hopes that every box fulfils."""
    shape = (*scorer.priors.T.shape, scorer.alphas.shape[0])
    return Hopes(np.zeros(shape), np.zeros(shape), np.zeros(shape), np.full(shape, -1.0))


@inner_kernel()
def look_up(asked, cells, scorer, label, is_filled, n_cells, scores, begin, place, best, places):
    """Raise the best score of each row, for one class and by every setting, to that of its cell.

    cells      int64 (n_asked,)                         cell of each row, -1 where it has none
    is_filled  bool (n_omissions,)                      omissions that can raise a score
    scores     float64 flat (n_omissions, n_cells, n_settings), from `begin` on
    place      int                                      number of the set of features
    best       float64 (n_asked, n_classes, n_settings) raised
    places     int64 (n_asked, n_classes)               place of each best score; empty if nobody
                                                        asks, else there is one setting
    """
    n_settings = np.uint64(best.shape[2])
    has_places = places.shape[0] > 0
    for row in range(cells.shape[0]):
        omission = scorer.omissions[asked.left_out[row], label]
        if cells[row] < 0 or not is_filled[omission]:
            continue
        at = np.uint64(begin + (omission * n_cells + cells[row]) * best.shape[2])
        if has_places and scores[at] > best[row, label, 0]:
            places[row, label] = place
        for setting in range(n_settings):
            best[row, label, setting] = max(best[row, label, setting], scores[at + setting])


@inner_kernel()
def raise_by_subset(
    cells, asked, asked_cells, subset, n_slots, sets, scorer, hopes, place, buffers, is_filled,
    best, places,
):  # fmt: skip
    """Raise the best scores of rows by the class counts of one set of features."""
    counts = count_boxes(cells, subset, n_slots, sets, scorer, buffers)
    n_cells, n_omissions = n_cells_of(sets, subset), is_filled.shape[0]
    for label in range(best.shape[1]):
        any_filled = False
        for omission in range(n_omissions):
            begin = omission * n_cells * best.shape[2]
            is_filled[omission] = score_cells(
                counts, subset, sets, scorer, label, omission, hopes, buffers, begin
            )
            any_filled |= is_filled[omission]
        if any_filled:
            look_up(
                asked, asked_cells, scorer, label, is_filled, n_cells, buffers.scores, 0, place,
                best, places,
            )  # fmt: skip


@kernel()
def raise_scores(
    training, asked, sets, scorer, subset, n_subsets, place, is_stopped, buffers, best, places
):
    """Raise the best score of each row, class and setting over `n_subsets` sets of features.

    subset      int64 (length,)  the first set, overwritten
    place       int              its number
    is_stopped  uint8 (1,)       set by another thread to end early
    best, places                 as in `look_up`
    """
    n_features = training.slots.shape[0]
    length = subset.shape[0]
    entries = np.empty(training.labels.shape[0], np.int64)
    n_asked = asked.left_out.shape[0]
    no_cells, no_codes = np.empty(0, np.int64), np.empty((n_features, 0), np.int32)
    prefix_cells, asked_cells = np.empty(n_asked, np.int64), np.empty(n_asked, np.int64)
    hopes, is_filled = start_hopes(scorer), np.zeros(scorer.omitted.shape[0], np.bool_)
    n_prefix, n_prefix_slots = 1, 1
    changed = -1
    for step in range(n_subsets):
        if is_stopped[0]:
            return
        if step % HOPE_LASTS == 0:
            set_hopes(asked, scorer, best, hopes)
        last = subset[length - 1]
        if changed < length - 1:
            n_prefix_slots = locate_prefix(training, no_codes, subset, entries, no_cells)
            n_prefix = locate_rows(asked.codes, sets, subset[:-1], prefix_cells)
        locate_asked(asked.codes[last], n_prefix, prefix_cells, asked_cells)
        n_entries = n_prefix_slots * training.n_classes
        count_table(
            entries, training.slots[last], training.occurrences, n_entries, 0,
            n_entries * training.n_slots[last], buffers.cells,
        )  # fmt: skip
        raise_by_subset(
            buffers.cells, asked, asked_cells, subset, training.n_slots, sets, scorer, hopes,
            place + step, buffers, is_filled, best, places,
        )  # fmt: skip
        changed = next_subset(subset, n_features)


@inner_kernel()
def locate_rows(codes, sets, subset, cells):
    """Find the cell of each row by some features, -1 where a value is missing; count the cells."""
    cells[:] = 0
    n_cells = 1
    for feature in subset:
        locate_asked(codes[feature], n_cells, cells, cells)
        n_cells *= sets.n_codes[feature]
    return n_cells


@kernel()
def keep_scores(training, sets, scorer, subset, n_subsets, is_stopped, buffers, out):
    """Write down the best score of each class and cell, for `n_subsets` sets of features.

    subset  int64   (length,)  the first set, overwritten
    out     float64 flat       one set after the other, each (n_classes, n_cells); overwritten
    """
    n_features = training.slots.shape[0]
    length = subset.shape[0]
    entries = np.empty(training.labels.shape[0], np.int64)
    no_cells, no_codes = np.empty(0, np.int64), np.empty((n_features, 0), np.int32)
    hopes = start_hopes(scorer)
    n_prefix = 1
    changed = -1
    start = 0
    for _ in range(n_subsets):
        if is_stopped[0]:
            return
        last = subset[length - 1]
        if changed < length - 1:
            n_prefix = locate_prefix(training, no_codes, subset, entries, no_cells)
        n_entries = n_prefix * training.n_classes
        count_table(
            entries, training.slots[last], training.occurrences, n_entries, 0,
            n_entries * training.n_slots[last], buffers.cells,
        )  # fmt: skip
        counts = count_boxes(buffers.cells, subset, training.n_slots, sets, scorer, buffers)
        n_cells = n_cells_of(sets, subset)
        for label in range(training.n_classes):
            is_filled = score_cells(counts, subset, sets, scorer, label, 0, hopes, buffers, 0)
            for cell in range(n_cells):
                out[start + cell] = buffers.scores[cell] if is_filled else -np.inf
            start += n_cells
        changed = next_subset(subset, n_features)


@kernel()
def cells_before(sets, subset, n_subsets):
    """Count the cells of `n_subsets` sets of features from the first; `subset` is overwritten."""
    total = 0
    for _ in range(n_subsets):
        total += n_cells_of(sets, subset)
        next_subset(subset, sets.n_codes.shape[0])
    return total


@kernel()
def read_kept(kept, asked, sets, scorer, subset, n_subsets, place, is_stopped, best, places):
    """Raise the best scores as `raise_scores` does, from what `keep_scores` wrote down."""
    n_features, length = sets.n_codes.shape[0], subset.shape[0]
    n_asked, n_classes = asked.left_out.shape[0], best.shape[1]
    prefix_cells, asked_cells = np.empty(n_asked, np.int64), np.empty(n_asked, np.int64)
    is_filled = np.ones(1, np.bool_)
    n_prefix = 1
    changed = -1
    start = 0
    for step in range(n_subsets):
        if is_stopped[0]:
            return
        last = subset[length - 1]
        if changed < length - 1:
            n_prefix = locate_rows(asked.codes, sets, subset[:-1], prefix_cells)
        locate_asked(asked.codes[last], n_prefix, prefix_cells, asked_cells)
        n_cells = n_prefix * sets.n_codes[last]
        for label in range(n_classes):
            look_up(
                asked, asked_cells, scorer, label, is_filled, n_cells, kept, start, place + step,
                best, places,
            )  # fmt: skip
            start += n_cells
        changed = next_subset(subset, n_features)


@kernel()
def find_boxes(
    cells, asked, sets, n_slots, scorer, subset, pairs, targets, buffers, positions, counts
):
    """Find the best box of a set of features that holds a row, for the class that it asks about.

    Of equally good boxes the first: the one with the earlier condition of the first feature that
    differs.

    cells      uint16 or uint32 flat         class counts of the cells of the set
    pairs      int64   (n_pairs, 2)          a row, and the class that it asks about
    targets    float64 (n_pairs,)            the best scores: nothing is looked at after them
    positions  int64   (n_pairs, length)     conditions of the box; overwritten
    counts     int64   (n_pairs, n_classes)  class counts of the box; overwritten
    Returns the scores of the boxes, float64 (n_pairs,).
    """
    length, n_classes = subset.shape[0], scorer.omissions.shape[1]
    box_counts = count_boxes(cells, subset, n_slots, sets, scorer, buffers)
    first_code = np.zeros(sets.n_codes.shape[0] + 1, np.int64)
    first_code[1:] = np.cumsum(sets.n_codes)
    starts, stops = np.empty(length, np.int64), np.empty(length, np.int64)
    cursors = np.empty(length, np.int64)
    found = np.empty(n_classes, np.int64)
    scores = np.full(pairs.shape[0], -np.inf)
    for pair in range(pairs.shape[0]):
        row, label = pairs[pair, 0], pairs[pair, 1]
        omission = scorer.omissions[asked.left_out[row], label]
        for axis in range(length):
            code = first_code[subset[axis]] + asked.codes[subset[axis], row]
            starts[axis], stops[axis] = sets.first_member[code], sets.first_member[code + 1]
            cursors[axis] = starts[axis]
        axis = 0
        while axis >= 0:
            box = 0
            for each in range(length - 1, -1, -1):
                box = box * n_conditions_of(sets, subset[each]) + sets.members[cursors[each]]
            for other in range(n_classes):
                found[other] = box_counts[box * n_classes + other]
            value = score_rule(found, scorer, label, omission)
            if value > scores[pair]:
                scores[pair] = value
                for each in range(length):
                    positions[pair, each] = sets.members[cursors[each]]
                for other in range(n_classes):
                    counts[pair, other] = found[other]
            if value >= targets[pair]:
                break
            axis = length - 1
            while axis >= 0:
                cursors[axis] += 1
                if cursors[axis] < stops[axis]:
                    break
                cursors[axis] = starts[axis]
                axis -= 1
    return scores
