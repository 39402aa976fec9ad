"""Both engines against the algorithms of the paper."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.engines.base import Search, TrainingTable
from picrules.engines.plan import ENGINES, make_engine
from picrules.engines.table import TableEngine
from tests import reference
from tests.tables import coded_tables, to_rows

ALPHAS = st.one_of(st.sampled_from([0.0, 0.5, 0.7, 0.9, 1.0]), st.floats(0, 1))


def expect(table, search):
    """What the paper's algorithms find for each query."""
    find = reference.pic if search.is_greedy else reference.fpic
    arguments = (table.rows, table.labels.tolist(), table.n_classes)
    return [find(*arguments, x, search.alpha, search.max_length) for x in to_rows(table.queries)]


def found(best):
    """What an engine found, in the shape of the reference."""
    return [
        reference.Found(
            tuple(features[:length].tolist()), int(label) if length else -1, float(score),
            counts.tolist() if length else [],
        )
        for score, length, features, label, counts in zip(*best, strict=True)
    ]  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("is_greedy", [True, False], ids=["greedy", "exhaustive"])
@given(table=coded_tables(), alpha=ALPHAS, max_length=st.integers(1, 7))
def test_best_rules_equal_the_reference(engine, is_greedy, table, alpha, max_length):
    search = Search(alpha, min(max_length, len(table.codes)), is_greedy)
    best = make_engine(engine, table.training).best_rules(table.queries, search, 1)
    assert found(best) == expect(table, search)


@pytest.mark.parametrize("engine", ENGINES)
@given(table=coded_tables(), n_threads=st.integers(2, 5), is_greedy=st.booleans())
def test_best_rules_do_not_depend_on_threads(engine, table, n_threads, is_greedy):
    search = Search(0.9, len(table.codes), is_greedy)
    engine = make_engine(engine, table.training)
    one = engine.best_rules(table.queries, search, 1)
    many = engine.best_rules(table.queries, search, n_threads)
    assert all(np.array_equal(left, right) for left, right in zip(one, many, strict=True))


@given(table=coded_tables(), alpha=ALPHAS, is_greedy=st.booleans())
def test_engines_agree_where_rows_outnumber_the_cells(table, alpha, is_greedy):
    """The table engine then scores each cell once, and looks the rows up."""
    search = Search(alpha, min(3, len(table.codes)), is_greedy)
    table_best, bitmap_best = (
        make_engine(engine, table.training).best_rules(table.codes, search, 1) for engine in ENGINES
    )
    assert found(table_best) == found(bitmap_best)
    table.queries = table.codes[:, :2].copy()
    assert found(table_best)[:2] == expect(table, search)


@given(table=coded_tables(max_rows=40), alpha=ALPHAS)
def test_pruning_does_not_change_what_pic_finds(table, alpha):
    for x in to_rows(table.queries):
        arguments = (table.rows, table.labels.tolist(), table.n_classes, x, alpha, 7)
        assert reference.pic(*arguments) == reference.naive_greedy(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize("is_greedy", [True, False], ids=["greedy", "exhaustive"])
@pytest.mark.parametrize(("n_features", "n_rows", "n_classes"), [(40, 300, 20), (8, 20_000, 3)])
def test_engines_agree_on_larger_tables(is_greedy, n_features, n_rows, n_classes, rng):
    """Shapes past the reach of the reference: many features, many words, many classes."""
    labels = rng.integers(0, n_classes, n_rows)
    codes = rng.integers(-1, 4, (n_features, n_rows)).astype(np.int32)
    codes[3] = np.where(rng.random(n_rows) < 0.6, labels % 4, codes[3])
    sizes = np.bincount(labels, minlength=n_classes)
    table = TrainingTable(codes, labels, np.full(n_features, 4), sizes)
    queries = np.ascontiguousarray(codes[:, :25])
    search = Search(0.8, 3, is_greedy)
    table_best, bitmap_best = (
        make_engine(engine, table).best_rules(queries, search, 2) for engine in ENGINES
    )
    assert found(table_best) == found(bitmap_best)


@given(table=coded_tables(), max_cells=st.integers(1, 20), is_greedy=st.booleans())
def test_numbering_occupied_cells_only_changes_nothing(table, max_cells, is_greedy):
    search = Search(0.9, len(table.codes), is_greedy)
    engine = TableEngine(table.training)
    plain = engine.best_rules(table.queries, search, 1)
    small = TableEngine(table.training)
    small.training = small.training._replace(max_cells=max_cells)
    # Occupied cells are at most the rows, however few cells are numbered one by one.
    small._new_table = lambda n_cells: engine._new_table(max(n_cells, len(table.labels)))
    assert found(small.best_rules(table.queries, search, 1)) == found(plain)
