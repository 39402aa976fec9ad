"""Checks of the classes to learn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from picrules.errors import BadTarget

if TYPE_CHECKING:
    from numpy.typing import NDArray


def encode_target(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the classes in sorted order, and each row's position among them."""
    if y is None:
        raise BadTarget("fit requires y to be passed, but the target y is None")
    try:
        classes = column_or_1d(y, warn=True)
        _check_present(classes)
        check_classification_targets(classes)
        unique, labels = np.unique(classes, return_inverse=True)
    except (ValueError, TypeError) as error:
        raise BadTarget(f"{error}") from error
    if labels.shape[0] != n_rows:
        raise BadTarget(
            f"X has {n_rows} rows and y has {labels.shape[0]}; inconsistent numbers of samples, "
            "one class a row is accepted"
        )
    return unique, labels.astype(np.int64)


def _check_present(classes: NDArray[Any]) -> None:
    assert_all_finite(classes, input_name="y")
    if classes.dtype.kind != "O":
        return
    for row, value in enumerate(classes):
        is_nan = isinstance(value, float) and math.isnan(value)
        if value is None or is_nan or type(value).__name__ in ("NAType", "NaTType"):
            raise BadTarget(f"y holds {value!r} in row {row}; every row must have a class")
