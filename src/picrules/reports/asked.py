"""A table and what a model says about it: read, encoded and searched once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.errors import BadParameter
from picrules.estimators.rule_classifier import RuleClassifier
from picrules.estimators.target import read_truth
from picrules.explain.explanations import Explanations
from picrules.explain.summary import Summary, summarize_rules
from picrules.rules.text import show

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.explain.explanation import Explanation


@dataclass(frozen=True, eq=False)
class Asked:
    """A table and what a model says about it."""

    clf: Any
    columns: list[Column]
    codes: NDArray[np.int32]  # shape (n_columns, n_rows); -1 is missing or never seen in training
    explanations: Explanations
    truth: NDArray[np.int64] | None  # the true label of each row; see `read_truth`
    unknown: list[Any]  # true classes that training never saw

    @property
    def n_rows(self) -> int:
        """How many rows the table has."""
        return len(self.explanations)

    @property
    def distinct(self) -> list[Explanation]:
        """An explanation for each different rule."""
        return self._rules[0]

    @property
    def which(self) -> NDArray[np.int64]:
        """For each row the position of its rule in `distinct`."""
        return self._rules[1]

    @cached_property
    def _rules(self) -> tuple[list[Explanation], NDArray[np.int64]]:
        return self.explanations.distinct()

    @property
    def summary(self) -> Summary:
        """The rules in use, the most used first."""
        return summarize_rules(self.explanations, self.distinct, self.which)

    def count_by_rule(self) -> tuple[list[int], list[int] | None]:
        """Return how many rows each different rule decides, and how many of these rightly.

        None for the latter where the classes of the rows are not known.
        """
        n_rules = len(self.distinct)
        rows: list[int] = np.bincount(self.which, minlength=n_rules).tolist()
        if self.truth is None:
            return rows, None
        is_right = self.truth == self.explanations.labels
        right: list[int] = np.bincount(self.which[is_right], minlength=n_rules).tolist()
        return rows, right


def ask(clf: Any, X: Any, y: Any = None) -> Asked:
    """Ask a model about the rows of a table, whose classes y may be known."""
    columns = clf._read_rows(X)  # noqa: SLF001  (one reading serves the model and the report)
    n_rows = len(columns[0])
    truth, unknown = (None, []) if y is None else read_truth(clf.classes_, y, n_rows)
    codes = clf.schema_.encode(columns)
    model = clf._ready_model  # noqa: SLF001
    if truth is not None and not unknown and not model.training.has_order:
        model = model.placed(codes[model.conditions.features], truth)
    with clf._show_progress(n_rows, "rows") as report:  # noqa: SLF001
        own = codes[model.conditions.features]
        explanations = Explanations.of(model, own, report, cells=columns)
    return Asked(clf, columns, codes, explanations, truth, unknown)


def check_estimator(clf: Any) -> None:
    """Refuse what is not an estimator of this library; only these know rules."""
    if not isinstance(clf, RuleClassifier):
        raise BadParameter(
            f"clf is {show(clf)} ({type(clf).__name__}); a fitted estimator of this library, "
            "such as PersonalRuleClassifier, is accepted"
        )
