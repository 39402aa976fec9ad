"""The score of a rule from integer counts: one formula for every engine."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def score(hits, cover_size, class_size, alpha):
    """`alpha * precision + (1 - alpha) * recall`.

    Every step rounds monotonically, so a bound in exact numbers is a bound in floats too.
    """
    return alpha * (hits / cover_size) + (1.0 - alpha) * (hits / class_size)


@njit(cache=True, nogil=True, error_model="numpy")
def best_class(counts, class_sizes, class_order, alpha):
    """Return the class with the highest score in a cover that is not empty, and the score.

    counts       int64 (n_classes,)  covered rows of each class
    class_sizes  int64 (n_classes,)  training rows of each class
    class_order  int64 (n_classes,)  labels in the order that wins ties
    """
    cover_size = 0
    for label in range(counts.shape[0]):
        cover_size += counts[label]
    best_label = -1
    best_score = -1.0
    for label in class_order:
        value = score(counts[label], cover_size, class_sizes[label], alpha)
        if value > best_score:
            best_label = label
            best_score = value
    return best_label, best_score


@njit(cache=True, nogil=True, error_model="numpy")
def best_possible(counts, class_sizes, alpha):
    """Bound the score of every rule whose cover lies in a cover with these class counts.

    At best all misses go and all hits stay, for the class that gains most from it.
    """
    bound = 0.0
    for label in range(counts.shape[0]):
        hits = counts[label]
        if hits > 0:
            bound = max(bound, score(hits, hits, class_sizes[label], alpha))
    return bound
