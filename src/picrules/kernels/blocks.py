"""Class counts of cells for rows that come batch by batch.

They are counted in blocks: sets of features whose cells together fit into a cache. The counts of
each smaller set among the features of a block are sums of its counts, so few blocks do for very
many sets.
"""

from __future__ import annotations

import numpy as np

from picrules.kernels.jit import kernel

# Rows whose entries are found at once, in vectors, before they are counted.
TILE = 1024


@kernel()
def to_columns(codes, labels, n_codes, start, factors, columns):
    """Write classes and codes as slots, several of them combined into one.

    Missing values have a slot of their own, after the codes.

    codes    int32 (n_features, n_rows)  -1 is missing
    labels   int64 (n_rows,)
    n_codes  int64 (n_features,)
    start    int                         the first row that is written
    factors  uint8 or int32 (n_columns, 1 + n_features)  what a step of the class, and of each
                                         feature, adds to each column; 0 is nothing
    columns  uint8 or int32 (n_columns, n_some)  overwritten
    """
    slots = np.empty((codes.shape[0] + 1, TILE), columns.dtype)
    for first in range(0, columns.shape[1], TILE):
        n_rows = min(TILE, columns.shape[1] - first)
        here = slice(start + first, start + first + n_rows)
        given = labels[here]
        for row in range(n_rows):
            slots[0, row] = given[row]
        for feature in range(codes.shape[0]):
            own, out, missing = codes[feature][here], slots[feature + 1], n_codes[feature]
            for row in range(n_rows):
                out[row] = own[row] if own[row] >= 0 else missing
        for column in range(columns.shape[0]):
            combined = columns[column][first : first + n_rows]
            combined[:] = 0
            for axis in range(slots.shape[0]):
                # Of the type of the slots, so that many are combined at once.
                factor, out = factors[column, axis], slots[axis]
                if factor:
                    for row in range(n_rows):
                        combined[row] += out[row] * factor


@kernel()
def add_to_block(columns, occurrences, chosen, strides, is_stopped, cells):
    """Add rows to the class counts of the cells of one block.

    columns      uint8 or int32 (n_columns, n_rows)  slots, combined
    occurrences  int64 (n_rows,)      how often each row occurs; empty if each occurs once
    chosen       int64 (n_chosen,)    which columns make an entry: three, or six, ...
    strides      uint32 (n_chosen,)   what a step of each adds; 0 for columns that fill up
    is_stopped   uint8 (1,)           set by another thread to end early
    cells        uint32 flat (n_cells, n_classes)  updated
    """
    once = np.uint32(1)
    entries = np.empty(TILE, np.uint32)
    for start in range(0, columns.shape[1], TILE):
        if is_stopped[0]:
            return
        stop = start + TILE
        for at in range(0, chosen.shape[0], 3):
            one, two = columns[chosen[at]][start:stop], columns[chosen[at + 1]][start:stop]
            three = columns[chosen[at + 2]][start:stop]
            first, second, third = strides[at], strides[at + 1], strides[at + 2]
            if at == 0:
                entries[:] = 0
            for row in range(one.shape[0]):
                entries[row] += (
                    np.uint32(one[row]) * first
                    + np.uint32(two[row]) * second
                    + np.uint32(three[row]) * third
                )
        n_rows = min(TILE, columns.shape[1] - start)
        if occurrences.shape[0] == 0:
            for row in range(n_rows):
                cells[entries[row]] += once
        else:
            for row in range(n_rows):
                cells[entries[row]] += np.uint32(occurrences[start + row])


@kernel()
def sum_axis(cells, sums):
    """Add up counts over the second of three axes.

    NumPy takes many times as long where the third is short, as it is for two classes.

    cells  uint32 (n_outer, n_summed, n_inner)
    sums   uint32 (n_outer, n_inner)  overwritten
    """
    sums[:] = 0
    for outer in range(cells.shape[0]):
        for at in range(cells.shape[1]):
            for inner in range(cells.shape[2]):
                sums[outer, inner] += cells[outer, at, inner]
