import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.engines.bitmap import LINE, BitmapEngine, first_words, new_bitmaps
from picrules.engines.table import TableEngine
from picrules.engines.threads import Watch
from picrules.engines.training import Training
from tests.engines.test_engines import ALPHAS, expect, found
from tests.tables import coded_tables, paper_search, search_with, single_sets


def random_table(n_features, n_rows, n_classes, rng):
    labels = np.sort(rng.integers(0, n_classes, n_rows))
    codes = rng.integers(-1, 4, (n_features, n_rows)).astype(np.int32)
    codes[2] = np.where(rng.random(n_rows) < 0.5, labels % 4, codes[2])
    sizes = np.bincount(labels, minlength=n_classes)
    return Training.of_single_rows(codes, labels, sizes), np.full(n_features, 4)


def bitmap_engine(table, n_codes, **options):
    return BitmapEngine(table, single_sets(n_codes), **options)


@pytest.mark.parametrize("is_greedy", [True, False], ids=["greedy", "exhaustive"])
@given(table=coded_tables(), alpha=ALPHAS, max_length=st.integers(1, 5))
def test_shared_pairs_give_the_rules_of_the_reference(is_greedy, table, alpha, max_length):
    search = paper_search(alpha, min(max_length, len(table.codes)), is_greedy)
    engine = BitmapEngine(table.training, table.sets)
    engine.keep_pairs()
    assert found(search_with(engine, table.queries, search)) == expect(table, search)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize(("n_rows", "n_classes"), [(300, 3), (5_000, 2), (20_000, 7)])
def test_pairs_are_counted_as_numpy_counts_them(n_rows, n_classes, n_threads, rng):
    """Fewer and more words than are counted at a time, an odd number of conditions, threads."""
    table, n_codes = random_table(5, n_rows, n_classes, rng)
    n_codes[1] = 5
    engine = bitmap_engine(table, n_codes)
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
    table, n_codes = random_table(n_features, n_rows, 2, rng)
    queries = np.ascontiguousarray(table.codes[:, ::4])
    search = paper_search(0.8, max_length, is_greedy=False)
    alone = bitmap_engine(table, n_codes, kept_bytes=0)
    shared = bitmap_engine(table, n_codes)
    left, right = (search_with(engine, queries, search, 2) for engine in (alone, shared))
    assert not alone.has_pairs
    assert shared.has_pairs
    assert found(left) == found(right)
    few = np.ascontiguousarray(queries[:, :20])
    assert found(search_with(shared, few, search)) == found(
        search_with(TableEngine(table, single_sets(n_codes)), few, search)
    )


@pytest.mark.slow
def test_pairs_are_not_counted_for_few_rows_or_single_conditions(rng):
    table, n_codes = random_table(70, 6_000, 2, rng)
    engine = bitmap_engine(table, n_codes)
    few = np.ascontiguousarray(table.codes[:, :3])
    search_with(engine, few, paper_search(0.8, 2, is_greedy=False))
    search_with(engine, table.codes, paper_search(0.8, 1, is_greedy=False))
    assert not engine.has_pairs


def test_pairs_of_an_interrupted_search_are_not_kept(rng):
    engine = bitmap_engine(*random_table(20, 6_000, 2, rng))
    watch = Watch()
    watch.stop()
    engine.keep_pairs(2, watch)
    assert not engine.has_pairs


def test_pairs_are_left_out_of_pickles(rng):
    table, n_codes = random_table(6, 6_000, 2, rng)
    engine = bitmap_engine(table, n_codes)
    engine.keep_pairs()
    copy = pickle.loads(pickle.dumps(engine))
    assert not copy.has_pairs
    queries, search = table.codes[:, :5].copy(), paper_search(0.8, 3, is_greedy=False)
    left, right = (search_with(e, queries, search) for e in (engine, copy))
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
