"""Rows added to training rows and taken away: what a list of rows would be, in its order."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from picrules.engines import multiset, training
from picrules.engines.multiset import Match
from picrules.engines.training import Training

N_CODES, N_CLASSES = np.array([3, 2]), 3

one_row = st.tuples(st.integers(-1, 2), st.integers(-1, 1), st.integers(0, 2))
batches = st.lists(one_row, min_size=1, max_size=9)


def to_arrays(rows):
    table = np.array(rows, np.int64).reshape(len(rows), 3).T
    return np.ascontiguousarray(table[:2], np.int32), table[2].copy()


def make(rows, kind):
    codes, labels = to_arrays(rows)
    sizes = np.bincount(labels, minlength=N_CLASSES)
    if kind == "single":
        return Training.of_single_rows(codes, labels, sizes)
    joined = Training.from_rows(codes, labels, N_CODES, N_CLASSES)
    if kind == "joined":
        return joined
    return Training(joined.codes, joined.labels, joined.occurrences, sizes, has_order=False)


def list_rows(training):
    return list(zip(*training.row_codes.tolist(), training.row_labels.tolist(), strict=True))


def take_last(rows, gone):
    """Plain lists: of rows that are alike, the last ones go."""
    left = Counter(gone)
    kept = []
    for row in reversed(rows):
        if left[row]:
            left[row] -= 1
        else:
            kept.append(row)
    return kept[::-1]


@settings(max_examples=1000, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("kind", ["single", "joined", "unordered"])
def test_any_way_gives_the_rows_of_a_list(kind, data):
    rows, many = data.draw(batches), data.draw(st.sampled_from([4, 2**16]))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(multiset, "MANY_ROWS", many)
        held = make(rows, kind)
        for _ in range(data.draw(st.integers(1, 3))):
            if len(rows) > 1 and data.draw(st.booleans()):
                order = data.draw(st.permutations(rows))
                gone = order[: data.draw(st.integers(1, len(rows) - 1))]
                match = Match.of(held, *to_arrays(gone))
                assert not match.missing.any()
                held, rows = match.taken(), take_last(rows, gone)
            else:
                more = data.draw(batches)
                held, rows = Match.of(held, *to_arrays(more)).added(), rows + more
            listed = list_rows(held)
            assert listed == (sorted(rows) if kind == "unordered" else rows)
            assert (
                held.class_sizes.tolist() == np.bincount(to_arrays(rows)[1], minlength=3).tolist()
            )
            assert held.occurrences.min() > 0
            assert list_rows(held.sorted()) == listed


@given(rows=batches, asked=batches, kind=st.sampled_from(["single", "joined", "unordered"]))
def test_rows_that_are_not_there_are_told(rows, asked, kind):
    left, expected = Counter(rows), []
    for row in asked:
        expected.append(not left[row])
        left[row] -= left[row] > 0
    assert Match.of(make(rows, kind), *to_arrays(asked)).missing.tolist() == expected


def test_rows_that_nearly_all_differ_are_not_joined():
    """Neither by `fit` nor when more such rows come."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 1000, (3, training.MANY_ROWS + 10), np.int32)
    labels = rng.integers(0, 2, codes.shape[1])
    held = Training.from_rows(codes[:, :-5], labels[:-5], np.full(3, 1000), 2)
    assert held.rows is None
    more = Match.of(held, codes[:, -5:], labels[-5:]).added()
    assert more.rows is None
    assert np.array_equal(more.row_codes, codes)
    assert Match.of(more, codes[:, :5], labels[:5]).taken().n_pairs == codes.shape[1] - 5
