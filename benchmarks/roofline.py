"""How close the bitmap engine comes to a bare AND + popcount loop."""

from __future__ import annotations

from functools import partial

import numpy as np
from numba import njit

from benchmarks.data import coded_table, genes
from benchmarks.measure import Figure, at_least, best_of
from picrules import FPICClassifier
from picrules.encoding.columns import read_columns
from picrules.encoding.tables import check_table
from picrules.engines.base import Search
from picrules.engines.bitmap import BitmapEngine
from picrules.kernels.best import start_best
from picrules.kernels.bits import popcount
from picrules.kernels.search import Settings, search_rows


@njit(nogil=True)
def bare_loop(left, right, n_times):
    """AND and count two arrays that stay in the cache, many times over."""
    total = 0
    for _ in range(n_times):
        for word in range(left.shape[0]):
            total += popcount(left[word] & right[word])
    return total


def roof() -> float:
    """Words a second of the best bare loop, of Numba and NumPy, over some sizes."""
    rng = np.random.default_rng(0)
    best = 0.0
    for n_words in (256, 1024, 4096):
        left = rng.integers(0, 2**63, n_words, dtype=np.uint64)
        right = rng.integers(0, 2**63, n_words, dtype=np.uint64)
        n_times = int(2e8 // n_words)
        by_numba = best_of(partial(bare_loop, left, right, n_times), 3)
        by_numpy = best_of(partial(numpy_loop, left, right), 3)
        best = max(best, n_words * n_times / by_numba, n_words * 1000 / by_numpy)
    return best


def numpy_loop(left, right):
    """The same with NumPy, a thousand times."""
    return [np.bitwise_count(left & right).sum() for _ in range(1000)]


@njit(nogil=True)
def bare_pairs(words, n_times):
    """AND and count every two of the bitmaps, as they lie in memory."""
    total = 0
    for _ in range(n_times):
        for first in range(words.shape[0]):
            left = words[first]
            for second in range(first + 1, words.shape[0]):
                right = words[second]
                for word in range(left.shape[0]):
                    total += popcount(left[word] & right[word])
    return total


def pairs_speed(words) -> float:
    """Words a second of a bare loop over the bitmaps of one row's conditions."""
    n_words = words.shape[0] * (words.shape[0] - 1) // 2 * words.shape[1]
    return n_words * 10 / best_of(lambda: bare_pairs(words, 10), 3)


def engine_speed(table, queries, search) -> float:
    """Words a second that one thread of the bitmap engine really ANDs and counts."""
    bitmaps = BitmapEngine(table).bitmaps
    n_queries = queries.shape[1]
    settings = Settings(search.alpha, search.max_length, search.is_greedy, np.zeros(1, np.uint8))
    counted = np.zeros(n_queries, np.int64)

    def work():
        counted[:] = 0
        best = start_best(n_queries, search.max_length, table.n_classes)
        search_rows(bitmaps, settings, queries, 0, n_queries, best, counted)

    seconds = best_of(work, 3)
    n_words = int(np.ceil(table.class_sizes / 64).sum())  # without the words that fill up a class
    return int(counted.sum()) * n_words / seconds


def run() -> list[Figure]:
    top = roof()
    table, queries = coded_table(30_000, 100, 5, 30)
    wide = engine_speed(table, queries, Search(0.9, 2, is_greedy=False))
    bitmaps = BitmapEngine(table).bitmaps
    wide_top = pairs_speed(bitmaps.words[bitmaps.first[:-1] + queries[:, 0]])
    X, y, X_new = genes()
    clf = FPICClassifier(bins=3, max_length=2).fit(X, y)
    queries = clf.schema_.encode(read_columns(check_table(X_new)))
    gene = engine_speed(clf._searcher.table, queries, Search(0.9, 2, is_greedy=False))
    return [
        Figure("bare AND + popcount loop in the first cache, one thread", top / 1e9, "G words/s"),
        Figure("bare loop over 100 bitmaps of 30,000 rows", wide_top / 1e9, "G words/s"),
        Figure("bitmap engine, 30,000 rows x 100 conditions", wide / 1e9, "G words/s"),
        at_least("share of the bare loop over the same bitmaps", wide / wide_top, "", 0.6),
        Figure("share of the bare loop in the first cache", wide / top, ""),
        Figure("bitmap engine, gene-sized", gene / 1e9, "G words/s"),
        at_least("gene-sized, share of the bare loop in the first cache", gene / top, "", 0.4),
    ]
