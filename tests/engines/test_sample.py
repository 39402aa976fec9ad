"""A sample of pairs that draw: the same however rows are split, also where two draw the same."""

import numpy as np
import pytest

from picrules.encoding.conditions import Conditions
from picrules.encoding.schema import CategoryFeature, NumberFeature, Schema
from picrules.engines.draws import Draws
from picrules.engines.sample import Pairs, RowSample


@pytest.mark.parametrize("n_keys", [1, 3, 400])
def test_pairs_are_joined_whatever_they_draw(n_keys, rng):
    """Pairs that differ may draw the same number: they stay apart, in the order of their cells."""
    codes, labels = rng.integers(-1, 2, (2, 60)).astype(np.int32), rng.integers(0, 2, 60)
    keys = np.array(
        [hash((*own, 7)) % n_keys for own in zip(*codes.tolist(), labels.tolist(), strict=True)]
    )
    times = rng.integers(1, 5, 60)
    joined = Pairs(keys.astype(np.uint64), codes, labels, times).joined()
    expected: dict[tuple[int, ...], int] = {}
    for key, label, (first, second), count in zip(
        keys.tolist(), labels.tolist(), codes.T.tolist(), times.tolist(), strict=True
    ):
        pair = (key, label, second, first)
        expected[pair] = expected.get(pair, 0) + count
    found = zip(
        joined.keys.tolist(), joined.labels.tolist(), *joined.codes[::-1].tolist(), strict=True
    )
    assert list(found) == sorted(expected)
    assert joined.occurrences.tolist() == [expected[pair] for pair in sorted(expected)]


def draws_of(categories, classes):
    features = (CategoryFeature("kind", tuple(categories)), NumberFeature("age", (1.0, 2.0)))
    return Draws.of(Conditions(Schema(features), is_single=True), np.array(classes))


def test_what_rows_draw_stays_when_categories_and_classes_come(rng):
    """Rows drew by their codes: with new ones, those that came later were far too many."""
    codes = np.stack([rng.integers(-1, 4, 900), rng.integers(-1, 3, 900)]).astype(np.int32)
    labels, place = rng.integers(0, 2, 900), np.array([1, 2, 4, 5, -1])
    after = draws_of(["a", "b", "c", "cc", "d", "e"], ["maybe", "no", "yes"])
    fresh, moved = RowSample(after, 20), RowSample(draws_of("bcde", ["no", "yes"]), 20)
    fresh.add(np.stack([place[codes[0]], codes[1]]).astype(np.int32), labels + 1)
    moved.add(codes, labels)
    places = [np.array([1, 2, 4, 5, 6]), np.arange(4)]
    moved.move(places, np.array([1, 2]), after)
    more = np.stack([rng.integers(-1, 6, 90), rng.integers(-1, 3, 90)]).astype(np.int32)
    for sample in (fresh, moved):
        sample.add(more, np.arange(90) % 3)
    for one, other in zip(*(vars(each.finish()).values() for each in (fresh, moved)), strict=True):
        assert one.tolist() == other.tolist()


def test_classes_draw_the_same_as_whole_numbers_and_as_floats():
    """Classes that are whole numbers become floats where others are none."""
    codes, labels = np.array([[0, 1], [2, -1]], np.int32), np.array([1, 0])
    whole, broken = draws_of("ab", [1, 2]), draws_of("ab", [1.0, 2.0])
    assert whole.draw(codes, labels).tolist() == broken.draw(codes, labels).tolist()
    assert draws_of("ab", ["1", "2"]).draw(codes, labels)[0] != whole.draw(codes, labels)[0]
