"""Class counts of every value combination of a set of features, in one table.

A row falls into a cell by its values of the features; the table has one entry a cell and class.
The last feature of a set changes fastest from set to set, so the cells are numbered with it in
front: `slot of the last feature * number of prefix cells + prefix cell`.
Missing training values have a slot of their own, which no query ever looks at, so that counting
needs no test for them.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.best import keep_rule
from picrules.kernels.jit import inner_kernel, kernel
from picrules.kernels.measures import best_class, score

# slots        uint8 or int32 (n_features, n_rows)  codes, with missing as the last slot
# labels       int64 (n_rows,)                      class of each training row
# n_slots      int64 (n_features,)                  slots of each feature
# class_sizes  int64 (n_classes,)                   training rows of each class
# class_order  int64 (n_classes,)                   labels in the order that wins ties
# max_cells    int                                  past this, only occupied cells are numbered
Training = namedtuple(  # noqa: PYI024
    "Training", ["slots", "labels", "n_slots", "class_sizes", "class_order", "max_cells"]
)


@kernel()
def next_subset(subset, n_features):
    """Move to the next set of features in lexicographic order; return where it changed first."""
    length = subset.shape[0]
    position = length - 1
    while position >= 0 and subset[position] == n_features - length + position:
        position -= 1
    if position < 0:
        return -1
    subset[position] += 1
    for later in range(position + 1, length):
        subset[later] = subset[later - 1] + 1
    return position


@inner_kernel()
def locate_queries(codes, n_cells, cells, out):
    """Add a feature to the cells of queries; -1 where its value or the cell is missing.

    codes    int32 (n_queries,)  codes of the feature
    n_cells  int                 how many cells there were without it
    cells    int64 (n_queries,)  cells without it
    out      int64 (n_queries,)  overwritten; may be `cells`
    """
    for row in range(codes.shape[0]):
        code = codes[row]
        if code < 0 or cells[row] < 0:
            out[row] = -1
        else:
            out[row] = code * n_cells + cells[row]


@inner_kernel()
def number_occupied(training_cells, query_cells):
    """Number only the cells that hold training rows; return how many there are.

    training_cells  int64 (n_rows,)     overwritten
    query_cells     int64 (n_queries,)  overwritten; -1 where no training row is in the cell
    """
    occupied = np.unique(training_cells)
    for row in range(training_cells.shape[0]):
        training_cells[row] = np.searchsorted(occupied, training_cells[row])
    for row in range(query_cells.shape[0]):
        if query_cells[row] >= 0:
            place = np.searchsorted(occupied, query_cells[row])
            is_found = place < occupied.shape[0] and occupied[place] == query_cells[row]
            query_cells[row] = place if is_found else -1
    return occupied.shape[0]


@inner_kernel()
def locate_prefix(training, queries, subset, training_cells, query_cells):
    """Find the cells of all rows by all features of a set but the last; return how many cells.

    training_cells  int64 (n_rows,)     overwritten by the table's entry: cell * n_classes + label
    query_cells     int64 (n_queries,)  overwritten by the cell, -1 where it has none
    """
    training_cells[:] = 0
    query_cells[:] = 0
    n_cells = 1
    for feature in subset[:-1]:
        slots = training.slots[feature]
        for row in range(slots.shape[0]):
            training_cells[row] += slots[row] * n_cells
        locate_queries(queries[feature], n_cells, query_cells, query_cells)
        n_cells *= training.n_slots[feature]
        if n_cells > training.max_cells:
            n_cells = number_occupied(training_cells, query_cells)
    n_classes = training.class_sizes.shape[0]
    for row in range(training_cells.shape[0]):
        training_cells[row] = training_cells[row] * n_classes + training.labels[row]
    return n_cells


@inner_kernel()
def count_table(entries, slots, n_prefix, table):
    """Count the training rows of each class in each cell.

    entries   int64 (n_rows,)                        entry by all features but the last
    slots     uint8 or int32 (n_rows,)               slots of the last feature
    n_prefix  int                                    cells by all features but the last
    table     uint16 or uint32 (n_cells, n_classes)  overwritten
    """
    flat = table.reshape(-1)
    for entry in range(flat.shape[0]):
        flat[entry] = 0
    step = np.uint64(n_prefix * table.shape[1])
    for row in range(slots.shape[0]):
        # Unsigned, or each index would be tested for being negative.
        flat[np.uint64(slots[row]) * step + np.uint64(entries[row])] += 1


@inner_kernel()
def read_table(table, cells, training, alpha, subset, best):
    """Score the rule that a set of features gives each query; keep the better ones.

    table  uint16 or uint32 (n_cells, n_classes)
    cells  int64 (n_queries,)  cell of each query; -1 when it has none
    best   Best                updated
    """
    to_beat, class_sizes, class_order = best.scores, training.class_sizes, training.class_order
    values = np.empty(cells.shape[0], np.float64)
    score_queries(table, cells, class_sizes, alpha, values)
    counts = np.empty(class_sizes.shape[0], np.int64)
    for row in range(cells.shape[0]):
        if values[row] > to_beat[row]:
            for label in range(counts.shape[0]):
                counts[label] = table[cells[row], label]
            label, value = best_class(counts, class_sizes, class_order, alpha)
            keep_rule(best, row, value, label, subset, subset.shape[0], counts)


@inner_kernel()
def score_queries(table, cells, class_sizes, alpha, out):
    """Score the best class of each query's cell; 0 where it has none.

    table  uint16 or uint32 (n_cells, n_classes)
    cells  int64 (n_queries,)    -1 where the query has no cell
    out    float64 (n_queries,)  overwritten

    Where queries outnumber the cells, each cell is scored once.
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
def search_subsets(training, alpha, queries, subset, n_subsets, table, best):
    """Count and read the tables of `n_subsets` sets of features, one after the other.

    queries  int32 (n_features, n_queries)         codes of the rows to classify, -1 is missing
    subset   int64 (length,)                       the first set, overwritten
    table    uint16 or uint32 (n_cells, n_classes)  room for the largest table, overwritten
    best     Best                                  updated
    """
    n_features = training.slots.shape[0]
    length = subset.shape[0]
    training_cells = np.empty(training.slots.shape[1], np.int64)
    prefix_cells = np.empty(queries.shape[1], np.int64)
    cells = np.empty(queries.shape[1], np.int64)
    n_prefix = 1
    changed = -1
    for _ in range(n_subsets):
        if changed < length - 1:
            n_prefix = locate_prefix(training, queries, subset, training_cells, prefix_cells)
        last = subset[length - 1]
        n_cells = n_prefix * training.n_slots[last]
        locate_queries(queries[last], n_prefix, prefix_cells, cells)
        if n_cells <= training.max_cells:
            count_table(training_cells, training.slots[last], n_prefix, table[:n_cells])
        else:
            n_cells = count_occupied(training_cells, training.slots[last], n_prefix, cells, table)
        read_table(table[:n_cells], cells, training, alpha, subset, best)
        changed = next_subset(subset, n_features)


