"""A fitted estimator: codes in, decisions and rules out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.training import Training, distinct_columns
from picrules.kernels.counting import Asked
from picrules.model.calibration import Calibration, class_probabilities
from picrules.model.decision import decide
from picrules.model.searcher import Report, Searcher, ask_about
from picrules.scoring.settings import empty_rule_score, order_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Feature
    from picrules.engines.base import Search
    from picrules.engines.found import Found
    from picrules.rules.text import Value


@dataclass(frozen=True, slots=True)
class Decisions:
    """What is decided about rows, from the best scores alone; arrays of n_rows."""

    labels: NDArray[np.int64]  # the predicted classes
    values: NDArray[np.float64]  # score of each row's rule plus the offset of its class
    slots: NDArray[np.int64]  # which of the rules that were found for a row it is
    ahead: NDArray[np.int64]  # the class whose rule scores highest without offsets


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for rows that are asked about, and decided."""

    asked: Asked  # distinct rows
    numbers: NDArray[np.int64]  # which of them each row is
    found: Found
    decisions: Decisions


@dataclass(eq=False)
class Model:
    """A fitted estimator: how rules are searched, and how the best ones decide.

    Codes have one row for each feature, which is a column that has conditions, and one column for
    each row of a table. With a search by class, the class with the highest score plus offset wins;
    else the best rule does, whatever its class.
    """

    classes: list[Value]
    conditions: Conditions
    searcher: Searcher
    search: Search
    offset: NDArray[np.float64]  # added to the scores of each class
    calibration: Calibration | None = None  # how often predictions are right, where it is known
    n_threads: int = 1

    @property
    def training(self) -> Training:
        """The training rows."""
        return self.searcher.training

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """Training rows of each class."""
        return self.training.class_sizes

    @cached_property
    def features(self) -> list[Feature]:
        """The features that codes are of."""
        return [self.conditions.schema.features[column] for column in self.conditions.features]

    def encode(self, columns: list[Column]) -> NDArray[np.int32]:
        """Return the codes of a table."""
        return self.conditions.encode(columns)

    def predict(
        self, codes: NDArray[np.int32], report: Report | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the predicted class of each row, and the score of its rule plus offset."""
        distinct, numbers = self._distinct(codes)
        labels, values = np.empty(distinct.shape[1], np.int64), np.empty(distinct.shape[1])
        for rows, found in self.searcher.parts(distinct, self.search, self.n_threads, report):
            decisions = self.decide(found)
            labels[rows], values[rows] = decisions.labels, decisions.values
        return labels[numbers], values[numbers]

    def probabilities(
        self, codes: NDArray[np.int32], report: Report | None = None
    ) -> NDArray[np.float64]:
        """Estimate the probability of each class."""
        distinct, numbers = self._distinct(codes)
        estimated = np.empty((distinct.shape[1], len(self.classes)))
        for rows, found in self.searcher.parts(distinct, self.search, self.n_threads, report):
            estimated[rows] = self.estimate(found, self.decide(found))
        return estimated[numbers]

    def ask(self, codes: NDArray[np.int32], report: Report | None = None) -> Answer:
        """Find the rules of rows, and decide."""
        distinct, numbers = self._distinct(codes)
        found = self.searcher.search(distinct, self.search, self.n_threads, report)
        return Answer(ask_about(distinct), numbers, found, self.decide(found))

    def leave_one_out(self, report: Report | None = None) -> Answer:
        """Decide about every training row by what the others say about it."""
        training = self.training
        found = self.searcher.leave_one_out(self.search, self.n_threads, report)
        asked = Asked(training.codes, training.labels)
        return Answer(asked, training.pair_of_row, found, self.decide(found, training.labels))

    def decide(self, found: Found, left_out: NDArray[np.int64] | None = None) -> Decisions:
        """Decide from the best scores; `left_out` has the classes of rows not to count."""
        if not self.search.is_by_class:
            labels, values = found.labels[:, 0].copy(), found.scores[:, 0]
            labels[np.isneginf(values)] = order_classes(self.class_sizes)[0]
            return Decisions(labels, values, np.zeros(len(labels), np.int64), labels)
        values = found.scores + self.offset
        labels = decide(values, self.class_sizes, left_out)
        ahead = decide(found.scores, self.class_sizes, left_out)
        return Decisions(labels, values.max(axis=1), labels, ahead)

    def estimate(self, found: Found, decisions: Decisions) -> NDArray[np.float64]:
        """Estimate the probability of each class from what was found."""
        labels = decisions.labels
        if self.calibration is not None:
            values = found.scores + self.offset
            return self.calibration.probabilities(values, labels, self.class_sizes)
        rules = found.rules(np.arange(len(labels)), decisions.slots)
        is_empty = (rules.lengths == 0)[:, np.newaxis]  # the empty rule covers all rows
        return class_probabilities(np.where(is_empty, self.class_sizes, rules.counts), labels)

    def score_empty(self, label: int, class_sizes: NDArray[np.int64]) -> float:
        """Score the rule without conditions."""
        weights = self.searcher.class_weights
        return empty_rule_score(self.search.setting, class_sizes, weights, label)

    def search_by_class(self, codes: NDArray[np.int32], max_length: int) -> Found:
        """Find the best rule of each row for each class, up to a length."""
        search = replace(self.search, max_length=max_length, is_greedy=False, is_by_class=True)
        return self.searcher.search(codes, search, self.n_threads)

    def trained_on(self, codes: NDArray[np.int32], labels: NDArray[np.int64]) -> Model:
        """Return the model that other training rows give, with the same settings.

        A class may have no row. It is made to be asked once: it keeps nothing that later questions
        would be faster by.
        """
        sizes = np.bincount(labels, minlength=len(self.classes)).astype(np.int64)
        training = Training.of_single_rows(codes, labels, sizes)
        searcher = replace(self.searcher, training=training, check_rows=None, is_reused=False)
        return replace(self, searcher=searcher)

    def _distinct(self, codes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        distinct, numbers = distinct_columns(codes, self.conditions.sets.n_codes)
        return distinct, np.arange(codes.shape[1]) if numbers is None else numbers
