"""What estimators have learned, as plain values: the door to model files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Schema
    from picrules.engines.base import Search, TrainingTable
    from picrules.estimators.calibration import Calibration
    from picrules.estimators.candidates import Tuning
    from picrules.kernels.boxes import Rows


@dataclass(frozen=True, slots=True)
class Fitted:
    """What `fit` of `PICClassifier` and `FPICClassifier` learned.

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


@dataclass(frozen=True, slots=True)
class PersonalFitted:
    """What `fit` of `PersonalRuleClassifier` learned.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        The classes, sorted.
    class_sizes : int64 array of shape (n_classes,)
        Training rows of each class.
    class_weights : float64 array of shape (n_classes,)
        Weight of a row of each class.
    class_offset : float64 array of shape (n_classes,)
        What is added to the scores of each class.
    conditions : Conditions
        The conditions that rules are made of.
    training : Rows
        The training rows, with the features that have conditions.
    tuning : Tuning
        What was tried, and what is in use.
    calibration : Calibration
        How often predictions are right.
    has_names : bool
        Whether the training table named its columns.
    """

    classes: NDArray[Any]
    class_sizes: NDArray[np.int64]
    class_weights: NDArray[np.float64]
    class_offset: NDArray[np.float64]
    conditions: Conditions
    training: Rows
    tuning: Tuning
    calibration: Calibration
    has_names: bool
