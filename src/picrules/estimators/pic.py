"""The paper's PIC."""

from __future__ import annotations

from typing import Any

from picrules.estimators.paper import PaperClassifier


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
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.max_length = max_length
        self.bins = bins
        self.categorical_features = categorical_features
        self.engine = engine
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
