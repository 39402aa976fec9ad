"""What the paper's two algorithms share: from a table to the best rule of each row."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from picrules.encoding.columns import read_columns
from picrules.encoding.schema import learn_schema
from picrules.encoding.tables import check_table
from picrules.engines.base import Search, TrainingTable
from picrules.engines.searcher import Searcher
from picrules.estimators import parameters
from picrules.estimators.fitted import Fitted
from picrules.estimators.paper_model import PaperModel
from picrules.estimators.rule_classifier import RuleClassifier
from picrules.estimators.target import encode_target
from picrules.explain.probability import class_probabilities

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from picrules.encoding.schema import Schema
    from picrules.engines.plan import Plan


class PaperClassifier(RuleClassifier):
    """Classify each row by the single best rule that covers it.

    The estimators differ in their defaults and in which rules they look at; see
    `PICClassifier` for the parameters and attributes.
    """

    alpha: float
    max_length: int | None
    bins: int | dict[str | int, int]
    categorical_features: Any
    engine: str
    memory_limit: float | None
    n_jobs: int | None
    verbose: int
    _model: PaperModel

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
        table = TrainingTable(
            schema.encode(columns),
            labels,
            schema.n_codes,
            np.bincount(labels).astype(np.int64),
            tuple(names),
        )
        search = Search(
            parameters.check_alpha(self.alpha),
            parameters.check_max_length(self.max_length, table.n_features),
            self._is_greedy,
        )
        limit = parameters.check_memory_limit(self.memory_limit)
        searcher = Searcher(table, search, parameters.check_engine(self.engine), limit)
        plan = searcher.plan(table.n_rows, parameters.check_n_jobs(self.n_jobs))
        parameters.check_verbose(self.verbose)
        searcher.prepare(plan.engine)
        # Nothing is set before everything is known to be right: a failed fit changes nothing.
        validate_data(self, X, skip_check_array=True)
        self.keep_fitted(classes, schema, searcher, plan)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate the probability of each class.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        array of shape (n_rows, n_classes)
            Smoothed shares of the classes in the cover of each row's rule; the highest is
            that of the predicted class.
        """
        with self._ask(X) as (codes, report):
            best = self._model.find(codes, report)
        return class_probabilities(best.counts, best.labels)

    def to_fitted(self) -> Fitted:
        """Return what was learned.

        Returns
        -------
        Fitted
            Shares the arrays of this estimator.
        """
        check_is_fitted(self)
        searcher = self._searcher
        has_names = hasattr(self, "feature_names_in_")
        return Fitted(self.classes_, self.schema_, searcher.table, searcher.search, has_names)

    @classmethod
    def from_fitted(
        cls,
        settings: dict[str, Any],
        fitted: Fitted,
        check_rows: Callable[[], None] | None = None,
    ) -> Self:
        """Make a fitted estimator from what another one learned.

        Parameters
        ----------
        settings : dict
            The parameters of the estimator.
        fitted : Fitted
            What was learned.
        check_rows : callable or None
            Called once, before the training rows are first looked at.

        Returns
        -------
        estimator
            Predicts as the other one.
        """
        estimator = cls(**settings)
        limit = parameters.limit_here(estimator.memory_limit)
        searcher = Searcher(
            fitted.table, fitted.search, parameters.check_engine(estimator.engine), limit,
            check_rows,
        )  # fmt: skip
        plan = searcher.plan(fitted.table.n_rows, parameters.check_n_jobs(estimator.n_jobs))
        estimator.n_features_in_ = fitted.table.n_features
        if fitted.has_names:
            estimator.feature_names_in_ = np.array(fitted.table.names, object)
        estimator.keep_fitted(fitted.classes, fitted.schema, searcher, plan)
        return estimator

    def keep_fitted(
        self, classes: NDArray[Any], schema: Schema, searcher: Searcher, plan: Plan
    ) -> None:
        """Set the attributes that tell what was learned.

        Parameters
        ----------
        classes : array of shape (n_classes,)
            The classes, sorted.
        schema : Schema
            The features.
        searcher : Searcher
            Finds the best rules.
        plan : Plan
            The engine that suits as many rows as were trained on.
        """
        self.classes_, self.class_sizes_ = classes, searcher.table.class_sizes
        self.schema_ = schema
        self.plan_, self.engine_ = plan, plan.engine
        self._searcher = searcher
        self._model = PaperModel(classes.tolist(), schema, searcher)
