"""The paper's PIC, and what it shares with fPIC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.conditions import Conditions
from picrules.encoding.schema import learn_schema
from picrules.engines.base import Search
from picrules.engines.training import Training
from picrules.estimators import parameters
from picrules.estimators.fitted import Fitted, Voice, make_searcher
from picrules.estimators.growing_classifier import GrowingClassifier
from picrules.scoring.settings import Setting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.estimators.counted_rows import CountedRows
    from picrules.estimators.growing import Held
    from picrules.estimators.sources import Source
    from picrules.model.searcher import Searcher


class PaperClassifier(GrowingClassifier):
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
        schema = learn_schema(columns, *self._check_reading(names))
        conditions, n_classes = Conditions(schema, is_single=True), len(classes)
        codes = conditions.encode(columns)
        training = Training.from_rows(codes, labels, conditions.sets.n_codes, n_classes)
        search = self._make_search(len(names))
        holding = self._make_holding(conditions, search.max_length, classes)
        training = holding.take(training, conditions.sets.n_codes)
        return self._prepare(conditions, classes, training, search)

    def _learn_from(self, source: Source) -> tuple[Fitted, Searcher]:
        search, settled = self._make_search(len(source.names)), None
        while settled is None:
            schema = source.learn_schema(*self._check_reading(source.names))
            conditions = Conditions(schema, is_single=True)
            holding = self._make_holding(conditions, search.max_length, source.classes)
            training = source.gather(conditions, holding)
            settled = source.settle(schema)
        conditions = Conditions(settled, is_single=True)
        return self._prepare(conditions, source.classes, training, search)

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

    def _settle(
        self, conditions: Conditions, classes: NDArray[Any], training: Training, search: Search
    ) -> tuple[Fitted, Searcher]:
        """Make what follows from the training rows; engines are built when they are needed."""
        limit = parameters.check_memory_limit(self.memory_limit)
        parameters.check_engine(self.engine)
        n_threads = parameters.check_n_jobs(self.n_jobs)
        parameters.check_verbose(self.verbose)
        weights, offset = np.ones(len(classes)), np.zeros(len(classes))
        voices = (Voice(search),)
        fitted = Fitted(classes, conditions, training, voices, weights, offset, min_cover=1)
        searcher = make_searcher(self, training, conditions, weights, 1, limit)
        searcher.plan(search, training.n_rows, n_threads)
        return fitted, searcher

    def _prepare(
        self, conditions: Conditions, classes: NDArray[Any], training: Training, search: Search
    ) -> tuple[Fitted, Searcher]:
        """Settle what follows from the training rows, and build the engine that is needed first."""
        fitted, searcher = self._settle(conditions, classes, training, search)
        n_threads = parameters.check_n_jobs(self.n_jobs)
        searcher.prepare(searcher.plan(search, training.n_rows, n_threads).engine)
        return fitted, searcher

    def _hold(self, held: Held | CountedRows) -> tuple[Fitted, Searcher]:
        conditions, training, search = held.conditions, held.training, self._fitted.search
        if training.counts is None:
            holding = self._make_holding(conditions, search.max_length, held.classes)
            training = holding.take(training, conditions.sets.n_codes)
        return self._settle(conditions, held.classes, training, search)


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
        whose codes take at most half of `memory_limit`.
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
