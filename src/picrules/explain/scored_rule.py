"""A rule with what the training rows say about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from picrules.explain.tabular import Result
from picrules.rules.text import format_share
from picrules.scoring.measures import precision, recall
from picrules.scoring.statistics import fisher_p_value, wilson_interval

if TYPE_CHECKING:
    from picrules.rules.rule import Rule
    from picrules.rules.text import Value


@dataclass(frozen=True, slots=True, repr=False)
class ScoredRule(Result):
    """A rule with its score and the class counts of its cover.

    Attributes
    ----------
    rule : Rule
        The rule.
    score : float
        Its score by the measure of the estimator; in PIC and fPIC
        `alpha * precision + (1 - alpha) * recall`.
    class_counts : dict
        How many of the covered training rows are of each class.
    class_sizes : dict
        How many training rows there are of each class.
    offset : float
        What is added to the score before rules for different classes are compared.
    """

    rule: Rule
    score: float
    class_counts: dict[Value, int]
    class_sizes: dict[Value, int]
    offset: float = 0.0

    @property
    def hits(self) -> int:
        """How many of the covered training rows are of the rule's class."""
        return self.class_counts[self.rule.label]

    @property
    def cover_size(self) -> int:
        """How many training rows the rule covers."""
        return sum(self.class_counts.values())

    @property
    def precision(self) -> float:
        """Share of the covered training rows that are of the rule's class."""
        return precision(self.hits, self.cover_size)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% Wilson interval of the precision.

        It takes the covered rows for a sample and the rule for given. The rule was picked as the
        best of many, so its true precision is more often below the middle of the interval than
        above it.
        """
        return wilson_interval(self.hits, self.cover_size)

    @property
    def recall(self) -> float:
        """Share of the training rows of the rule's class that are covered."""
        return recall(self.hits, self.class_sizes[self.rule.label])

    @property
    def share(self) -> float:
        """Share of the rule's class among all training rows."""
        return precision(self.class_sizes[self.rule.label], sum(self.class_sizes.values()))

    @property
    def lift(self) -> float:
        """How many times the class's share the precision is."""
        return self.precision / self.share

    @property
    def fisher_p_value(self) -> float:
        """Fisher's exact p-value of the rule, one-sided, as if it had not been searched for."""
        n_rows, class_size = sum(self.class_sizes.values()), self.class_sizes[self.rule.label]
        return fisher_p_value(self.hits, self.cover_size, class_size, n_rows)

    @property
    def value(self) -> float:
        """The score with the class's offset: what decides between classes."""
        return self.score + self.offset

    def __str__(self) -> str:
        precision = format_share(self.precision)
        return (
            f"{self.rule} ({self.hits} of {self.cover_size}, precision {precision}; "
            f"score {self.score:.3f})"
        )

    def __hash__(self) -> int:
        return hash((self.rule, self.score))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; docs/explanations.md says what each entry means."""
        return {
            "class": self.rule.label,
            "rule": str(self.rule),
            "conditions": [
                {"feature": condition.feature, "text": str(condition)}
                for condition in self.rule.conditions
            ],
            "length": self.rule.length,
            **self._plain("score", "offset", "cover_size", "hits", "precision", "interval"),
            **self._plain("recall", "share", "lift", "fisher_p_value"),
            "classes": [
                {"class": name, "count": count, "size": self.class_sizes[name]}
                for name, count in self.class_counts.items()
            ],
        }
