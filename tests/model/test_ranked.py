"""The best rules in order and the account of the search, against looking at every rule."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from picrules.encoding.conditions import Conditions
from picrules.encoding.schema import CategoryFeature, NumberFeature, Schema
from picrules.engines.base import Search
from picrules.engines.training import Training
from picrules.errors import NotEnoughMemory
from picrules.model.decision import decide
from picrules.model.ranked import rank_rules, trace_search
from picrules.model.searcher import Searcher
from picrules.scoring.settings import Setting
from tests.boxes import (
    SETTINGS,
    RankOrder,
    box_tables,
    different_rules,
    ranked_rules,
    rules_that_cover,
)
from tests.tables import coded_tables, paper_search

# The reference looks at every rule in plain Python.
slowly = settings(max_examples=settings().max_examples // 3)
WEIGHTS = st.lists(st.sampled_from([1.0, 0.7, 3.0]), min_size=5, max_size=5)
# With the last one, most scores plus offset round to the same value.
OFFSETS = st.lists(st.sampled_from([0.0, 0.0, 0.25, -0.1, 2.0**50]), min_size=5, max_size=5)
OVERLAPS = st.sampled_from([0.0, 0.5, 0.9, 1.0, 1.0])


def searcher_for(table, weights, min_cover, **options):
    return Searcher(table.training, table.conditions.sets, np.array(weights), min_cover, **options)


def draw_case(data, *, is_leaving_out):
    """A table, a searcher, a row that asks, and how its rules are scored and ordered."""
    table = data.draw(box_tables(max_rows=40, max_features=3))
    weights = data.draw(WEIGHTS)[: table.n_classes]
    min_cover = data.draw(st.integers(1, 4))
    asker = data.draw(st.integers(0, len(table.labels) - 1))
    if is_leaving_out:
        codes, left_out = table.used_codes[:, asker], int(table.labels[asker])
    else:
        query = asker % table.queries.shape[1]
        codes, left_out = table.asked.codes[:, query], -1
    order = RankOrder(
        data.draw(OFFSETS)[: table.n_classes],
        data.draw(st.booleans()),
        asker if is_leaving_out else None,
    )
    if not is_leaving_out:
        asker = len(table.labels) + query
    setting, depth = data.draw(SETTINGS), data.draw(st.integers(1, 3))
    truth = (table, setting, weights, min_cover, depth, asker, order)
    searcher = searcher_for(table, weights, min_cover)
    asked = (searcher, codes, setting, depth, np.array(order.offset))
    return truth, asked, left_out


def shown(ranked, left_out):
    """Rules in the shape of the reference."""
    rules = []
    for rank in range(len(ranked)):
        length = ranked.rules.lengths[rank]
        counts = ranked.rules.counts[rank].copy()
        if left_out >= 0:
            counts[left_out] -= 1
        rules.append(
            (
                float(ranked.values[rank]),
                float(ranked.scores[rank]),
                int(ranked.labels[rank]),
                tuple(ranked.rules.features[rank, :length].tolist()),
                tuple(ranked.rules.positions[rank, :length].tolist()),
                counts.tolist(),
            )
        )
        assert (ranked.rules.features[rank, length:] == -1).all()
    return rules


@pytest.mark.parametrize("is_leaving_out", [False, True])
@slowly
@given(data=st.data())
def test_rules_come_in_the_order_of_the_reference(is_leaving_out, data):
    truth, asked, left_out = draw_case(data, is_leaving_out=is_leaving_out)
    top, max_overlap = data.draw(st.sampled_from([1, 2, 5, 1000])), data.draw(OVERLAPS)
    is_class_first = truth[-1].is_class_first
    ranked = rank_rules(*asked, top, max_overlap, left_out, is_class_first=is_class_first)
    expected = different_rules(ranked_rules(*truth), top, max_overlap)
    assert shown(ranked, left_out) == expected


@pytest.mark.parametrize("is_leaving_out", [False, True])
@slowly
@given(data=st.data())
def test_every_rule_is_looked_at_or_skipped_for_a_reason(is_leaving_out, data):
    truth, asked, left_out = draw_case(data, is_leaving_out=is_leaving_out)
    table, *_, depth, asker, order = truth
    trace = trace_search(*asked, left_out, is_class_first=order.is_class_first)
    lengths = [len(features) for features, *_ in rules_that_cover(table, depth, asker)]
    assert list(trace.possible) == [lengths.count(length) for length in range(1, depth + 1)]
    together = zip(
        trace.looked_at, trace.cannot_beat, trace.same_cover, trace.too_small, strict=True
    )
    assert [sum(entry) for entry in together] == list(trace.possible)
    assert trace.longest == sum(code >= 0 for code in asked[1])


@pytest.mark.parametrize("is_leaving_out", [False, True])
@slowly
@given(data=st.data())
def test_trace_holds_the_best_rule_after_each_length(is_leaving_out, data):
    truth, asked, left_out = draw_case(data, is_leaving_out=is_leaving_out)
    trace = trace_search(*asked, left_out, is_class_first=truth[-1].is_class_first)
    found = shown(trace.best, left_out)
    depth = truth[4]
    assert len(found) == depth
    everything = [rule for rule, _ in ranked_rules(*truth)]
    for length in range(1, depth + 1):
        best = next((rule for rule in everything if len(rule[3]) <= length), None)
        if best is None:
            assert trace.best.rules.lengths[length - 1] == 0
        else:
            assert found[length - 1] == best


@given(data=st.data())
def test_first_rule_is_the_one_that_predicts(data):
    table = data.draw(box_tables())
    weights = data.draw(WEIGHTS)[: table.n_classes]
    offset = np.array(data.draw(OFFSETS)[: table.n_classes])
    setting, max_length = data.draw(SETTINGS), data.draw(st.integers(1, 3))
    searcher = searcher_for(table, weights, data.draw(st.integers(1, 3)))
    codes = table.asked.codes
    found = searcher.search(codes, Search(setting, max_length, is_by_class=True), 1)
    labels = decide(found.scores + offset, table.class_sizes)
    rules = found.rules(np.arange(len(labels)), labels)
    for query, label in enumerate(labels):
        ranked = rank_rules(searcher, codes[:, query], setting, max_length, offset, 1)
        assert len(ranked) == (rules.lengths[query] > 0)
        if len(ranked):
            assert ranked.labels[0] == label
            assert ranked.scores[0] == found.scores[query, label]
            assert np.array_equal(ranked.rules.features[0], rules.features[query])
            assert np.array_equal(ranked.rules.positions[0], rules.positions[query])
            assert np.array_equal(ranked.rules.counts[0], rules.counts[query])


@given(data=st.data())
def test_first_rule_is_the_one_that_predicts_a_row_left_out(data):
    table = data.draw(box_tables(max_rows=30))
    offset = np.array(data.draw(OFFSETS)[: table.n_classes])
    setting = data.draw(SETTINGS)
    searcher = searcher_for(table, np.ones(table.n_classes), 1)
    training = searcher.training
    found = searcher.leave_one_out(Search(setting, 2, is_by_class=True), 1)
    labels = decide(found.scores + offset, table.class_sizes, training.labels)
    rules = found.rules(np.arange(len(labels)), labels)
    for row in range(min(5, len(labels))):
        codes, left_out = training.codes[:, row], int(training.labels[row])
        ranked = rank_rules(searcher, codes, setting, 2, offset, 1, left_out=left_out)
        assert len(ranked) == (rules.lengths[row] > 0)
        if len(ranked):
            assert ranked.labels[0] == labels[row]
            assert np.array_equal(ranked.rules.features[0], rules.features[row])
            assert np.array_equal(ranked.rules.positions[0], rules.positions[row])


@given(
    table=coded_tables(max_rows=80),
    alpha=st.sampled_from([0.0, 0.5, 0.9, 1.0]),
    max_length=st.integers(1, 4),
)
def test_first_rule_of_single_codes_is_that_of_the_paper(table, alpha, max_length):
    max_length = min(max_length, len(table.codes))
    searcher = Searcher(table.training, table.sets, np.ones(table.n_classes))
    search = paper_search(alpha, max_length, is_greedy=False)
    best = searcher.search(table.queries, search, 1)
    rules = best.rules(np.arange(len(best.scores)), np.zeros(len(best.scores), np.int64))
    for query in range(table.queries.shape[1]):
        ranked = rank_rules(
            searcher, table.queries[:, query], Setting("precision", alpha, 0.0), max_length,
            np.zeros(table.n_classes), 1, is_class_first=False,
        )  # fmt: skip
        assert len(ranked) == (rules.lengths[query] > 0)
        if len(ranked):
            assert ranked.scores[0] == best.scores[query, 0]
            assert ranked.labels[0] == best.labels[query, 0]
            assert np.array_equal(ranked.rules.features[0], rules.features[query])


def small_searcher(min_cover=1, **options):
    """Six rows with two numbers and a category; the category says what the first number says."""
    features = (
        NumberFeature("a", (0.5, 1.5)), CategoryFeature("b", ("u", "v")), NumberFeature("c", (0.5,))
    )  # fmt: skip
    codes = np.array([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 0, 1]], np.int32)
    labels = np.array([0, 0, 0, 1, 1, 1])
    sets = Conditions(Schema(features), False).sets
    training = Training.of_single_rows(codes, labels, np.bincount(labels))
    return Searcher(training, sets, np.ones(2), min_cover, **options)


def test_conditions_that_exclude_no_row_are_told_apart_from_hopeless_ones():
    """The row satisfies `a <= 0.5`, `a <= 1.5`, `b = u`, `c <= 0.5`: 5 rules of length 2, 2 of 3.

    `a <= 0.5` is `b = u`, so the two rules of length 3 that begin with both are not looked at.
    """
    setting, row = Setting("precision", 0.0, 0.0), np.zeros(3, np.int32)
    trace = trace_search(small_searcher(), row, setting, 3, np.zeros(2))
    assert trace.possible == (4, 5, 2)
    assert trace.looked_at[0] == 4
    # The best of length 1, `a <= 1.5`, has all 3 hits of class 0; no other cover has.
    assert trace.best.scores.tolist() == [1.0, 1.0, 1.0]
    assert trace.looked_at[1:] == (0, 0)
    assert trace.cannot_beat == (0, 5, 2)
    every = rank_rules(small_searcher(), row, setting, 3, np.zeros(2), 100)
    pairs = [tuple(features) for features in every.rules.features[:, :2].tolist()]
    assert (0, 1) not in pairs
    assert every.rules.lengths.max() == 2


def test_small_covers_are_skipped_with_all_that_is_in_them():
    trace = trace_search(
        small_searcher(min_cover=4), np.zeros(3, np.int32), Setting("precision", 0.9, 0.0), 2,
        np.zeros(2),
    )  # fmt: skip
    # Of 5 rules of length 2, three begin with a cover of 2 rows: a <= 0.5 (2) and b = u (1).
    assert trace.too_small == (0, 3)
    assert trace.best.rules.counts.tolist() == [[3, 1], [3, 1]]


def test_bitmaps_that_do_not_fit_are_refused():
    searcher = small_searcher(engine="table", memory_limit=100)
    with pytest.raises(NotEnoughMemory, match=r"the bitmap engine needs .* memory_limit allows"):
        rank_rules(
            searcher, np.zeros(3, np.int32), Setting("precision", 0.9, 0.0), 2, np.zeros(2), 3
        )
