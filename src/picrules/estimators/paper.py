"""What the paper's two algorithms share: from a table to the best rule of each row."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from picrules.encoding.columns import read_columns
from picrules.encoding.conditions import Conditions
from picrules.encoding.schema import learn_schema
from picrules.encoding.tables import check_table
from picrules.engines.base import Search
from picrules.engines.training import Training
from picrules.estimators import parameters
from picrules.estimators.fitted import Fitted, make_searcher
from picrules.estimators.rule_classifier import RuleClassifier
from picrules.estimators.target import encode_target
from picrules.scoring.settings import Setting


class PaperClassifier(RuleClassifier):
    """Classify each row by the single best rule that covers it.

    The estimators differ in their defaults and in which rules they look at; see
    `PICClassifier` for the parameters and attributes.
    """

    alpha: float
    max_length: int | None
    bins: int | dict[str | int, int]
    categorical_features: Any

    @property
    @abstractmethod
    def _is_greedy(self) -> bool:
        """Whether the search stops at the first length that brings no better rule."""

    def fit(self, X: Any, y: Any) -> PaperClassifier:
        """Learn the schema and keep the training rows.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Training rows. None, NaN, NaT and NA are missing.
        y : array of shape (n_rows,)
            The class of each row.

        Returns
        -------
        PaperClassifier
            The fitted estimator itself.
        """
        X = check_table(X)
        columns = read_columns(X)
        classes, labels = encode_target(y, len(columns[0]))
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
        parameters.check_n_jobs(self.n_jobs)
        parameters.check_verbose(self.verbose)
        codes, n_codes = conditions.encode(columns), conditions.sets.n_codes
        training = Training.from_rows(codes, labels, n_codes, len(classes))
        weights, offset = np.ones(len(classes)), np.zeros(len(classes))
        fitted = Fitted(classes, conditions, training, search, weights, offset, min_cover=1)
        searcher = make_searcher(self, fitted, limit)
        plan = searcher.plan(search, training.n_rows, parameters.check_n_jobs(self.n_jobs))
        searcher.prepare(plan.engine)
        # Nothing is set before everything is known to be right: a failed fit changes nothing.
        validate_data(self, X, skip_check_array=True)
        self._set_fitted(fitted, searcher)
        return self
