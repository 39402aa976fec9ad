"""Training rows as a multiset: which of some rows are there, and taking them away."""

from __future__ import annotations

import numpy as np

from picrules.kernels.jit import kernel

# Columns are mixed into the keys of this many rows at a time, so that the keys stay in the cache.
BLOCK = 2048


@kernel()
def mix_columns(codes, labels, numbers, starts, classes, keys):
    """Mix the codes and the class of each row into one number; rows that are alike have the same.

    codes    int32  (n_features, n_rows)  -1 is missing
    labels   int64  (n_rows,)             -1 is none
    numbers  uint64 (n,)                  those of missing and of each code, feature by feature
    starts   int64  (n_features,)         where those of each feature begin
    classes  uint64 (1 + n_classes,)      the numbers of none and of each class
    keys     uint64 (n_rows,)             overwritten
    """
    factor = np.uint64(0x9E3779B97F4A7C15)
    for start in range(0, labels.shape[0], BLOCK):
        # Slices, whose indices begin at 0, are worked on in vectors: nine times as fast.
        some, given = keys[start : start + BLOCK], labels[start : start + BLOCK]
        for row in range(some.shape[0]):
            some[row] = classes[np.uint64(given[row] + 1)] * factor
        for feature in range(codes.shape[0]):
            own, values = codes[feature][start : start + BLOCK], numbers[starts[feature] :]
            for row in range(some.shape[0]):
                key = some[row] ^ (some[row] >> np.uint64(29))
                some[row] = (key + values[np.uint64(own[row] + 1)]) * factor
        for row in range(some.shape[0]):
            some[row] ^= some[row] >> np.uint64(32)


@kernel()
def match_columns(keys, codes, labels, wanted_keys, wanted_codes, wanted_labels, found):
    """Find which of some distinct wanted rows each row is.

    keys    uint64 (n_rows,)             as `mix_columns` makes them, also those of the wanted
    codes   int32  (n_features, n_rows)
    labels  int64  (n_rows,)
    found   int64  (n_rows,)             the wanted row that each is, -1 for none; overwritten
    """
    n_bits = 4
    while (1 << n_bits) < 2 * wanted_keys.shape[0]:
        n_bits += 1
    taken, last = np.full(1 << n_bits, -1, np.int64), (1 << n_bits) - 1
    for wanted in range(wanted_keys.shape[0]):
        at = np.int64(wanted_keys[wanted] & np.uint64(last))
        while taken[at] >= 0:
            at = (at + 1) & last
        taken[at] = wanted
    for row in range(keys.shape[0]):
        found[row] = -1
        at = np.int64(keys[row] & np.uint64(last))
        while taken[at] >= 0 and found[row] < 0:
            wanted = taken[at]
            is_same = wanted_keys[wanted] == keys[row] and wanted_labels[wanted] == labels[row]
            feature = 0
            while is_same and feature < codes.shape[0]:
                is_same = wanted_codes[feature, wanted] == codes[feature, row]
                feature += 1
            if is_same:
                found[row] = wanted
            at = (at + 1) & last


@kernel()
def take_last(numbers, times, left):
    """Take rows of some kinds away, each kind as often as told, the last ones first.

    numbers  int64 (n,)        the kind of each; -1 stays as it is
    times    int64 (n_kinds,)  how many are still to be taken; overwritten
    left     int64 (n,)        how many rows each stands for; overwritten by those that are left
    """
    for at in range(numbers.shape[0] - 1, -1, -1):
        kind = numbers[at]
        if kind >= 0 and times[kind] > 0:
            gone = min(times[kind], left[at])
            times[kind] -= gone
            left[at] -= gone
