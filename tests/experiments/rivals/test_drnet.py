"""DR-Net: gates with known values, and the states that the paper's figures show."""

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


def draw(logits, counter=0):
    gates, slopes = np.empty(len(logits)), np.empty(len(logits))
    loops.draw_gates(np.exp(-logits), np.uint64(counter), gates, slopes)
    return gates, slopes


@pytest.mark.parametrize("a", [-2.0, 0.0, 1.5])
def test_sampled_gates_are_open_as_often_as_stated(a):
    gates, _ = draw(np.full(20_000, a))
    assert (gates > 0).mean() == pytest.approx(loops.open_probability(a), abs=0.02)


def test_gates_and_their_slopes_are_those_of_their_formula():
    logits = np.linspace(-3, 3, 500)
    shares = np.array([loops.random_share(np.uint64(7 + i)) for i in range(500)])

    def stretched(a):
        return loops.SPAN / (1 + np.exp(-(np.log(shares / (1 - shares)) + a) / loops.BETA)) - 0.1

    gates, slopes = draw(logits, 7)
    assert gates == pytest.approx(np.clip(stretched(logits), 0, 1))
    expected = (stretched(logits + 1e-6) - stretched(logits - 1e-6)) / 2e-6
    is_between = (gates > 0) & (gates < 1)
    assert is_between.any()
    assert slopes == pytest.approx(np.where(is_between, expected, 0), rel=1e-5)


def test_random_shares_are_even_and_do_not_depend_on_their_neighbours():
    shares = np.array([loops.random_share(np.uint64(i)) for i in range(50_000)])
    assert np.bincount((shares * 10).astype(int)) == pytest.approx(5000, abs=300)
    assert abs(np.corrcoef(shares[:-1], shares[1:])[0, 1]) < 0.02


def test_exponentials_are_those_of_numpy_and_end_far_from_zero():
    logits = np.concatenate([np.linspace(-29, 29, 200), [-1e6, 1e6]])
    found = np.empty(len(logits))
    loops.exponentials(logits, found)
    assert found == pytest.approx(np.exp(-np.clip(logits, -30, 30)), rel=1e-6)


def network_of(rng, n_rules=6, n_columns=7):
    shape = (n_rules, n_columns)
    # Rules 0 and 1 are shut, rule 2 is open, and the others may be either.
    b = np.concatenate([[-25.0, -25.0, 25.0], rng.normal(0, 1, n_rules - 3)])
    return loops.Network(rng.normal(0, 0.4, shape), rng.normal(0, 1.5, shape), b)


def dense_slopes(X, y, network, gates, or_gates, penalty):
    """The formulas of the method over whole matrices, as its authors state them."""
    (m, dm), (m_or, dm_or) = gates, or_gates
    V = network.W * m
    sums = X @ V.T + 1 - np.maximum(V, 0).sum(axis=1)
    holds = sums > loops.IS_TRUE
    z = (holds & (m_or > 0)).sum(axis=1) - 0.5
    slope_z = (1 / (1 + np.exp(-z)) - y) / len(X)
    slope = slope_z[:, None] * m_or
    slope[(sums < 0) | (holds & (slope < 0))] = 0
    slope_V = slope.T @ X - slope.sum(axis=0)[:, None] * (V > 0)
    p, p_or = (1 / (1 + np.exp(-v - 1.59860)) for v in (network.A, network.b))
    count, columns = network.W.shape
    sparsity = penalty * p_or[:, None] * p * (1 - p) / (count * columns)
    slope_b = (slope_z @ holds) * dm_or
    slope_b += penalty * (1 + p.mean(axis=1)) * p_or * (1 - p_or) / count
    return slope_V * m, slope_V * network.W * dm + sparsity, slope_b


@pytest.mark.parametrize("seed", range(8))
def test_update_has_the_slopes_of_the_formulas(seed):
    """Also for the rules that are drawn shut, whose gates are never drawn."""
    rng = np.random.default_rng(seed)
    network = network_of(rng)
    count, width = network.W.shape
    active = np.column_stack([rng.integers(0, 3, 30), rng.integers(-1, 4, 30)]).astype(np.int32)
    active[:, 1] = np.where(active[:, 1] >= 0, active[:, 1] + 3, -1)
    X = np.zeros((30, width + 1))
    np.put_along_axis(X, active, 1, axis=1)
    y = rng.integers(0, 2, 30).astype(float)

    or_gates = draw(network.b)
    lines = [draw(network.A[rule], count + rule * width) for rule in range(count)]
    gates = tuple(np.array(part) for part in zip(*lines, strict=True))
    expected = dense_slopes(X[:, :width], y, network, gates, or_gates, 0.01)
    assert (or_gates[0] == 0).any()
    memories = [loops.new_memory(network) for _ in range(2)]
    for memory, is_rule_phase in zip(memories, (True, False), strict=True):
        copies = loops.Network(*(values.copy() for values in network))
        loops.update(active, y, np.arange(30), copies, memory, is_rule_phase, 0.01, 0.01)
    # After one step Adam's mean is a tenth of the slope.
    found = memories[0].W[0], memories[0].A[0], memories[1].b[0]
    for values, slopes in zip(found, expected, strict=True):
        assert 10 * values == pytest.approx(slopes, rel=1e-5, abs=1e-9)


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
