"""A rule of any method, so that rules of different methods can be counted and compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


@dataclass(frozen=True, slots=True, order=True)
class Item:
    """One claim about one feature, such as `odor = f`, or its negation."""

    feature: str
    claim: str
    is_negated: bool = False

    def __str__(self) -> str:
        return f"not {self.claim}" if self.is_negated else self.claim


@dataclass(frozen=True, slots=True)
class FoundRule:
    """Items that hold together, and the class that follows."""

    items: frozenset[Item]
    label: Any

    @property
    def length(self) -> int:
        return len(self.items)

    def is_part_of(self, other: FoundRule) -> bool:
        """Whether the other rule has all these items and the same class: a common rule."""
        return self.label == other.label and self.items <= other.items

    def __str__(self) -> str:
        return f"{' and '.join(map(str, sorted(self.items)))} -> {self.label}"


@dataclass(frozen=True, slots=True)
class RuleUse:
    """A rule and how many rows it covers or, for a personal rule, answers."""

    rule: FoundRule
    n_rows: int


class Rival(Protocol):
    """What every method of the comparison can do."""

    is_personal: bool

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Self: ...

    def predict(self, X: pd.DataFrame) -> np.ndarray: ...

    def rules(self, X: pd.DataFrame) -> list[RuleUse]: ...


def mean_length(uses: list[RuleUse], *, is_personal: bool) -> float:
    """Average the lengths as the paper does; NaN without rules.

    Rule sets: over the rules. Personal rules: over the rows; the printed lengths of PIC on
    car (1.38) and nursery (2.07) are those means, over distinct rules they would be 2.7 and 4.3.
    """
    weights = [use.n_rows if is_personal else 1 for use in uses]
    if not sum(weights):
        return float("nan")
    lengths = (use.rule.length * weight for use, weight in zip(uses, weights, strict=True))
    return sum(lengths) / sum(weights)
