"""The score of a rule from integer counts: one formula for every engine."""

from __future__ import annotations

from picrules.kernels.jit import inner_kernel, kernel


@kernel()
def score(hits, cover_size, class_size, alpha):
    """`alpha * precision + (1 - alpha) * recall`.

    Every step rounds monotonically, so a bound in exact numbers is a bound in floats too.
    """
    return alpha * (hits / cover_size) + (1.0 - alpha) * (hits / class_size)


@inner_kernel()
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


@kernel()
def best_possible(hits, forced_misses, class_size, alpha):
    """Bound the score of every rule for a class whose cover lies in one with so many hits.

    At best all hits stay and all misses go but those that no rule can exclude.
    """
    if hits == 0:
        return 0.0
    return score(hits, hits + forced_misses, class_size, alpha)


@inner_kernel()
def set_needed_hits(to_beat, forced_misses, class_sizes, alpha, out):
    """Find for each class how many hits a cover must have to hold a rule with a higher score.

    to_beat        float               a score
    forced_misses  int64 (n_classes,)  rows of other classes that every cover holds
    class_sizes    int64 (n_classes,)
    out            int64 (n_classes,)  overwritten; class size + 1 where no number is enough

    `best_possible` never falls with the hits, not even after rounding, so halving finds the number.
    """
    for label in range(out.shape[0]):
        low, high = 1, class_sizes[label] + 1
        while low < high:
            middle = (low + high) // 2
            if best_possible(middle, forced_misses[label], class_sizes[label], alpha) > to_beat:
                high = middle
            else:
                low = middle + 1
        out[label] = low
