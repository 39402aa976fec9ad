"""BRS: the numbers of its posterior on tic-tac-toe, worked out by hand."""

import numpy as np
import pytest

from experiments.rivals.brs import BRS, Posterior, rule_spaces
from experiments.rivals.brs_candidates import make_pool
from experiments.rivals.loops import brs as loops

NINE_SQUARES = np.full(9, 3)


def test_rule_spaces_are_symmetric_polynomials():
    assert rule_spaces(NINE_SQUARES, 3).tolist() == [54, 1377, 22032]


def test_prior_of_no_rule_and_of_eight():
    posterior = Posterior(rule_spaces(NINE_SQUARES, 3))
    assert posterior.prior(np.array([], int)) == pytest.approx(-0.982765, abs=1e-6)
    assert posterior.prior(np.full(8, 3)) == pytest.approx(-87.753373, abs=1e-6)


@pytest.mark.parametrize(
    ("hits", "misses", "value"),
    [(626, 0, -0.811819), (332, 0, -0.509224), (626, 1, -7.839133), (331, 1, -7.231854)],
)
def test_likelihood_of_one_side(hits, misses, value):
    posterior = Posterior(rule_spaces(NINE_SQUARES, 3))
    assert posterior.likelihood(hits, misses) == pytest.approx(value, abs=1e-6)


@pytest.mark.slow
def test_pool_holds_frequent_informative_rules_once():
    rng = np.random.default_rng(0)
    X = rng.random((12, 300)) < 0.4
    is_positive = X[3] & ~X[5]
    pool = make_pool(X, is_positive, 0)
    rules = [tuple(sorted(r for r in member if r >= 0)) for member in pool.members.tolist()]
    assert rules[0] == (3, 12 + 5)
    assert len(set(rules)) == len(rules)
    entropies = []
    for rule, length in zip(rules, pool.lengths, strict=True):
        assert len(rule) == length
        literals = [X[r] if r < 12 else ~X[r - 12] for r in rule]
        cover = np.logical_and.reduce(literals)
        assert cover[is_positive].sum() >= 0.05 * is_positive.sum()
        counts = cover[is_positive].sum(), cover[~is_positive].sum()
        entropies.append(loops.entropy(*counts, is_positive.sum(), (~is_positive).sum()))
    assert entropies == sorted(entropies)


@pytest.mark.slow
@pytest.mark.parametrize("answer", [True, False])
def test_one_class_needs_no_rule(answer):
    codes = np.zeros((10, 2), np.int32)
    learner = BRS(0).fit(codes, np.array([1, 1]), np.full(10, answer))
    assert learner.rules() == []
    assert (learner.predict(codes) == answer).all()
