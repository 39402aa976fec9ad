"""A list of the best rules of a row, and the order that it is in."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.jit import inner_kernel
from picrules.kernels.scorer import SLACK, score_rule

# Which rule is better.
# offset          float64 (n_classes,)  added to the scores of each class
# labels          int64   (n_classes,)  in the order that wins ties
# places          int64   (n_classes,)  place of each label in that order
# is_class_first  bool                  whether the class settles a tie, or the conditions
Order = namedtuple(  # noqa: PYI024
    "Order", ["offset", "labels", "places", "is_class_first"]
)

# The best rules so far, the best first.
# n_rules    int64   (1,)              how many there are
# values     float64 (top,)            score and offset
# scores     float64 (top,)
# labels     int64   (top,)
# lengths    int64   (top,)
# features   int64   (top, depth)      in column order, then -1
# positions  int64   (top, depth)      which condition of each feature
# counts     int64   (top, n_classes)  class counts of the cover
Ranking = namedtuple(  # noqa: PYI024
    "Ranking",
    ["n_rules", "values", "scores", "labels", "lengths", "features", "positions", "counts"],
)


@inner_kernel()
def best_class(counts, scorer, order, left_out):
    """Return value, score and label of the best rule with a cover; -inf where there is none."""
    best_label = order.labels[0]
    best_score, best_value = -np.inf, -np.inf
    for label in order.labels:
        score = score_rule(counts, scorer, label, scorer.omissions[left_out, label])
        if score + order.offset[label] > best_value:
            best_label, best_score, best_value = label, score, score + order.offset[label]
    return best_value, best_score, best_label


@inner_kernel()
def is_full(ranking):
    """Tell whether a rule must be better than the last one to be listed."""
    return ranking.n_rules[0] == ranking.values.shape[0]


@inner_kernel()
def score_to_reach(order, ranking, label):
    """Return the score that a rule of a class needs, to be listed where the list is full.

    The sum of score and offset is rounded, the more the larger the offset.
    """
    return ranking.values[-1] - order.offset[label] - SLACK * abs(order.offset[label])


@inner_kernel()
def is_better(rule, place, path, order, ranking, at):
    """Tell whether the rule at the cursors goes before one in the list.

    With the same features the one found first has the earlier conditions, and stays before.
    """
    value, score, label = rule
    length = path.cursors.shape[0]
    if value != ranking.values[at]:
        return value > ranking.values[at]
    if order.is_class_first:
        if label != ranking.labels[at]:
            return order.places[label] < order.places[ranking.labels[at]]
        if score != ranking.scores[at]:  # two scores plus an offset may round alike
            return score > ranking.scores[at]
    if length != ranking.lengths[at]:
        return length < ranking.lengths[at]
    for level in range(length):
        feature = place.features[path.cursors[level]]
        if feature != ranking.features[at, level]:
            return feature < ranking.features[at, level]
    return False


@inner_kernel()
def put_in(rule, place, path, order, ranking):
    """Put the rule at the cursors at its place in the list; the last goes if the list is full."""
    top = ranking.values.shape[0]
    ranking.n_rules[0] = min(ranking.n_rules[0] + 1, top)
    at = ranking.n_rules[0] - 1
    while at > 0 and is_better(rule, place, path, order, ranking, at - 1):
        move_down(ranking, at)
        at -= 1
    write_rule(rule, place, path, ranking, at)


@inner_kernel()
def move_down(ranking, at):
    """Make room in the list: the rule before goes to this place."""
    for column in (ranking.values, ranking.scores):
        column[at] = column[at - 1]
    for column in (ranking.labels, ranking.lengths):
        column[at] = column[at - 1]
    for table in (ranking.features, ranking.positions, ranking.counts):
        for place in range(table.shape[1]):
            table[at, place] = table[at - 1, place]


@inner_kernel()
def write_rule(rule, place, path, ranking, at):
    """Write the rule at the cursors into the list."""
    value, score, label = rule
    length = path.cursors.shape[0]
    ranking.values[at] = value
    ranking.scores[at] = score
    ranking.labels[at] = label
    ranking.lengths[at] = length
    for level in range(ranking.features.shape[1]):
        is_used = level < length
        cursor = path.cursors[level if is_used else 0]
        ranking.features[at, level] = place.features[cursor] if is_used else -1
        ranking.positions[at, level] = place.positions[cursor] if is_used else -1
    for other in range(ranking.counts.shape[1]):
        ranking.counts[at, other] = path.counts[length, other]
