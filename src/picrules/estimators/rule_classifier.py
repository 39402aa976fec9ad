"""What the estimators share: from a table to the best rule of each row."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from picrules.encoding.columns import read_columns
from picrules.encoding.schema import learn_schema
from picrules.encoding.tables import check_table
from picrules.engines.base import Search, TrainingTable
from picrules.engines.searcher import Searcher
from picrules.estimators import parameters
from picrules.estimators.progress import show_progress
from picrules.estimators.saving import Saveable
from picrules.estimators.target import encode_target
from picrules.explain.explanation import Explanations
from picrules.explain.probability import class_probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.kernels.best import Best
    from picrules.rules.rule import Rule


class RuleClassifier(Saveable, ClassifierMixin, BaseEstimator):
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

    @property
    @abstractmethod
    def _is_greedy(self) -> bool:
        """Whether the search stops at the first length that brings no better rule."""

    def fit(self, X: Any, y: Any) -> RuleClassifier:
        """Learn the schema and keep the training rows.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Training rows. None, NaN, NaT and NA are missing.
        y : array of shape (n_rows,)
            The class of each row.

        Returns
        -------
        RuleClassifier
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

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        array of shape (n_rows,)
            The class of each row's best rule.
        """
        best, _ = self._best_rules(X)
        return self.classes_[best.labels]  # type: ignore[no-any-return]

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
        best, _ = self._best_rules(X)
        return class_probabilities(best.counts, best.labels)

    def explain(self, X: Any) -> Explanations:
        """Return the prediction of each row with its rule.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        sequence of Explanation
            One explanation a row.
        """
        best, codes = self._best_rules(X)
        return Explanations(best, codes, self.schema_, self.classes_.tolist(), self.class_sizes_)

    def cover(self, rule: Rule, X: Any) -> NDArray[np.bool_]:
        """Tell which rows of a table satisfy all conditions of a rule.

        Parameters
        ----------
        rule : Rule
            A rule on the features of the training table.
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        array of shape (n_rows,)
            True where the rule covers the row.
        """
        columns = read_columns(self._check_rows(X))
        self.schema_.check_rule(rule)
        return rule.covers(self.schema_.read(columns), len(columns[0]))

    def _check_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        X = check_table(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return X

    def _best_rules(self, X: Any) -> tuple[Best, NDArray[np.int32]]:
        """Find the best rule of each row; also return the codes of the rows."""
        columns = read_columns(self._check_rows(X))
        codes = self.schema_.encode(columns)
        n_threads = parameters.check_n_jobs(self.n_jobs)
        with show_progress(
            codes.shape[1], is_shown=parameters.check_verbose(self.verbose)
        ) as report:
            return self._searcher.best_rules(codes, n_threads, report), codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        # `input_tags.string` would promise that any object is a category; unhashable ones are not.
        return tags
