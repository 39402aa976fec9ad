"""Shorter rules: which conditions a rule can do without, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.explain.contributions import count_parts, rows_about
from picrules.explain.evidence import find_satisfied
from picrules.explain.tabular import Result
from picrules.rules.rule import Rule
from picrules.rules.text import format_share

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from picrules.explain.scored_rule import ScoredRule
    from picrules.model.model import Model
    from picrules.rules.condition import Condition

# Of longer rules, conditions that cost least are dropped one by one until this many are left; of
# those all subsets are counted.
MOST_CONDITIONS = 16

# Two precisions that differ by less differ by rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, repr=False)
class Simplified(Result):
    """What a rule was before conditions were dropped.

    Attributes
    ----------
    full : ScoredRule
        The rule with all conditions, its score and its class counts.
    dropped : tuple of Condition
        The conditions that the shorter rule does without.
    cost : float
        How much precision that costs; negative where the shorter rule is more precise.
    """

    full: ScoredRule
    dropped: tuple[Condition, ...]
    cost: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; docs/explanations.md says what each entry means."""
        full = self.full
        return {
            "rule": str(full.rule),
            "dropped": [{"feature": one.feature, "text": str(one)} for one in self.dropped],
            "cost": self.cost,
            "cover_size": full.cover_size,
            "hits": full.hits,
            "precision": full.precision,
            "score": full.score,
        }


def tell_simplified(content: dict[str, Any]) -> str:
    """Say what was dropped and what it cost, from `Explanation.to_dict`; or nothing."""
    simplified = content["simplified"]
    if simplified is None:
        return ""
    dropped = " and ".join(one["text"] for one in simplified["dropped"])
    hits, size = simplified["hits"], simplified["cover_size"]
    points = 100 * simplified["cost"]
    cost = f"costs {points:.1f} points of precision" if points > 0 else "costs no precision"
    return (
        f"Shortened: with {dropped} it is {hits:,} of {size:,} "
        f"({format_share(simplified['precision'])}); leaving that out {cost}."
    )


def find_shorter(
    model: Model, rule: Rule, left_out: int, given: float
) -> dict[Rule, NDArray[np.int64]]:
    """Find the shortest parts of a rule whose precision is lower by at most `given`.

    Returns all that are equally short, in the order of their conditions, each with its class counts
    of all training rows. A left-out row of the class `left_out` does not count, if that is not -1.
    """
    label = model.classes.index(rule.label)
    is_left_out = np.arange(len(model.classes)) == left_out

    def measure(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        rest = counts - is_left_out
        return np.asarray(rest[:, label] / np.maximum(rest.sum(axis=1), 1))

    least = measure(count_parts(model, rule)[:1])[0] - given - _ROUNDING
    while rule.length > MOST_CONDITIONS:
        precisions = measure(count_parts(model, rule)[1:])
        if precisions.max() < least:
            return {}
        rule = _keep(rule, np.delete(np.arange(rule.length), precisions.argmax()).tolist())
    counts = _count_subsets(model, rule)
    precisions, everything = measure(counts), (1 << rule.length) - 1
    for length in range(1, rule.length):
        found = {
            _keep(rule, kept): counts[dropped]
            for kept in combinations(range(rule.length), length)
            if precisions[dropped := everything - sum(1 << at for at in kept)] >= least
        }
        if found:
            return found
    return {}


def _keep(rule: Rule, kept: Iterable[int]) -> Rule:
    return Rule(tuple(rule.conditions[at] for at in kept), rule.label)


def _count_subsets(model: Model, rule: Rule) -> NDArray[np.int64]:
    """Count the classes that a rule covers, for each set of conditions that it does without.

    Returns an array of shape (2 ** n_conditions, n_classes); bit i of the position is set where
    condition i is dropped.
    """
    training, n_classes = rows_about(model, rule), len(model.classes)
    fails = ~find_satisfied(model, rule, training.codes)
    # Which conditions each row fails; a rule covers the rows that fail dropped ones only.
    patterns = (fails * (1 << np.arange(rule.length))[:, np.newaxis]).sum(axis=0)
    keys = patterns * n_classes + training.labels
    size = n_classes << rule.length
    counts = np.bincount(keys, training.occurrences, size).astype(np.int64)
    added = counts.reshape(*(2,) * rule.length, n_classes)
    for axis in range(rule.length):  # the order of the axes does not matter: all are added up
        halves = np.moveaxis(added, axis, 0)
        halves[1] += halves[0]
    return counts.reshape(-1, n_classes)
