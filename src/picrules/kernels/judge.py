"""How rules are scored: measures, class weights, and rows that are left out."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.jit import inner_kernel, kernel
from picrules.kernels.measures import evidence, measured, natural_log

# alphas       float64 (n_settings,)                    weight of precision
# smoothings   float64 (n_settings,)                    rows added, shared out like the classes
# n_linear     int                                      settings of linear measures, which come
#                                                       first; the rest are evidence
# bases        float64 (n_ways, n_classes, n_settings)  what the measure counts from
# priors       float64 (n_ways, n_classes)              share of the class
# class_sizes  float64 (n_ways, n_classes)              rows of the class
# groups       int64   (n_classes,)                     classes of one weight
# weights      float64 (n_groups,)                      weight of a row in each group
# left_groups  int64   (n_ways,)                        group of the row left out; NOBODY, or OWN
#                                                       for a row of the class that is scored
# ways         int64   (n_classes + 1, n_classes)       way to leave out a row of each class, or
#                                                       nobody (last), seen from each class
# min_cover    int                                      rows that a rule must cover
Judge = namedtuple(  # noqa: PYI024
    "Judge",
    [
        "alphas",
        "smoothings",
        "n_linear",
        "bases",
        "priors",
        "class_sizes",
        "groups",
        "weights",
        "left_groups",
        "ways",
        "min_cover",
    ],
)

NOBODY, OWN = -1, -2


@kernel()
def score_rule(counts, judge, label, way):
    """Score one rule by the first setting; -inf where the class has no rule.

    counts  int64 (n_classes,)  class counts of the cover, with the row that is left out
    """
    left = judge.left_groups[way]
    is_own = left == OWN
    if is_own:
        left = judge.groups[label]
    size = 0
    for other in range(counts.shape[0]):
        size += counts[other]
    hits = counts[label] - is_own
    if hits < 1 or size - (left != NOBODY) < judge.min_cover:
        return -np.inf
    cover = 0.0
    for group in range(judge.weights.shape[0]):
        n_rows = 0
        for other in range(counts.shape[0]):
            n_rows += counts[other] * (judge.groups[other] == group)
        cover += judge.weights[group] * (n_rows - (left == group))
    weighted = judge.weights[judge.groups[label]] * hits
    recall = hits / judge.class_sizes[way, label]
    prior, base = judge.priors[way, label], judge.bases[way, label, 0]
    alpha, smoothing = judge.alphas[0], judge.smoothings[0]
    if judge.n_linear == 0:
        return evidence(weighted, cover, natural_log(recall), prior, base, alpha, smoothing)
    return measured(weighted, cover, recall, prior, base, alpha, smoothing)


@inner_kernel()
def score_covers(counts, start, n_covers, judge, out):
    """Score covers for every class, way to leave a row out, and setting.

    counts  int32   flat (n_covers, n_classes), from `start` on
    out     float64 flat (n_covers, n_classes, n_ways, n_settings)  overwritten

    One call for many covers, and no views: a call or a view costs as much as twenty scores.
    """
    alphas, smoothings, bases = judge.alphas, judge.smoothings, judge.bases
    priors, class_sizes = judge.priors, judge.class_sizes
    groups, weights, left_groups = judge.groups, judge.weights, judge.left_groups
    n_ways, n_classes = priors.shape
    n_settings, n_groups = alphas.shape[0], weights.shape[0]
    group_rows = np.empty(n_groups, np.int64)
    covers = np.empty(n_groups + 1)  # without a row of each group; the last, NOBODY, with all
    at = 0
    for cover in range(n_covers):
        first = start + cover * n_classes
        size = 0
        for group in range(n_groups):
            group_rows[group] = 0
        for label in range(n_classes):
            size += counts[first + label]
            group_rows[groups[label]] += counts[first + label]
        for left in range(n_groups + 1):
            covers[left] = 0.0
            for group in range(n_groups):
                covers[left] += weights[group] * (group_rows[group] - (left == group))
        for label in range(n_classes):
            for way in range(n_ways):
                left = left_groups[way]
                is_own = left == OWN
                if is_own:
                    left = groups[label]
                hits = counts[first + label] - is_own
                if hits < 1 or size - (left != NOBODY) < judge.min_cover:
                    for setting in range(n_settings):
                        out[at + setting] = -np.inf
                else:
                    weighted = weights[groups[label]] * hits
                    recall = hits / class_sizes[way, label]
                    prior = priors[way, label]
                    for setting in range(judge.n_linear):
                        out[at + setting] = measured(
                            weighted, covers[left], recall, prior,
                            bases[way, label, setting], alphas[setting], smoothings[setting],
                        )  # fmt: skip
                    log_recall = natural_log(recall)
                    for setting in range(judge.n_linear, n_settings):
                        out[at + setting] = evidence(
                            weighted, covers[left], log_recall, prior,
                            bases[way, label, setting], alphas[setting], smoothings[setting],
                        )  # fmt: skip
                at += n_settings
