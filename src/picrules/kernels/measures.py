"""The score of a rule from integer counts: one formula for every engine."""

from __future__ import annotations

import numpy as np

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
    """Bound the score of every rule for a class whose cover lies in one with that many hits.

    At best all hits stay and all misses go but those that no rule can exclude.
    """
    if hits == 0:
        return 0.0
    return score(hits, hits + forced_misses, class_size, alpha)


@inner_kernel()
def measured(hits, cover, recall, prior, base, alpha, smoothing):
    """`alpha * (p - base) / (1 - base) + (1 - alpha) * recall`, with p the smoothed precision.

    p is `(hits + smoothing * prior) / (cover + smoothing)`. With a base of 0 the first term is
    p itself; with the prior as base it is the certainty factor: 0 for a rule that is no better
    than the class's share, 1 for one that is always right.
    """
    precision = (hits + smoothing * prior) / (cover + smoothing)
    return alpha * ((precision - base) / (1.0 - base)) + (1.0 - alpha) * recall


@inner_kernel(inline="always")
def evidence(hits, cover, log_recall, prior, base, alpha, smoothing):
    """`alpha * (log odds of p - base) + (1 - alpha) * log recall`, with p the smoothed precision.

    The base is the log odds of the class's share, so that the first term is the weight of
    evidence: by how much the rule raises the log odds of the class.
    """
    odds = (hits + smoothing * prior) / (cover - hits + smoothing * (1.0 - prior))
    return alpha * (natural_log(odds) - base) + (1.0 - alpha) * log_recall


_SQRT_2 = 1.4142135623730951
_LOG_2 = 0.6931471805599453


@kernel(inline="always")
def natural_log(number):
    """Return the logarithm of a positive number, the same to the bit on every machine.

    Only additions, products and quotients, which round alike everywhere, and in vectors: six
    times as fast as the system's function. With `number = 2^k * y` and y near 1, log y is
    `2 * atanh(s)` for `s = (y - 1) / (y + 1)`, whose series is cut where it no longer counts.
    """
    bits = np.float64(number).view(np.int64)
    power = (bits >> 52) - 1023
    y = np.int64((bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000).view(np.float64)
    is_large = y > _SQRT_2
    y = y * 0.5 if is_large else y
    power = power + 1 if is_large else power
    s = (y - 1.0) / (y + 1.0)
    z = s * s
    series = 1.0 / 23.0
    series = series * z + 1.0 / 21.0
    series = series * z + 1.0 / 19.0
    series = series * z + 1.0 / 17.0
    series = series * z + 1.0 / 15.0
    series = series * z + 1.0 / 13.0
    series = series * z + 1.0 / 11.0
    series = series * z + 1.0 / 9.0
    series = series * z + 1.0 / 7.0
    series = series * z + 1.0 / 5.0
    series = series * z + 1.0 / 3.0
    return power * _LOG_2 + (2.0 * s + 2.0 * s * z * series)
