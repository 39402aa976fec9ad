"""The nearest covered training rows of many rows at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from picrules.explain.evidence import cover_codes, measure_distances

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.explain.model import Model
    from picrules.rules.rule import Rule


def find_nearest(
    model: Model, rule: Rule, codes: NDArray[np.int32], n_nearest: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Find the nearest of the training rows that a rule covers, for many rows at once.

    Parameters
    ----------
    model : Model
        Has the training rows.
    rule : Rule
        A rule with conditions of the model.
    codes : int32 array of shape (n_features, n_rows)
        The rows to be near to.
    n_nearest : int
        How many to find for each.

    Returns
    -------
    rows : int64 array of shape (n_rows, n_found)
        Positions in the training table, in the order of `Evidence.rows`.
    distances : float64 array of shape (n_rows, n_found)
        How far each is; see `Evidence`.
    """
    covered = np.flatnonzero(cover_codes(model, rule))
    # Rows at one distance stay in this order: by class, then as in the table.
    covered = covered[np.argsort(model.training.labels[covered], kind="stable")]
    n_found = min(n_nearest, len(covered))
    # Rows are often alike; each different one is measured once.
    different, places = np.unique(codes, axis=1, return_inverse=True)
    rows = np.empty((different.shape[1], n_found), np.int64)
    distances = np.empty((different.shape[1], n_found))
    among = np.ascontiguousarray(model.training.codes[:, covered])
    for place, one in enumerate(different.T):
        apart = measure_distances(model, among, one)
        nearest = _smallest(apart, n_found)
        rows[place], distances[place] = covered[nearest], apart[nearest]
    return rows[places.reshape(-1)], distances[places.reshape(-1)]


def _smallest(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return the places of the smallest values, those of equal ones in order."""
    if count < len(values):
        last = np.partition(values, count - 1)[count - 1]
        candidates = np.flatnonzero(values <= last)
    else:
        candidates = np.arange(len(values))
    order = np.argsort(values[candidates], kind="stable")[:count]
    smallest: NDArray[np.int64] = candidates[order]
    return smallest
