"""The best rules found so far for each row: the state that searches update."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.jit import inner_kernel, kernel

# A row has one slot, for its best rule of any class, or one for each class.
# scores     float64 (n_rows, n_slots)              -inf until a rule is found
# lengths    int32   (n_rows, n_slots)              number of conditions
# features   int32   (n_rows, n_slots, max_length)  of the conditions, in column order, then -1
# positions  int32   (n_rows, n_slots, max_length)  which condition of each feature, then -1
# labels     int64   (n_rows, n_slots)              the class of the rule
# counts     int64   (n_rows, n_slots, n_classes)   class counts of the rule's cover
Best = namedtuple("Best", "scores lengths features positions labels counts")  # noqa: PYI024


def start_best(n_rows: int, n_slots: int, max_length: int, n_classes: int) -> Best:
    """Return a state in which no row has a rule yet."""
    shape = (n_rows, n_slots)
    labels = np.arange(n_slots) if n_slots > 1 else np.zeros(1, np.int64)
    return Best(
        np.full(shape, -np.inf),
        np.zeros(shape, np.int32),
        np.full((*shape, max_length), -1, np.int32),
        np.full((*shape, max_length), -1, np.int32),
        np.tile(labels, (n_rows, 1)),
        np.zeros((*shape, n_classes), np.int64),
    )


@inner_kernel()
def keep_rule(best, row, slot, value, label, features, length, counts):
    """Write a rule down as the best of a row; its positions are written elsewhere."""
    best.scores[row, slot] = value
    best.lengths[row, slot] = length
    best.labels[row, slot] = label
    for level in range(length):
        best.features[row, slot, level] = features[level]
    for other in range(counts.shape[0]):
        best.counts[row, slot, other] = counts[other]


@kernel()
def merge_best(best, other):
    """Take over the better rules of `other`; the rules of both have one length, or none."""
    for row in range(best.scores.shape[0]):
        if is_better(best, other, row):
            keep_rule(
                best, row, 0, other.scores[row, 0], other.labels[row, 0],
                other.features[row, 0], other.lengths[row, 0], other.counts[row, 0],
            )  # fmt: skip


@kernel()
def take_better(best, other, rows, is_taken):
    """Take over the rules of `other`, which are longer, that score higher.

    rows      int64 (n_others,)  the row of `best` that each row of `other` is
    is_taken  bool  (n_others,)  overwritten
    """
    for at in range(rows.shape[0]):
        row = rows[at]
        is_taken[at] = other.scores[at, 0] > best.scores[row, 0]
        if is_taken[at]:
            keep_rule(
                best, row, 0, other.scores[at, 0], other.labels[at, 0],
                other.features[at, 0], other.lengths[at, 0], other.counts[at, 0],
            )  # fmt: skip


@kernel()
def place_codes(codes, best):
    """Write the positions of conditions that are single codes: the codes of the row itself.

    codes  int32 (n_features, n_rows)
    """
    for row in range(codes.shape[1]):
        for level in range(best.lengths[row, 0]):
            best.positions[row, 0, level] = codes[best.features[row, 0, level], row]


@inner_kernel()
def is_better(best, other, row):
    """Tell whether the rule of `other` scores higher, or as high with earlier features."""
    if other.scores[row, 0] != best.scores[row, 0]:
        return other.scores[row, 0] > best.scores[row, 0]
    for level in range(other.lengths[row, 0]):
        if other.features[row, 0, level] != best.features[row, 0, level]:
            return other.features[row, 0, level] < best.features[row, 0, level]
    return False
