"""Decisions by what errors cost: the class whose prediction costs least on average."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from picrules.scoring.settings import order_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Costs that differ by less than this share of the largest differ by rounding.
_ROUNDING = 1e-12


def expect_costs(
    probabilities: NDArray[np.float64], costs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what predicting each class costs on average, (n_rows, n_classes).

    `costs` has the cost of predicting class j where i is true in row i and column j.
    """
    # Added up class by class, so that each row's sum is the same however many rows there are.
    return np.asarray((probabilities[:, :, np.newaxis] * costs).sum(axis=1))


def find_cheapest(
    probabilities: NDArray[np.float64],
    costs: NDArray[np.float64],
    leading: NDArray[np.int64],
    class_sizes: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the class that costs least for each row.

    A tie goes to the leading class, which is predicted without costs; then to the more frequent.

    Examples
    --------
    >>> shares, costs = np.array([[0.8, 0.2], [0.95, 0.05]]), np.array([[0.0, 1.0], [5.0, 0.0]])
    >>> find_cheapest(shares, costs, np.array([0, 0]), np.array([50, 50]))
    array([1, 0])
    """
    expected = expect_costs(probabilities, costs)
    limit = expected.min(axis=1, keepdims=True) + _ROUNDING * np.abs(costs).max()
    is_least = expected <= limit
    order = order_classes(class_sizes)
    frequent = order[is_least[:, order].argmax(axis=1)]
    keeps = is_least[np.arange(len(leading)), leading]
    return np.asarray(np.where(keeps, leading, frequent))
