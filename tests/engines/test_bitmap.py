import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.engines.base import Search, TrainingTable
from picrules.engines.bitmap import LINE, BitmapEngine, first_words, new_bitmaps
from picrules.engines.table import TableEngine
from picrules.kernels.threads import Watch
from tests.engines.test_engines import ALPHAS, expect, found
from tests.tables import coded_tables


def random_table(n_features, n_rows, n_classes, rng):
    labels = np.sort(rng.integers(0, n_classes, n_rows))
    codes = rng.integers(-1, 4, (n_features, n_rows)).astype(np.int32)
    codes[2] = np.where(rng.random(n_rows) < 0.5, labels % 4, codes[2])
    sizes = np.bincount(labels, minlength=n_classes)
    return TrainingTable(codes, labels, np.full(n_features, 4), sizes)


@pytest.mark.parametrize("is_greedy", [True, False], ids=["greedy", "exhaustive"])
@given(table=coded_tables(), alpha=ALPHAS, max_length=st.integers(1, 5))
def test_shared_pairs_give_the_rules_of_the_reference(is_greedy, table, alpha, max_length):
    search = Search(alpha, min(max_length, len(table.codes)), is_greedy)
    engine = BitmapEngine(table.training)
    engine.keep_pairs()
    assert found(engine.best_rules(table.queries, search, 1)) == expect(table, search)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize(("n_rows", "n_classes"), [(300, 3), (5_000, 2), (20_000, 7)])
def test_pairs_are_counted_as_numpy_counts_them(n_rows, n_classes, n_threads, rng):
    """Fewer and more words than are counted at a time, an odd number of conditions, threads."""
    table = random_table(5, n_rows, n_classes, rng)
    table.n_codes[1] = 5
    engine = BitmapEngine(table)
    engine.keep_pairs(n_threads)
    first = engine.bitmaps.first
    places = iter(range(engine._pairs.shape[1]))
    for left in range(first[-1]):
        for right in range(left + 1, first[-1]):
            place = next(places)
            features = np.searchsorted(first, [left, right], "right") - 1
            if features[0] < features[1]:
                covers = [
                    table.codes[f] == c - first[f]
                    for f, c in zip(features, (left, right), strict=True)
                ]
                counts = np.bincount(table.labels[covers[0] & covers[1]], minlength=n_classes)
                assert engine._pairs[:, place].tolist() == counts.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("n_features", "n_rows", "max_length"), [(70, 6_000, 2), (40, 9_000, 3)])
def test_pairs_are_shared_by_many_rows_and_change_nothing(n_features, n_rows, max_length, rng):
    table = random_table(n_features, n_rows, 2, rng)
    queries = np.ascontiguousarray(table.codes[:, ::4])
    search = Search(0.8, max_length, is_greedy=False)
    alone = BitmapEngine(table, kept_bytes=0)
    shared = BitmapEngine(table)
    left, right = (engine.best_rules(queries, search, 2) for engine in (alone, shared))
    assert not alone.has_pairs
    assert shared.has_pairs
    assert all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))
    few = np.ascontiguousarray(queries[:, :20])
    assert found(shared.best_rules(few, search, 1)) == found(
        TableEngine(table).best_rules(few, search, 1)
    )


@pytest.mark.slow
def test_pairs_are_not_counted_for_few_rows_or_single_conditions(rng):
    table = random_table(70, 6_000, 2, rng)
    engine = BitmapEngine(table)
    engine.best_rules(np.ascontiguousarray(table.codes[:, :3]), Search(0.8, 2, False), 1)
    engine.best_rules(table.codes, Search(0.8, 1, False), 1)
    assert not engine.has_pairs


def test_pairs_of_an_interrupted_search_are_not_kept(rng):
    engine = BitmapEngine(random_table(20, 6_000, 2, rng))
    watch = Watch()
    watch.stop()
    engine.keep_pairs(2, watch)
    assert not engine.has_pairs


def test_pairs_are_left_out_of_pickles(rng):
    table = random_table(6, 6_000, 2, rng)
    engine = BitmapEngine(table)
    engine.keep_pairs()
    copy = pickle.loads(pickle.dumps(engine))
    assert not copy.has_pairs
    queries, search = table.codes[:, :5].copy(), Search(0.8, 3, is_greedy=False)
    left, right = (e.best_rules(queries, search, 1) for e in (engine, copy))
    assert found(left) == found(right)


@given(st.lists(st.integers(0, 20_000), min_size=1, max_size=6))
def test_classes_have_room_and_large_ones_begin_with_a_line(sizes):
    starts = first_words(np.array(sizes))
    assert starts[0] == 0
    for size, start, stop in zip(sizes, starts, starts[1:], strict=False):
        assert 64 * (stop - start) >= size
        assert size < 64 * 4 * LINE or start % LINE == 0
    assert starts[-1] < 64 or starts[-1] % LINE == 0


@pytest.mark.parametrize("shape", [(1, 8), (5, 80), (300, 512)])
def test_bitmaps_begin_with_a_line(shape):
    words = new_bitmaps(*shape)
    assert words.shape == shape
    assert words.ctypes.data % 64 == 0
    assert not words.any()
    assert words.flags.c_contiguous
