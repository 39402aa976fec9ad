"""The classifiers of picrules as rivals."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Self

from experiments.rivals.rule import FoundRule, Item, RuleUse

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


class Personal:
    """A classifier that answers each row by one rule, and can explain it."""

    is_personal = True

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Self:
        self.classifier.fit(X, y)
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        return self.classifier.predict(X)

    def rules(self, X: pd.DataFrame) -> list[RuleUse]:
        """The distinct rules of the rows; a row that no rule covers has none."""
        counts = Counter(e.rule for e in self.classifier.explain(X) if e.rule.length)
        return [RuleUse(_found(rule), count) for rule, count in counts.items()]


def _found(rule: Any) -> FoundRule:
    items = frozenset(Item(c.feature, str(c)) for c in rule.conditions)
    return FoundRule(items, rule.label)
