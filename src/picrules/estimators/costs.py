"""Checks of what errors cost."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.errors import BadParameter
from picrules.estimators.parameters import check_number
from picrules.rules.text import list_names, show

if TYPE_CHECKING:
    from numpy.typing import NDArray

# No cost is larger, nor any gain.
MAX_COST = 1e9


def check_cost_matrix(cost_matrix: Any, classes: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return the cost of predicting each class (column) where each is true (row)."""
    if cost_matrix is None:
        return None
    names = classes.tolist()
    if isinstance(cost_matrix, dict):
        _check_named(cost_matrix, names)
        costs = np.array([_read_row(cost_matrix.get(true, {}), true, names) for true in names])
    else:
        try:
            costs = np.array(cost_matrix, np.float64)
        except (ValueError, TypeError):
            costs = np.empty(0)
    if costs.shape != (len(names), len(names)) or not (np.abs(costs) <= MAX_COST).all():
        raise BadParameter(
            f"cost_matrix is {show(cost_matrix)}; a dict such as {{'true class': {{'predicted "
            f"class': 5}}}}, or {len(names)} rows of {len(names)} numbers from {-MAX_COST:g} to "
            f"{MAX_COST:g}, one row per true class, is accepted"
        )
    return costs


def _read_row(row: Any, true: Any, names: list[Any]) -> list[float]:
    """Return the costs where a class is true; an error that is not named costs 1."""
    if not isinstance(row, dict):
        raise BadParameter(
            f"cost_matrix[{true!r}] is {show(row)}; a dict from predicted class to cost is accepted"
        )
    _check_named(row, names)
    accepted = f"a number from {-MAX_COST:g} to {MAX_COST:g} is"
    return [
        check_number(
            row.get(predicted, float(predicted != true)), f"cost_matrix[{true!r}][{predicted!r}]",
            Real, -MAX_COST, MAX_COST, accepted,
        )
        for predicted in names
    ]  # fmt: skip


def _check_named(named: dict[Any, Any], names: list[Any]) -> None:
    for label in named:
        if label not in names:
            raise BadParameter(
                f"cost_matrix names the class {show(label)}; the classes are "
                f"{list_names(list(map(show, names)))}"
            )
