"""Explanations by rules whose conditions are sets of codes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from picrules.explain.explanation import Explanation, Explanations, Overruled, explain_counts
from picrules.rules.rule import Rule
from picrules.scoring.settings import empty_rule_score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.engines.boxes import BoxRules
    from picrules.rules.text import Value
    from picrules.scoring.settings import Setting


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class BoxExplanations(Explanations):
    """Explanations by the best rule of the class that won.

    Attributes
    ----------
    conditions : Conditions
        What the conditions of the rules stand for.
    classes : list
        The classes.
    class_sizes : int64 array of shape (n_rows, n_classes)
        Training rows of each class, without the row itself where it is left out.
    labels : int64 array of shape (n_rows,)
        The predicted classes.
    scores : float64 array of shape (n_rows, n_classes)
        Score of the best rule for each class, without offset; -inf where there is none.
    offset : float64 array of shape (n_classes,)
        The class offsets.
    setting : Setting
        How rules are scored.
    class_weights : float64 array of shape (n_classes,)
        Weight of a row of each class.
    confidences : float64 array of shape (n_rows,)
        How often predictions like each are right.
    rules : BoxRules
        The best rule of each row for the predicted class.
    ahead : int64 array of shape (n_rows,)
        The class whose rule scores highest.
    rules_ahead : BoxRules
        The best rule of each row for that class.
    """

    conditions: Conditions
    classes: list[Value]
    class_sizes: NDArray[np.int64]
    labels: NDArray[np.int64]
    scores: NDArray[np.float64]
    offset: NDArray[np.float64]
    setting: Setting
    class_weights: NDArray[np.float64]
    confidences: NDArray[np.float64]
    rules: BoxRules
    ahead: NDArray[np.int64]
    rules_ahead: BoxRules

    def __len__(self) -> int:
        return len(self.labels)

    def _explain(self, row: int) -> Explanation:
        label = int(self.labels[row])
        rule = self._rule(self.rules, row, label)
        is_empty = rule.length == 0
        counts = self.class_sizes[row] if is_empty else self.rules.counts[row]
        explanation = explain_counts(
            rule,
            self._empty_score(row, label) if is_empty else float(self.scores[row, label]),
            counts.tolist(),
            self.classes,
            int(self.class_sizes[row, label]),
        )
        return replace(
            explanation,
            confidence=float(self.confidences[row]),
            overruled=self._overruled(row, label),
        )

    def _keys(self) -> NDArray[np.int64]:
        """Write each row's rule as numbers: class, length, features and conditions."""
        rules = self.rules
        return np.column_stack([self.labels, rules.lengths, rules.features, rules.positions])

    def _empty_score(self, row: int, label: int) -> float:
        """Score the rule without conditions."""
        return empty_rule_score(self.setting, self.class_sizes[row], self.class_weights, label)

    def _overruled(self, row: int, label: int) -> Overruled | None:
        ahead = int(self.ahead[row])
        if not self.scores[row, ahead] > self.scores[row, label]:
            return None
        return Overruled(
            self._rule(self.rules_ahead, row, ahead),
            float(self.scores[row, ahead]),
            float(self.offset[label] - self.offset[ahead]),
        )

    def _rule(self, rules: BoxRules, row: int, label: int) -> Rule:
        length = int(rules.lengths[row])
        pairs = zip(rules.features[row, :length], rules.positions[row, :length], strict=True)
        conditions = (
            self.conditions.condition(int(feature), int(place)) for feature, place in pairs
        )
        return Rule(tuple(conditions), self.classes[label])
