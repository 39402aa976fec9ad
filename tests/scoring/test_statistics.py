import numpy as np
import pytest
from scipy.stats import fisher_exact
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from picrules.scoring.statistics import (
    adjust_p_values,
    fisher_p_value,
    wilson_interval,
    wilson_intervals,
)


@pytest.mark.parametrize(("hits", "n_rows"), [(0, 1), (1, 1), (0, 7), (3, 7), (7, 7), (999, 10**6)])
def test_interval_is_that_of_statsmodels(hits, n_rows):
    expected = proportion_confint(hits, n_rows, alpha=0.05, method="wilson")
    lower, upper = wilson_interval(hits, n_rows)
    assert (lower, upper) == pytest.approx(expected, abs=1e-12)
    assert 0 <= lower <= hits / n_rows <= upper <= 1


def test_p_value_is_that_of_fishers_test(rng):
    for _ in range(100):
        hits, misses, others, rest = rng.integers(0, 12, 4).tolist()
        if hits + misses == 0 or hits + others == 0:
            continue
        table = [[hits, misses], [others, rest]]
        expected = fisher_exact(table, alternative="greater").pvalue
        found = fisher_p_value(hits, hits + misses, hits + others, sum(map(sum, table)))
        assert found == pytest.approx(expected, rel=1e-9)


def test_adjusted_p_values_are_those_of_statsmodels(rng):
    p_values = np.append(rng.random(50) ** 3, [0.0, 1.0, 1.0])
    expected = multipletests(p_values, method="fdr_bh")[1]
    np.testing.assert_allclose(adjust_p_values(p_values), expected)


def test_many_wilson_intervals_are_those_of_each():
    pairs = [
        (hits, n_rows) for n_rows in (0, 1, 2, 7, 300, 10**9) for hits in range(min(n_rows, 9))
    ]
    pairs += [(n_rows, n_rows) for _, n_rows in pairs]
    lower, upper = wilson_intervals(*np.array(pairs).T)
    assert list(zip(lower.tolist(), upper.tolist(), strict=True)) == [
        wilson_interval(*pair) for pair in pairs
    ]
