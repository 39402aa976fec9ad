"""Scorers of scikit-learn, and others, that judge leave-one-out predictions."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names

from picrules.errors import BadParameter
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

# What each row contributes to is known of these.
SCORINGS = ("accuracy", "balanced_accuracy", "neg_log_loss")

# Into how many groups each part of the judged rows is divided to tell how sure a score is.
GROUPS_PER_PART = 2


@cache
def list_scorings() -> tuple[str, ...]:
    """Return the names that are accepted."""
    return (*SCORINGS, *(name for name in get_scorer_names() if name not in SCORINGS))


def check_scoring(scoring: Any) -> Any:
    """Return a name, or something that can be called."""
    is_name = isinstance(scoring, str) and scoring in list_scorings()
    if not is_name and not callable(scoring):
        raise BadParameter(
            f"scoring is {show(scoring)}; a name of sklearn.metrics.get_scorer_names(), such as "
            "'f1_macro', or a function of an estimator, X and y is accepted"
        )
    return scoring


def name_scoring(scoring: Any) -> str:
    """Return the name of what judges."""
    return scoring if isinstance(scoring, str) else getattr(scoring, "__name__", str(scoring))


@dataclass(frozen=True)
class Judge:
    """A scorer that judges the predictions of all rows together."""

    scoring: Any  # a name of scikit-learn, or a function
    classes: NDArray[Any]

    def __str__(self) -> str:
        return name_scoring(self.scoring)

    def values(
        self,
        labels: NDArray[np.int64],
        predicted: NDArray[np.int64],
        estimate: Callable[[], NDArray[np.float64]],
        parts: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Return what each row contributes to the score, which is their mean.

        No row has a share of such a score. But the score without a group of rows tells what the
        group is worth (a jack-knife), and one row of each group stands for all of it: so the
        standard error of the mean is that over groups. `estimate` gives the probabilities.
        """
        answers = Answers(self.classes, predicted, cache(estimate))
        groups = _group(parts)
        score = self._score(answers, labels, np.arange(len(labels)))
        first = np.unique(groups, return_index=True)[1]
        rests = [self._score_rest(answers, labels, groups != groups[at], score) for at in first]
        worth = len(first) * score - (len(first) - 1) * np.array(rests)
        values = np.zeros(len(labels))
        values[first] = (worth - worth.mean() + score) * len(labels) / len(first)
        return values

    def _score(self, answers: Answers, labels: NDArray[np.int64], rows: NDArray[np.int64]) -> float:
        judge = get_scorer(self.scoring) if isinstance(self.scoring, str) else self.scoring
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a class that is never predicted, and the like
                score = float(judge(answers, rows[:, np.newaxis], self.classes[labels[rows]]))
        except (ValueError, TypeError, AttributeError) as error:
            raise BadParameter(
                f"scoring is {show(self.scoring)}, which cannot judge these classes "
                f"({str(error)[:200]}); one that can is accepted"
            ) from error
        if not np.isfinite(score):
            raise BadParameter(
                f"scoring is {show(self.scoring)}, which says {score}; a number is accepted"
            )
        return score

    def _score_rest(
        self, answers: Answers, labels: NDArray[np.int64], rest: NDArray[np.bool_], score: float
    ) -> float:
        """Score without a group; as with it where the rest cannot be judged alone."""
        try:
            return self._score(answers, labels, np.flatnonzero(rest))
        except BadParameter:
            return score


class Answers(ClassifierMixin, BaseEstimator):
    """Leave-one-out predictions in the form of an estimator: X has the positions of the rows."""

    def __init__(
        self,
        classes: NDArray[Any],
        predicted: NDArray[np.int64],
        estimate: Callable[[], NDArray[np.float64]],
    ) -> None:
        self.classes_, self._predicted, self._estimate = classes, predicted, estimate

    def predict(self, X: NDArray[np.int64]) -> NDArray[Any]:
        """Return the predicted classes of rows."""
        return np.asarray(self.classes_[self._predicted[X[:, 0]]])

    def predict_proba(self, X: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the probabilities of the classes of rows."""
        return self._estimate()[X[:, 0]]


def _group(parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Divide each part of the rows into groups of about the same size."""
    groups = np.empty(len(parts), np.int64)
    for part in np.unique(parts):
        own = np.flatnonzero(parts == part)
        groups[own] = GROUPS_PER_PART * part + np.arange(len(own)) % GROUPS_PER_PART
    return groups
