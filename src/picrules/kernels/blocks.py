"""Class counts of cells for rows that come batch by batch.

They are counted in blocks: sets of features whose cells together fit into a cache. The counts of
each smaller set among the features of a block are sums of its counts, so few blocks do for very
many sets.
"""

from __future__ import annotations

import numpy as np

from picrules.kernels.jit import kernel

# Rows whose entries are found at once, in vectors, before they are counted.
TILE = 2048


@kernel()
def to_slots(codes, labels, n_codes, slots):
    """Write classes and codes as slots: missing values have one of their own, after the codes.

    codes    int32 (n_features, n_rows)               -1 is missing
    labels   int64 (n_rows,)
    n_codes  int64 (n_features,)
    slots    uint8 or int32 (1 + n_features, n_rows)  the class first; overwritten
    """
    for row in range(labels.shape[0]):
        slots[0, row] = labels[row]
    for feature in range(codes.shape[0]):
        own, out, missing = codes[feature], slots[feature + 1], n_codes[feature]
        for row in range(own.shape[0]):
            out[row] = own[row] if own[row] >= 0 else missing


@kernel()
def add_to_block(slots, occurrences, axes, n_slots, is_stopped, cells):
    """Add rows to the class counts of the cells of one block.

    slots        uint8 or int32 (1 + n_features, n_rows)  the class first
    occurrences  int64 (n_rows,)            how often each row occurs; empty if each occurs once
    axes         int64 (1 + n_in_block,)    which slots make a cell; 0, the class, changes fastest
    n_slots      int64 (1 + n_features,)
    is_stopped   uint8 (1,)                 set by another thread to end early
    cells        uint32 flat (n_cells, n_classes)  updated
    """
    n_rows, once = slots.shape[1], np.uint32(1)
    entries = np.empty(TILE, np.uint32)
    for start in range(0, n_rows, TILE):
        if is_stopped[0]:
            return
        width, stride = min(TILE, n_rows - start), np.uint32(1)
        entries[:] = 0
        for axis in axes:
            own = slots[axis]
            for at in range(width):
                entries[at] += np.uint32(own[start + at]) * stride
            stride *= np.uint32(n_slots[axis])
        if occurrences.shape[0] == 0:
            for at in range(width):
                cells[entries[at]] += once
        else:
            for at in range(width):
                cells[entries[at]] += np.uint32(occurrences[start + at])


@kernel()
def mix_rows(codes, labels, keys):
    """Give each row a number that its codes and its class make, as if by chance.

    codes   int32 (n_features, n_rows)
    labels  int64 (n_rows,)
    keys    uint64 (n_rows,)  overwritten
    """
    factor = np.uint64(0x9E3779B97F4A7C15)
    for row in range(labels.shape[0]):
        keys[row] = np.uint64(labels[row] + 1)
    for feature in range(codes.shape[0]):
        own = codes[feature]
        for row in range(labels.shape[0]):
            keys[row] = keys[row] * factor + np.uint64(own[row] + 1)
    for row in range(labels.shape[0]):
        key = keys[row]
        key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        keys[row] = key ^ (key >> np.uint64(31))
