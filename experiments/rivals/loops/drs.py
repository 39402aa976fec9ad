"""The sampler and the covers of DRS."""

from __future__ import annotations

import numpy as np
from numba import njit

from picrules.kernels.bits import popcount


@njit(cache=True)
def pair_weights(own, others, out):
    """Weigh each pair of a row of the class and another one.

    own     int32   (n_own, n_features)     codes; -1 has no item
    others  int32   (n_others, n_features)
    out     float64 (n_own, n_others)       overwritten

    The itemsets of `t` that another row `s` does not contain are 2**|t| * (1 - 2**-h) many, h the
    number of items of t that s lacks; weights are relative to 2**n_features, so they never
    overflow.
    """
    n_features = own.shape[1]
    for i in range(own.shape[0]):
        n_items = 0
        for feature in range(n_features):
            n_items += own[i, feature] >= 0
        for j in range(others.shape[0]):
            lacking = 0
            for feature in range(n_features):
                code = own[i, feature]
                lacking += code >= 0 and code != others[j, feature]
            out[i, j] = 2.0 ** (n_items - n_features) * (1 - 2.0**-lacking)


@njit(cache=True)
def draw_itemsets(own, others, pairs, seed, out):
    """Draw one itemset a pair: some items that only the first row has, any that both have.

    pairs  int64 (n_samples, 2)            row of `own`, row of `others`
    out    bool  (n_samples, n_features)   overwritten: features whose item is taken
    """
    np.random.seed(seed)
    for sample in range(pairs.shape[0]):
        i, j = pairs[sample]
        has_own = False
        while not has_own:
            for feature in range(own.shape[1]):
                code = own[i, feature]
                taken = code >= 0 and np.random.random() < 0.5
                out[sample, feature] = taken
                has_own = has_own or (taken and code != others[j, feature])


@njit(cache=True)
def cover_itemsets(item_words, starts, codes, everything, out):
    """Intersect the items of each itemset.

    item_words  uint64 (n_items, n_words)
    starts      int64  (n_features,)             item of a feature's code 0
    codes       int32  (n_itemsets, n_features)  -1 where a feature is free
    everything  uint64 (n_words,)                all rows
    out         uint64 (n_itemsets, n_words)     overwritten
    """
    for itemset in range(codes.shape[0]):
        for word in range(everything.shape[0]):
            out[itemset, word] = everything[word]
        for feature in range(codes.shape[1]):
            code = codes[itemset, feature]
            if code >= 0:
                for word in range(everything.shape[0]):
                    out[itemset, word] &= item_words[starts[feature] + code, word]


@njit(cache=True)
def count_classes(covers, class_starts, out):
    """Count the rows of each class in each cover.

    class_starts  int64 (n_classes + 1,)        first word of each class
    out           int64 (n_covers, n_classes)   overwritten
    """
    for cover in range(covers.shape[0]):
        for label in range(out.shape[1]):
            total = np.int64(0)
            for word in range(class_starts[label], class_starts[label + 1]):
                total += popcount(covers[cover, word])
            out[cover, label] = total


@njit(cache=True)
def add_distances(covers, other, out):
    """Add the Jaccard distance of each cover to another one; `out` is overwritten."""
    for cover in range(covers.shape[0]):
        both, either = np.int64(0), np.int64(0)
        for word in range(other.shape[0]):
            both += popcount(covers[cover, word] & other[word])
            either += popcount(covers[cover, word] | other[word])
        out[cover] += 1.0 - both / either if either > 0 else 1.0
