"""The paper's PIC, and what it shares with fPIC."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from picrules.encoding.conditions import Conditions
from picrules.encoding.schema import learn_schema
from picrules.encoding.tables import check_table
from picrules.engines.base import Search
from picrules.engines.holding import Holding
from picrules.engines.training import Training
from picrules.errors import BadParameter
from picrules.estimators import parameters
from picrules.estimators.counted_rows import CountedRows
from picrules.estimators.fitted import Fitted, Voice, make_searcher
from picrules.estimators.growing import CodedRows, check_classes
from picrules.estimators.rule_classifier import RuleClassifier
from picrules.estimators.target import encode_target, split_target
from picrules.scoring.settings import Setting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.estimators.sources import Source
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
    keep_rows: bool | str

    _is_greedy: bool  # whether the search stops at the first length that brings no better rule

    def _learn(
        self, columns: list[Column], classes: NDArray[Any], labels: NDArray[np.int64]
    ) -> tuple[Fitted, Searcher]:
        names = [column.name for column in columns]
        schema = learn_schema(columns, *self._check_reading(names))
        rows = CodedRows(schema, classes, schema.encode(columns), labels)
        return self._count(rows, self._make_search(len(names)))

    def _learn_from(self, source: Source) -> tuple[Fitted, Searcher]:
        search, settled = self._make_search(len(source.names)), None
        while settled is None:
            schema = source.learn_schema(*self._check_reading(source.names))
            conditions = Conditions(schema, is_single=True)
            holding = self._make_holding(conditions, search)
            batches, n_codes = source.count(conditions), conditions.sets.n_codes
            training = holding.gather(batches, n_codes, len(source.classes))
            settled = source.settle(schema)
        return self._settle(Conditions(settled, is_single=True), source.classes, training, search)

    def _check_reading(self, names: list[str]) -> tuple[list[int], set[int] | None]:
        """Return into how many parts each column is cut, and which columns are categories."""
        return (
            parameters.check_bins(self.bins, names),
            parameters.check_categorical_features(self.categorical_features, names),
        )

    def _make_search(self, n_columns: int) -> Search:
        return Search(
            Setting("precision", parameters.check_alpha(self.alpha), 0.0),
            parameters.check_max_length(self.max_length, n_columns),
            self._is_greedy,
        )

    def _count(self, rows: CodedRows, search: Search) -> tuple[Fitted, Searcher]:
        """Make what all else follows from: the training rows, and what finds their rules."""
        conditions, n_classes = Conditions(rows.schema, is_single=True), len(rows.classes)
        is_used = len(conditions.features) == len(rows.codes)
        codes = rows.codes if is_used else rows.codes[conditions.features]
        training = Training.from_rows(codes, rows.labels, conditions.sets.n_codes, n_classes)
        if not rows.has_order:
            training = replace(training, rows=None, has_order=False)
        training = self._make_holding(conditions, search).take(training, conditions.sets.n_codes)
        return self._settle(conditions, rows.classes, training, search)

    def _make_holding(self, conditions: Conditions, search: Search) -> Holding:
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
            search.max_length,
            parameters.check_memory_limit(self.memory_limit),
            parameters.check_n_jobs(self.n_jobs),
            conditions.names,
        )

    def _settle(
        self, conditions: Conditions, classes: NDArray[Any], training: Training, search: Search
    ) -> tuple[Fitted, Searcher]:
        limit = parameters.check_memory_limit(self.memory_limit)
        parameters.check_engine(self.engine)
        n_threads = parameters.check_n_jobs(self.n_jobs)
        parameters.check_verbose(self.verbose)
        weights, offset = np.ones(len(classes)), np.zeros(len(classes))
        voices = (Voice(search),)
        fitted = Fitted(classes, conditions, training, voices, weights, offset, min_cover=1)
        searcher = make_searcher(self, training, conditions, weights, 1, limit)
        searcher.prepare(searcher.plan(search, training.n_rows, n_threads).engine)
        return fitted, searcher

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
        PaperClassifier
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
        X, y = split_target(X, y)
        if not hasattr(self, "_learned"):
            check_classes(classes, encode_target(y, len(check_table(X)))[0])
            return self.fit(X, y)
        columns = self._read_rows(X)
        found, labels = encode_target(y, len(columns[0]))
        check_classes(classes, found)
        if self._fitted.training.counts is not None:
            return self._regrow(CountedRows.of(self._fitted).add(columns, found, labels))
        return self._grow(CodedRows.of(self._fitted).add(columns, found, labels))

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
        PaperClassifier
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
        X, y = split_target(X, y)
        columns = self._read_rows(X)
        found, labels = encode_target(y, len(columns[0]))
        if self._fitted.training.counts is not None:
            return self._regrow(CountedRows.of(self._fitted).take_away(columns, found, labels))
        return self._grow(CodedRows.of(self._fitted).take_away(columns, found, labels))

    def _regrow(self, rows: CountedRows) -> Self:
        """Hold other counts than before, with the settings of the last fit."""
        search = self._fitted.search
        self._set_fitted(*self._settle(rows.conditions, rows.classes, rows.training, search))
        return self

    def _grow(self, rows: CodedRows) -> Self:
        """Hold other rows than before, with the settings of the last fit."""
        self._set_fitted(*self._count(rows, self._fitted.search))
        return self


class PICClassifier(PaperClassifier):
    """Classify each row by a short rule, found greedily: PIC of the paper.

    For each row, rules of length 1, 2, ... that cover it are looked at; the search stops at the
    first length whose best rule does not beat the best of the length before.

    Parameters
    ----------
    alpha : float, default=0.9
        Weight of precision in the score, from 0 to 1; recall has the rest. The paper found
        0.7 to 0.9 best.
    max_length : int or None, default=None
        The longest rules that are looked at; None for no limit.
    bins : int or dict, default=5
        Into how many parts of equal width the range of a number column is cut. A dict gives
        it by column name or position, with 5 for the others.
    categorical_features : "from_dtype", None or list, default="from_dtype"
        Columns of numbers, booleans or dates that are categories: names, positions or a boolean
        mask, as in scikit-learn's `HistGradientBoostingClassifier`. "from_dtype" goes by the type
        of the column: text, booleans and categoricals are categories. Text always is.
    engine : {"auto", "table", "bitmap"}, default="auto"
        How covers are counted. All give the same rules; "auto" picks the faster one.
    memory_limit : float or None, default=None
        Bytes that the engine may take; None for half of the memory that is free at `fit`.
    keep_rows : bool or "auto", default="auto"
        Whether the model keeps its training rows. False keeps in their place the class counts of
        all sets of up to `max_length` features: what they take does not grow with the rows, and
        predictions and rules are the same, but what needs rows cannot be told. "auto" keeps rows
        that fit into `memory_limit`.
    n_jobs : int or None, default=None
        How many threads share the work of a prediction: None is 1 and -1 is all cores. The
        result does not depend on it.
    verbose : int, default=0
        1 shows the progress of `predict` and `explain`, with rows per second and the time left.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    class_sizes_ : array of shape (n_classes,)
        How many training rows each class has.
    schema_ : Schema
        The features: kinds, categories and cuts.
    engine_ : str
        The engine in use, "table" or "bitmap".
    plan_ : Plan
        The engine in use and the reason for it.
    n_features_in_ : int
        How many columns the training table has.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, when all are strings.

    See Also
    --------
    FPICClassifier : Looks at all rules up to a length.

    Examples
    --------
    >>> from picrules import PICClassifier
    >>> X = [["a1", "b1", "c1", "d1"], ["a1", "b2", "c1", "d2"], ["a2", "b3", "c2", "d1"],
    ...      ["a1", "b2", "c2", "d1"], ["a2", "b3", "c1", "d2"], ["a3", "b1", "c2", "d1"],
    ...      ["a1", "b2", "c2", "d2"]]
    >>> clf = PICClassifier(alpha=0.5).fit(X, [1, 1, 1, 2, 2, 2, 2])
    >>> str(clf.explain([["a1", "b3", "c2", "d1"]])[0].rule)
    'if x2 = c2 then 2'
    """

    _is_greedy = True

    def __init__(
        self,
        alpha: float = 0.9,
        max_length: int | None = None,
        bins: int | dict[str | int, int] = 5,
        *,
        categorical_features: Any = "from_dtype",
        engine: str = "auto",
        memory_limit: float | None = None,
        keep_rows: bool | str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.max_length = max_length
        self.bins = bins
        self.categorical_features = categorical_features
        self.engine = engine
        self.memory_limit = memory_limit
        self.keep_rows = keep_rows
        self.n_jobs = n_jobs
        self.verbose = verbose
