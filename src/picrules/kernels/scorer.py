"""How rules are scored: measures, class weights, and rows that are left out."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.jit import inner_kernel, kernel
from picrules.kernels.measures import evidence, measured, natural_log

# alphas       float64 (n_settings,)                         weight of precision
# smoothings   float64 (n_settings,)                         rows added, shared out like the classes
# n_linear     int                                           settings of linear measures, which come
#                                                            first; the rest are evidence
# bases        float64 (n_omissions, n_classes, n_settings)  what the measure counts from
# priors       float64 (n_omissions, n_classes)              share of the class
# class_sizes  float64 (n_omissions, n_classes)              rows of the class
# class_order  int64   (n_classes,)                          labels in the order that wins ties
# groups       int64   (n_classes,)                          classes of one weight
# weights      float64 (n_groups,)                           weight of a row in each group
# omitted      int64   (n_omissions,)                        group of the row left out; NOBODY,
#                                                            or OWN for one of the class itself
# omissions    int64   (n_classes + 1, n_classes)            which of them it is for each class
#                                                            to leave out a row of each, or nobody
# min_cover    int                                           rows that a rule must cover
Scorer = namedtuple(  # noqa: PYI024
    "Scorer",
    "alphas smoothings n_linear bases priors class_sizes class_order groups weights omitted "
    "omissions min_cover",
)

NOBODY, OWN = -1, -2

# Scores are compared with this slack before a cover is skipped: a bound may be rounded down by as
# much as a score is rounded up.
SLACK = 1e-9

# Limits are lowered by this share, so that single precision lets too many pass and never too few.
ROUNDING = 1e-5


# Odds further from 1 than this, as a logarithm, do not fit into a number.
LOG_LIMIT = 700.0


@kernel()
def score_rule(counts, scorer, label, omission):
    """Score one rule by the first setting; -inf where the class has no rule.

    counts  int64 (n_classes,)  class counts of the cover, with the row that is left out
    """
    left = scorer.omitted[omission]
    is_own = left == OWN
    if is_own:
        left = scorer.groups[label]
    size = 0
    for other in range(counts.shape[0]):
        size += counts[other]
    hits = counts[label] - is_own
    if hits < 1 or size - (left != NOBODY) < scorer.min_cover:
        return -np.inf
    cover = 0.0
    for group in range(scorer.weights.shape[0]):
        n_rows = 0
        for other in range(counts.shape[0]):
            n_rows += counts[other] * (scorer.groups[other] == group)
        cover += scorer.weights[group] * (n_rows - (left == group))
    return score_hits(hits, cover, scorer, label, omission)


@inner_kernel()
def score_hits(hits, cover, scorer, label, omission):
    """Score a rule with that many hits in a cover of that weight, by the first setting."""
    weighted = scorer.weights[scorer.groups[label]] * hits
    recall = hits / scorer.class_sizes[omission, label]
    prior, base = scorer.priors[omission, label], scorer.bases[omission, label, 0]
    alpha, smoothing = scorer.alphas[0], scorer.smoothings[0]
    if scorer.n_linear == 0:
        return evidence(weighted, cover, natural_log(recall), prior, base, alpha, smoothing)
    return measured(weighted, cover, recall, prior, base, alpha, smoothing)


@inner_kernel()
def needed_hits(to_reach, is_strict, forced, least, scorer, label, omission):
    """Find how many hits, at least `least`, a cover must have to hold a rule with that score.

    All measures rise with the hits and fall with the misses, also after rounding. So at best all
    hits of a cover stay, and all misses go but those that no rule can exclude, of the weight
    `forced`. With `is_strict` the score must be higher. Returns class size + 1 where no number is
    enough. In growing steps from `least`, near which it mostly is, then by halving.
    """
    # Taken out of their tuple once: each time costs as much as a score.
    weight, class_size = scorer.weights[scorer.groups[label]], scorer.class_sizes[omission, label]
    prior, base = scorer.priors[omission, label], scorer.bases[omission, label, 0]
    alpha, smoothing, is_evidence = scorer.alphas[0], scorer.smoothings[0], scorer.n_linear == 0
    is_plain = base == 0.0 and smoothing == 0.0
    low, high, step = least, np.int64(class_size) + 1, 1
    while low < high:
        middle = min(low + step - 1, (low + high) // 2)
        hits, recall = weight * middle, middle / class_size
        if is_evidence:
            log_recall = natural_log(recall)
            value = evidence(hits, hits + forced, log_recall, prior, base, alpha, smoothing)
        elif is_plain:
            value = alpha * (hits / (hits + forced)) + (1.0 - alpha) * recall
        else:
            value = measured(hits, hits + forced, recall, prior, base, alpha, smoothing)
        is_enough = value > to_reach if is_strict else value + SLACK >= to_reach
        if is_enough:
            high = middle
        else:
            low = middle + 1
            step *= 2
    return low


@inner_kernel()
def hope_of(to_reach, scorer, label, omission, setting):
    """Return what a rule must fulfil to have that score, without division or logarithm.

    Returns slope, rise, shift and limit: with `size` the weight of the cover plus smoothing, only
    rules with `hits * (slope + rise * size) + shift >= limit * size` can have it. A limit of -1 is
    fulfilled by all.
    """
    alpha, smoothing = scorer.alphas[setting], scorer.smoothings[setting]
    prior, base = scorer.priors[omission, label], scorer.bases[omission, label, setting]
    weight = scorer.weights[scorer.groups[label]]
    if to_reach == np.inf:  # nobody asks
        return weight, 0.0, 0.0, 1e300
    to_reach -= SLACK * (1.0 + abs(to_reach))
    if setting >= scorer.n_linear:
        # Recall is at most 1, so its logarithm adds nothing: the odds must be high enough alone.
        if alpha == 0.0 or to_reach == -np.inf:
            return weight, 0.0, 0.0, -1.0
        odds = np.exp(min(max(to_reach / alpha + base, -LOG_LIMIT), LOG_LIMIT))
        limit = (odds / (1.0 + odds)) * (1.0 - ROUNDING)
        return weight, 0.0, smoothing * prior, limit
    scale = alpha / (1.0 - base)
    # A class of which no row is left has no rule, whatever its size.
    rise = (1.0 - alpha) / max(scorer.class_sizes[omission, label], 1.0)
    limit = to_reach + scale * base
    limit = limit * (1.0 - ROUNDING) if limit > 0.0 else -1.0
    return scale * weight, rise, scale * smoothing * prior, limit
