"""Counts in place of rows: every search finds what it finds in the rows, however these come."""

from itertools import combinations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.engines import blocks as blocks_module
from picrules.engines import box_rules
from picrules.engines.base import Question, Search
from picrules.engines.blocks import BlockCounter, cover_sets
from picrules.engines.counts import Counts, to_slot_rows
from picrules.engines.draws import Draws
from picrules.engines.sample import RowSample
from picrules.engines.table import TableEngine
from picrules.engines.training import Training
from picrules.errors import NoTrainingRows
from picrules.model.searcher import Searcher
from picrules.scoring.settings import make_scorer
from tests.boxes import SETTINGS, box_tables
from tests.engines.test_by_class import found_rules
from tests.examples import FEWER
from tests.tables import coded_tables, paper_search, search_with, single_sets


def split(n_rows, n_parts, seed):
    """The rows in any order, in any parts."""
    order = np.random.default_rng(seed).permutation(n_rows)
    return np.array_split(order, n_parts)


def keep_counts(codes, labels, n_codes, n_classes, max_length, parts, n_threads=1, most=20_000):
    counter = BlockCounter(n_codes, n_classes, max_length, n_threads)
    sample = RowSample(Draws.by_position(n_codes, n_classes), most)
    for part in parts:
        own = np.ascontiguousarray(codes[:, part])
        counter.add(own, labels[part])
        sample.add(own, labels[part])
    return Training.of_counts(counter.finish(), sample.finish())


def rules_of(found, n_rows, n_slots):
    rows, slots = np.repeat(np.arange(n_rows), n_slots), np.tile(np.arange(n_slots), n_rows)
    rules = found.rules(rows, slots)
    kept = np.arange(rules.features.shape[1]) < rules.lengths[:, np.newaxis]
    return [
        found.scores.tolist(), found.labels.tolist(), rules.lengths.tolist(), rules.counts.tolist(),
        np.where(kept, rules.features, -1).tolist(), np.where(kept, rules.positions, -1).tolist(),
    ]  # fmt: skip


@FEWER
@given(
    table=coded_tables(),
    length=st.integers(1, 4),
    alpha=st.sampled_from([0.0, 0.5, 0.9, 1.0]),
    is_greedy=st.booleans(),
    n_parts=st.integers(1, 4),
    n_threads=st.integers(1, 2),
    entries=st.sampled_from([1, 100, 10**6]),
    seed=st.integers(0, 99),
)
def test_single_codes_in_counts_have_the_rules_of_the_rows(
    table, length, alpha, is_greedy, n_parts, n_threads, entries, seed
):
    parts = split(len(table.labels), n_parts, seed)
    with patch.object(blocks_module, "BLOCK_ENTRIES", entries):
        kept = keep_counts(
            table.codes, table.labels, table.n_codes, table.n_classes, length, parts, n_threads
        )
    search = paper_search(alpha, length, is_greedy)
    engines = (TableEngine(training, table.sets) for training in (table.training, kept))
    rows, counts = (search_with(each, table.queries, search, n_threads) for each in engines)
    n_queries = table.queries.shape[1]
    assert rules_of(counts, n_queries, 1) == rules_of(rows, n_queries, 1)
    assert kept.class_sizes.tolist() == table.training.class_sizes.tolist()
    slots = to_slot_rows(table.training, table.n_codes, 2**20)._replace(n_slots=table.n_codes + 1)
    for shorter in range(1, min(length, len(table.codes)) + 1):
        assert kept.counts.by_length[shorter] == Counts.of(slots, shorter)


@FEWER
@given(data=st.data(), n_threads=st.integers(1, 2), is_leaving_out=st.booleans())
def test_sets_of_codes_in_counts_have_the_rules_of_the_rows(data, n_threads, is_leaving_out):
    table, setting, max_length = data.draw(box_tables()), data.draw(SETTINGS), 3
    min_cover, is_kept = data.draw(st.integers(1, 3)), data.draw(st.booleans())
    sets = table.conditions.sets
    parts = split(len(table.labels), data.draw(st.integers(1, 3)), 0)
    kept = keep_counts(
        table.used_codes, table.labels, sets.n_codes, table.n_classes, max_length, parts
    )
    asked = table.asked
    if is_leaving_out:
        asked = asked._replace(left_out=np.zeros(len(asked.left_out), np.int64))
    weights, search = np.ones(table.n_classes), Search(setting, max_length, is_by_class=True)
    scorer = make_scorer(
        [setting], table.class_sizes, weights, min_cover, is_leaving_out=is_leaving_out
    )
    question = Question(asked, scorer, search, n_threads)
    found = []
    with patch.object(box_rules, "ENOUGH", data.draw(st.sampled_from([0.0, np.inf]))):
        for training in (table.training, kept):
            engine = TableEngine(training, sets)
            if is_kept and not is_leaving_out:
                assert engine.keep(question)
            shape = (len(asked.left_out), table.n_classes)
            found.append(found_rules(engine.search(question), *shape))
    assert found[0] == found[1]


