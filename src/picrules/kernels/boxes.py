"""Best boxes: rules whose conditions are sets of codes, for one set of features at a time.

A cell is one code of each feature of the set, a box one condition of each. The class counts of
cells add up to those of boxes, axis by axis; every box is scored once; then the scores are passed
down, axis by axis, so that each cell holds the best score of the boxes that contain it.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.jit import inner_kernel, kernel
from picrules.kernels.judge import score_covers, score_rule
from picrules.kernels.tables import next_subset

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

# Training rows, or rows that are asked about.
# codes   int32 (n_features, n_rows)  -1 is missing
# labels  int64 (n_rows,)             class; of rows asked about, the class to leave out or -1
Rows = namedtuple("Rows", ["codes", "labels"])  # noqa: PYI024

# Room for the largest set of features; all flat and overwritten.
# counts, more_counts  int32    n_boxes * n_classes
# slab, more_slab      float64  boxes with one condition of the first feature, each with a score
#                               for every class, way to leave a row out, and setting
# slabs                float64  conditions of the first feature times cells of the others, likewise
# cells                float64  cells, likewise
Room = namedtuple(  # noqa: PYI024
    "Room", ["counts", "more_counts", "slab", "more_slab", "slabs", "cells"]
)


@inner_kernel()
def n_conditions_of(sets, feature):
    """Return how many conditions a feature has."""
    return sets.first[feature + 1] - sets.first[feature]


@inner_kernel()
def locate(codes, n_codes, subset, out):
    """Find the cell of each row by the features of a set; -1 where a value is missing."""
    for row in range(out.shape[0]):
        out[row] = 0
    for feature in subset:
        column = codes[feature]
        for row in range(out.shape[0]):
            if column[row] < 0 or out[row] < 0:
                out[row] = -1
            else:
                out[row] = out[row] * n_codes[feature] + column[row]


@inner_kernel()
def count_cells(prefix, column, labels, n_last, n_classes, out):
    """Count the rows of each class in each cell; `out` is flat and holds zeros."""
    for row in range(prefix.shape[0]):
        if prefix[row] >= 0 and column[row] >= 0:
            out[(prefix[row] * n_last + column[row]) * n_classes + labels[row]] += 1


@inner_kernel()
def add_up(source, n_before, n_after, sets, feature, out):
    """Turn the codes of one axis into conditions: the counts of a condition add up.

    source  int32 flat (n_before, n_codes, n_after)
    out     int32 flat (n_before, n_conditions, n_after)  overwritten
    """
    n_codes = sets.n_codes[feature]
    first = sets.first[feature]
    n_conditions = n_conditions_of(sets, feature)
    for before in range(n_before):
        cells = source[before * n_codes * n_after : (before + 1) * n_codes * n_after]
        boxes = out[before * n_conditions * n_after : (before + 1) * n_conditions * n_after]
        for condition in range(n_conditions):
            box = boxes[condition * n_after : (condition + 1) * n_after]
            code = sets.codes[first + condition]
            cell = cells[code * n_after : (code + 1) * n_after]
            parent = sets.parents[first + condition]
            if parent == ALL_BUT_ONE:
                for place in range(n_after):
                    box[place] = -cell[place]
                for other in range(n_codes):
                    for place in range(n_after):
                        box[place] += cells[other * n_after + place]
            elif parent < 0:
                for place in range(n_after):
                    box[place] = cell[place]
            else:
                smaller = boxes[parent * n_after : (parent + 1) * n_after]
                for place in range(n_after):
                    box[place] = smaller[place] + cell[place]


@inner_kernel()
def pass_down(source, n_before, n_after, sets, feature, out):
    """Turn the conditions of one axis into codes: a code gets the best of those that hold it.

    source  float64 flat (n_before, n_conditions, n_after)  overwritten
    out     float64 flat (n_before, n_codes, n_after)       overwritten
    """
    n_codes = sets.n_codes[feature]
    first = sets.first[feature]
    n_conditions = n_conditions_of(sets, feature)
    for before in range(n_before):
        boxes = source[before * n_conditions * n_after : (before + 1) * n_conditions * n_after]
        cells = out[before * n_codes * n_after : (before + 1) * n_codes * n_after]
        for place in range(n_codes * n_after):
            cells[place] = -np.inf
        # A condition stands after those it holds, so from the last each hands on what it got.
        for condition in range(n_conditions - 1, -1, -1):
            box = boxes[condition * n_after : (condition + 1) * n_after]
            code = sets.codes[first + condition]
            parent = sets.parents[first + condition]
            if parent == ALL_BUT_ONE:
                for other in range(n_codes):
                    if other != code:
                        raise_to(cells[other * n_after : (other + 1) * n_after], box)
                continue
            raise_to(cells[code * n_after : (code + 1) * n_after], box)
            if parent >= 0:
                raise_to(boxes[parent * n_after : (parent + 1) * n_after], box)


@inner_kernel()
def raise_to(values, others):
    """Take the higher of two values, place by place."""
    for place in range(values.shape[0]):
        values[place] = max(values[place], others[place])


@inner_kernel()
def count_boxes(prefix, training, subset, sets, n_classes, room):
    """Count the training rows of each class in every box of a set of features.

    prefix  int64 (n_rows,)  cell of each row by all features but the last
    Returns the counts, int32 flat (n_boxes, n_classes), one of the arrays of `room`.
    """
    counts, spare = room.counts, room.more_counts
    length = subset.shape[0]
    last = subset[length - 1]
    n_before = 1
    for feature in subset:
        n_before *= sets.n_codes[feature]
    for place in range(n_before * n_classes):
        counts[place] = 0
    n_last = sets.n_codes[last]
    count_cells(prefix, training.codes[last], training.labels, n_last, n_classes, counts)
    n_after = n_classes
    for position in range(length - 1, -1, -1):
        feature = subset[position]
        n_before //= sets.n_codes[feature]
        add_up(counts, n_before, n_after, sets, feature, spare)
        n_after *= n_conditions_of(sets, feature)
        counts, spare = spare, counts
    return counts


@inner_kernel()
def score_cells(counts, subset, sets, judge, n_classes, room):
    """Find the best score of the boxes that contain each cell.

    One condition of the first feature after the other, so that most of the work is done in a
    slab that fits into the cache.

    counts  int32 flat (n_boxes, n_classes)
    Fills `room.cells`, float64 flat (n_cells, n_classes, n_ways, n_settings).
    """
    width = n_classes * judge.left_groups.shape[0] * judge.alphas.shape[0]
    first = subset[0]
    if subset.shape[0] == 1:
        n_boxes = n_conditions_of(sets, first)
        score_covers(counts, 0, n_boxes, judge, room.slab)
        pass_down(room.slab, 1, width, sets, first, room.cells)
        return
    n_boxes = 1
    n_cells = 1
    for feature in subset[1:]:
        n_boxes *= n_conditions_of(sets, feature)
        n_cells *= sets.n_codes[feature]
    for condition in range(n_conditions_of(sets, first)):
        start = condition * n_boxes * n_classes
        out = room.slabs[condition * n_cells * width : (condition + 1) * n_cells * width]
        score_slab(counts, start, n_boxes, subset, sets, judge, room, out)
    pass_down(room.slabs, 1, n_cells * width, sets, first, room.cells)


@inner_kernel()
def score_slab(counts, start, n_boxes, subset, sets, judge, room, out):
    """Find the best score of each cell of all features but the first.

    counts  int32   flat (n_boxes, n_classes), from `start` on
    out     float64 flat (n_cells, n_classes, n_ways, n_settings)  overwritten
    """
    n_classes = judge.ways.shape[1]
    width = n_classes * judge.left_groups.shape[0] * judge.alphas.shape[0]
    length = subset.shape[0]
    last = subset[length - 1]
    n_conditions = n_conditions_of(sets, last)
    n_before = n_boxes // n_conditions
    n_after = sets.n_codes[last] * width
    source, target = room.slab, room.more_slab
    # Boxes along the last axis are scored and passed down at once.
    line = np.empty(n_conditions * width)
    for before in range(n_before):
        covers = start + before * n_conditions * n_classes
        score_covers(counts, covers, n_conditions, judge, line)
        place = before * n_after
        into = out if length == 2 else source[place : place + n_after]
        pass_down(line, 1, width, sets, last, into)
    for position in range(length - 2, 0, -1):
        feature = subset[position]
        n_before //= n_conditions_of(sets, feature)
        pass_down(source, n_before, n_after, sets, feature, out if position == 1 else target)
        n_after *= sets.n_codes[feature]
        source, target = target, source


@inner_kernel()
def look_up(asked, prefix, column, n_last, judge, scores, place, best, places):
    """Raise the best score of each row, class and setting to that of its cell.

    scores  float64 flat (n_cells, n_classes, n_ways, n_settings)
    place   int                                          number of the set of features
    best    float64 (n_rows, n_classes, n_settings)      raised
    places  int64   (n_rows, n_classes)                  place of each best score; empty if nobody
                                                         asks, else there is one setting
    """
    n_classes, n_settings = best.shape[1], best.shape[2]
    n_ways = judge.left_groups.shape[0]
    has_places = places.shape[0] > 0
    for row in range(prefix.shape[0]):
        if prefix[row] < 0 or column[row] < 0:
            continue
        cell = prefix[row] * n_last + column[row]
        for label in range(n_classes):
            way = judge.ways[asked.labels[row], label]
            start = ((cell * n_classes + label) * n_ways + way) * n_settings
            found = scores[start : start + n_settings]
            if has_places and found[0] > best[row, label, 0]:
                places[row, label] = place
            raise_to(best[row, label], found)


@kernel()
def raise_scores(training, asked, sets, judge, subset, n_subsets, place, room, best, places):
    """Raise the best score of each row, class and setting over `n_subsets` sets of features.

    asked   Rows             rows to look up
    subset  int64 (length,)  the first set, overwritten
    place   int              its number
    best, places             as in `look_up`
    """
    n_features = training.codes.shape[0]
    length = subset.shape[0]
    n_classes = best.shape[1]
    prefix = np.empty(training.labels.shape[0], np.int64)
    asked_prefix = np.empty(asked.labels.shape[0], np.int64)
    changed = -1
    for step in range(n_subsets):
        last = subset[length - 1]
        if changed < length - 1:
            locate(training.codes, sets.n_codes, subset[:-1], prefix)
            locate(asked.codes, sets.n_codes, subset[:-1], asked_prefix)
        counts = count_boxes(prefix, training, subset, sets, n_classes, room)
        score_cells(counts, subset, sets, judge, n_classes, room)
        look_up(
            asked, asked_prefix, asked.codes[last], sets.n_codes[last],
            judge, room.cells, place + step, best, places,
        )  # fmt: skip
        changed = next_subset(subset, n_features)


@kernel()
def keep_scores(training, sets, judge, subset, n_subsets, room, out):
    """Write down the best score of each cell and class, for `n_subsets` sets of features.

    subset  int64   (length,)  the first set, overwritten
    out     float64 flat       one set after the other, each (n_cells, n_classes); overwritten
    """
    n_features = training.codes.shape[0]
    length = subset.shape[0]
    n_classes = judge.ways.shape[1]
    prefix = np.empty(training.labels.shape[0], np.int64)
    changed = -1
    start = 0
    for _ in range(n_subsets):
        if changed < length - 1:
            locate(training.codes, sets.n_codes, subset[:-1], prefix)
        counts = count_boxes(prefix, training, subset, sets, n_classes, room)
        score_cells(counts, subset, sets, judge, n_classes, room)
        stop = start + n_cells_of(sets, subset) * n_classes
        for place in range(stop - start):
            out[start + place] = room.cells[place]
        start = stop
        changed = next_subset(subset, n_features)


@inner_kernel()
def n_cells_of(sets, subset):
    """Return how many cells a set of features has."""
    n_cells = 1
    for feature in subset:
        n_cells *= sets.n_codes[feature]
    return n_cells


@kernel()
def cells_before(sets, subset, n_subsets):
    """Count the cells of `n_subsets` sets of features from the first; `subset` is overwritten."""
    total = 0
    for _ in range(n_subsets):
        total += n_cells_of(sets, subset)
        next_subset(subset, sets.n_codes.shape[0])
    return total


@kernel()
def read_kept(kept, asked, sets, judge, subset, n_subsets, place, best, places):
    """Raise the best scores as `raise_scores` does, from what `keep_scores` wrote down."""
    n_features = asked.codes.shape[0]
    length = subset.shape[0]
    n_classes = best.shape[1]
    prefix = np.empty(asked.labels.shape[0], np.int64)
    changed = -1
    start = 0
    for step in range(n_subsets):
        last = subset[length - 1]
        if changed < length - 1:
            locate(asked.codes, sets.n_codes, subset[:-1], prefix)
        stop = start + n_cells_of(sets, subset) * n_classes
        look_up(
            asked, prefix, asked.codes[last], sets.n_codes[last],
            judge, kept[start:stop], place + step, best, places,
        )  # fmt: skip
        start = stop
        changed = next_subset(subset, n_features)


@kernel()
def find_boxes(training, asked, sets, judge, subset, pairs, targets, room, positions, counts):
    """Find the first box of a set of features that holds a row and has its best score.

    subset     int64   (length,)
    pairs      int64   (n_pairs, 2)          a row, and the class that it asks about
    targets    float64 (n_pairs,)            their best scores
    positions  int64   (n_pairs, length)     conditions of the box; overwritten
    counts     int64   (n_pairs, n_classes)  class counts of the box; overwritten
    """
    length = subset.shape[0]
    n_classes = judge.ways.shape[1]
    prefix = np.empty(training.labels.shape[0], np.int64)
    locate(training.codes, sets.n_codes, subset[:-1], prefix)
    box_counts = count_boxes(prefix, training, subset, sets, n_classes, room)
    first_code = np.zeros(sets.n_codes.shape[0] + 1, np.int64)
    first_code[1:] = np.cumsum(sets.n_codes)
    starts, stops = np.empty(length, np.int64), np.empty(length, np.int64)
    cursors = np.empty(length, np.int64)
    found = np.empty(n_classes, np.int64)
    for pair in range(pairs.shape[0]):
        row, label = pairs[pair, 0], pairs[pair, 1]
        for axis in range(length):
            code = first_code[subset[axis]] + asked.codes[subset[axis], row]
            starts[axis], stops[axis] = sets.first_member[code], sets.first_member[code + 1]
            cursors[axis] = starts[axis]
        axis = 0
        while axis >= 0:
            box = 0
            for each in range(length):
                box *= n_conditions_of(sets, subset[each])
                box += sets.members[cursors[each]]
            for other in range(n_classes):
                found[other] = box_counts[box * n_classes + other]
            way = judge.ways[asked.labels[row], label]
            if score_rule(found, judge, label, way) == targets[pair]:
                for each in range(length):
                    positions[pair, each] = sets.members[cursors[each]]
                for other in range(n_classes):
                    counts[pair, other] = found[other]
                break
            axis = length - 1
            while axis >= 0:
                cursors[axis] += 1
                if cursors[axis] < stops[axis]:
                    break
                cursors[axis] = starts[axis]
                axis -= 1
