"""The paper's fPIC."""

from __future__ import annotations

from typing import Any

from picrules.estimators.pic import PaperClassifier


class FPICClassifier(PaperClassifier):
    """Classify each row by the best rule of any length up to `max_length`: fPIC of the paper.

    Parameters
    ----------
    alpha : float, default=0.9
        Weight of precision in the score, from 0 to 1; recall has the rest.
    max_length : int or None, default=3
        The longest rules that are looked at; None for no limit.
    bins, categorical_features, engine, memory_limit, keep_rows, n_jobs, verbose
        As in `PICClassifier`.

    See Also
    --------
    PICClassifier : Stops at the first length that brings no better rule; has the attributes.

    Examples
    --------
    >>> from picrules import FPICClassifier
    >>> X = [[1.0, "red"], [2.0, "red"], [8.0, "blue"], [9.0, "red"]]
    >>> clf = FPICClassifier(bins=2).fit(X, ["no", "no", "yes", "yes"])
    >>> print(clf.explain([[7.5, "red"]])[0])
    yes, because x0 > 5.
      2 of 2 training rows like this are yes (precision 100%),
      which is 100% of all yes rows (recall); score 1.000.
      No rule for yes of up to 2 conditions scores higher.
      The rule is the best of many, so expect less on new rows; how much less is not known.
    """

    _is_greedy = False

    def __init__(
        self,
        alpha: float = 0.9,
        max_length: int | None = 3,
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