@given(table=coded_tables(), seeds=st.tuples(st.integers(0, 9), st.integers(0, 9)))
def test_a_sample_does_not_depend_on_order_and_parts(table, seeds):
    """Of the pairs that are in it, it has all rows."""
    n_rows, most = len(table.labels), 5
    samples = []
    for seed in seeds:
        sample = RowSample(Draws.by_position(table.n_codes, table.n_classes), most)
        for part in split(n_rows, seed + 1, seed):
            sample.add(table.codes[:, part], table.labels[part])
        samples.append(sample)
    one, other = (sample.finish() for sample in samples)
    assert one.codes.tolist() == other.codes.tolist()
    assert one.labels.tolist() == other.labels.tolist()
    assert one.occurrences.tolist() == other.occurrences.tolist()
    assert len(one.labels) == min(most, table.training.n_pairs)
    for codes, label, count in zip(one.codes.T, one.labels, one.occurrences, strict=True):
        is_alike = (table.codes == codes[:, np.newaxis]).all(axis=0) & (table.labels == label)
        assert is_alike.sum() == count


@given(table=coded_tables(max_rows=60), cut=st.floats(0, 1))
def test_counts_of_parts_add_up_and_are_taken_away_again(table, cut):
    n_rows = len(table.labels)
    at = int(cut * n_rows)
    rest = (table.codes, table.labels, table.n_codes, table.n_classes, 2)
    whole, first, second = (
        keep_counts(*rest, [np.arange(start, stop)]).counts
        for start, stop in ((0, n_rows), (0, at), (at, n_rows))
    )
    assert (first + second).longest == whole.longest
    assert (whole - second).longest == first.longest


@given(
    n_slots=st.lists(st.integers(1, 12), min_size=1, max_size=9),
    length=st.integers(1, 4),
    most=st.sampled_from([1, 300, 5000]),
)
def test_blocks_hold_every_set_and_are_no_larger_than_told(n_slots, length, most):
    length = min(length, len(n_slots))
    blocks = cover_sets(n_slots, length, most)
    subsets = list(combinations(range(len(n_slots)), length))
    assert all(any(set(subset) <= set(block) for block in blocks) for subset in subsets)
    assert all(np.prod([n_slots[each] for each in block]) <= most or len(block) == length
               for block in blocks)  # fmt: skip
    assert len(blocks) <= len(subsets)


def test_rows_that_occur_several_times_are_counted_so_often(rng):
    codes, labels = rng.integers(-1, 3, (4, 50)).astype(np.int32), rng.integers(0, 2, 50)
    times, n_codes = rng.integers(1, 5, 50), np.full(4, 3)
    one, other = BlockCounter(n_codes, 2, 2), BlockCounter(n_codes, 2, 2)
    one.add(codes, labels, times)
    other.add(codes.repeat(times, axis=1), labels.repeat(times))
    assert one.finish().longest == other.finish().longest


def test_rows_that_occur_several_times_are_counted_across_the_space_for_rows_that_wait(rng):
    """A batch that filled the space had the rest of its rows counted once each."""
    codes, labels = rng.integers(-1, 3, (4, 730)).astype(np.int32), rng.integers(0, 2, 730)
    times, n_codes = rng.integers(1, 9, 730), np.full(4, 3)
    with patch.object(blocks_module, "ROWS_AT_ONCE", 100):
        counter = BlockCounter(n_codes, 2, 2)
        for start, stop, is_once in ((0, 40, True), (40, 300, False), (300, 730, True)):
            if is_once:
                times[start:stop] = 1
            own = None if is_once else times[start:stop]
            counter.add(codes[:, start:stop], labels[start:stop], own)
        counts = counter.finish()
    assert counts.class_sizes.tolist() == np.bincount(labels, times).tolist()
    for features in combinations(range(4), 2):
        found = np.zeros((2, 3 + 1, 3 + 1), int)
        np.add.at(found, (labels, *codes[list(features)]), times)  # -1 is the last
        rows, own, sums = counts.cells_of(features)
        assert found[own, rows[0], rows[1]].tolist() == sums.tolist()
        assert found.sum() == sums.sum()


def test_what_needs_rows_says_so(rng):
    codes, labels = rng.integers(0, 3, (4, 50)).astype(np.int32), np.arange(50) % 2
    kept = keep_counts(codes, labels, np.full(4, 3), 2, 2, [np.arange(50)])
    searcher = Searcher(kept, single_sets(np.full(4, 3)), np.ones(2), engine="bitmap")
    with pytest.raises(NoTrainingRows, match="in place of its 50 training rows"):
        searcher.plan(paper_search(0.9, 2, False), 1)
    with pytest.raises(NoTrainingRows, match="more than 2 conditions"):
        searcher.plan(paper_search(0.9, 3, False), 1, engine="auto")
    plan = searcher.plan(paper_search(0.9, 2, False), 1, engine="auto")
    assert plan.reason == "counts are kept in place of the rows"
