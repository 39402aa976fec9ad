"""Training of DR-Net: all updates in one compiled loop.

Rows are lists of active columns, so a row costs as many additions as it has features. The gates
of the rule layer, n_rules x n_columns of them an update, are most of the work. Their loops are
written so that the compiler can do several at once: random numbers from a counter, and an
exponential without a call. A rule whose own gate is drawn shut takes no part in an update but for
its penalty, so its gates are not drawn.
"""

from __future__ import annotations

from math import exp, sqrt
from typing import NamedTuple

import numpy as np
from numba import njit

# Hard-concrete gates: temperature 2/3, stretched from (0, 1) to (-0.1, 1.1).
BETA, LOW, HIGH = 2 / 3, -0.1, 1.1
SPAN = HIGH - LOW
# A gate is open with the probability sigmoid(a - BETA * ln(-LOW / HIGH)).
OPEN_SHIFT = exp(BETA * np.log(-LOW / HIGH))
IS_TRUE = 0.999999  # a rule holds when its sum is 1; the rest is rounding
FAR = 30.0  # a gate whose logit is farther from 0 is open or shut for good
SHUT = -1


class Network(NamedTuple):
    """The parameters; training overwrites them."""

    W: np.ndarray  # float64 (n_rules, n_columns)  weights of the rules
    A: np.ndarray  # float64 (n_rules, n_columns)  gate logits of the rules
    b: np.ndarray  # float64 (n_rules,)            gate logits of their disjunction


class Memory(NamedTuple):
    """What training keeps from one update to the next."""

    E: np.ndarray  # float64 (n_rules, n_columns)      exp(-A)
    W: np.ndarray  # float64 (2, n_rules, n_columns)   Adam's mean and square of the slopes
    A: np.ndarray  # float64 (2, n_rules, n_columns)
    b: np.ndarray  # float64 (2, n_rules)
    steps: np.ndarray  # int64 (2,)   updates made of the rules, of the disjunction
    drawn: np.ndarray  # uint64 (1,)  where the random numbers are


def new_memory(network: Network) -> Memory:
    """The memory of a network that has not been trained."""
    W, A, b = (np.zeros((2, *values.shape)) for values in network)
    return Memory(np.exp(-network.A), W, A, b, np.zeros(2, np.int64), np.zeros(1, np.uint64))


class Draw(NamedTuple):
    """One draw of the gates; only the rules that are not shut have a place."""

    places: np.ndarray  # int64 (n_rules,)  SHUT, or the place of a rule in what follows
    or_gates: np.ndarray  # float64 (n_open,)
    or_slopes: np.ndarray  # float64 (n_open,)
    gates: np.ndarray  # float64 (n_open, n_columns)
    slopes: np.ndarray  # float64 (n_open, n_columns)
    V: np.ndarray  # float64 (n_columns, n_open)  gated weights


@njit(cache=True, error_model="numpy")
def evaluation_gate(a):
    """The gate after training; 0 below and 1 above a = -/+2.3979."""
    return min(1.0, max(0.0, SPAN / (1 + exp(-a)) + LOW))


@njit(cache=True, error_model="numpy")
def open_probability(a):
    """The chance that a gate is not 0."""
    return 1 / (1 + exp(-a) * OPEN_SHIFT)


@njit(cache=True, error_model="numpy")
def random_share(counter):
    """A random number between 0 and 1, another one for each counter (splitmix64)."""
    z = counter * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (np.float64(z >> np.uint64(11)) + 0.5) * 2.0**-53


@njit(cache=True, error_model="numpy")
def exponentials(A, out):
    """Write exp(-a) of a line of logits, none farther from 0 than FAR: a series, squared often."""
    for i in range(A.shape[0]):
        y = min(FAR, max(-FAR, -A[i])) * (1 / 256)
        value = 1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4 * (1 + y / 5 * (1 + y / 6)))))
        for _ in range(8):
            value *= value
        out[i] = value


@njit(cache=True, error_model="numpy")
def draw_gates(E, counter, gates, slopes):
    """Draw a line of gates; write their values, and their slopes with respect to the logits.

    With a temperature of 2/3 the sigmoid of (logit(u) + a) / BETA needs a square root only.
    """
    for i in range(E.shape[0]):
        u = random_share(counter + np.uint64(i))
        odds = (1 - u) / u * E[i]
        share = 1 / (1 + odds * sqrt(odds))
        value = share * SPAN + LOW
        is_between = (value > 0.0) & (value < 1.0)
        gates[i] = min(1.0, max(0.0, value))
        slopes[i] = SPAN * share * (1 - share) / BETA if is_between else 0.0


