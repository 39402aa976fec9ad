"""The rules of the paper, searched by the engines for conditions that are sets of codes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.encoding.conditions import CellConditions
from picrules.encoding.schema import CategoryFeature, NumberFeature, Schema
from picrules.engines.base import Search
from picrules.engines.box_searcher import BoxSearcher
from picrules.engines.searcher import Searcher
from picrules.kernels.boxes import Rows
from picrules.scoring.settings import Setting
from tests.tables import coded_tables


def cell_searcher(table, engine="auto"):
    """Search a table of codes, whose features are numbers and categories in turn."""
    features = [
        NumberFeature(f"f{place}", tuple(code + 0.5 for code in range(n_codes - 1)))
        if place % 2
        else CategoryFeature(f"f{place}", tuple(range(n_codes)), is_ordered=place % 4 == 0)
        for place, n_codes in enumerate(table.n_codes.tolist())
    ]
    conditions = CellConditions(Schema(tuple(features)))
    sizes = table.training.class_sizes
    rows = Rows(table.codes, table.labels)
    return BoxSearcher(rows, conditions.sets, sizes, np.ones(len(sizes)), 1, engine)


@pytest.mark.parametrize("engine", ["table", "bitmap"])
@given(
    table=coded_tables(max_rows=80),
    alpha=st.sampled_from([0.0, 0.5, 0.9, 1.0]),
    max_length=st.integers(1, 4),
)
def test_best_score_is_that_of_the_exhaustive_search(engine, table, alpha, max_length):
    max_length = min(max_length, len(table.codes))
    best = Searcher(table.training, Search(alpha, max_length, is_greedy=False)).best_rules(
        table.queries, 1
    )
    setting = Setting("precision", alpha, 0.0)
    found = cell_searcher(table, engine).search(table.queries, setting, max_length, 1)
    scores = found.scores.max(axis=1)
    is_covered = best.lengths > 0
    assert np.array_equal(np.isfinite(scores), is_covered)
    assert np.array_equal(scores[is_covered], best.scores[is_covered])
    rows = np.flatnonzero(is_covered)
    of_its_class = found.scores[rows, best.labels[rows]]
    assert np.array_equal(of_its_class, best.scores[rows])
    rules = found.rules(rows, best.labels[rows])
    assert np.array_equal(rules.lengths, best.lengths[rows])
    assert np.array_equal(rules.features, best.features[rows, :max_length])
    assert np.array_equal(rules.counts, best.counts[rows])
