"""The best rule found so far for each row: the state that every search updates."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.jit import inner_kernel, kernel

# scores    float64 (n_rows,)             0 until a rule is found
# lengths   int32   (n_rows,)             number of conditions
# features  int32   (n_rows, max_length)  features of the conditions, in column order, then -1
# labels    int64   (n_rows,)             the class of the rule
# counts    int64   (n_rows, n_classes)   class counts of the rule's cover
Best = namedtuple("Best", ["scores", "lengths", "features", "labels", "counts"])  # noqa: PYI024


def start_best(n_rows: int, max_length: int, n_classes: int) -> Best:
    """Return a state in which no row has a rule yet."""
    return Best(
        np.zeros(n_rows, np.float64),
        np.zeros(n_rows, np.int32),
        np.full((n_rows, max_length), -1, np.int32),
        np.zeros(n_rows, np.int64),
        np.zeros((n_rows, n_classes), np.int64),
    )


@inner_kernel()
def keep_rule(best, row, value, label, features, length, counts):
    """Write a rule down as the best of a row."""
    best.scores[row] = value
    best.lengths[row] = length
    best.labels[row] = label
    for position in range(length):
        best.features[row, position] = features[position]
    for position in range(counts.shape[0]):
        best.counts[row, position] = counts[position]


@kernel()
def merge_best(best, other):
    """Take over the better rules of `other`; the rules of both have one length, or none."""
    for row in range(best.scores.shape[0]):
        if is_better(best, other, row):
            keep_rule(
                best,
                row,
                other.scores[row],
                other.labels[row],
                other.features[row],
                other.lengths[row],
                other.counts[row],
            )


@inner_kernel()
def is_better(best, other, row):
    """Tell whether the rule of `other` scores higher, or as high with earlier features."""
    if other.scores[row] != best.scores[row]:
        return other.scores[row] > best.scores[row]
    for position in range(other.lengths[row]):
        if other.features[row, position] != best.features[row, position]:
            return other.features[row, position] < best.features[row, position]
    return False
