"""What estimators share that learn more rows after `fit`, and unlearn rows."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from picrules.encoding.lazy import is_lazy
from picrules.encoding.tables import check_table
from picrules.engines.draws import Draws
from picrules.engines.holding import Holding
from picrules.errors import BadParameter, BadTable
from picrules.estimators import parameters
from picrules.estimators.counted_rows import CountedRows
from picrules.estimators.growing import Given, Held, check_classes
from picrules.estimators.rule_classifier import RuleClassifier
from picrules.estimators.target import encode_target, split_target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Schema
    from picrules.estimators.fitted import Fitted
    from picrules.model.searcher import Searcher


def _in_memory(X: Any, y: Any) -> tuple[Any, Any]:
    """Return rows to add or to take away, and their classes."""
    if is_lazy(X):
        raise BadTable(
            f"X is a lazy {type(X).__name__}; rows that are added or taken away must be in memory, "
            "as X.collect(), X.compute() or X.to_table() gives them"
        )
    return split_target(X, y)


class GrowingClassifier(RuleClassifier):
    """Classify each row by a rule; training rows can be added and taken away."""

    keep_rows: bool | str

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Add training rows; a first call is a fit.

        Afterwards everything is as if one fit with the same schema had seen all rows. The cuts of
        numbers stay as they are, so that numbers beyond them fall into the outer parts; categories
        and classes that are new are added. All of it happens, or nothing.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            More rows, with the columns of the training table.
        y : array of shape (n_rows,) or str
            The class of each row, or the name of the column of X that has it.
        classes : array or None, default=None
            If given, `y` may hold no other classes than these.

        Returns
        -------
        GrowingClassifier
            The estimator itself.

        Examples
        --------
        >>> from picrules import FPICClassifier
        >>> clf = FPICClassifier().fit([["a"], ["b"]], ["no", "yes"])
        >>> clf.partial_fit([["a"], ["c"]], ["no", "maybe"]).classes_.tolist()
        ['maybe', 'no', 'yes']
        >>> clf.explain([["a"]])[0].class_counts
        {'maybe': 0, 'no': 2, 'yes': 0}
        """
        if is_lazy(X) and not hasattr(self, "_learned"):
            # Adapters lie above what they serve: docs/decisions/layers.md
            from picrules.distributed.fitting import source_of  # noqa: PLC0415

            if classes is not None:
                check_classes(classes, source_of(X, y).classes)
            return self.fit(X, y)
        X, y = _in_memory(X, y)
        if not hasattr(self, "_learned"):
            check_classes(classes, encode_target(y, len(check_table(X)))[0])
            return self.fit(X, y)
        given, held = self._read_given(X, y), self._held()
        check_classes(classes, given.classes)
        if isinstance(held, CountedRows):
            self._check_room(held, *given.widen(held, self._extend))
        self._set_fitted(*self._hold(held.add(given, self._extend)))
        return self

    def forget(self, X: Any, y: Any) -> Self:
        """Take training rows away.

        Afterwards everything is as if one fit with the same schema had seen the other rows only.
        A class that no row is left of is no class any more. All of it happens, or nothing.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows that were added, each as often as it is to go. Numbers count as equal in the
            same part of their column's range: a model keeps no more of them.
        y : array of shape (n_rows,) or str
            The class of each row, or the name of the column of X that has it.

        Returns
        -------
        GrowingClassifier
            The estimator itself.

        Raises
        ------
        BadTable
            A row is not among the training rows, or not as often; the first such row is named.

        Examples
        --------
        >>> from picrules import FPICClassifier
        >>> clf = FPICClassifier().fit([["a"], ["a"], ["b"]], ["no", "yes", "yes"])
        >>> clf.forget([["a"]], ["no"]).explain([["a"]])[0].class_counts
        {'yes': 1}
        """
        given = self._read_given(*_in_memory(X, y))
        self._set_fitted(*self._hold(self._held().take_away(given)))
        return self

    def _check_room(self, held: CountedRows, conditions: Conditions, classes: NDArray[Any]) -> None:
        """Refuse categories and classes that are new, if counts with them do not fit."""
        if conditions is not held.conditions or len(classes) > len(held.classes):
            holding = self._make_holding(conditions, held.counts.max_length)
            holding.check_counts(conditions.sets.n_codes, len(classes))

    def _read_given(self, X: Any, y: Any) -> Given:
        """Read rows to add or to take away."""
        columns = self._read_rows(X)
        if not len(columns[0]):
            raise BadTable("X has no rows; at least one row to add or to take away is accepted")
        return Given(columns, *encode_target(y, len(columns[0])))

    def _held(self) -> Held | CountedRows:
        """Return what the model holds of its training rows."""
        fitted = self._fitted
        return (Held if fitted.training.counts is None else CountedRows).of(fitted)

    @abstractmethod
    def _hold(self, held: Held | CountedRows) -> tuple[Fitted, Searcher]:
        """Learn all that follows from rows that are held, with the settings as they are."""

    def _make_holding(
        self, conditions: Conditions, max_length: int, classes: NDArray[Any] | None = None
    ) -> Holding:
        """Make what holds the training rows, or counts in their place."""
        keep_rows = parameters.check_keep_rows(self.keep_rows)
        if parameters.check_engine(self.engine) == "bitmap":
            if keep_rows is False:
                raise BadParameter(
                    "engine is 'bitmap' and keep_rows is False; bitmaps are of rows, so 'auto' or "
                    "'table' is accepted as engine, or True as keep_rows"
                )
            keep_rows = True
        return Holding(
            keep_rows,
            max_length,
            parameters.check_memory_limit(self.memory_limit),
            parameters.check_n_jobs(self.n_jobs),
            conditions.names,
            None if classes is None else partial(Draws.of, conditions, classes),
        )

    def _extend(self, schema: Schema) -> Conditions:
        """Make the conditions of a schema that has more categories."""
        return replace(self._fitted.conditions, schema=schema)
