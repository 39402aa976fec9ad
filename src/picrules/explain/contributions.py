"""What each condition adds to a rule: the class counts that the rule would have without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.explain.evidence import find_satisfied
from picrules.explain.tabular import Result
from picrules.rules.text import format_share, format_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.engines.training import Training
    from picrules.explain.scored_rule import ScoredRule
    from picrules.model.model import Model
    from picrules.rules.condition import Condition
    from picrules.rules.rule import Rule


@dataclass(frozen=True, slots=True, repr=False)
class Contribution(Result):
    """What one condition adds to a rule.

    Attributes
    ----------
    condition : Condition
        The condition.
    without : ScoredRule
        The rule without it, with its score and its class counts.
    precision : float
        The precision of the rule with it.
    """

    condition: Condition
    without: ScoredRule
    precision: float

    @property
    def gain(self) -> float:
        """How much precision the condition adds; negative where it takes some."""
        return self.precision - self.without.precision

    def __str__(self) -> str:
        without = self.without
        instead = f"{format_share(without.precision)} instead of {format_share(self.precision)}"
        return (
            f"without {self.condition}: {without.hits:,} of {without.cover_size:,} are "
            f"{format_value(without.rule.label)} ({instead})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; docs/explanations.md says what each entry means."""
        without = self.without
        return {
            "feature": self.condition.feature,
            "text": str(self.condition),
            "gain": self.gain,
            "cover_size": without.cover_size,
            "hits": without.hits,
            "precision": without.precision,
            "score": without.score,
            "classes": [
                {"class": name, "count": count} for name, count in without.class_counts.items()
            ],
        }


def count_parts(model: Model, rule: Rule) -> NDArray[np.int64]:
    """Count the classes that a rule covers, and those that it covers without each condition.

    Returns counts of all training rows, of shape (1 + n_conditions, n_classes).
    """
    training = rows_about(model, rule)
    fails = ~find_satisfied(model, rule, training.codes)
    n_failed = fails.sum(axis=0)
    is_covered, is_near = n_failed == 0, n_failed == 1
    covers = (is_covered, *(is_covered | (is_near & own) for own in fails))
    return np.array([count_classes(training, cover) for cover in covers])


def rows_about(model: Model, rule: Rule) -> Training:
    """Return the training rows, or what is known of them about the features of a rule."""
    names = [feature.name for feature in model.features]
    return model.training.about([names.index(each.feature) for each in rule.conditions])


def count_classes(training: Training, is_covered: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count the training rows of each class among some of the distinct ones."""
    pairs = np.flatnonzero(is_covered)
    # Sums of whole numbers are exact as floats, far beyond the number of rows there can be.
    weights = training.occurrences[pairs].astype(np.float64)
    counts = np.bincount(training.labels[pairs], weights, training.n_classes)
    return counts.astype(np.int64)
