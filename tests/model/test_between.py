"""Rules between the two leading classes: the best among the rows of these two, and nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from picrules.engines.base import Search
from picrules.kernels.counting import Asked
from picrules.model.between import Between, ask_between, find_leading, group
from picrules.model.searcher import Searcher
from picrules.model.source import Source
from tests.boxes import SETTINGS, BoxTable, best_rules, box_tables

SIZES = np.array([5, 9, 5])


def test_the_two_leading_classes_are_told_in_order():
    scores = np.array([[0.2, 0.1, 0.3], [0.5, 0.5, 0.5], [0.1, 0.1, 0.1]])
    scores[2] = -np.inf
    # Of equal ones the larger class leads, then the first; of the last row nothing is known.
    assert find_leading(scores, SIZES).tolist() == [[0, 2], [0, 1], [-1, -1]]


def test_a_row_that_is_left_out_makes_its_class_smaller():
    scores = np.array([[0.5, 0.4, 0.4]])
    sizes = np.array([9, 6, 6])
    assert find_leading(scores, sizes, np.array([-1])).tolist() == [[0, 1]]
    assert find_leading(scores, sizes, np.array([1])).tolist() == [[0, 2]]


def test_nothing_leads_with_a_class_that_has_no_row():
    scores, sizes = np.tile([0.5, 0.1, 0.4], (2, 1)), np.array([9, 9, 1])
    assert find_leading(scores, sizes).tolist() == [[0, 2], [0, 2]]
    assert find_leading(scores, sizes, np.array([2, 1])).tolist() == [[-1, -1], [0, 2]]


def test_the_weaker_case_falls_behind_and_no_other_class_moves():
    pairs = np.array([[0, 2], [1, 2], [-1, -1], [0, 1], [0, 1]])
    scores = np.array([[3.0, 1.0], [-9.0, 2.0], [0, 0], [-np.inf, -np.inf], [1.0, 1.0]])
    between = Between(pairs, scores)
    added = between.penalties(-4.0, 3)
    assert added.tolist() == [[0, 0, -2], [0, -6, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert between.speaks_for(-4.0)[:3].tolist() == [0, 2, -1]


def test_groups_are_the_rows_in_which_two_classes_lead():
    leading = np.array([[0, 1], [1, 2], [0, 1], [-1, -1]])
    found = {pair: rows.tolist() for pair, rows in group(leading, [(0, 1), (0, 2), (1, 2)])}
    assert found == {(0, 1): [0, 2], (1, 2): [1]}


def expect(table, setting, weights, pair, asker, left_out, max_length):
    """The best rule for each of two classes by looking at all rules among the rows of these two."""
    own = np.isin(table.labels, pair)
    among = BoxTable(
        table.conditions, table.codes[:, own], np.searchsorted(pair, table.labels[own]),
        table.queries, 2,
    )  # fmt: skip
    n_rows = int(own.sum())
    if left_out is None:  # a query, or a row of another class that stands among the queries
        return best_rules(among, setting, weights, 1, max_length, n_rows + asker)
    if not own[left_out]:
        extended = BoxTable(
            table.conditions, among.codes, among.labels, table.codes[:, [left_out]], 2
        )
        return best_rules(extended, setting, weights, 1, max_length, n_rows)
    place = int(own[:left_out].sum())
    return best_rules(among, setting, weights, 1, max_length, place, place)


# Without the JIT, NumPy warns of scores of cells in which nobody who asks is left out.
@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value):RuntimeWarning")
@settings(max_examples=60)
@given(table=box_tables(max_rows=20, max_features=3), setting=SETTINGS, data=st.data())
@pytest.mark.parametrize("engine", ["table", "bitmap"])
def test_rules_are_the_best_among_the_rows_of_two_classes(engine, table, setting, data):
    """Of new rows, and of training rows of these classes and of others, each left out."""
    classes = sorted({*table.labels.tolist()})
    if len(classes) < 2 or not len(table.conditions.features):
        return
    pair = tuple(sorted(data.draw(st.permutations(classes))[:2]))
    weights = np.array(data.draw(st.sampled_from([[1.0] * 9, [1.0, 2.0, 0.5] * 3])))
    training, n_classes = table.training, table.n_classes
    asked = table.asked if data.draw(st.booleans()) else Asked(training.codes, training.labels)
    searcher = Searcher(
        training, table.conditions.sets, weights[:n_classes], engine=engine, memory_limit=1e9
    )
    search = Search(setting, 2, is_by_class=True)
    every = np.arange(asked.codes.shape[1])
    found, between = ask_between(Source(searcher), search, [(pair, every)], asked, n_classes, 1)
    assert (between.pairs == pair).all()
    for row in every[:8]:
        left_out = None
        if asked.left_out[row] >= 0:
            rows = np.flatnonzero((asked.codes[:, row] == table.used_codes.T).all(axis=1))
            left_out = rows[table.labels[rows] == asked.left_out[row]][0]
        best = expect(table, setting, weights[list(pair)], pair, row, left_out, 2)
        for slot, label in enumerate(pair):
            if best[slot] is None:
                assert np.isneginf(found.scores[row, label])
                continue
            score, features, positions, counts = best[slot]
            assert between.scores[row, slot] == found.scores[row, label] == score
            rules = found.rules(np.array([row]), np.array([label]))
            length = int(rules.lengths[0])
            assert rules.features[0, :length].tolist() == list(features)
            assert rules.positions[0, :length].tolist() == list(positions)
            told = rules.counts[0].copy()
            if left_out is not None and table.labels[left_out] in pair:
                told[table.labels[left_out]] -= 1
            assert told[list(pair)].tolist() == counts
            assert told.sum() == sum(counts)
    others = [label for label in range(n_classes) if label not in pair]
    assert np.isneginf(found.scores[:, others]).all()
    if others:
        none = found.rules(every, np.full(len(every), others[0]))
        assert (none.lengths == 0).all()