@inner_kernel()
def count_occupied(entries, slots, n_prefix, cells, table):
    """Count a table that would have too many cells; number only the occupied ones."""
    n_classes = table.shape[1]
    training_cells = np.empty(entries.shape[0], np.int64)
    for row in range(entries.shape[0]):
        training_cells[row] = slots[row] * n_prefix + entries[row] // n_classes
    n_cells = number_occupied(training_cells, cells)
    for cell in range(n_cells):
        for label in range(n_classes):
            table[cell, label] = 0
    for row in range(entries.shape[0]):
        table[training_cells[row], entries[row] % n_classes] += 1
    return n_cells


@kernel()
def keep_subsets(training, subset, n_subsets, tables):
    """Count the tables of `n_subsets` sets of features side by side.

    subset  int64 (length,)                            the first set, overwritten
    tables  uint16 or uint32 (n_all_cells, n_classes)  overwritten, one table after the other
    """
    n_features = training.slots.shape[0]
    length = subset.shape[0]
    training_cells = np.empty(training.slots.shape[1], np.int64)
    no_queries = np.empty((n_features, 0), np.int32)
    no_cells = np.empty(0, np.int64)
    n_prefix = 1
    changed = -1
    start = 0
    for _ in range(n_subsets):
        if changed < length - 1:
            n_prefix = locate_prefix(training, no_queries, subset, training_cells, no_cells)
        last = subset[length - 1]
        stop = start + n_prefix * training.n_slots[last]
        count_table(training_cells, training.slots[last], n_prefix, tables[start:stop])
        start = stop
        changed = next_subset(subset, n_features)


@kernel()
def search_kept(training, alpha, queries, length, tables, best):
    """Read all tables of one length that `keep_subsets` counted, for every query."""
    n_features = training.slots.shape[0]
    subset = np.arange(length)
    cells = np.empty(queries.shape[1], np.int64)
    start = 0
    changed = 0
    while changed >= 0:
        n_cells = 1
        cells[:] = 0
        for feature in subset:
            locate_queries(queries[feature], n_cells, cells, cells)
            n_cells *= training.n_slots[feature]
        read_table(tables[start : start + n_cells], cells, training, alpha, subset, best)
        start += n_cells
        changed = next_subset(subset, n_features)
