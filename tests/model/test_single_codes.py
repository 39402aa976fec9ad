"""The rules of the paper, searched by the engines for conditions that are sets of codes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.encoding.conditions import Conditions
from picrules.encoding.schema import CategoryFeature, NumberFeature, Schema
from picrules.engines.base import Search
from picrules.model.searcher import Searcher
from picrules.scoring.settings import Setting
from tests.tables import coded_tables, paper_search


def cell_searcher(table, engine="auto"):
    """Search a table of codes, whose features are numbers and categories in turn."""
    features = [
        NumberFeature(f"f{column}", tuple(code + 0.5 for code in range(n_codes - 1)))
        if column % 2
        else CategoryFeature(f"f{column}", tuple(range(n_codes)), is_ordered=column % 4 == 0)
        for column, n_codes in enumerate(table.n_codes.tolist())
    ]
    conditions = Conditions(Schema(tuple(features)), is_single=True)
    return Searcher(table.training, conditions.sets, np.ones(table.n_classes), 1, engine)


@pytest.mark.parametrize("engine", ["table", "bitmap"])
@given(
    table=coded_tables(max_rows=80),
    alpha=st.sampled_from([0.0, 0.5, 0.9, 1.0]),
    max_length=st.integers(1, 4),
)
def test_best_score_is_that_of_the_exhaustive_search(engine, table, alpha, max_length):
    max_length = min(max_length, len(table.codes))
    searcher = cell_searcher(table, engine)
    best = searcher.search(table.queries, paper_search(alpha, max_length, is_greedy=False), 1)
    search = Search(Setting("precision", alpha, 0.0), max_length, is_by_class=True)
    found = searcher.search(table.queries, search, 1)
    scores = found.scores.max(axis=1)
    is_covered = np.isfinite(best.scores[:, 0])
    assert np.array_equal(np.isfinite(scores), is_covered)
    assert np.array_equal(scores[is_covered], best.scores[is_covered, 0])
    rows = np.flatnonzero(is_covered)
    of_its_class = found.scores[rows, best.labels[rows, 0]]
    assert np.array_equal(of_its_class, best.scores[rows, 0])
    rules = found.rules(rows, best.labels[rows, 0])
    expected = best.rules(rows, np.zeros(len(rows), np.int64))
    assert np.array_equal(rules.lengths, expected.lengths)
    assert np.array_equal(rules.features, expected.features[:, :max_length])
    assert np.array_equal(rules.positions, expected.positions[:, :max_length])
    assert np.array_equal(rules.counts, expected.counts)
