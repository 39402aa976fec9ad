"""Training of DR-Net: all updates in one compiled loop.

Rows are lists of active columns, so a row costs as many additions as it has features, and the
gates of the rule layer, n_columns x n_rules of them an update, are most of the work.
"""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
from numba import njit

# Hard-concrete gates: temperature 2/3, stretched from (0, 1) to (-0.1, 1.1).
BETA, LOW, HIGH = 2 / 3, -0.1, 1.1
SPAN = HIGH - LOW
# A gate is open with the probability sigmoid(a - BETA * ln(-LOW / HIGH)).
OPEN_SHIFT = exp(BETA * np.log(-LOW / HIGH))
IS_TRUE = 0.999999  # a rule holds when its sum is 1; the rest is rounding


@njit(cache=True)
def evaluation_gate(a):
    """The gate after training; 0 below and 1 above a = -/+2.3979."""
    return min(1.0, max(0.0, SPAN / (1 + exp(-a)) + LOW))


@njit(cache=True)
def open_probability(a):
    """The chance that a gate is not 0."""
    return 1 / (1 + exp(-a) * OPEN_SHIFT)


@njit(cache=True)
def sampled_gate(a):
    """Draw a gate; return its value, and its slope with respect to `a`.

    With a temperature of 2/3 the sigmoid of (logit(u) + a) / BETA needs a square root only.
    """
    u = np.random.random()
    if u == 0.0:
        return 0.0, 0.0
    odds = (1 - u) / u * exp(-a)
    share = 1 / (1 + odds * sqrt(odds))
    value = share * SPAN + LOW
    if value <= 0.0:
        return 0.0, 0.0
    if value >= 1.0:
        return 1.0, 0.0
    return value, SPAN * share * (1 - share) / BETA


@njit(cache=True)
def adam(values, gradient, mean, square, step, rate):
    """Make one step of Adam; `values`, `mean` and `square` are overwritten (all flat)."""
    scale = rate * sqrt(1 - 0.999**step) / (1 - 0.9**step)
    epsilon = 1e-8 * sqrt(1 - 0.999**step)
    for i in range(values.shape[0]):
        mean[i] = 0.9 * mean[i] + 0.1 * gradient[i]
        square[i] = 0.999 * square[i] + 0.001 * gradient[i] * gradient[i]
        values[i] -= scale * mean[i] / (sqrt(square[i]) + epsilon)


@njit(cache=True)
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
        for rule in range(V.shape[1]):
            out[i, rule] = base[rule]
        for feature in range(active.shape[1]):
            column = active[rows[i], feature]
            if column >= 0:
                for rule in range(V.shape[1]):
                    out[i, rule] += V[column, rule]


@njit(cache=True)
def update(active, target, rows, W, A, b, moments, steps, is_rule_phase, penalty, rate):
    """Make one update: of W and A in a rule phase, of b otherwise.

    active   int32   (n_rows, n_features)    active columns, -1 for none
    target   float64 (n_rows,)               1 for the positive class
    W, A     float64 (n_columns, n_rules)    weights and gate logits of the rules
    b        float64 (n_rules,)              gate logits of the rules' disjunction
    moments  tuple of six arrays             Adam's memory for W, A, b
    steps    int64   (2,)                    updates made of the rules, of the disjunction
    """
    n_columns, n_rules = W.shape
    n_batch = rows.shape[0]
    gates, slopes = np.empty((n_columns, n_rules)), np.empty((n_columns, n_rules))
    V = np.empty((n_columns, n_rules))
    for column in range(n_columns):
        for rule in range(n_rules):
            gates[column, rule], slopes[column, rule] = sampled_gate(A[column, rule])
            V[column, rule] = W[column, rule] * gates[column, rule]
    or_gates, or_slopes = np.empty(n_rules), np.empty(n_rules)
    for rule in range(n_rules):
        or_gates[rule], or_slopes[rule] = sampled_gate(b[rule])
    sums = np.empty((n_batch, n_rules))
    rule_sums(active, rows, V, sums)
    slope_z = np.empty(n_batch)
    for i in range(n_batch):
        z = -0.5
        for rule in range(n_rules):
            if or_gates[rule] > 0 and sums[i, rule] > IS_TRUE:
                z += 1
        slope_z[i] = (1 / (1 + exp(-z)) - target[rows[i]]) / n_batch
    if is_rule_phase:
        _update_rules(
            active, rows, W, A, b, V, gates, slopes, or_gates, sums, slope_z, moments, steps,
            penalty, rate,
        )  # fmt: skip
    else:
        _update_disjunction(A, b, or_slopes, sums, slope_z, moments, steps, penalty, rate)


