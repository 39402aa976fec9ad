"""A sample of pairs that draw: the same however rows are split, also where two draw the same."""

import numpy as np
import pytest

from picrules.engines.sample import Pairs


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
