"""DR-Net: gates with known values, and the states that the paper's figures show."""

from math import exp, log

import numpy as np
import pytest

from experiments.rivals.columns import merge_two_valued, one_column_a_value
from experiments.rivals.drnet import DRNet
from experiments.rivals.loops import drnet as loops
from experiments.rivals.pair_votes import PairVotes
from tests.experiments.rivals.tables import three_classes

pytestmark = pytest.mark.slow


def test_gates_have_their_known_values():
    assert loops.evaluation_gate(0.0) == pytest.approx(0.5)
    assert loops.open_probability(0.0) == pytest.approx(0.8318, abs=1e-4)
    assert loops.evaluation_gate(-2.398) == 0
    assert loops.evaluation_gate(2.398) == 1


@pytest.mark.parametrize("a", [-2.0, 0.0, 1.5])
def test_sampled_gates_are_open_as_often_as_stated(a):
    values = np.array([loops.sampled_gate(a)[0] for _ in range(20_000)])
    assert (values > 0).mean() == pytest.approx(loops.open_probability(a), abs=0.02)


def test_slope_of_a_gate_is_that_of_its_formula():
    beta, span, u, a = loops.BETA, loops.SPAN, 0.4, 0.3

    def gate(logit):
        share = 1 / (1 + exp(-(log(u / (1 - u)) + logit) / beta))
        return share * span + loops.LOW

    odds = (1 - u) / u * exp(-a)
    share = 1 / (1 + odds**1.5)
    assert share * span + loops.LOW == pytest.approx(gate(a))
    slope = span * share * (1 - share) / beta
    assert slope == pytest.approx((gate(a + 1e-6) - gate(a - 1e-6)) / 2e-6, rel=1e-5)


def test_rule_sum_is_one_exactly_where_the_rule_holds():
    """A positive weight asks for its column, a negative one forbids it."""
    V = np.array([[0.7], [-0.4], [0.0], [0.2]])
    active = np.array([[0, 3], [0, 1], [3, -1], [0, 2]], np.int32)
    sums = np.empty((4, 1))
    loops.rule_sums(active, np.arange(4), V, sums)
    assert sums[:, 0] == pytest.approx([1, 0.4, 0.3, 0.8])


def test_fewer_rows_than_a_batch_teach_nothing():
    """All rules stay, with every column, hold for no row, and the first class is answered."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (399, 4)).astype(np.int32)
    network = DRNet(0).fit(codes, np.full(4, 3), codes[:, 0] == 1)
    assert network.n_updates == 0
    assert not network.predict(codes).any()
    assert [len(rule) for rule in network.rules()] == [12] * 50


def test_fit_without_an_update_says_so():
    X, y = three_classes(120)
    rival = PairVotes(lambda: DRNet(0), 5).fit(X, y)
    assert rival.note == "no update made in 3 of 3 networks"


def test_two_valued_features_have_one_column():
    columns = merge_two_valued(np.array([2, 3]))
    assert columns.features.tolist() == [0, 1, 1, 1]
    active = columns.active(np.array([[0, 0], [1, 2], [-1, -1]]))
    assert active.tolist() == [[-1, 1], [0, 3], [-1, -1]]


def test_every_value_has_a_column():
    columns = one_column_a_value(np.array([2, 3]))
    active = columns.active(np.array([[0, 0], [1, 2], [-1, 3]]))
    assert active.tolist() == [[0, 2], [1, 4], [-1, -1]]
