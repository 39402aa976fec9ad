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
def to_slots(codes, labels, n_codes, start, slots):
    """Write classes and codes as slots: missing values have one of their own, after the codes.

    codes    int32 (n_features, n_rows)               -1 is missing
    labels   int64 (n_rows,)
    n_codes  int64 (n_features,)
    start    int                                      the first row that is written
    slots    uint8 or int32 (1 + n_features, n_some)  the class first; overwritten
    """
    stop = start + slots.shape[1]
    for row in range(start, stop):
        slots[0, row - start] = labels[row]
    for feature in range(codes.shape[0]):
        own, out, missing = codes[feature][start:stop], slots[feature + 1], n_codes[feature]
        for row in range(own.shape[0]):
            out[row] = own[row] if own[row] >= 0 else missing


@kernel()
def combine_slots(slots, axes, n_slots, out):
    """Write several slots of each row as one; the first changes fastest.

    slots    uint8 or int32 (1 + n_features, n_rows)
    axes     int64 (n_axes,)           which of them
    n_slots  int64 (1 + n_features,)
    out      uint8 or int32 (n_rows,)  overwritten
    """
    out[:] = slots[axes[0]]
    stride = n_slots[axes[0]]
    for axis in axes[1:]:
        # Of the type of the slots, so that many are combined at once.
        own, factor = slots[axis], out.dtype.type(stride)
        for row in range(out.shape[0]):
            out[row] += own[row] * factor
        stride *= n_slots[axis]


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
