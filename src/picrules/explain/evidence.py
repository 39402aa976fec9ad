"""The training rows behind a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.schema import NumberFeature
from picrules.encoding.tables import check_table, take_rows
from picrules.errors import BadTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.schema import CategoryFeature
    from picrules.explain.model import Model
    from picrules.rules.rule import Rule
    from picrules.rules.text import Value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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
    labels : int64 array of shape (n_covered,)
        The position of the class of each in `names`.
    names : list
        The classes.
    agrees : bool array of shape (n_covered,)
        Whether it is the class that the rule predicts.
    n_training : int
        How many training rows there are.
    """

    rows: NDArray[np.int64]
    distances: NDArray[np.float64]
    labels: NDArray[np.int64]
    names: list[Value]
    agrees: NDArray[np.bool_]
    n_training: int

    def __repr__(self) -> str:
        n_against = int((~self.agrees).sum())
        return f"<{len(self.rows)} training rows, {n_against} of other classes>"

    @property
    def classes(self) -> list[Value]:
        """The class of each row."""
        return [self.names[label] for label in self.labels.tolist()]

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
        n_rows = len(check_table(X))
        if n_rows != self.n_training:
            raise BadTable(
                f"X has {n_rows} rows; the training table, with {self.n_training}, is accepted"
            )
        return take_rows(X, self.rows)

    def to_dicts(self, n_rows: int) -> list[dict[str, Any]]:
        """Return the nearest rows as plain values."""
        return [
            {"row": row, "distance": distance, "class": self.names[label], "agrees": agrees}
            for row, distance, label, agrees in zip(
                self.rows[:n_rows].tolist(),
                self.distances[:n_rows].tolist(),
                self.labels[:n_rows].tolist(),
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
        The covered rows; those at one distance by class, then in the order of the table.
    """
    is_covered = cover_codes(model, rule)
    if left_out is not None:
        is_covered[left_out] = False
    rows = np.flatnonzero(is_covered)
    distances = measure_distances(model, model.training.codes[:, rows], codes)
    order = np.lexsort((model.training.labels[rows], distances))
    labels = model.training.labels[rows[order]]
    return Evidence(
        rows[order],
        distances[order],
        labels,
        model.classes,
        labels == model.classes.index(rule.label),
        len(is_covered),
    )


def cover_codes(model: Model, rule: Rule) -> NDArray[np.bool_]:
    """Tell which training rows satisfy all conditions of a rule of the model."""
    is_covered = np.ones(model.training.codes.shape[1], np.bool_)
    features = model.features
    places = {feature.name: place for place, feature in enumerate(features)}
    for condition in rule.conditions:
        place = places[condition.feature]
        # The last entry is for -1: a missing value satisfies no condition.
        holds = np.append(features[place].holds(condition), False)
        is_covered &= holds[model.training.codes[place]]
    return is_covered


def measure_distances(
    model: Model, codes: NDArray[np.int32], to: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return how far rows are from one row; see `Evidence`."""
    total = np.zeros(codes.shape[1])
    for feature, row, own in zip(model.features, codes, to.tolist(), strict=True):
        total += distances_by_code(feature, own)[row]
    return total / max(len(codes), 1)


def distances_by_code(feature: CategoryFeature | NumberFeature, own: int) -> NDArray[np.float64]:
    """Return how far each code of a feature, and last a missing one, is from a row's code."""
    distances = np.ones(feature.n_codes + 1)
    is_ordered = isinstance(feature, NumberFeature) or feature.is_ordered
    if is_ordered and own >= 0:
        distances[:-1] = np.abs(np.arange(feature.n_codes) - own) / max(feature.n_codes - 1, 1)
    distances[own] = 0.0  # also of a missing value from a missing one
    return distances
