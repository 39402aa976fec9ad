"""How close the bitmap engine comes to a bare AND + popcount loop."""

from __future__ import annotations

from functools import partial

import numpy as np
from numba import njit

from benchmarks.data import coded_table, genes
from benchmarks.measure import Figure, at_least, race
from picrules import FPICClassifier
from picrules.encoding.columns import read_columns
from picrules.encoding.tables import check_table
from picrules.engines.bitmap import BitmapEngine, new_bitmaps
from picrules.kernels.best import start_best
from picrules.kernels.bits import popcount
from picrules.kernels.search import Limits, search_rows
from picrules.scoring.settings import make_scorer
from tests.tables import ask, paper_search, single_sets


@njit(nogil=True)
def bare_loop(left, right, n_times):
    """AND and count two arrays that stay in the cache, many times over."""
    total = 0
    for _ in range(n_times):
        for word in range(left.shape[0]):
            total += popcount(left[word] & right[word])
    return total


@njit(nogil=True)
def bare_pairs(words):
    """AND and count every two of the bitmaps, as they lie in memory."""
    total = 0
    for first in range(words.shape[0]):
        left = words[first]
        for second in range(first + 1, words.shape[0]):
            right = words[second]
            for word in range(left.shape[0]):
                total += popcount(left[word] & right[word])
    return total


def numpy_pairs(words):
    """The same with NumPy."""
    return sum(
        np.bitwise_count(words[first] & words[first + 1 :]).sum() for first in range(len(words) - 1)
    )


def engine_search(training, sets, queries, search):
    """One thread of the bitmap engine as a function, and the words that it really counts."""
    bitmaps = BitmapEngine(training, sets).bitmaps
    n_queries, sizes = queries.shape[1], training.class_sizes
    no_pairs = np.empty((training.n_classes, 0), np.int32)  # every cover is counted
    limits = Limits(1, search.max_length, search.is_greedy, True, np.zeros(1, np.uint8))
    scorer = make_scorer([search.setting], sizes, np.ones(len(sizes)), 1, is_leaving_out=False)
    asked = ask(queries)
    counted = np.zeros(n_queries, np.int64)

    def work():
        counted[:] = 0
        best = start_best(n_queries, 1, search.max_length, training.n_classes)
        search_rows(bitmaps, no_pairs, sets, scorer, limits, asked, 0, n_queries, best, counted)

    work()
    n_words = int(np.ceil(sizes / 64).sum())  # without the words that fill up a class
    return work, int(counted.sum()) * n_words


def random_bitmaps(n_bitmaps: int, n_words: int):
    words = new_bitmaps(n_bitmaps, n_words)
    words[:] = np.random.default_rng(0).integers(0, 2**64, words.shape, dtype=np.uint64)
    return words


def wide_speeds() -> tuple[float, float, float]:
    """Words per second of the loops of Numba and NumPy, and of the engine, on 30,000 x 100."""
    training, queries = coded_table(30_000, 100, 5, 4)
    sets = single_sets(np.full(100, 5))
    search = paper_search(0.9, 2, is_greedy=False)
    work, n_counted = engine_search(training, sets, queries, search)
    # The bitmaps of one row's conditions, as the engine keeps them: lines of the cache begin
    # where bitmaps do, which makes the bare loop half as fast again.
    bitmaps = BitmapEngine(training, sets).bitmaps
    words = new_bitmaps(100, bitmaps.words.shape[1])
    words[:] = bitmaps.words[bitmaps.first[:-1] + queries[:, 0]]
    n_words = 100 * 99 // 2 * words.shape[1]
    by_numpy, by_numba, ours = race(partial(numpy_pairs, words), partial(bare_pairs, words), work)
    return n_words / by_numba, n_words / by_numpy, n_counted / ours


def gene_speeds() -> tuple[float, float]:
    """Words per second of the bare loop in the first cache, and of the engine on genes."""
    X, y, X_new = genes()
    clf = FPICClassifier(bins=3, max_length=2).fit(X, y)
    queries = clf.schema_.encode(read_columns(check_table(X_new[:1])))
    searcher, search = clf._model.source.searcher, clf._model.search
    work, n_counted = engine_search(searcher.training, searcher.sets, queries, search)
    loops = [partial(bare_loop, *random_bitmaps(2, n), 4_000_000 // n) for n in (256, 512, 1024)]
    by_numpy = partial(numpy_pairs, random_bitmaps(2, 1024))
    *bare, numpy, ours = race(*loops, by_numpy, work, n_rounds=300)
    return max(4_000_000 / min(bare), 1024 / numpy), n_counted / ours


def run() -> list[Figure]:
    by_numba, by_numpy, wide = wide_speeds()
    top, gene = gene_speeds()
    roof = max(by_numba, by_numpy)
    return [
        Figure("bare AND + popcount loop in the first cache, one thread", top / 1e9, "G words/s"),
        Figure("Numba's bare loop over 100 bitmaps of 30,000 rows", by_numba / 1e9, "G words/s"),
        Figure("NumPy's bare loop over them", by_numpy / 1e9, "G words/s"),
        Figure("bitmap engine, 30,000 rows x 100 conditions", wide / 1e9, "G words/s"),
        at_least("share of the better bare loop over the same bitmaps", wide / roof, "", 0.6),
        Figure("share of the bare loop in the first cache", wide / top, ""),
        Figure("bitmap engine, gene-sized", gene / 1e9, "G words/s"),
        at_least("gene-sized, share of the bare loop in the first cache", gene / top, "", 0.4),
    ]