@njit(cache=True, error_model="numpy")
def adam(values, slopes, moments, step, rate):
    """Make one step of Adam; `values` and `moments` (mean, square) are overwritten."""
    scale = rate * sqrt(1 - 0.999**step) / (1 - 0.9**step)
    epsilon = 1e-8 * sqrt(1 - 0.999**step)
    mean, square = moments
    for i in range(values.shape[0]):
        mean[i] = 0.9 * mean[i] + 0.1 * slopes[i]
        square[i] = 0.999 * square[i] + 0.001 * slopes[i] * slopes[i]
        values[i] -= scale * mean[i] / (sqrt(square[i]) + epsilon)


@njit(cache=True, error_model="numpy")
def rule_sums(active, rows, V, out):
    """Compute each rule's sum for each row of a batch: 1 where the rule holds, else less.

    active  int32   (n_rows, n_features)      active columns, -1 for none
    rows    int64   (n_batch,)
    V       float64 (n_columns, n_rules)      gated weights
    out     float64 (n_batch, n_rules)        overwritten
    """
    base = np.ones(V.shape[1])
    for column in range(V.shape[0]):
        for rule in range(V.shape[1]):
            base[rule] -= max(V[column, rule], 0.0)
    for i in range(rows.shape[0]):
        sums = out[i]
        sums[:] = base
        for feature in range(active.shape[1]):
            column = active[rows[i], feature]
            if column >= 0:
                weights = V[column]
                for rule in range(sums.shape[0]):
                    sums[rule] += weights[rule]


@njit(cache=True, error_model="numpy")
def draw_network(network, memory):
    """Draw the gates of the disjunction, then those of the rules that it leaves open."""
    n_rules, n_columns = network.W.shape
    counter = memory.drawn[0]
    memory.drawn[0] += np.uint64(n_rules * (n_columns + 1))
    or_E, or_gates, or_slopes = np.empty(n_rules), np.empty(n_rules), np.empty(n_rules)
    exponentials(network.b, or_E)
    draw_gates(or_E, counter, or_gates, or_slopes)
    n_open = 0
    places = np.full(n_rules, SHUT)
    for rule in range(n_rules):
        if or_gates[rule] > 0:
            places[rule] = n_open
            or_gates[n_open], or_slopes[n_open] = or_gates[rule], or_slopes[rule]
            n_open += 1
    gates, slopes = np.empty((n_open, n_columns)), np.empty((n_open, n_columns))
    V = np.empty((n_columns, n_open))
    for rule in range(n_rules):
        place = places[rule]
        if place != SHUT:
            start = counter + np.uint64(n_rules + rule * n_columns)
            draw_gates(memory.E[rule], start, gates[place], slopes[place])
            for column in range(n_columns):
                V[column, place] = network.W[rule, column] * gates[place, column]
    return Draw(places, or_gates[:n_open], or_slopes[:n_open], gates, slopes, V)


@njit(cache=True, error_model="numpy")
def update(active, target, rows, network, memory, is_rule_phase, penalty, rate):
    """Make one update: of W and A in a rule phase, of b otherwise.

    active   int32   (n_rows, n_features)    active columns, -1 for none
    target   float64 (n_rows,)               1 for the positive class
    """
    n_batch = rows.shape[0]
    draw = draw_network(network, memory)
    sums = np.empty((n_batch, draw.V.shape[1]))
    rule_sums(active, rows, draw.V, sums)
    slope_z = np.empty(n_batch)
    for i in range(n_batch):
        n_true = 0
        for place in range(sums.shape[1]):
            n_true += sums[i, place] > IS_TRUE
        slope_z[i] = (1 / (1 + exp(0.5 - n_true)) - target[rows[i]]) / n_batch
    if is_rule_phase:
        memory.steps[0] += 1
        total, slope_V = _slopes_of_weights(active, rows, draw, sums, slope_z)
        _update_rules(network, memory, draw, total, slope_V, penalty, rate)
    else:
        memory.steps[1] += 1
        _update_disjunction(network, memory, draw, sums, slope_z, penalty, rate)


