"""The best rule of each row from tables of class counts, where each condition is one code."""

from __future__ import annotations

import numpy as np

from picrules.kernels.best import keep_rule
from picrules.kernels.counting import (
    count_occupied,
    count_table,
    locate_asked,
    locate_prefix,
    next_subset,
)
from picrules.kernels.jit import inner_kernel, kernel
from picrules.kernels.measures import best_class, score


@inner_kernel()
def read_table(table, cells, class_sizes, class_order, alpha, subset, best):
    """Score the rule that a set of features gives each row; keep the better ones.

    table  uint16 or uint32 (n_cells, n_classes)
    cells  int64 (n_asked,)  cell of each row; -1 when it has none
    best   Best              updated
    """
    to_beat = best.scores
    values = np.empty(cells.shape[0], np.float64)
    score_rows(table, cells, class_sizes, alpha, values)
    counts = np.empty(class_sizes.shape[0], np.int64)
    for row in range(cells.shape[0]):
        if values[row] > 0.0 and values[row] > to_beat[row, 0]:
            for label in range(counts.shape[0]):
                counts[label] = table[cells[row], label]
            label, value = best_class(counts, class_sizes, class_order, alpha)
            keep_rule(best, row, 0, value, label, subset, subset.shape[0], counts)


@inner_kernel()
def score_rows(table, cells, class_sizes, alpha, out):
    """Score the best class of each row's cell; 0 where it has none.

    table  uint16 or uint32 (n_cells, n_classes)
    cells  int64 (n_asked,)    -1 where the row has no cell
    out    float64 (n_asked,)  overwritten

    Where rows outnumber the cells, each cell is scored once.
    """
    is_small = table.shape[0] < cells.shape[0]
    scores = np.empty(table.shape[0] if is_small else 0, np.float64)
    if is_small:
        score_cells(table, class_sizes, alpha, scores)
        for row in range(cells.shape[0]):
            # Unsigned, or the index would be tested for being negative.
            out[row] = scores[np.uint64(cells[row])] if cells[row] >= 0 else 0.0
    else:
        for row in range(cells.shape[0]):
            is_known = cells[row] >= 0
            out[row] = score_cell(table, cells[row], class_sizes, alpha) if is_known else 0.0


@inner_kernel()
def score_cells(table, class_sizes, alpha, out):
    """Score the best class of every cell; 0 where it is empty.

    table  uint16 or uint32 (n_cells, n_classes)
    out    float64 (n_cells,)  overwritten
    """
    if class_sizes.shape[0] == 2:
        flat = table.reshape(-1)
        for cell in range(out.shape[0]):
            hits_0, hits_1 = np.int64(flat[2 * cell]), np.int64(flat[2 * cell + 1])
            size = max(hits_0 + hits_1, 1)
            value_0 = score(hits_0, size, class_sizes[0], alpha)
            value_1 = score(hits_1, size, class_sizes[1], alpha)
            out[cell] = max(value_0, value_1)
    else:
        for cell in range(out.shape[0]):
            out[cell] = score_cell(table, cell, class_sizes, alpha)


@inner_kernel()
def score_cell(table, cell, class_sizes, alpha):
    """Score the best class of a cell; 0 where it is empty."""
    size = 0
    for label in range(class_sizes.shape[0]):
        size += table[cell, label]
    value = 0.0
    for label in range(class_sizes.shape[0]):
        value = max(value, score(table[cell, label], max(size, 1), class_sizes[label], alpha))
    return value


@kernel()
def search_cells(
    training, class_sizes, class_order, alpha, codes, subset, n_subsets, is_stopped, table, best
):
    """Count and read the tables of `n_subsets` sets of features, one after the other.

    class_sizes  int64 (n_classes,)           at least 1 each
    class_order  int64 (n_classes,)           labels in the order that wins ties
    codes        int32 (n_features, n_asked)  rows to classify, -1 is missing
    subset       int64 (length,)              the first set, overwritten
    is_stopped   uint8 (1,)                   set by another thread to end early
    table        uint16 or uint32, flat       space for the largest table, overwritten
    best         Best                         updated
    """
    n_features = training.slots.shape[0]
    length, n_classes = subset.shape[0], training.n_classes
    entries = np.empty(training.labels.shape[0], np.int64)
    prefix_cells = np.empty(codes.shape[1], np.int64)
    cells = np.empty(codes.shape[1], np.int64)
    n_prefix = 1
    changed = -1
    for _ in range(n_subsets):
        if is_stopped[0]:
            return
        if changed < length - 1:
            n_prefix = locate_prefix(training, codes, subset, entries, prefix_cells)
        last = subset[length - 1]
        slots = training.slots[last]
        n_cells = n_prefix * training.n_slots[last]
        locate_asked(codes[last], n_prefix, prefix_cells, cells)
        if n_cells <= training.max_cells:
            step = n_prefix * n_classes
            count_table(entries, slots, training.occurrences, step, 0, n_cells * n_classes, table)
        else:
            n_cells = count_occupied(entries, slots, training, n_prefix, cells, table)
        counted = table[: n_cells * n_classes].reshape((n_cells, n_classes))
        read_table(counted, cells, class_sizes, class_order, alpha, subset, best)
        changed = next_subset(subset, n_features)


@kernel()
def read_cells(counts, n_slots, class_sizes, class_order, alpha, codes, length, best):
    """Read all tables of one length that `count_subsets` counted, for every row asked about."""
    n_features, n_classes = n_slots.shape[0], class_sizes.shape[0]
    subset = np.arange(length)
    cells = np.empty(codes.shape[1], np.int64)
    start = 0
    changed = 0
    while changed >= 0:
        n_cells = 1
        cells[:] = 0
        for feature in subset:
            locate_asked(codes[feature], n_cells, cells, cells)
            n_cells *= n_slots[feature]
        stop = start + n_cells * n_classes
        counted = counts[start:stop].reshape((n_cells, n_classes))
        read_table(counted, cells, class_sizes, class_order, alpha, subset, best)
        start = stop
        changed = next_subset(subset, n_features)
