"""What is gathered from parts of the rows, and merged in any tree, is what all rows give."""

import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.engines import blocks
from picrules.engines import holding as holding_module
from picrules.engines import sample as sample_module
from picrules.engines.batches import CodedBatch, row_bytes
from picrules.engines.holding import Holding
from picrules.engines.sample import RowSample
from picrules.engines.training import Training
from picrules.errors import NotEnoughMemory
from tests.examples import FEWER
from tests.tables import coded_tables

# Of rows that are counted, and of rows that fit or do not; counts of these tables always do.
WANTED = [(True, np.inf), (False, 2**20), ("auto", np.inf), ("auto", 1000), ("auto", 200)]


def told(training):
    """Everything that training rows hold."""
    counted = None if training.counts is None else training.counts.longest.cells.tolist()
    own = (training.codes, training.labels, training.occurrences, training.class_sizes)
    return [counted, *(each.tolist() for each in own)]


def size_of(training):
    """The memory that distinct rows take."""
    return training.n_pairs * row_bytes(training.n_features)


def cut(codes, labels, n_parts, seed):
    """The rows in parts, of which some may be empty, or hold one class alone."""
    part_of = np.random.default_rng(seed).integers(0, n_parts, len(labels))
    part_of[labels == 0] = 0
    once = np.ones(len(labels), np.int64)
    for part in range(n_parts):
        chosen = np.flatnonzero(part_of == part)
        yield CodedBatch(codes[:, chosen], labels[chosen], once[chosen])


@pytest.mark.parametrize(("keep_rows", "memory_limit"), WANTED)
@FEWER
@given(
    table=coded_tables(),
    length=st.integers(1, 3),
    n_parts=st.integers(1, 6),
    seed=st.integers(0, 99),
    few=st.integers(1, 8),
)
def test_parts_are_merged_to_what_all_rows_give(
    keep_rows, memory_limit, table, length, n_parts, seed, few
):
    """The sample is of few pairs here, so that rows are left out of it."""
    n_codes, n_classes = table.n_codes, table.n_classes
    holding = Holding(keep_rows, length, memory_limit)
    parts = list(cut(table.codes, table.labels, n_parts, seed))
    with (
        patch.object(RowSample.__init__, "__defaults__", (few,)),
        patch.object(Holding, "fits", lambda *_: True),
    ):
        expected = told(holding.gather(parts, n_codes, n_classes))
        gathered = [holding.gather([part], n_codes, n_classes) for part in parts]
        at_once = holding.merge(gathered, n_codes)
        tree = holding.merge(gathered[:2], n_codes)
        for each in gathered[2:]:
            tree = holding.merge([each, tree], n_codes)
    assert told(at_once) == told(tree) == expected
    if keep_rows != "auto":
        assert (at_once.counts is None) == keep_rows


def test_many_rows_are_merged_to_what_all_rows_give(rng):
    """More pairs than a sample holds, and more than are joined at once."""
    n_rows, n_codes = 90_000, np.array([11, 9, 7, 5, 4])
    codes = np.array([rng.integers(-1, own, n_rows) for own in n_codes], np.int32)
    labels = rng.integers(0, 3, n_rows)
    parts = list(cut(codes, labels, 5, 0))
    distinct = Holding(True, 2, np.inf).gather(parts, n_codes, 3)
    assert distinct.n_pairs > 2 * sample_module.SAMPLED_PAIRS
    for keep_rows, limit in ((False, 2**30), ("auto", size_of(distinct))):
        holding = Holding(keep_rows, 2, limit)
        gathered = [holding.gather([part], n_codes, 3) for part in parts]
        merged = holding.merge([holding.merge(gathered[:3], n_codes), *gathered[3:]], n_codes)
        assert told(merged) == told(holding.gather(parts, n_codes, 3))
        assert merged.counts is not None
        assert merged.n_pairs == sample_module.SAMPLED_PAIRS


def test_whether_rows_fit_does_not_depend_on_the_parts(rng):
    codes = rng.integers(0, 8, (4, 3000)).astype(np.int32)
    labels, n_codes = rng.integers(0, 2, 3000), np.full(4, 8)
    rows = Holding(True, 1, np.inf).gather(cut(codes, labels, 1, 0), n_codes, 2)
    for n_parts in (1, 2, 7, 40):
        parts = list(cut(codes, labels, n_parts, n_parts))
        for limit, is_kept in ((2 * size_of(rows), True), (2 * size_of(rows) - 2, False)):
            holding = Holding("auto", 1, limit)
            gathered = [holding.gather([part], n_codes, 2) for part in parts]
            for training in (holding.gather(parts, n_codes, 2), holding.merge(gathered, n_codes)):
                assert (training.counts is None) == is_kept


