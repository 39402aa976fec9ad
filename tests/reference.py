"""Algorithms 1, 2 and 3 of the paper in plain Python, as written there.

A row is a tuple of values, None is missing. A rule found is a tuple of its features, its label,
its score and its class counts. Ties: the higher score, then the shorter rule, then the features
first in column order, then the class more frequent in training, then the first class.
"""

from dataclasses import dataclass, field
from itertools import combinations


@dataclass
class Found:
    features: tuple = ()
    label: int = -1
    score: float = 0.0
    counts: list = field(default_factory=list)


@dataclass
class Candidate:
    """One line of the paper's tables of candidate rules."""

    features: tuple
    label: int
    ub: float | None
    score: float
    con: float


def class_sizes(labels, n_classes):
    return [sum(label == c for label in labels) for c in range(n_classes)]


def class_counts(rows, labels, n_classes, x, features):
    counts = [0] * n_classes
    for row, label in zip(rows, labels, strict=True):
        if all(x[f] is not None and row[f] == x[f] for f in features):
            counts[label] += 1
    return counts


def score(hits, cover_size, class_size, alpha):
    return alpha * (hits / cover_size) + (1 - alpha) * (hits / class_size)


def best_class(counts, sizes, alpha):
    """The class of an itemset: the one with the highest score; (None, 0) for an empty cover."""
    best = (None, 0.0)
    for c in sorted(range(len(sizes)), key=lambda c: (-sizes[c], c)):
        if counts[c]:
            value = score(counts[c], sum(counts), sizes[c], alpha)
            if value > best[1]:
                best = (c, value)
    return best


def bound(counts, sizes, alpha):
    """con(r, D): alpha + (1 - alpha) * the highest support in a class."""
    return alpha + (1 - alpha) * max(
        count / size for count, size in zip(counts, sizes, strict=True) if size
    )


def naive_greedy(rows, labels, n_classes, x, alpha, max_length):
    """Algorithm 1."""
    sizes = class_sizes(labels, n_classes)
    best = Found()
    for length in range(1, min(max_length, len(x)) + 1):
        level = Found()
        for features in combinations(range(len(x)), length):
            counts = class_counts(rows, labels, n_classes, x, features)
            label, value = best_class(counts, sizes, alpha)
            if value > level.score:
                level = Found(features, label, value, counts)
        if level.score <= best.score:
            return best
        best = level
    return best


def pic(rows, labels, n_classes, x, alpha, max_length, levels=None):
    """Algorithm 2. `levels` collects the candidates of each length, as the paper's tables do."""
    sizes = class_sizes(labels, n_classes)
    best, before = Found(), Found()
    survivors = None
    for length in range(1, min(max_length, len(x)) + 1):
        level, kept, lines = Found(), {}, []
        for features in combinations(range(len(x)), length):
            ub = None
            if length > 1:  # strategy two: every sub-rule must have survived
                subrules = [tuple(f for f in features if f != left_out) for left_out in features]
                if any(subrule not in survivors for subrule in subrules):
                    continue
                # The worked example's ub: the least con of a sub-rule. The paper's equation
                # takes the minimum before the maximum, which is tighter: 0.750, not 0.833.
                ub = min(bound(survivors[subrule], sizes, alpha) for subrule in subrules)
                if ub <= best.score:  # strategy one
                    continue
            counts = class_counts(rows, labels, n_classes, x, features)
            label, value = best_class(counts, sizes, alpha)
            con = bound(counts, sizes, alpha)
            lines.append(Candidate(features, label, ub, value, con))
            if value > level.score:
                level = Found(features, label, value, counts)
            if value > best.score:
                best = Found(features, label, value, counts)
            if con > best.score:  # strategy three
                kept[features] = counts
        # The worked example removes f2 = b3 by the best rule of the whole length, so the third
        # strategy looks once more when the length is done.
        survivors = {f: c for f, c in kept.items() if bound(c, sizes, alpha) > best.score}
        if levels is not None:
            levels.append(lines)
        if level.score <= before.score:
            return before
        before = level
    return before


def fpic(rows, labels, n_classes, x, alpha, max_length):
    """Algorithm 3, with its hash table of itemsets."""
    sizes = class_sizes(labels, n_classes)
    table = {}
    for row, label in zip(rows, labels, strict=True):
        for itemset in all_combinations(row, max_length):
            table.setdefault(itemset, [0] * n_classes)[label] += 1
    best = Found()
    for itemset in all_combinations(x, max_length):
        counts = table.get(itemset, [0] * n_classes)
        label, value = best_class(counts, sizes, alpha)
        if value > best.score:
            best = Found(tuple(f for f, _ in itemset), label, value, counts)
    return best


def all_combinations(x, max_length):
    present = [(f, value) for f, value in enumerate(x) if value is not None]
    for length in range(1, min(max_length, len(present)) + 1):
        yield from combinations(present, length)
