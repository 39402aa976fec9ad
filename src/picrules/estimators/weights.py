"""Weights of rows: how often each occurs, exactly as if it were repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.columns import Column, read_columns
from picrules.encoding.tables import MAX_ROWS, take_rows
from picrules.errors import BadParameter
from picrules.rules.text import show

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ACCEPTED = "whole numbers from 0, one per row, are accepted: how often the row occurs"


def check_sample_weight(sample_weight: Any, n_rows: int) -> NDArray[np.int64] | None:
    """Return how often each row occurs; None where each occurs once."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight)
    if weights.shape != (n_rows,):
        raise BadParameter(
            f"sample_weight has the shape {weights.shape}, and X has {n_rows} rows; {_ACCEPTED}"
        )
    is_whole = np.zeros(n_rows, np.bool_)
    if weights.dtype.kind in "iuf":
        with np.errstate(invalid="ignore"):
            is_whole = (weights >= 0) & (weights <= MAX_ROWS) & (weights == np.floor(weights))
    if not is_whole.all():
        row = int(is_whole.argmin())
        raise BadParameter(
            f"sample_weight is {show(weights[row].item())} in row {row}; {_ACCEPTED}"
        )
    total = int(weights.sum())
    if total == 0:
        raise BadParameter("sample_weight is zero in every row; at least one must count")
    if total > MAX_ROWS:
        raise BadParameter(
            f"sample_weight adds up to {total} rows; from 1 to {MAX_ROWS} are accepted"
        )
    return weights.astype(np.int64)


def read_weighted(
    X: Any, classes: NDArray[Any], labels: NDArray[np.int64], times: NDArray[np.int64]
) -> tuple[list[Column], NDArray[Any], NDArray[np.int64]]:
    """Read training rows, each as often as told; a class without rows is none."""
    rows = np.flatnonzero(times)
    if len(rows) < len(times):  # left out before they are read: kinds depend on what there is
        X, times = take_rows(X, rows), times[rows]
    present, left = np.unique(labels[rows], return_inverse=True)
    columns = [column.repeat(times) for column in read_columns(X)]
    return columns, classes[present], left.astype(np.int64).repeat(times)
