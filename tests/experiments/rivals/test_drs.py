"""DRS: quality and sampler against values worked out by hand."""

from collections import Counter

import numpy as np
import pytest

from experiments.rivals.drs_rules import Sampler, quality

pytestmark = pytest.mark.slow
N_DRAWS = 20_000


def test_quality_of_a_pure_rule():
    value = quality(np.array([[16, 0]]), np.array([0]), np.array([0.5, 0.5]))
    assert value == pytest.approx(4 * np.log(2), rel=1e-6)


def test_rule_no_better_than_the_share_of_its_class_is_worth_nothing():
    assert quality(np.array([[5, 5]]), np.array([0]), np.array([0.5, 0.5])) == 0


def shares(covered):
    """Draw for the class of {1, 2}, {1, 3}, {1} against {0}; items are features here."""
    codes = np.array([[-1, 0, 0, -1], [-1, 0, -1, 0], [-1, 0, -1, -1], [0, -1, -1, -1]], np.int32)
    labels = np.array([0, 0, 0, 1])
    sampler = Sampler(codes, np.ones(4, np.int64), labels, np.random.default_rng(0))
    drawn = Counter()
    unique = np.unique
    for _ in range(20):
        counts = []
        with pytest.MonkeyPatch.context() as patch:
            # Count repeated draws, which are one candidate otherwise.
            def unique_with_counts(a, axis, store=counts):
                values, numbers = unique(a, axis=axis, return_counts=True)
                store.extend(numbers.tolist())
                return values

            patch.setattr("experiments.rivals.drs_rules.np.unique", unique_with_counts)
            candidates = sampler.draw(0, N_DRAWS // 20, covered)
        for itemset, count in zip(candidates.codes, counts, strict=True):
            drawn[tuple(np.flatnonzero(itemset >= 0).tolist())] += count
    return {itemset: count / N_DRAWS for itemset, count in drawn.items()}


def test_sampler_weighs_own_rows_times_other_rows_left_out():
    expected = {(1,): 3 / 7, (1, 2): 1 / 7, (1, 3): 1 / 7, (2,): 1 / 7, (3,): 1 / 7}
    found = shares(np.zeros(4, bool))
    assert found == pytest.approx(expected, abs=0.02)


def test_covered_rows_are_left_out_like_those_of_other_classes():
    """With {1, 3} covered: {2} and {1, 2} leave out both others, {1} only {0}."""
    found = shares(np.array([False, True, False, False]))
    # (own rows that contain it) x (others that do not): {1}: 2 x 1, {2}: 1 x 2, {1, 2}: 1 x 2.
    assert found == pytest.approx({(1,): 1 / 3, (2,): 1 / 3, (1, 2): 1 / 3}, abs=0.02)
