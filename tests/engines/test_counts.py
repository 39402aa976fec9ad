"""Class counts of cells: against counting by hand, and as a value."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.engines.counts import Counts, to_slot_rows
from picrules.engines.training import Training
from tests.tables import coded_tables


def rows_of(codes, labels, n_codes, n_classes):
    return to_slot_rows(Training.from_rows(codes, labels, n_codes, n_classes), n_codes, 2**20)


def count_by_hand(rows, codes, labels, length):
    """One entry per set of features, cell and class; the first feature of a set changes fastest."""
    slots = np.where(codes < 0, rows.n_slots[:, np.newaxis] - 1, codes)
    counted = []
    for subset in combinations(range(len(codes)), length):
        for cell in product(*(range(rows.n_slots[f]) for f in reversed(subset))):
            wanted = np.array(cell[::-1])[:, np.newaxis]
            is_in = (slots[list(subset)] == wanted).all(axis=0)
            counted += np.bincount(labels[is_in], minlength=rows.n_classes).tolist()
    return counted


@given(table=coded_tables(max_rows=30), length=st.integers(1, 3))
def test_counts_are_those_of_counting_by_hand(table, length):
    codes, n_codes = table.codes[:4], table.n_codes[:4]
    length = min(length, len(codes))
    rows = rows_of(codes, table.labels, n_codes, table.n_classes)
    counts = Counts.of(rows, length)
    assert counts.cells.tolist() == count_by_hand(rows, codes, table.labels, length)


@given(table=coded_tables(max_rows=60), split=st.floats(0.1, 0.9), length=st.integers(1, 2))
def test_parts_add_up_and_are_taken_away_again(table, split, length):
    """The parts have the slots of the whole, as parts of one table have."""
    length = min(length, len(table.codes))
    whole = rows_of(table.codes, table.labels, table.n_codes, table.n_classes)
    cut = int(split * len(table.labels))
    parts = [
        Counts.of(
            rows_of(
                table.codes[:, part], table.labels[part], table.n_codes, table.n_classes
            )._replace(n_slots=whole.n_slots),
            length,
        )
        for part in (slice(0, cut), slice(cut, None))
        if len(table.labels[part])
    ]
    counts = Counts.of(whole, length)
    assert sum(parts[1:], parts[0]) == counts
    if len(parts) == 2:
        assert counts - parts[0] == parts[1]


def test_some_sets_of_features_are_counted_alone(rng):
    codes = rng.integers(-1, 3, (5, 40)).astype(np.int32)
    rows = rows_of(codes, rng.integers(0, 2, 40), np.full(5, 3), 2)
    whole = Counts.of(rows, 2)
    pieces = [Counts.of(rows, 2, first, 2).cells for first in range(0, 10, 2)]
    assert np.concatenate(pieces).tolist() == whole.cells.tolist()


def test_what_does_not_go_together_is_refused(rng):
    codes = rng.integers(0, 3, (4, 20)).astype(np.int32)
    rows = rows_of(codes, rng.integers(0, 2, 20), np.full(4, 3), 2)
    one, two = Counts.of(rows, 1), Counts.of(rows, 2)
    with pytest.raises(
        ValueError, match=r"counts of 6 sets of 2 features .* do not go with 4 of 1"
    ):
        one + two
    with pytest.raises(ValueError, match="more rows would be taken"):
        one - (one + one)
