"""Small steps from the scores of rows to decisions: NumPy is slow where rows have few classes."""

from __future__ import annotations

import numpy as np

from picrules.kernels.jit import kernel


@kernel()
def decide(scores, class_sizes, left_out, out):
    """Find the class with the highest score; of equal ones the larger, then the first.

    scores       float64 (n_rows, n_classes)
    class_sizes  int64   (n_classes,)
    left_out     int64   (n_rows,) or (0,)  class of a row that does not count itself; none if empty
    out          int64   (n_rows,)          overwritten
    """
    for row in range(scores.shape[0]):
        own = left_out[row] if left_out.shape[0] > 0 else -1
        best, best_size = 0, class_sizes[0] - (own == 0)
        for label in range(1, scores.shape[1]):
            size = class_sizes[label] - (own == label)
            is_equal = scores[row, label] == scores[row, best]
            if scores[row, label] > scores[row, best] or (is_equal and size > best_size):
                best, best_size = label, size
        out[row] = best


@kernel()
def lead(scores, labels, out):
    """Find how far a class is ahead of the best other one; 0 where it has no rule.

    scores  float64 (n_rows, n_classes)  -inf without a rule
    labels  int64   (n_rows,)
    out     float64 (n_rows,)            overwritten
    """
    for row in range(scores.shape[0]):
        own, other = scores[row, labels[row]], -np.inf
        for label in range(scores.shape[1]):
            if label != labels[row]:
                other = max(other, scores[row, label])
        out[row] = 0.0 if own == -np.inf else own - other


@kernel()
def is_covered(scores, out):
    """Tell which rows have a rule for some class.

    scores  float64 (n_rows, n_classes)  -inf without a rule
    out     bool    (n_rows,)            overwritten
    """
    for row in range(scores.shape[0]):
        out[row] = False
        for label in range(scores.shape[1]):
            if scores[row, label] > -np.inf:
                out[row] = True
