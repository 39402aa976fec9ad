"""Covers as bitmaps: pack them, count them, search them.

Training rows are sorted by class and each class starts a new word, so the class counts of a
cover are the bits set in consecutive runs of words.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba import njit
from numba.extending import intrinsic, overload

from picrules.kernels.best import keep_rule
from picrules.kernels.measures import best_class, best_possible, score

# words         uint64 (n_conditions, n_words)    bit set: the training row satisfies the condition
# counts        int64  (n_conditions, n_classes)  class counts of each condition
# first         int64  (n_features + 1,)          condition of a feature's code 0
# class_starts  int64  (n_classes + 1,)           first word of each class
# class_sizes   int64  (n_classes,)               training rows of each class
# class_order   int64  (n_classes,)               labels in the order that wins ties
Bitmaps = namedtuple(  # noqa: PYI024
    "Bitmaps", ["words", "counts", "first", "class_starts", "class_sizes", "class_order"]
)


def popcount(word):
    """Count the bits set in a word."""
    return int(word).bit_count()


@intrinsic
def _count_bits(typing_context, word):
    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return word(word), generate


@overload(popcount, inline="always")
def _compile_popcount(word):
    return lambda word: np.int64(_count_bits(word))


@njit(cache=True, nogil=True)
def pack_conditions(codes, positions, first, words):
    """Set the bits of every condition.

    codes      int32  (n_features, n_rows)      -1 is missing
    positions  int64  (n_rows,)                 bit of each training row
    first      int64  (n_features + 1,)         condition of a feature's code 0
    words      uint64 (n_conditions, n_words)   zeros, overwritten
    """
    for feature in range(codes.shape[0]):
        for row in range(codes.shape[1]):
            code = codes[feature, row]
            if code >= 0:
                bit = np.uint64(1) << np.uint64(positions[row] & 63)
                words[first[feature] + code, positions[row] >> 6] |= bit


@njit(cache=True, nogil=True)
def count_cover(words, class_starts, out):
    """Count the rows of each class in one cover.

    words         uint64 (n_words,)
    class_starts  int64  (n_classes + 1,)
    out           int64  (n_classes,)  overwritten
    """
    for label in range(out.shape[0]):
        count = 0
        for word in range(class_starts[label], class_starts[label + 1]):
            count += popcount(words[word])
        out[label] = count


@njit(cache=True, nogil=True)
def count_both(left, right, class_starts, out):
    """Count the rows of each class in the intersection of two covers (see `count_cover`)."""
    for label in range(out.shape[0]):
        count = 0
        for word in range(class_starts[label], class_starts[label + 1]):
            count += popcount(left[word] & right[word])
        out[label] = count


@njit(cache=True, nogil=True)
def could_beat(left, right, bitmaps, alpha, to_beat):
    """Tell whether a rule inside both covers can score higher, from their class counts alone."""
    for label in range(left.shape[0]):
        hits = min(left[label], right[label])
        if hits > 0 and score(hits, hits, bitmaps.class_sizes[label], alpha) > to_beat:
            return True
    return False


@njit(cache=True, nogil=True)
def search_rows(bitmaps, alpha, max_length, greedy, queries, start, stop, best):
    """Find the best rule of the rows from `start` to `stop`.

    queries  int32 (n_features, n_rows)  codes of the rows to classify, -1 is missing
    best     Best                        rows from `start` to `stop` are overwritten
    """
    n_features = queries.shape[0]
    present = np.empty(n_features, np.int64)
    conditions = np.empty(n_features, np.int64)
    for row in range(start, stop):
        n_present = 0
        for feature in range(n_features):
            if queries[feature, row] >= 0:
                present[n_present] = feature
                conditions[n_present] = bitmaps.first[feature] + queries[feature, row]
                n_present += 1
        for length in range(1, min(max_length, n_present) + 1):
            before = best.scores[row]
            hope = search_length(bitmaps, alpha, length, present[:n_present], conditions, row, best)
            if not hope or (greedy and best.scores[row] <= before):
                break


@njit(cache=True, nogil=True)
def search_length(bitmaps, alpha, length, present, conditions, row, best):
    """Look at all rules of one length, depth first, in column order; keep a better one.

    Skipped without loss, because shorter rules and earlier features win ties: covers that
    are empty; covers in which no rule can score higher; conditions that do not shrink the
    cover, since the same rule without them was looked at before.

    Returns whether a longer rule can still score higher.
    """
    n_present = present.shape[0]
    n_classes = bitmaps.class_sizes.shape[0]
    covers = np.empty((length, bitmaps.words.shape[1]), np.uint64)
    counts = np.empty((length, n_classes), np.int64)
    chosen = np.empty(length, np.int64)
    features = np.empty(length, np.int64)
    hope = False
    depth = 0
    chosen[0] = -1
    while depth >= 0:
        chosen[depth] += 1
        if chosen[depth] > n_present - (length - depth):
            depth -= 1
            continue
        condition = conditions[chosen[depth]]
        words = bitmaps.words[condition]
        if depth == 0:
            counts[0] = bitmaps.counts[condition]
        else:
            single = bitmaps.counts[condition]
            if not could_beat(counts[depth - 1], single, bitmaps, alpha, best.scores[row]):
                continue
            count_both(covers[depth - 1], words, bitmaps.class_starts, counts[depth])
            if counts[depth].sum() == counts[depth - 1].sum():
                continue
        if counts[depth].sum() == 0:
            continue
        features[depth] = present[chosen[depth]]
        if depth == length - 1:
            label, value = best_class(
                counts[depth], bitmaps.class_sizes, bitmaps.class_order, alpha
            )
            if value > best.scores[row]:
                keep_rule(best, row, value, label, features, length, counts[depth])
        possible = best_possible(counts[depth], bitmaps.class_sizes, alpha)
        if possible <= best.scores[row]:
            continue
        if depth == length - 1:
            hope = True
            continue
        for word in range(words.shape[0]):
            covers[depth, word] = (
                words[word] if depth == 0 else covers[depth - 1, word] & words[word]
            )
        depth += 1
        chosen[depth] = chosen[depth - 1]
    return hope
