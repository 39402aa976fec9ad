"""Answers for the rows of lazy frames, as frames of the same kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from picrules.distributed.adapters import adapter_of
from picrules.distributed.asker import Asker
from picrules.errors import BadParameter

if TYPE_CHECKING:
    from picrules.estimators.rule_classifier import RuleClassifier
    from picrules.explain.cases import Details


@dataclass(frozen=True, eq=False)
class LazyExplanations:
    """The predictions of the rows of a lazy frame with their rules: found where they are needed.

    Parameters
    ----------
    asker : Asker
        What is asked, and the model.
    X : lazy frame
        The rows.
    """

    asker: Asker
    X: Any

    def to_frame(self) -> Any:
        """Return a lazy frame with one row for each row that was asked about.

        Returns
        -------
        frame
            Of the same kind as X: its columns that the model does not use, and one for each entry
            of `Explanation.to_row`.
        """
        return ask(self.asker, self.X)

    def __repr__(self) -> str:
        return f"<explanations of a lazy {type(self.X).__name__}; to_frame() gives them>"


def ask(asker: Asker, X: Any) -> Any:
    """Return the answers for a lazy frame, and its columns that the model does not use."""
    return adapter_of(X).answer(X, asker)


def predict_lazily(clf: RuleClassifier, X: Any, what: str) -> Any:
    """Return a lazy frame with the predictions, or the probabilities, of the rows of one."""
    return ask(Asker.of(clf, what), X)


def explain_lazily(clf: RuleClassifier, X: Any, details: Details) -> LazyExplanations:
    """Return what gives a lazy frame of explanations."""
    if details.top or details.trace:
        raise BadParameter(
            "top or trace is given with a lazy X, whose explanations have to_frame() alone; they "
            "are accepted with a table in memory"
        )
    return LazyExplanations(Asker.of(clf, "explain", details.simplify), X)
