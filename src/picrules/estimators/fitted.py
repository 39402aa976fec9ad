"""What estimators have learned, as one plain value: from it all else follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.engines.plan import default_memory_limit
from picrules.estimators import parameters
from picrules.model.searcher import Searcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.engines.base import Search
    from picrules.engines.training import Training
    from picrules.estimators.candidates import Tuning
    from picrules.estimators.rule_classifier import RuleClassifier
    from picrules.model.calibration import Calibration


@dataclass(frozen=True, slots=True)
class Fitted:
    """What `fit` learned: classes, conditions, training rows, and how rules decide."""

    classes: NDArray[Any]  # sorted
    conditions: Conditions
    training: Training
    search: Search
    class_weights: NDArray[np.float64]
    class_offset: NDArray[np.float64]
    min_cover: int
    calibration: Calibration | None = None
    tuning: Tuning | None = None


def make_searcher(
    estimator: RuleClassifier,
    training: Training,
    conditions: Conditions,
    class_weights: NDArray[np.float64],
    min_cover: int,
    memory_limit: float,
) -> Searcher:
    """Make what finds the rules, with the engine that the estimator asks for."""
    names = [conditions.schema.features[column].name for column in conditions.features]
    engine = parameters.check_engine(estimator.engine)
    return Searcher(
        training, conditions.sets, class_weights, min_cover, engine, memory_limit, names
    )


def restore(
    kind: type[RuleClassifier],
    settings: dict[str, Any],
    fitted: Fitted,
    *,
    has_names: bool,
    check_rows: Callable[[], None] | None = None,
) -> RuleClassifier:
    """Make a fitted estimator with these parameters from what another one learned.

    `has_names` tells whether the training table named its columns. `check_rows` is called once,
    before the training rows are first looked at.
    """
    estimator = kind(**settings)
    # It was set elsewhere, or by a stranger: at most what is free here.
    limit = default_memory_limit()
    if estimator.memory_limit is not None:
        limit = min(limit, parameters.check_memory_limit(estimator.memory_limit))
    names = [feature.name for feature in fitted.conditions.schema.features]
    estimator.n_features_in_ = len(names)
    if has_names:
        estimator.feature_names_in_ = np.array(names, object)
    searcher = make_searcher(
        estimator, fitted.training, fitted.conditions, fitted.class_weights, fitted.min_cover, limit
    )
    searcher.check_rows = check_rows
    estimator._set_fitted(fitted, searcher)  # noqa: SLF001
    return estimator