@njit(cache=True)
def _update_rules(
    active, rows, W, A, b, V, gates, slopes, or_gates, sums, slope_z, moments, steps, penalty, rate
):
    n_columns, n_rules = W.shape
    slope_V = np.zeros((n_columns, n_rules))
    total = np.zeros(n_rules)
    for i in range(rows.shape[0]):
        for rule in range(n_rules):
            slope = slope_z[i] * or_gates[rule]
            # Straight through the step, but not where it cannot move the answer further.
            if sums[i, rule] < 0 or (sums[i, rule] > IS_TRUE and slope < 0):
                slope = 0.0
            sums[i, rule] = slope
            total[rule] += slope
        for feature in range(active.shape[1]):
            column = active[rows[i], feature]
            if column >= 0:
                for rule in range(n_rules):
                    slope_V[column, rule] += sums[i, rule]
    slope_W, slope_A = np.empty((n_columns, n_rules)), np.empty((n_columns, n_rules))
    for column in range(n_columns):
        for rule in range(n_rules):
            slope = slope_V[column, rule]
            if V[column, rule] > 0:
                slope -= total[rule]
            chance = open_probability(A[column, rule])
            sparsity = open_probability(b[rule]) * chance * (1 - chance) / (n_rules * n_columns)
            slope_W[column, rule] = slope * gates[column, rule]
            slope_A[column, rule] = (
                slope * W[column, rule] * slopes[column, rule] + penalty * sparsity
            )
    steps[0] += 1
    adam(W.ravel(), slope_W.ravel(), moments[0].ravel(), moments[1].ravel(), steps[0], rate)
    adam(A.ravel(), slope_A.ravel(), moments[2].ravel(), moments[3].ravel(), steps[0], rate)


@njit(cache=True)
def _update_disjunction(A, b, or_slopes, sums, slope_z, moments, steps, penalty, rate):
    n_columns, n_rules = A.shape
    slope_b = np.empty(n_rules)
    for rule in range(n_rules):
        slope = 0.0
        for i in range(sums.shape[0]):
            if sums[i, rule] > IS_TRUE:
                slope += slope_z[i]
        mean_open = 0.0
        for column in range(n_columns):
            mean_open += open_probability(A[column, rule]) / n_columns
        chance = open_probability(b[rule])
        sparsity = (1 + mean_open) * chance * (1 - chance) / n_rules
        slope_b[rule] = slope * or_slopes[rule] + penalty * sparsity
    steps[1] += 1
    adam(b, slope_b, moments[4], moments[5], steps[1], rate)


@njit(cache=True)
def train(
    active, target, W, A, b, moments, n_epochs, n_batch, is_dropped, phase, penalties, rate, seed
):
    """Train a network in place; return how many updates were made.

    n_batch     rows of a batch; an incomplete last one is left out where `is_dropped`
    phase       epochs after which the rules and their disjunction take turns
    penalties   float64 (2,)  weight of the sparsity in the phases of the rules, of the disjunction
    """
    np.random.seed(seed)
    steps = np.zeros(2, np.int64)
    n_rows = active.shape[0]
    for epoch in range(n_epochs):
        turn = (epoch // phase) % 2
        order = np.random.permutation(n_rows)
        for start in range(0, n_rows, n_batch):
            rows = order[start : start + n_batch]
            if rows.shape[0] < n_batch and is_dropped:
                continue
            update(active, target, rows, W, A, b, moments, steps, turn == 0, penalties[turn], rate)
    return steps[0] + steps[1]
