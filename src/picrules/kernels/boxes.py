"""Boxes of one set of features: rules whose conditions are sets of codes.

A cell is one code of each feature of the set, a box one condition of each. The class counts of
cells add up to those of boxes, axis by axis; boxes are scored for one class at a time; then the
scores are passed down, axis by axis, so that each cell holds the best score of the boxes that
contain it. The axes are the features of a set from the last to the first, as cells are numbered.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.jit import inner_kernel
from picrules.kernels.measures import evidence, measured, natural_log
from picrules.kernels.scorer import NOBODY, OWN

# The conditions of all features, each a set of codes.
# n_codes       int64 (n_features,)        codes of each feature
# first         int64 (n_features + 1,)    first condition of each feature
# parents       int64 (n_conditions,)      an earlier condition of the feature that holds all codes
#                                          but one; -1 for none, ALL_BUT_ONE for every other code
# codes         int64 (n_conditions,)      that one code
# n_members     int64 (sum(n_codes),)      how many conditions hold each code, features one after
#                                          the other
# first_member  int64 (sum(n_codes),)      where the list of these conditions begins; BY_CUTS where
#                                          they follow from the code
# members       int64 (n_listed,)          the lists, counted from the feature's first condition;
#                                          features that have the same conditions share them
Sets = namedtuple(  # noqa: PYI024
    "Sets", "n_codes first parents codes n_members first_member members"
)

ALL_BUT_ONE = -2

# The conditions of a feature are its thresholds: listed for each code they would take the square of
# their number.
BY_CUTS = -1

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
# is_stopped           uint8 (1,)        set by another thread to end early
Buffers = namedtuple(  # noqa: PYI024
    "Buffers",
    "cells counts more_counts group_rows sizes covers marks slab more_slab slabs scores is_stopped",
)

# Boxes of a set of features are scored at once if they are no more.
FEW_BOXES = 2**11

# What a box must fulfil to raise the score of any row, by class, omission and setting; see
# `hope_of`.
# slopes, rises, shifts, limits  float64 (n_classes, n_omissions, n_settings)
Hopes = namedtuple("Hopes", "slopes rises shifts limits")  # noqa: PYI024


@inner_kernel()
def n_conditions_of(sets, feature):
    """Return how many conditions a feature has."""
    return sets.first[feature + 1] - sets.first[feature]


@inner_kernel()
def member_of(sets, feature, code, place, at):
    """Return the condition at a place among those that hold a code of a feature.

    `at` is the position of the code among those of all features. Of n cuts, thresholds are n times
    `<=` from the lowest cut up, then n times `>` from the highest cut down.
    """
    if sets.first_member[at] != BY_CUTS:
        return sets.members[sets.first_member[at] + place]
    n_cuts = sets.n_codes[feature] - 1
    return place + (code if place < n_cuts - code else n_cuts)


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
    is_stopped = buffers.is_stopped
    for condition in range(n_first):
        if is_stopped[0]:
            return False
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
