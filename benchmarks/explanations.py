"""Explanations with evidence and contrast, and more, from fitted models."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.data import adult
from benchmarks.measure import Figure, at_most, best_of
from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier

if TYPE_CHECKING:
    import pandas as pd

N_ROWS = 1000


def run() -> list[Figure]:
    name, X, y, X_new = adult()
    rows = X_new[:N_ROWS]
    figures = []
    for estimator in (
        PersonalRuleClassifier(cuts=16, max_length=3, alpha=0.5, smoothing=10, n_jobs=2),
        FPICClassifier(n_jobs=2),
        PICClassifier(n_jobs=2),
    ):
        clf = estimator.fit(X, y)
        work = partial(tell, clf, rows)
        work()
        figures.append(
            at_most(
                f"{name}, {type(clf).__name__}: {N_ROWS:,} rows with evidence and contrast",
                best_of(work, 3), "s", 5,
            )
        )  # fmt: skip
        few = partial(list_best, clf, rows[:20])
        few()
        figures.append(Figure("the best 5 rules, a row", best_of(few, 3) / 20 * 1e3, "ms"))
    return figures


def tell(clf: Any, X: pd.DataFrame) -> list[Any]:
    """Explain rows, and look at the covered rows and the best rules for the other classes."""
    return [(one, one.contrast, one.evidence) for one in clf.explain(X)]


def list_best(clf: Any, X: pd.DataFrame) -> list[Any]:
    """Rank the best rules of rows."""
    return [one.top for one in clf.explain(X, top=5)]
