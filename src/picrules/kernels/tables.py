"""Class counts of every value combination of a set of features, in one dense table."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba import njit

from picrules.kernels.best import keep_rule
from picrules.kernels.measures import best_class

# codes        int32 (n_features, n_rows)  -1 is missing
# labels       int64 (n_rows,)             class of each training row
# n_codes      int64 (n_features,)         codes of each feature
# class_sizes  int64 (n_classes,)          training rows of each class
# class_order  int64 (n_classes,)          labels in the order that wins ties
Training = namedtuple(  # noqa: PYI024
    "Training", ["codes", "labels", "n_codes", "class_sizes", "class_order"]
)


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def locate_cells(codes, n_codes, subset, out):
    """Number the cell of the table that each row falls into; -1 when a value is missing.

    codes    int32 (n_features, n_rows)
    subset   int64 (length,)  features, may be empty: then every row falls into cell 0
    out      int64 (n_rows,)  overwritten
    """
    out[:] = 0
    for feature in subset:
        for row in range(out.shape[0]):
            code = codes[feature, row]
            if code < 0 or out[row] < 0:
                out[row] = -1
            else:
                out[row] = out[row] * n_codes[feature] + code


@njit(cache=True, nogil=True)
def count_table(prefix_cells, codes, n_codes, labels, table):
    """Count the training rows of each class in each cell of the table.

    prefix_cells  int64 (n_rows,)           cell by all features but the last
    codes         int32 (n_rows,)           codes of the last feature
    n_codes       int                       codes of the last feature
    labels        int64 (n_rows,)
    table         int32 (n_cells, n_classes)  overwritten
    """
    table[:] = 0
    for row in range(codes.shape[0]):
        if prefix_cells[row] >= 0 and codes[row] >= 0:
            table[prefix_cells[row] * n_codes + codes[row], labels[row]] += 1


@njit(cache=True, nogil=True)
def search_subsets(training, alpha, queries, subset, n_subsets, table, best):
    """Score the rules that `n_subsets` sets of features give every row; keep the better ones.

    queries  int32 (n_features, n_rows)     codes of the rows to classify, -1 is missing
    subset   int64 (length,)                the first set, overwritten
    table    int32 (n_cells, n_classes)     room for the largest table, overwritten
    best     Best                           updated
    """
    n_features = training.codes.shape[0]
    length = subset.shape[0]
    counts = np.empty(table.shape[1], np.int64)
    training_cells = np.empty(training.codes.shape[1], np.int64)
    query_cells = np.empty(queries.shape[1], np.int64)
    changed = -1
    for _ in range(n_subsets):
        if changed < length - 1:
            locate_cells(training.codes, training.n_codes, subset[:-1], training_cells)
            locate_cells(queries, training.n_codes, subset[:-1], query_cells)
        last = subset[length - 1]
        n_last = training.n_codes[last]
        n_cells = n_last
        for feature in subset[:-1]:
            n_cells *= training.n_codes[feature]
        count_table(training_cells, training.codes[last], n_last, training.labels, table[:n_cells])
        for row in range(query_cells.shape[0]):
            code = queries[last, row]
            if query_cells[row] < 0 or code < 0:
                continue
            cover_size = 0
            for label in range(counts.shape[0]):
                counts[label] = table[query_cells[row] * n_last + code, label]
                cover_size += counts[label]
            if cover_size == 0:
                continue
            label, value = best_class(counts, training.class_sizes, training.class_order, alpha)
            if value > best.scores[row]:
                keep_rule(best, row, value, label, subset, length, counts)
        changed = next_subset(subset, n_features)