def test_rows_in_memory_fit_where_rows_elsewhere_do(rng):
    """Also where those that are alike were not joined, as there are few."""
    codes, n_codes = rng.integers(0, 8, (4, 3000)).astype(np.int32), np.full(4, 8)
    labels = rng.integers(0, 2, 3000)
    rows = Training.of_single_rows(codes, labels, np.bincount(labels))
    joined = Training.from_rows(codes, labels, n_codes, 2)
    assert joined.n_pairs < rows.n_pairs
    for limit, is_kept in ((2 * size_of(joined), True), (2 * size_of(joined) - 2, False)):
        holding = Holding("auto", 1, limit)
        elsewhere = holding.gather(cut(codes, labels, 3, 0), n_codes, 2)
        for training in (rows, joined):
            taken = holding.take(training, n_codes)
            assert (taken.counts is None) == (elsewhere.counts is None) == is_kept


def test_counts_that_do_not_fit_are_refused_before_rows_are_read():
    n_codes, limit = np.full(6, 50), 10_000
    with pytest.raises(NotEnoughMemory, match="the counts of all sets of up to 3 features need"):
        Holding(False, 3, limit).check(n_codes, 2)
    Holding("auto", 3, limit).check(n_codes, 2)  # rows may fit
    for keep_rows in (True, False, "auto"):
        Holding(keep_rows, 1, limit).check(n_codes, 2)


def test_positions_of_counts_fit_into_32_bits():
    """They wrapped, and rows were counted elsewhere."""
    n_codes, holding = np.array([60_000, 2, 60_000]), Holding(False, 2, np.inf, names="abc")
    assert holding.fits(n_codes - 30_000, 2)
    with pytest.raises(NotEnoughMemory, match=r"has 7200240002 counts; at most .*'a' has 60000\)"):
        holding.check_counts(n_codes, 2)


def peak_of(*asked):
    """Gather rows that come again and again, and tell how much memory that took.

    In a process of its own: what threads of other tests still do is no part of it.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(peak_here, *asked).result()


def peak_here(holding, distinct, n_times, few_rows):
    """The first of two times takes what is made once: compiled functions need several MiB."""
    codes, labels = distinct
    once = np.broadcast_to(np.int64(1), 1000)

    def batches():
        for _ in range(n_times):
            for start in range(0, len(labels), 1000):
                own = slice(start, start + 1000)
                yield CodedBatch(codes[:, own].copy(), labels[own].copy(), once)

    with (
        patch.object(holding_module, "FEW_ROWS", few_rows),
        patch.object(holding_module, "CUT_ROWS", 2000),
        patch.object(blocks, "ROWS_AT_ONCE", 2000),
        patch.object(RowSample.__init__, "__defaults__", (100,)),
    ):
        holding.gather(batches(), np.full(len(codes), 10), 2)
        tracemalloc.start()
        training = holding.gather(batches(), np.full(len(codes), 10), 2)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return training, peak


@pytest.mark.slow
@pytest.mark.parametrize(("share", "is_kept"), [(1.01, True), (0.95, False), (0.6, False)])
def test_what_takes_the_memory_of_rows_is_bounded_by_the_limit(share, is_kept, rng):
    """Looking whether rows fit took three times the limit, in copies of them."""
    codes, labels = rng.integers(0, 10, (12, 20_000)).astype(np.int32), rng.integers(0, 2, 20_000)
    limit = 2 * share * (codes.nbytes + 16 * len(labels))
    training, peak = peak_of(Holding("auto", 2, limit), (codes, labels), 2, 2**18)
    assert (training.counts is None) == is_kept
    assert training.n_rows == 40_000
    assert peak < 1.7 * limit


@pytest.mark.slow
def test_rows_that_are_alike_take_no_more_memory_for_being_many(rng):
    """However much memory there is."""
    distinct = rng.integers(0, 10, (12, 2000)).astype(np.int32), rng.integers(0, 2, 2000)
    few, many = (peak_of(Holding("auto", 2, 2**40), distinct, own, 6000) for own in (10, 40))
    assert many[0].n_pairs == few[0].n_pairs
    assert many[1] < 1.1 * few[1]
