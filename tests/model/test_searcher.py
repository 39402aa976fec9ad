import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.engines.base import Question
from picrules.engines.table import TableEngine
from picrules.engines.training import Training, distinct_columns
from picrules.model.searcher import Searcher
from tests.engines.test_engines import found as shown
from tests.tables import ask, coded_tables, paper_search, single_sets


def searcher_of(table, *options, **more):
    """Search the training rows of a table, by the conditions of the paper."""
    return Searcher(table.training, table.sets, np.ones(table.n_classes), 1, *options, **more)


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
    search = paper_search(0.8, len(table.codes), is_greedy)
    plain = searcher_of(table, "bitmap", 1e9).search(table.queries, search, 1)
    other = searcher_of(table, engine, limit + 1e5)
    needed = searcher_of(table).plan(search, 1, 2).bytes["table"]
    if engine != "bitmap" and needed > limit:
        return
    repeated = np.ascontiguousarray(np.repeat(table.queries, 3, axis=1))
    for _ in range(2):
        found = other.search(repeated, search, 2)
        assert np.array_equal(np.repeat(plain.scores, 3, axis=0), found.scores)
        assert [one for one in shown(plain) for _ in range(3)] == shown(found)


def large_table(rng):
    codes = rng.integers(-1, 4, (6, 4500)).astype(np.int32)
    labels = rng.integers(0, 2, 4500)
    codes[2] = np.where(rng.random(4500) < 0.5, labels, codes[2])
    training = Training.of_single_rows(codes, labels, np.bincount(labels))
    return training, np.ascontiguousarray(codes[:, :3])


def search_large(training, *options, **more):
    sets = single_sets(np.full(training.n_features, 4))
    return Searcher(training, sets, np.ones(2), 1, *options, **more)


def test_greedy_searches_that_go_on_for_long_are_planned_anew(rng, monkeypatch):
    """Some rows of adult need eight conditions; tables of those took 40 seconds for 200 rows."""
    codes = np.ones((7, 1000), np.int32)
    codes[rng.integers(0, 6, 500), np.arange(500)] = 0  # each more condition excludes some
    codes[6] = rng.integers(0, 2, 1000)
    labels = codes[:6].all(axis=0).astype(np.int64)
    training = Training.of_single_rows(codes, labels, np.bincount(labels))
    sets = single_sets(np.full(7, 2))
    search = paper_search(0.9, 7, is_greedy=True)
    queries = np.stack([np.ones(7), np.zeros(7), codes[:, 0]], axis=1).astype(np.int32)
    expected = Searcher(training, sets, np.ones(2), 1, "bitmap").search(queries, search, 1)
    assert max(len(one.features) for one in shown(expected)) == 6
    searcher = Searcher(training, sets, np.ones(2))
    first = replace(searcher.plan(search, 3), engine="table")
    monkeypatch.setattr(searcher, "plan", lambda *_: first)
    asked = []
    prepare = searcher.prepare
    monkeypatch.setattr(searcher, "prepare", lambda name: asked.append(name) or prepare(name))
    found = searcher.search(queries, search, 1)
    assert asked[0] == "table"
    assert len(asked) == 2
    assert shown(expected) == shown(found)


@pytest.mark.parametrize("is_greedy", [True, False])
def test_covers_with_many_words_give_the_same_rules(is_greedy, rng):
    """Covers of more than 64 words are counted one by one, not condition by condition."""
    table, queries = large_table(rng)
    search = paper_search(0.7, 3, is_greedy)
    left = search_large(table, "bitmap").search(queries, search, 1)
    right = search_large(table, "table").search(queries, search, 1)
    assert shown(left) == shown(right)


def test_kept_tables_are_used_for_few_rows_and_left_out_of_pickles(rng):
    table, queries = large_table(rng)
    searcher, search = search_large(table), paper_search(0.7, 2, is_greedy=False)
    first = searcher.search(queries, search, 1)
    engine = searcher.prepare("table")
    assert engine.has_kept(2)
    copy = pickle.loads(pickle.dumps(searcher))
    assert not copy.prepare("table").has_kept(1)
    assert np.array_equal(copy.search(queries, search, 1).scores, first.scores)


@pytest.mark.parametrize("engine", ["auto", "table"])
def test_a_searcher_that_is_asked_once_keeps_nothing(engine, rng):
    """Keeping took up to 60 times as long as the only question."""
    table, queries = large_table(rng)
    search = paper_search(0.7, 2, is_greedy=False)
    once = search_large(table, engine, is_reused=False)
    found = once.search(queries, search, 1)
    assert not once.prepare("table").has_kept(1)
    expected = search_large(table, engine).search(queries, search, 1)
    assert shown(found) == shown(expected)


@pytest.mark.parametrize("engine", ["table", "bitmap"])
def test_an_interrupt_leaves_the_searcher_usable(engine, rng):
    table, queries = large_table(rng)
    searcher, search = search_large(table, engine), paper_search(0.7, 2, is_greedy=False)
    before = searcher.search(queries, search, 1)
    many = np.ascontiguousarray(table.codes)

    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        searcher.search(many[:, :1000].copy(), search, 1, interrupt)
    assert np.array_equal(searcher.search(queries, search, 1).scores, before.scores)


@pytest.mark.parametrize("engine", ["table", "bitmap"])
def test_progress_adds_up_to_the_whole(engine, rng):
    table, _ = large_table(rng)
    shares = []
    searcher, search = search_large(table, engine, 4e6), paper_search(0.7, 2, is_greedy=False)
    searcher.search(table.codes[:, :900].copy(), search, 2, shares.append)
    assert sum(shares) == pytest.approx(1)
    assert len(shares) > 2


def test_kept_tables_take_no_more_than_they_may(rng):
    """Each length was held against the limit by itself, so many lengths together exceeded it."""
    table, _ = large_table(rng)
    engine = TableEngine(table, single_sets(np.full(6, 4)), kept_bytes=50_000)
    engine.keep(Question(ask(table.codes), None, paper_search(0.7, 6, is_greedy=False)))
    kept = sum(counts.cells.nbytes for counts in engine._kept_counts.values())
    assert engine.has_kept(2)
    assert not engine.has_kept(6)
    assert kept <= 50_000


def test_a_greedy_search_keeps_the_lengths_it_usually_reaches(rng):
    """Keeping every length up to the number of features took far longer than was estimated."""
    table, queries = large_table(rng)
    searcher = search_large(table)
    searcher.search(queries, paper_search(0.7, 6, is_greedy=True), 1)
    assert searcher.prepare("table").has_kept(4)
    assert not searcher.prepare("table").has_kept(5)
