"""The training rows behind a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.schema import CategoryFeature
from picrules.encoding.tables import take_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.schema import NumberFeature
    from picrules.explain.model import Model
    from picrules.rules.rule import Rule
    from picrules.rules.text import Value


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The training rows that a rule covers, nearest to the explained row first.

    Attributes
    ----------
    rows : int64 array of shape (n_covered,)
        Positions in the training table.
    distances : float64 array of shape (n_covered,)
        How far each is from the explained row: the mean over the features of 0 for the same
        code and 1 for another; codes in order differ by their distance in the order, and a
        missing value is as far as possible from any other.
    classes : list
        The class of each.
    agrees : bool array of shape (n_covered,)
        Whether it is the class that the rule predicts.
    """

    rows: NDArray[np.int64]
    distances: NDArray[np.float64]
    classes: list[Value]
    agrees: NDArray[np.bool_]

    @property
    def supporting(self) -> NDArray[np.int64]:
        """The covered training rows of the rule's class, nearest first."""
        supporting: NDArray[np.int64] = self.rows[self.agrees]
        return supporting

    @property
    def contradicting(self) -> NDArray[np.int64]:
        """The covered training rows of other classes, nearest first."""
        contradicting: NDArray[np.int64] = self.rows[~self.agrees]
        return contradicting

    def values(self, X: Any) -> Any:
        """Return the covered rows of the training table.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table
            The table that the estimator was fitted on.

        Returns
        -------
        table
            Of the kind of X, nearest first.
        """
        return take_rows(X, self.rows)

    def to_dicts(self, n_rows: int) -> list[dict[str, Any]]:
        """Return the nearest rows as plain values."""
        return [
            {"row": row, "distance": distance, "class": name, "agrees": agrees}
            for row, distance, name, agrees in zip(
                self.rows[:n_rows].tolist(),
                self.distances[:n_rows].tolist(),
                self.classes[:n_rows],
                self.agrees[:n_rows].tolist(),
                strict=True,
            )
        ]


def find_evidence(
    model: Model, rule: Rule, codes: NDArray[np.int32], left_out: int | None
) -> Evidence:
    """Find the training rows that a rule covers.

    Parameters
    ----------
    model : Model
        Has the training rows.
    rule : Rule
        A rule with conditions of the model.
    codes : int32 array of shape (n_features,)
        The row to be near to.
    left_out : int or None
        A training row that does not count.

    Returns
    -------
    Evidence
        The covered rows; those at one distance in the order of the training table.
    """
    is_covered = cover_codes(model, rule)
    if left_out is not None:
        is_covered[left_out] = False
    rows = np.flatnonzero(is_covered)
    distances = measure_distances(model, model.training.codes[:, rows], codes)
    order = np.argsort(distances, kind="stable")
    labels = model.training.labels[rows[order]]
    return Evidence(
        rows[order],
        distances[order],
        [model.classes[label] for label in labels.tolist()],
        labels == model.classes.index(rule.label),
    )


def cover_codes(model: Model, rule: Rule) -> NDArray[np.bool_]:
    """Tell which training rows satisfy all conditions of a rule of the model."""
    codes = model.training.codes
    is_covered = np.ones(codes.shape[1], np.bool_)
    places = {feature.name: place for place, feature in enumerate(model.features)}
    for condition in rule.conditions:
        place = places[condition.feature]
        # The last entry is for -1: a missing value satisfies no condition.
        holds = np.append(model.features[place].holds(condition), False)
        is_covered &= holds[codes[place]]
    return is_covered


def measure_distances(
    model: Model, codes: NDArray[np.int32], to: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return how far rows are from one row; see `Evidence`."""
    total = np.zeros(codes.shape[1])
    for feature, row, own in zip(model.features, codes, to.tolist(), strict=True):
        total += measure_apart(feature, row, own)
    return total / max(len(codes), 1)


def measure_apart(
    feature: CategoryFeature | NumberFeature, codes: NDArray[np.int32], own: int
) -> NDArray[np.float64]:
    """Return how far codes of one feature are from a code of it, from 0 to 1; see `Evidence`."""
    if isinstance(feature, CategoryFeature) and not feature.is_ordered:
        is_other: NDArray[np.float64] = (codes != own).astype(np.float64)
        return is_other
    apart: NDArray[np.float64] = np.abs(codes - own) / max(feature.n_codes - 1, 1)
    apart[(codes < 0) != (own < 0)] = 1.0
    return apart
