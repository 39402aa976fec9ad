"""The best box of each row and class: set of features after set of features.

Each is counted, its boxes are scored, and every row that asks looks up the best one of its cell.
"""

from __future__ import annotations

import numpy as np

from picrules.kernels.boxes import (
    Hopes,
    count_boxes,
    member_of,
    n_cells_of,
    n_conditions_of,
    score_cells,
)
from picrules.kernels.counting import count_set, locate_asked, locate_prefix, next_subset
from picrules.kernels.jit import inner_kernel, kernel
from picrules.kernels.scorer import hope_of, score_rule

# What boxes must fulfil is found anew after that many sets of features.
HOPE_LASTS = 32


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
def raise_scores(training, asked, sets, scorer, subset, n_subsets, place, buffers, best, places):
    """Raise the best score of each row, class and setting over `n_subsets` sets of features.

    subset  int64 (length,)  the first set, overwritten
    place   int              its number
    best, places             as in `look_up`
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
    start = 0
    for step in range(n_subsets):
        if buffers.is_stopped[0]:
            return
        if step % HOPE_LASTS == 0:
            set_hopes(asked, scorer, best, hopes)
        last = subset[length - 1]
        if changed < length - 1:
            n_prefix_slots = locate_prefix(training, no_codes, subset, entries, no_cells)
            n_prefix = locate_rows(asked.codes, sets, subset[:-1], prefix_cells)
        locate_asked(asked.codes[last], n_prefix, prefix_cells, asked_cells)
        start = count_set(training, entries, last, n_prefix_slots, start, buffers.cells)
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
def keep_scores(training, sets, scorer, subset, n_subsets, buffers, out):
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
    counted = start = 0
    for _ in range(n_subsets):
        if buffers.is_stopped[0]:
            return
        last = subset[length - 1]
        if changed < length - 1:
            n_prefix = locate_prefix(training, no_codes, subset, entries, no_cells)
        counted = count_set(training, entries, last, n_prefix, counted, buffers.cells)
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
    stops, cursors = np.empty(length, np.int64), np.empty(length, np.int64)
    chosen = np.empty(length, np.int64)
    found = np.empty(n_classes, np.int64)
    scores = np.full(pairs.shape[0], -np.inf)
    for pair in range(pairs.shape[0]):
        if buffers.is_stopped[0]:
            return scores
        row, label = pairs[pair, 0], pairs[pair, 1]
        omission = scorer.omissions[asked.left_out[row], label]
        for axis in range(length):
            stops[axis] = sets.n_members[first_code[subset[axis]] + asked.codes[subset[axis], row]]
            cursors[axis] = 0
        axis = 0
        while axis >= 0:
            box = 0
            for each in range(length - 1, -1, -1):
                feature, code = subset[each], asked.codes[subset[each], row]
                at = first_code[feature] + code
                chosen[each] = member_of(sets, feature, code, cursors[each], at)
                box = box * n_conditions_of(sets, feature) + chosen[each]
            for other in range(n_classes):
                found[other] = box_counts[box * n_classes + other]
            value = score_rule(found, scorer, label, omission)
            if value > scores[pair]:
                scores[pair] = value
                for each in range(length):
                    positions[pair, each] = chosen[each]
                for other in range(n_classes):
                    counts[pair, other] = found[other]
            if value >= targets[pair]:
                break
            axis = length - 1
            while axis >= 0:
                cursors[axis] += 1
                if cursors[axis] < stops[axis]:
                    break
                cursors[axis] = 0
                axis -= 1
    return scores