@njit(cache=True, error_model="numpy")
def _slopes_of_weights(active, rows, draw, sums, slope_z):
    """Go back through the steps of the rules; `sums` is overwritten."""
    slope_V = np.zeros(draw.V.shape)
    total = np.zeros(draw.V.shape[1])
    for i in range(rows.shape[0]):
        line = sums[i]
        for place in range(line.shape[0]):
            slope = slope_z[i] * draw.or_gates[place]
            # Straight through the step, but not where it cannot move the answer further.
            is_stuck = (line[place] < 0) | ((line[place] > IS_TRUE) & (slope < 0))
            line[place] = 0.0 if is_stuck else slope
            total[place] += line[place]
        for feature in range(active.shape[1]):
            column = active[rows[i], feature]
            if column >= 0:
                slopes = slope_V[column]
                for place in range(line.shape[0]):
                    slopes[place] += line[place]
    return total, slope_V


@njit(cache=True, error_model="numpy")
def _update_rules(network, memory, draw, total, slope_V, penalty, rate):
    n_rules, n_columns = network.W.shape
    slope_W, slope_A = np.empty(n_columns), np.empty(n_columns)
    for rule in range(n_rules):
        W, A, E, place = network.W[rule], network.A[rule], memory.E[rule], draw.places[rule]
        sparsity = penalty * open_probability(network.b[rule]) / (n_rules * n_columns)
        for column in range(n_columns):
            chance = 1 / (1 + E[column] * OPEN_SHIFT)
            slope_W[column], slope_A[column] = 0.0, sparsity * chance * (1 - chance)
        if place != SHUT:
            gates, slopes = draw.gates[place], draw.slopes[place]
            for column in range(n_columns):
                is_asked = draw.V[column, place] > 0
                slope = slope_V[column, place] - (total[place] if is_asked else 0.0)
                slope_W[column] = slope * gates[column]
                slope_A[column] += slope * W[column] * slopes[column]
        adam(W, slope_W, (memory.W[0, rule], memory.W[1, rule]), memory.steps[0], rate)
        adam(A, slope_A, (memory.A[0, rule], memory.A[1, rule]), memory.steps[0], rate)
        exponentials(A, E)


@njit(cache=True, error_model="numpy")
def _update_disjunction(network, memory, draw, sums, slope_z, penalty, rate):
    n_rules, n_columns = network.W.shape
    slope_b = np.empty(n_rules)
    for rule in range(n_rules):
        n_expected = 0.0
        for column in range(n_columns):
            n_expected += 1 / (1 + memory.E[rule, column] * OPEN_SHIFT)
        chance = open_probability(network.b[rule])
        slope_b[rule] = penalty * (1 + n_expected / n_columns) * chance * (1 - chance) / n_rules
        place = draw.places[rule]
        if place != SHUT:
            slope = 0.0
            for i in range(sums.shape[0]):
                if sums[i, place] > IS_TRUE:
                    slope += slope_z[i]
            slope_b[rule] += slope * draw.or_slopes[place]
    adam(network.b, slope_b, (memory.b[0], memory.b[1]), memory.steps[1], rate)


@njit(cache=True, error_model="numpy")
def train(active, target, network, memory, plan, is_dropped, penalties, rate, seed):
    """Train a network in place.

    plan        epochs, rows of a batch, epochs after which rules and disjunction take turns
    is_dropped  whether an incomplete last batch is left out
    penalties   float64 (2,)  weight of the sparsity in the phases of the rules, of the disjunction
    """
    np.random.seed(seed)
    memory.drawn[0] = random_start(seed)
    n_rows = active.shape[0]
    n_epochs, n_batch, phase = plan
    for epoch in range(n_epochs):
        turn = (epoch // phase) % 2
        order = np.random.permutation(n_rows)
        for start in range(0, n_rows, n_batch):
            rows = order[start : start + n_batch]
            if rows.shape[0] == n_batch or not is_dropped:
                update(active, target, rows, network, memory, turn == 0, penalties[turn], rate)


@njit(cache=True, error_model="numpy")
def random_start(seed):
    """Where the random numbers of a seed begin: far from those of another."""
    return np.uint64(seed) << np.uint64(33)
