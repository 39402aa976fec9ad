"""Which box has the best score of each cell: rules are looked up as scores are.

Boxes are scored and passed down as in `score_cells`, and each score takes the number of its box
along. Of boxes that score the same the first wins: that with the earlier condition of the first
feature that differs. So boxes are numbered in this order, the first feature's condition first.
"""

from __future__ import annotations

import numpy as np

from picrules.kernels.boxes import (
    ALL_BUT_ONE,
    count_boxes,
    mark_hopeful,
    n_conditions_of,
    score_boxes,
)
from picrules.kernels.by_class import start_hopes
from picrules.kernels.jit import inner_kernel, kernel


@inner_kernel()
def take_better(scores, boxes, at, out, out_boxes, to, width):
    """Take over the better of two boxes, for `width` places one after the other."""
    for place in range(width):
        score, box = scores[at + place], boxes[at + place]
        other = out[to + place]
        if score > other or (score == other and box < out_boxes[to + place]):
            out[to + place], out_boxes[to + place] = score, box


@inner_kernel()
def pass_boxes_down(scores, boxes, n_before, n_after, sets, feature, out, out_boxes, begin):
    """Turn the conditions of one axis into codes, as `pass_down` does, with the boxes' numbers.

    scores  float64 flat (n_before, n_conditions, n_after)             overwritten
    boxes   int64, their numbers                                       overwritten
    out     float64 flat (n_before, n_codes, n_after), from `begin` on  overwritten
    """
    n_codes, first = np.uint64(sets.n_codes[feature]), np.uint64(sets.first[feature])
    n_conditions, width = np.uint64(n_conditions_of(sets, feature)), np.uint64(n_after)
    codes, parents = sets.codes, sets.parents
    at, to = np.uint64(0), np.uint64(begin)
    for _ in range(n_before):
        for place in range(n_codes * width):
            out[to + place], out_boxes[to + place] = -np.inf, -1
        # A condition stands after those it holds, so from the last each hands on what it got.
        for step in range(n_conditions):
            condition = n_conditions - np.uint64(1) - step
            own, code = at + condition * width, np.uint64(codes[first + condition])
            parent = parents[first + condition]
            if parent == ALL_BUT_ONE:
                for other in range(n_codes):
                    if other != code:
                        take_better(scores, boxes, own, out, out_boxes, to + other * width, width)
                continue
            take_better(scores, boxes, own, out, out_boxes, to + code * width, width)
            if parent >= 0:
                smaller = at + np.uint64(parent) * width
                take_better(scores, boxes, own, scores, boxes, smaller, width)
        at += n_conditions * width
        to += n_codes * width


@inner_kernel()
def number_inner(subset, sets, out):
    """Number the boxes of all features of a set but the last, the first feature's condition first.

    out  int64 flat (n_boxes,)  overwritten; the first feature's conditions change fastest
    """
    n_inner = subset.shape[0] - 1
    n_boxes = 1
    for axis in range(n_inner):
        n_boxes *= n_conditions_of(sets, subset[axis])
    for box in range(n_boxes):
        rest, number = box, 0
        for axis in range(n_inner):
            n_conditions = n_conditions_of(sets, subset[axis])
            number = number * n_conditions + rest % n_conditions
            rest //= n_conditions
        out[box] = number
    return n_boxes


@kernel()
def find_first_boxes(cells, subset, n_slots, sets, scorer, labels, omissions, buffers, out, scores):
    """Find the best box of every cell of a set of features, for some classes and omissions.

    cells      uint16 or uint32 flat         class counts of the cells of the set
    labels     int64   (n_wanted,)
    omissions  int64   (n_wanted,)
    out        int64   (n_wanted, n_cells)   the number of the box, -1 where no box has a score;
                                             overwritten
    scores     float64 (n_wanted, n_cells)   its score; overwritten
    Returns the class counts of all boxes, int32 flat (n_boxes, n_classes), in the order in which
    the first feature's conditions change fastest.
    """
    length, hopes = subset.shape[0], start_hopes(scorer)
    counts = count_boxes(cells, subset, n_slots, sets, scorer, buffers)
    n_inner, n_cells = 1, 1
    for axis in range(length - 1):
        n_inner *= n_conditions_of(sets, subset[axis])
        n_cells *= sets.n_codes[subset[axis]]
    numbers = np.empty(n_inner, np.int64)
    number_inner(subset, sets, numbers)
    last = subset[length - 1]
    n_last = n_conditions_of(sets, last)
    # Numbers of boxes on the way: beside `slab`, `more_slab` and `slabs`.
    boxes, more_boxes = np.empty(n_inner, np.int64), np.empty(n_inner, np.int64)
    all_boxes = np.empty(n_last * n_cells, np.int64)
    for wanted in range(labels.shape[0]):
        label, omission = labels[wanted], omissions[wanted]
        for condition in range(n_last):
            if buffers.is_stopped[0]:
                return counts
            first = condition * n_inner
            mark_hopeful(counts, first, n_inner, scorer, label, omission, hopes, buffers)
            score_boxes(counts, first, n_inner, scorer, label, omission, buffers)
            for box in range(n_inner):
                boxes[box] = numbers[box] * n_last + condition
            source, own, target, others = buffers.slab, boxes, buffers.more_slab, more_boxes
            n_before, n_after = n_inner, 1
            for axis in range(length - 1):
                feature = subset[axis]
                n_before //= n_conditions_of(sets, feature)
                pass_boxes_down(source, own, n_before, n_after, sets, feature, target, others, 0)
                n_after *= sets.n_codes[feature]
                source, own, target, others = target, others, source, own
            for cell in range(n_cells):
                buffers.slabs[condition * n_cells + cell] = source[cell]
                all_boxes[condition * n_cells + cell] = own[cell]
        pass_boxes_down(
            buffers.slabs, all_boxes, 1, n_cells, sets, last, scores[wanted], out[wanted], 0
        )
    return counts
