import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.engines.base import Search, TrainingTable
from picrules.engines.searcher import Searcher, distinct_columns
from picrules.engines.table import TableEngine
from tests.tables import coded_tables


@given(table=coded_tables())
def test_distinct_columns_bring_every_column_back(table):
    codes = np.concatenate([table.queries, table.queries[:, ::-1]], axis=1)
    distinct, inverse = distinct_columns(codes, table.n_codes)
    assert len(set(map(tuple, distinct.T.tolist()))) == distinct.shape[1]
    assert np.array_equal(distinct[:, inverse], codes)


def test_distinct_columns_of_very_many_features(rng):
    codes = rng.integers(-1, 3, (200, 5)).astype(np.int32)
    codes[:, 4] = codes[:, 1]
    distinct, inverse = distinct_columns(codes, np.full(200, 3))
    assert distinct.shape == (200, 4)
    assert np.array_equal(distinct[:, inverse], codes)
    assert distinct_columns(codes[:, :4].copy(), np.full(200, 3))[1] is None


@given(
    table=coded_tables(),
    engine=st.sampled_from(["auto", "table", "bitmap"]),
    limit=st.sampled_from([2e5, 4e5, 1e9]),
    is_greedy=st.booleans(),
)
def test_chunks_kept_tables_and_repeats_change_nothing(table, engine, limit, is_greedy):
    search = Search(0.8, len(table.codes), is_greedy)
    plain = Searcher(table.training, search, "bitmap", 1e9).best_rules(table.queries, 1)
    other = Searcher(table.training, search, engine, limit + 1e5)
    if engine != "bitmap" and Searcher(table.training, search).plan(1, 2).bytes["table"] > limit:
        return
    repeated = np.ascontiguousarray(np.repeat(table.queries, 3, axis=1))
    for _ in range(2):
        found = other.best_rules(repeated, 2)
        for left, right in zip(plain, found, strict=True):
            assert np.array_equal(np.repeat(left, 3, axis=0), right)


def large_table(rng):
    codes = rng.integers(-1, 4, (6, 4500)).astype(np.int32)
    labels = rng.integers(0, 2, 4500)
    codes[2] = np.where(rng.random(4500) < 0.5, labels, codes[2])
    table = TrainingTable(codes, labels, np.full(6, 4), np.bincount(labels))
    return table, np.ascontiguousarray(codes[:, :3])


def test_greedy_searches_that_go_on_for_long_are_planned_anew(rng, monkeypatch):
    """Some rows of adult need eight conditions; tables of those took 40 seconds for 200 rows."""
    codes = np.ones((7, 1000), np.int32)
    codes[rng.integers(0, 6, 500), np.arange(500)] = 0  # each more condition excludes some
    codes[6] = rng.integers(0, 2, 1000)
    labels = codes[:6].all(axis=0).astype(np.int64)
    table = TrainingTable(codes, labels, np.full(7, 2), np.bincount(labels))
    search = Search(0.9, 7, is_greedy=True)
    queries = np.stack([np.ones(7), np.zeros(7), codes[:, 0]], axis=1).astype(np.int32)
    expected = Searcher(table, search, "bitmap").best_rules(queries, 1)
    assert expected.lengths.max() == 6
    searcher = Searcher(table, search)
    first = replace(searcher.plan(3), engine="table")
    monkeypatch.setattr(searcher, "plan", lambda *_: first)
    asked = []
    prepare = searcher.prepare
    monkeypatch.setattr(searcher, "prepare", lambda name: asked.append(name) or prepare(name))
    found = searcher.best_rules(queries, 1)
    assert asked[0] == "table"
    assert len(asked) == 2
    for left, right in zip(expected, found, strict=True):
        assert np.array_equal(left, right)


@pytest.mark.parametrize("is_greedy", [True, False])
def test_covers_with_many_words_give_the_same_rules(is_greedy, rng):
    """Covers of more than 64 words are counted one by one, not condition by condition."""
    table, queries = large_table(rng)
    search = Search(0.7, 3, is_greedy)
    left = Searcher(table, search, "bitmap").best_rules(queries, 1)
    right = Searcher(table, search, "table").best_rules(queries, 1)
    assert all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))


def test_kept_tables_are_used_for_few_rows_and_left_out_of_pickles(rng):
    table, queries = large_table(rng)
    searcher = Searcher(table, Search(0.7, 2, is_greedy=False))
    first = searcher.best_rules(queries, 1)
    engine = searcher.prepare("table")
    assert engine.has_kept(2)
    copy = pickle.loads(pickle.dumps(searcher))
    assert not copy.prepare("table").has_kept(1)
    assert np.array_equal(copy.best_rules(queries, 1).scores, first.scores)


@pytest.mark.parametrize("engine", ["auto", "table"])
def test_a_searcher_that_is_asked_once_keeps_nothing(engine, rng):
    """Keeping took up to 60 times as long as the only question."""
    table, queries = large_table(rng)
    search = Search(0.7, 2, is_greedy=False)
    once = Searcher(table, search, engine, is_reused=False)
    found = once.best_rules(queries, 1)
    assert not once.prepare("table").has_kept(1)
    expected = Searcher(table, search, engine).best_rules(queries, 1)
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("engine", ["table", "bitmap"])
def test_an_interrupt_leaves_the_searcher_usable(engine, rng):
    table, queries = large_table(rng)
    searcher = Searcher(table, Search(0.7, 2, is_greedy=False), engine)
    before = searcher.best_rules(queries, 1)
    many = np.ascontiguousarray(table.codes)

    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        searcher.best_rules(many[:, :1000].copy(), 1, interrupt)
    assert np.array_equal(searcher.best_rules(queries, 1).scores, before.scores)


@pytest.mark.parametrize("engine", ["table", "bitmap"])
def test_progress_adds_up_to_the_whole(engine, rng):
    table, _ = large_table(rng)
    shares = []
    searcher = Searcher(table, Search(0.7, 2, is_greedy=False), engine, 4e6)
    searcher.best_rules(table.codes[:, :900].copy(), 2, shares.append)
    assert sum(shares) == pytest.approx(1)
    assert len(shares) > 2


def test_kept_tables_take_no_more_than_they_may(rng):
    """Each length was held against the limit by itself, so many lengths together exceeded it."""
    table, _ = large_table(rng)
    engine = TableEngine(table, kept_bytes=50_000)
    engine.keep(6)
    kept = sum(tables.nbytes for tables in engine._kept.values())
    assert engine.has_kept(2)
    assert not engine.has_kept(6)
    assert kept <= 50_000


def test_a_greedy_search_keeps_the_lengths_it_usually_reaches(rng):
    """Keeping every length up to the number of features took far longer than was estimated."""
    table, queries = large_table(rng)
    searcher = Searcher(table, Search(0.7, 6, is_greedy=True))
    searcher.best_rules(queries, 1)
    assert searcher.prepare("table").has_kept(4)
    assert not searcher.prepare("table").has_kept(5)
