"""What the paper's two algorithms share: from a table to the best rule of each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.conditions import Conditions
from picrules.encoding.schema import learn_schema
from picrules.engines.base import Search
from picrules.engines.training import Training
from picrules.estimators import parameters
from picrules.estimators.fitted import Fitted, make_searcher
from picrules.estimators.rule_classifier import RuleClassifier
from picrules.scoring.settings import Setting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.model.searcher import Searcher


class PaperClassifier(RuleClassifier):
    """Classify each row by the single best rule that covers it.

    The estimators differ in their defaults and in which rules they look at; see
    `PICClassifier` for the parameters and attributes.
    """

    alpha: float
    max_length: int | None
    bins: int | dict[str | int, int]
    categorical_features: Any

    _is_greedy: bool  # whether the search stops at the first length that brings no better rule

    def _learn(
        self, columns: list[Column], classes: NDArray[Any], labels: NDArray[np.int64]
    ) -> tuple[Fitted, Searcher]:
        names = [column.name for column in columns]
        schema = learn_schema(
            columns,
            parameters.check_bins(self.bins, names),
            parameters.check_categorical_features(self.categorical_features, names),
        )
        conditions = Conditions(schema, is_single=True)
        search = Search(
            Setting("precision", parameters.check_alpha(self.alpha), 0.0),
            parameters.check_max_length(self.max_length, len(names)),
            self._is_greedy,
        )
        limit = parameters.check_memory_limit(self.memory_limit)
        parameters.check_engine(self.engine)
        n_threads = parameters.check_n_jobs(self.n_jobs)
        parameters.check_verbose(self.verbose)
        training = Training.from_rows(
            conditions.encode(columns), labels, conditions.sets.n_codes, len(classes)
        )
        weights, offset = np.ones(len(classes)), np.zeros(len(classes))
        fitted = Fitted(classes, conditions, training, search, weights, offset, min_cover=1)
        searcher = make_searcher(self, training, conditions, weights, 1, limit)
        searcher.prepare(searcher.plan(search, training.n_rows, n_threads).engine)
        return fitted, searcher
