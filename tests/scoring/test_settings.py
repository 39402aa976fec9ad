"""Measures by name: formulas, and what every pruned search relies on."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules.kernels.measures import natural_log
from picrules.kernels.scorer import score_rule
from picrules.scoring.measures import score
from picrules.scoring.settings import Setting, empty_rule_score, make_scorer
from tests.boxes import SETTINGS


def value(setting, counts, sizes, weights=None, label=0):
    counts, sizes = np.array(counts), np.array(sizes)
    weights = np.ones(len(sizes)) if weights is None else np.array(weights, float)
    scorer = make_scorer([setting], sizes, weights, 1, is_leaving_out=False)
    return score_rule(counts, scorer, label, 0)


def test_formulas_on_a_worked_example():
    """30 of 40 covered rows are of a class with 60 of 100 rows."""
    counts, sizes = [30, 10], [60, 40]
    assert value(Setting("precision", 0.9, 0), counts, sizes) == 0.9 * 0.75 + 0.1 * 0.5
    smoothed = (30 + 2 * 0.6) / 42
    found = value(Setting("smoothed_precision", 0.9, 2), counts, sizes)
    assert found == pytest.approx(0.9 * smoothed + 0.1 * 0.5)
    found = value(Setting("certainty_factor", 0.9, 2), counts, sizes)
    assert found == pytest.approx(0.9 * (smoothed - 0.6) / 0.4 + 0.1 * 0.5)
    found = value(Setting("evidence", 0.9, 2), counts, sizes)
    odds = (30 + 1.2) / (10 + 0.8)
    assert found == pytest.approx(0.9 * (math.log(odds) - math.log(1.5)) + 0.1 * math.log(0.5))


def test_class_weights_reweight_the_counts_but_not_what_is_counted_from():
    """Weights as if each row of the second class stood there three times."""
    weighted = value(Setting("smoothed_precision", 0.8, 1), [30, 10], [60, 40], [1, 3])
    repeated = value(Setting("smoothed_precision", 0.8, 1), [30, 30], [60, 120])
    assert weighted == pytest.approx(repeated)
    weighted = value(Setting("evidence", 1.0, 1e-9), [30, 10], [60, 40], [1, 3])
    assert weighted == pytest.approx(math.log(30 / (3 * 10)) - math.log(60 / 40))


@given(
    hits=st.integers(1, 50), misses=st.integers(0, 50), size=st.integers(50, 99), a=st.floats(0, 1)
)
def test_precision_is_the_score_of_the_paper_to_the_bit(hits, misses, size, a):
    found = value(Setting("precision", a, 0.0), [hits, misses], [size, 60])
    assert found == score(hits, hits + misses, size, a)


@given(setting=SETTINGS, hits=st.integers(1, 49), misses=st.integers(0, 49))
def test_measures_never_fall_with_hits_nor_rise_with_misses(setting, hits, misses):
    sizes = [50, 50]
    here = value(setting, [hits, misses], sizes)
    assert value(setting, [hits + 1, misses], sizes) >= here - 1e-12
    assert value(setting, [hits, misses + 1], sizes) <= here + 1e-12


@given(number=st.floats(1e-300, 1e300))
def test_natural_log_is_the_logarithm(number):
    assert natural_log(np.float64(number)) == pytest.approx(math.log(number), rel=1e-14, abs=1e-15)


def test_class_without_a_hit_or_cover_too_small_has_no_rule():
    setting = Setting("evidence", 1.0, 1.0)
    assert value(setting, [0, 5], [10, 10]) == -np.inf
    scorer = make_scorer([setting], np.array([10, 10]), np.ones(2), 6, is_leaving_out=False)
    assert score_rule(np.array([5, 0]), scorer, 0, 0) == -np.inf


def test_empty_rule_is_scored_by_the_shares_of_the_classes():
    sizes, even = np.array([3, 7]), np.ones(2)
    assert empty_rule_score(Setting("precision", 0.9, 0.0), sizes, even, 1) == 0.9 * 0.7 + 0.1 * 1
    assert empty_rule_score(Setting("evidence", 0.9, 1.0), sizes, even, 0) == pytest.approx(0)
