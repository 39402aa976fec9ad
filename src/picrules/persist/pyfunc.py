"""How MLflow opens a model file: its `pyfunc` answers with class, confidence and rule.

MLflow imports the module that a saved model names as its `loader_module`, and calls
`_load_pyfunc`. So this package needs nothing of MLflow, and MLflow nothing but a model file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from picrules.persist.load import load

if TYPE_CHECKING:
    from picrules.estimators.rule_classifier import RuleClassifier

COLUMNS = ("prediction", "confidence", "rule")


class Answers:
    """A fitted estimator that answers as MLflow asks."""

    def __init__(self, estimator: RuleClassifier) -> None:
        self.estimator = estimator

    def predict(self, X: Any, params: dict[str, Any] | None = None) -> Any:
        """Return a pandas table: the class of each row, the confidence in it, and its rule."""
        del params  # MLflow passes them to every model
        return self.estimator.explain(X).to_frame()[list(COLUMNS)]


def _load_pyfunc(path: str) -> Answers:
    return Answers(load(path))
