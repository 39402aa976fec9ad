"""Both engines against the algorithms of the paper."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.engines.plan import ENGINES
from picrules.engines.table import TableEngine
from picrules.engines.training import Training
from tests import reference
from tests.tables import coded_tables, paper_search, search_with, single_sets, to_rows

ALPHAS = st.one_of(st.sampled_from([0.0, 0.5, 0.7, 0.9, 1.0]), st.floats(0, 1))


def expect(table, search):
    """What the paper's algorithms find for each query."""
    find = reference.pic if search.is_greedy else reference.fpic
    arguments = (table.rows, table.labels.tolist(), table.n_classes)
    alpha = search.setting.alpha
    return [find(*arguments, x, alpha, search.max_length) for x in to_rows(table.queries)]


def found(best):
    """What an engine found, in the shape of the reference."""
    rules = best.rules(np.arange(len(best.scores)), np.zeros(len(best.scores), np.int64))
    return [
        reference.Found(
            tuple(features[:length].tolist()), int(label) if length else -1,
            float(score) if length else 0.0, counts.tolist() if length else [],
        )
        for score, label, length, features, counts in zip(
            best.scores[:, 0], best.labels[:, 0], rules.lengths, rules.features, rules.counts,
            strict=True,
        )
    ]  # fmt: skip


def positions_are_codes(best, queries):
    """A condition of one code stands at the position of its code."""
    rules = best.rules(np.arange(len(best.scores)), np.zeros(len(best.scores), np.int64))
    for row, (features, positions) in enumerate(zip(rules.features, rules.positions, strict=True)):
        for feature, position in zip(features.tolist(), positions.tolist(), strict=True):
            if position != (queries[feature, row] if feature >= 0 else -1):
                return False
    return True


def make(name, table):
    return ENGINES[name](table.training, table.sets, 2**28)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("is_greedy", [True, False], ids=["greedy", "exhaustive"])
@given(table=coded_tables(), alpha=ALPHAS, max_length=st.integers(1, 7))
def test_best_rules_equal_the_reference(engine, is_greedy, table, alpha, max_length):
    search = paper_search(alpha, min(max_length, len(table.codes)), is_greedy)
    best = search_with(make(engine, table), table.queries, search)
    assert found(best) == expect(table, search)
    assert positions_are_codes(best, table.queries)


@pytest.mark.parametrize("engine", ENGINES)
@given(table=coded_tables(), n_threads=st.integers(2, 5), is_greedy=st.booleans())
def test_best_rules_do_not_depend_on_threads(engine, table, n_threads, is_greedy):
    search = paper_search(0.9, len(table.codes), is_greedy)
    engine = make(engine, table)
    one = search_with(engine, table.queries, search, 1)
    many = search_with(engine, table.queries, search, n_threads)
    assert np.array_equal(one.scores, many.scores)
    assert found(one) == found(many)


@given(table=coded_tables(), alpha=ALPHAS, is_greedy=st.booleans())
def test_engines_agree_where_rows_outnumber_the_cells(table, alpha, is_greedy):
    """The table engine then scores each cell once, and looks the rows up."""
    search = paper_search(alpha, min(3, len(table.codes)), is_greedy)
    first, *others = (
        found(search_with(make(engine, table), table.codes, search)) for engine in ENGINES
    )
    assert all(first == other for other in others)
    table.queries = table.codes[:, :2].copy()
    assert first[:2] == expect(table, search)


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
    n_codes = np.full(n_features, 4)
    training = Training.from_rows(codes, labels, n_codes, n_classes)
    queries = np.ascontiguousarray(codes[:, :25])
    search = paper_search(0.8, 3, is_greedy)
    first, *others = (
        found(search_with(engine(training, single_sets(n_codes), 2**28), queries, search, 2))
        for engine in ENGINES.values()
    )
    assert all(first == other for other in others)


@given(table=coded_tables(), max_cells=st.integers(1, 20), is_greedy=st.booleans())
def test_numbering_occupied_cells_only_changes_nothing(table, max_cells, is_greedy):
    search = paper_search(0.9, len(table.codes), is_greedy)
    plain = search_with(TableEngine(table.training, table.sets), table.queries, search)
    small = TableEngine(table.training, table.sets)
    # Occupied cells are at most the rows, however few cells are numbered one by one.
    small.rows = small.rows._replace(max_cells=max_cells)
    assert found(search_with(small, table.queries, search)) == found(plain)
