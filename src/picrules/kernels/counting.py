"""Class counts of the cells of a set of features, counted in one table.

A row falls into a cell by its values of the features; the table has one entry per cell and class.
The last feature of a set changes fastest from set to set, so the cells are numbered with it in
front: `slot of the last feature * number of prefix cells + prefix cell`. Missing training values
have a slot of their own, after the codes, so that counting needs no test for them.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.jit import inner_kernel, kernel

# Distinct training rows.
# slots        uint8 or int32 (n_features, n_rows)  codes, with missing as the last slot
# labels       int64 (n_rows,)                      class of each row
# occurrences  int64 (n_rows,)                      how often each occurs; empty if each occurs once
# n_slots      int64 (n_features,)                  slots of each feature
# n_classes    int
# max_cells    int                                  past this, only occupied cells are numbered
# counted      uint32 flat                          in place of rows: the class counts of the cells
#                                                   of all sets of features of one length, one after
#                                                   the other from that where a kernel begins; empty
#                                                   where there are rows
SlotRows = namedtuple(  # noqa: PYI024
    "SlotRows",
    "slots labels occurrences n_slots n_classes max_cells counted",
)

# Rows that are asked about.
# codes     int32 (n_features, n_rows)  -1 is missing
# left_out  int64 (n_rows,)             class of a training row that must not count itself, or -1
Asked = namedtuple("Asked", "codes left_out")  # noqa: PYI024


@kernel()
def add_to_keys(codes, n_codes, keys):
    """Add a feature to the numbers that stand for rows; -1 is missing.

    codes  int32 (n_rows,)
    keys   int64 (n_rows,)  overwritten
    """
    for row in range(codes.shape[0]):
        keys[row] = keys[row] * (n_codes + 1) + codes[row] + 1


@kernel()
def number_distinct(keys, first, numbers):
    """Number the distinct keys in the order in which they come; return how many there are.

    keys     int64 (n_rows,)
    first    int64 (n_rows,)  position of the first row of each number; overwritten
    numbers  int64 (n_rows,)  the number of each row; overwritten
    """
    n_bits = 4
    while (1 << n_bits) < 2 * keys.shape[0]:
        n_bits += 1
    taken = np.full(1 << n_bits, -1, np.int32)
    last = (1 << n_bits) - 1
    n_distinct = 0
    for row in range(keys.shape[0]):
        key = keys[row]
        # The last features of a row are in the low bits; the others are folded onto them.
        at = (key ^ (key >> 17) ^ (key >> 34) ^ (key >> 51)) & last
        number = taken[at]
        while number >= 0 and keys[first[number]] != key:
            at = (at + 1) & last
            number = taken[at]
        if number < 0:
            number = np.int32(n_distinct)
            taken[at] = number
            first[number] = row
            n_distinct += 1
        numbers[row] = number
    return n_distinct


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
def locate_asked(codes, n_cells, cells, out):
    """Add a feature to the cells of rows asked about; -1 where its value or the cell is missing.

    codes    int32 (n_rows,)  codes of the feature
    n_cells  int              how many cells there were without it
    cells    int64 (n_rows,)  cells without it
    out      int64 (n_rows,)  overwritten; may be `cells`
    """
    for row in range(codes.shape[0]):
        code = codes[row]
        if code < 0 or cells[row] < 0:
            out[row] = -1
        else:
            out[row] = code * n_cells + cells[row]


@inner_kernel()
def number_occupied(training_cells, asked_cells):
    """Number only the cells that hold training rows; return how many there are.

    training_cells  int64 (n_rows,)   overwritten
    asked_cells     int64 (n_asked,)  overwritten; -1 where no training row is in the cell
    """
    occupied = np.unique(training_cells)
    for row in range(training_cells.shape[0]):
        training_cells[row] = np.searchsorted(occupied, training_cells[row])
    for row in range(asked_cells.shape[0]):
        if asked_cells[row] >= 0:
            at = np.searchsorted(occupied, asked_cells[row])
            is_found = at < occupied.shape[0] and occupied[at] == asked_cells[row]
            asked_cells[row] = at if is_found else -1
    return occupied.shape[0]


@inner_kernel()
def locate_prefix(training, codes, subset, entries, asked_cells):
    """Find the cells of all rows by all features of a set but the last; return how many cells.

    codes        int32 (n_features, n_asked)  rows asked about
    entries      int64 (n_rows,)   overwritten by the table's entry: cell * n_classes + label
    asked_cells  int64 (n_asked,)  overwritten by the cell, -1 where it has none
    """
    entries[:] = 0
    asked_cells[:] = 0
    n_cells = 1
    for feature in subset[:-1]:
        slots = training.slots[feature]
        for row in range(slots.shape[0]):
            entries[row] += np.int64(slots[row]) * n_cells
        locate_asked(codes[feature], n_cells, asked_cells, asked_cells)
        n_cells *= training.n_slots[feature]
        if n_cells > training.max_cells:
            n_cells = number_occupied(entries, asked_cells)
    for row in range(entries.shape[0]):
        entries[row] = entries[row] * training.n_classes + training.labels[row]
    return n_cells


@inner_kernel()
def count_table(entries, slots, occurrences, step, start, stop, out):
    """Count the training rows of each class in each cell.

    entries      int64 (n_rows,)           entry by all features but the last
    slots        uint8 or int32 (n_rows,)  slots of the last feature
    occurrences  int64 (n_rows,)           how often each row occurs; empty if each occurs once
    step         int                       entries by all features but the last
    out          uint16 or uint32, flat    overwritten from `start` to `stop`
    """
    for entry in range(np.uint64(start), np.uint64(stop)):
        out[entry] = 0
    # Unsigned, or each index would be tested for being negative.
    first, width = np.uint64(start), np.uint64(step)
    if occurrences.shape[0] == 0:
        for row in range(slots.shape[0]):
            out[first + np.uint64(slots[row]) * width + np.uint64(entries[row])] += 1
    else:
        for row in range(slots.shape[0]):
            at = first + np.uint64(slots[row]) * width + np.uint64(entries[row])
            out[at] += occurrences[row]


@inner_kernel()
def count_set(training, entries, last, n_prefix, start, out):
    """Count the training rows in the cells of a set of features, or copy what was counted before.

    entries   int64 (n_rows,)        entry by all features but the last
    n_prefix  int                    cells by all features but the last
    start     int                    where the set begins in `training.counted`
    out       uint16 or uint32 flat  overwritten
    Returns where the next set begins.
    """
    step = n_prefix * training.n_classes
    n_entries = step * training.n_slots[last]
    if training.counted.shape[0] == 0:
        count_table(entries, training.slots[last], training.occurrences, step, 0, n_entries, out)
    else:
        for entry in range(n_entries):
            out[entry] = training.counted[start + entry]
    return start + n_entries


@inner_kernel()
def count_occupied(entries, slots, training, n_prefix, asked_cells, out):
    """Count a table that would have too many cells; number only the occupied ones."""
    n_classes = training.n_classes
    cells = np.empty(entries.shape[0], np.int64)
    for row in range(entries.shape[0]):
        cells[row] = np.int64(slots[row]) * n_prefix + entries[row] // n_classes
    n_cells = number_occupied(cells, asked_cells)
    for entry in range(n_cells * n_classes):
        out[entry] = 0
    for row in range(entries.shape[0]):
        times = training.occurrences[row] if training.occurrences.shape[0] > 0 else 1
        out[cells[row] * n_classes + entries[row] % n_classes] += times
    return n_cells


@kernel()
def count_subsets(training, subset, n_subsets, is_stopped, out):
    """Count the tables of `n_subsets` sets of features one after the other.

    subset      int64 (length,)         the first set, overwritten
    is_stopped  uint8 (1,)              set by another thread to end early
    out         uint16 or uint32, flat  overwritten
    """
    n_features = training.slots.shape[0]
    length = subset.shape[0]
    entries = np.empty(training.labels.shape[0], np.int64)
    no_codes = np.empty((n_features, 0), np.int32)
    no_cells = np.empty(0, np.int64)
    n_prefix = 1
    changed = -1
    start = 0
    for _ in range(n_subsets):
        if is_stopped[0]:
            return
        if changed < length - 1:
            n_prefix = locate_prefix(training, no_codes, subset, entries, no_cells)
        last = subset[length - 1]
        step = n_prefix * training.n_classes
        stop = start + step * training.n_slots[last]
        count_table(entries, training.slots[last], training.occurrences, step, start, stop, out)
        start = stop
        changed = next_subset(subset, n_features)
