"""What an estimator has learned, as one plain value: the door to model files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from picrules.engines.plan import default_memory_limit
from picrules.engines.searcher import Searcher
from picrules.estimators import parameters

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import NDArray

    from picrules.encoding.schema import Schema
    from picrules.engines.base import Search, TrainingTable
    from picrules.engines.plan import Plan


@dataclass(frozen=True, slots=True)
class Fitted:
    """What `fit` learned: all that a prediction depends on.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        The classes, sorted.
    schema : Schema
        The features.
    table : TrainingTable
        The training rows as codes.
    search : Search
        Which rules are looked at.
    has_names : bool
        Whether the training table named its columns.
    """

    classes: NDArray[Any]
    schema: Schema
    table: TrainingTable
    search: Search
    has_names: bool


class Saveable:
    """An estimator that can be written to a model file, and made from what was read."""

    engine: str
    memory_limit: float | None
    n_jobs: int | None
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    _searcher: Searcher

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
        # A limit that was set elsewhere, or by a stranger, must not exceed what this machine has.
        limit = min(parameters.check_memory_limit(estimator.memory_limit), default_memory_limit())
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
