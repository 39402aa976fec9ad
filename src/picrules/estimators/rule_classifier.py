"""What all estimators share: reading tables, and rules held against rows."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from picrules.encoding.columns import read_columns
from picrules.encoding.tables import check_table

if TYPE_CHECKING:
    import os

    import numpy as np
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.encoding.schema import Schema
    from picrules.explain.explanation import Explanations
    from picrules.rules.rule import Rule


class RuleClassifier(ClassifierMixin, BaseEstimator):
    """Classify each row by a single rule that covers it."""

    classes_: NDArray[Any]
    schema_: Schema

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        array of shape (n_rows,)
            The class of each row's rule.
        """
        labels = self._predict_labels(X)
        return self.classes_[labels]

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
        return self._explain_rows(X)

    @abstractmethod
    def _predict_labels(self, X: Any) -> NDArray[np.int64]:
        """Return the position of each row's class among the classes."""

    @abstractmethod
    def _explain_rows(self, X: Any) -> Explanations:
        """Return one explanation a row."""

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
        columns = self._read_rows(X)
        self.schema_.check_rule(rule)
        return rule.covers(self.schema_.read(columns), len(columns[0]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a model file; `picrules.load` reads it.

        The file is written beside the path and renamed when it is complete. The same model
        gives the same bytes.

        Parameters
        ----------
        path : str or path
            Where to write; the usual ending is `.pic`.
        """
        # The file format knows the estimators, so it lies above them: docs/decisions/model-files.md
        from picrules.persist.save import save  # noqa: PLC0415

        save(self, path)

    def _read_rows(self, X: Any) -> list[Column]:
        """Read a table that must have the columns of the training table."""
        check_is_fitted(self)
        X = check_table(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return read_columns(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        # `input_tags.string` would promise that any object is a category; unhashable ones are not.
        return tags
