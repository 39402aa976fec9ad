"""Candidate rules of BRS: the paths of shallow random trees, grown on bitmaps."""

from __future__ import annotations

import numpy as np
from numba import njit

from picrules.kernels.bits import popcount

NO_LITERAL = -1


@njit(cache=True)
def entropy(n_positive, n_negative, all_positive, all_negative):
    """The entropy of the class given whether the rule holds, in nats, times the rows."""
    total = 0.0
    for positive, negative in (
        (n_positive, n_negative),
        (all_positive - n_positive, all_negative - n_negative),
    ):
        size = positive + negative
        if positive > 0:
            total -= positive * np.log(positive / size)
        if negative > 0:
            total -= negative * np.log(negative / size)
    return total


@njit(cache=True)
def count_and(left, right, n_positive_words):
    """Count the positive and negative rows in the intersection of two covers."""
    positive, negative = np.int64(0), np.int64(0)
    for word in range(n_positive_words):
        positive += popcount(left[word] & right[word])
    for word in range(n_positive_words, left.shape[0]):
        negative += popcount(left[word] & right[word])
    return positive, negative


@njit(cache=True)
def draw_rows(rows, out):
    """Draw five of eight rows, about as many as a bootstrap sample holds."""
    for word in range(rows.shape[0]):
        drawn = np.uint64(0)
        for step in range(3):
            random = np.uint64(0)
            for _ in range(4):
                random = (random << np.uint64(16)) | np.uint64(np.random.randint(0, 65536))
            # A bit is set with 1/2, then 1/4, then 5/8.
            drawn = random if step == 0 else drawn & random if step == 1 else drawn | random
        out[word] = rows[word] & drawn


@njit(cache=True)
def best_column(words, node, n_positive_words, n_tried, columns):
    """Find the column, among some drawn, whose split leaves the least impurity; -1 for none.

    columns  int64 (n_columns,)  any order, shuffled
    """
    positive, negative = count_and(node, node, n_positive_words)
    best, least = -1, np.inf
    for tried in range(columns.shape[0]):
        # As scikit-learn does, look on until there is a split at all.
        if positive == 0 or negative == 0 or (tried >= n_tried and best >= 0):
            break
        other = np.random.randint(tried, columns.shape[0])
        columns[tried], columns[other] = columns[other], columns[tried]
        inside, outside = count_and(node, words[columns[tried]], n_positive_words)
        size = inside + outside
        rest = positive + negative - size
        if size == 0 or rest == 0:
            continue
        gini = inside * outside / size + (positive - inside) * (negative - outside) / rest
        if gini < least:
            best, least = columns[tried], gini
    return best


@njit(cache=True)
def grow_paths(words, rows, n_positive_words, depth, n_trees, seed, out):
    """Grow random trees; write the literals on the way to each leaf; return how many.

    words  uint64 (n_columns, n_words)    the columns
    rows   uint64 (n_words,)              all training rows
    out    int32  (n_trees * 2**depth, 3) overwritten: column j, or its negation j + n_columns
    """
    np.random.seed(seed)
    n_columns, n_words = words.shape
    n_tried = max(1, int(np.sqrt(n_columns)))
    columns = np.arange(n_columns)
    nodes = np.empty((2**depth, n_words), np.uint64)
    paths = np.full((2**depth, 3), NO_LITERAL, np.int32)
    n_paths = 0
    for _ in range(n_trees):
        draw_rows(rows, nodes[0])
        paths[0] = NO_LITERAL
        n_nodes = 1
        for level in range(depth):
            n_before = n_nodes
            for node in range(n_before):
                if level > 0 and paths[node, level - 1] == NO_LITERAL:
                    continue  # a leaf of a higher level
                column = best_column(words, nodes[node], n_positive_words, n_tried, columns)
                if column < 0:
                    continue
                paths[n_nodes] = paths[node]
                paths[n_nodes, level], paths[node, level] = column, column + n_columns
                for word in range(n_words):
                    nodes[n_nodes, word] = nodes[node, word] & words[column, word]
                    nodes[node, word] &= ~words[column, word]
                n_nodes += 1
        for node in range(n_nodes):
            if paths[node, 0] != NO_LITERAL:
                out[n_paths] = paths[node]
                n_paths += 1
    return n_paths
