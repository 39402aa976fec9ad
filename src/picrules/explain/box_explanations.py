"""Explanations by rules whose conditions are sets of codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from picrules.explain.explanation import Explanation, Overruled
from picrules.explain.explanations import Explanations
from picrules.scoring.settings import empty_rule_score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.engines.boxes import BoxRules, Found
    from picrules.explain.model import Model
    from picrules.kernels.boxes import Rows


@dataclass(frozen=True, slots=True)
class Decision:
    """Which class won for each row.

    Attributes
    ----------
    labels : int64 array of shape (n_rows,)
        The predicted classes.
    ahead : int64 array of shape (n_rows,)
        The class whose rule scores highest without offsets.
    confidences : float64 array of shape (n_rows,)
        How often predictions like each are right.
    """

    labels: NDArray[np.int64]
    ahead: NDArray[np.int64]
    confidences: NDArray[np.float64]


class BoxExplanations(Explanations):
    """Explanations by the best rule of the class that won.

    Parameters
    ----------
    model : Model
        What the rows were asked of.
    asked : Rows
        The rows.
    found : Found
        The best score of each row and class, and the rules.
    decision : Decision
        Which class won.
    max_length : int
        The longest rules that were looked at.
    """

    def __init__(
        self, model: Model, asked: Rows, found: Found, decision: Decision, max_length: int
    ) -> None:
        super().__init__(model, asked)
        self.found, self.decision, self.max_length = found, decision, max_length
        rows = np.arange(len(self))
        self._rules = found.rules(rows, decision.labels)
        self._rules_ahead = found.rules(rows, decision.ahead)

    @property
    def labels(self) -> NDArray[np.int64]:
        """The predicted classes."""
        return self.decision.labels

    @property
    def confidences(self) -> NDArray[np.float64]:
        """How often predictions like each are right."""
        return self.decision.confidences

    @property
    def is_overruled(self) -> NDArray[np.bool_]:
        """Whether the class offsets decided, against a rule that scores higher."""
        rows, scores = np.arange(len(self)), self.found.scores
        is_higher: NDArray[np.bool_] = scores[rows, self.decision.ahead] > scores[rows, self.labels]
        return is_higher

    def _explain(self, row: int) -> Explanation:
        label, sizes = int(self.labels[row]), self.class_sizes_of(row)
        rule = self.rule_at(self._rules, row, label)
        is_empty = rule.length == 0
        counts = self.without_itself(self._rules.counts[row], row).tolist()
        return Explanation(
            rule,
            self._empty_score(row, label) if is_empty else float(self.found.scores[row, label]),
            sizes if is_empty else dict(zip(self.model.classes, counts, strict=True)),
            sizes,
            float(self.model.offset[label]),
            confidence=float(self.decision.confidences[row]),
            overruled=self._overruled(row, label),
            source=(self, row),
        )

    def depth_of(self, row: int) -> int:
        """Return the length of the longest rules that were looked at (see `Explanations`)."""
        del row
        return self.max_length

    def rules_by_class(self, rows: NDArray[np.int64]) -> tuple[BoxRules, NDArray[np.float64]]:
        """Return the best rule of some rows for each class (see `Explanations`)."""
        n_classes = len(self.model.classes)
        labels = np.tile(np.arange(n_classes), len(rows))
        return self.found.rules(np.repeat(rows, n_classes), labels), self.found.scores[rows]

    def _keys(self) -> NDArray[np.int64]:
        """Write each row's rule as numbers: class, length, features and conditions."""
        rules = self._rules
        return np.column_stack([self.labels, rules.lengths, rules.features, rules.positions])

    def _empty_score(self, row: int, label: int) -> float:
        """Score the rule without conditions."""
        sizes = self.without_itself(self.model.class_sizes, row)
        weights = self.model.searcher.class_weights
        return empty_rule_score(self.model.setting, sizes, weights, label)

    def _overruled(self, row: int, label: int) -> Overruled | None:
        ahead, scores = int(self.decision.ahead[row]), self.found.scores[row]
        if not scores[ahead] > scores[label]:
            return None
        offset = self.model.offset
        return Overruled(
            self.rule_at(self._rules_ahead, row, ahead),
            float(scores[ahead]),
            float(offset[label] - offset[ahead]),
        )
