"""Distinct rows and how often each occurs stand for the rows as they came."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.engines.base import Question
from picrules.engines.plan import ENGINES
from picrules.engines.training import Training
from tests.boxes import SETTINGS, box_tables
from tests.engines.test_by_class import by_class, found_rules, scorer_for
from tests.engines.test_engines import found
from tests.tables import coded_tables, paper_search, search_with


def as_they_came(codes, labels, n_classes):
    return Training.of_single_rows(codes, labels, np.bincount(labels, minlength=n_classes))


@given(table=coded_tables())
def test_rows_are_brought_back_from_distinct_ones(table):
    training = table.training
    assert np.array_equal(training.row_codes, table.codes)
    assert np.array_equal(training.row_labels, table.labels)
    pairs = {(*column, label) for *column, label in zip(*table.codes, table.labels, strict=True)}
    assert training.n_pairs == len(pairs)
    assert training.occurrences.sum() == training.n_rows == len(table.labels)
    assert training.class_sizes.tolist() == [
        (table.labels == label).sum() for label in range(table.n_classes)
    ]


def test_large_tables_are_joined_where_that_helps(rng):
    """Looking for alike rows took a tenth of the time of a table that has none."""
    n_rows, n_codes = 70_000, np.full(8, 9)
    alike = rng.integers(0, 2, (8, n_rows)).astype(np.int32)
    apart = rng.integers(0, 9, (8, n_rows)).astype(np.int32)
    labels = rng.integers(0, 2, n_rows)
    joined = Training.from_rows(alike, labels, n_codes, 2)
    assert joined.n_pairs == 2**9
    assert np.array_equal(joined.row_codes, alike)
    single = Training.from_rows(apart, labels, n_codes, 2)
    assert single.n_pairs == single.n_rows == n_rows
    assert np.array_equal(single.row_codes, apart)


@pytest.mark.parametrize("engine", ENGINES)
@given(table=coded_tables(), is_greedy=st.booleans())
def test_one_rule_per_row_does_not_depend_on_joining_rows(engine, table, is_greedy):
    search = paper_search(0.8, min(4, len(table.codes)), is_greedy)
    apart = as_they_came(table.codes, table.labels, table.n_classes)
    engines = (ENGINES[engine](each, table.sets, 0) for each in (table.training, apart))
    joined, single = (search_with(each, table.queries, search) for each in engines)
    assert found(joined) == found(single)


@pytest.mark.parametrize("engine", ENGINES)
@given(table=box_tables(), setting=SETTINGS)
def test_one_rule_per_class_does_not_depend_on_joining_rows(engine, table, setting):
    scorer = scorer_for(table, setting, [1.0] * table.n_classes, 2)
    apart = as_they_came(table.used_codes, table.labels, table.n_classes)
    shown = []
    for training in (table.training, apart):
        made = ENGINES[engine](training, table.conditions.sets, 0)
        answer = made.search(Question(table.asked, scorer, by_class(setting, 2)))
        shown.append(found_rules(answer, table.queries.shape[1], table.n_classes))
    assert shown[0] == shown[1]
