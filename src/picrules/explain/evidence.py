"""The training rows behind a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.schema import Feature, NumberFeature
from picrules.encoding.tables import check_table, take_rows
from picrules.errors import BadTable
from picrules.explain.tabular import Tabular
from picrules.rules.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from picrules.model.model import Model
    from picrules.rules.rule import Rule
    from picrules.rules.text import Value


# What cannot be told of a model that keeps counts in place of rows.
EVIDENCE = "which training rows a rule covers (evidence)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evidence(Tabular):
    """The training rows that a rule covers, nearest to the explained row first.

    Attributes
    ----------
    rows : int64 array of shape (n_covered,)
        Positions in the training table; or, without `has_order`, in a list of its rows that is
        sorted by codes and class.
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
    has_order : bool
        Whether it is known where rows stood in the training table. A model file keeps that only
        where `save` is asked to.
    """

    rows: NDArray[np.int64]
    distances: NDArray[np.float64]
    labels: NDArray[np.int64]
    names: list[Value]
    agrees: NDArray[np.bool_]
    n_training: int
    has_order: bool = True

    def __str__(self) -> str:
        n_against = int((~self.agrees).sum())
        return f"{plural(len(self.rows), 'training row')}, {n_against:,} of other classes"

    def __repr__(self) -> str:
        return f"<{self}>"

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        return ("row", "distance", "class", "agrees"), self.to_dicts(len(self.rows))

    @property
    def classes(self) -> list[Value]:
        """The class of each row."""
        return [self.names[label] for label in self.labels.tolist()]

    @property
    def supporting(self) -> NDArray[np.int64]:
        """The covered training rows of the rule's class, nearest first."""
        return self.rows.compress(self.agrees)

    @property
    def contradicting(self) -> NDArray[np.int64]:
        """The covered training rows of other classes, nearest first."""
        return self.rows.compress(~self.agrees)

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
        if not self.has_order:
            raise BadTable(
                "the model file does not keep where rows stood in the training table; one that "
                "clf.save(path, keep_order=True) writes does"
            )
        n_rows = len(check_table(X))
        if n_rows != self.n_training:
            raise BadTable(
                f"X has {n_rows} rows; the training table, with {self.n_training}, is accepted"
            )
        return take_rows(X, self.rows)

    def to_dicts(self, n_rows: int) -> list[dict[str, Any]]:
        """Return the nearest rows as plain values.

        Parameters
        ----------
        n_rows : int
            How many, at most.

        Returns
        -------
        list of dict
            For each its `row`, `distance` and `class`, and whether it `agrees` with the rule.
        """
        columns = (self.rows, self.distances, self.labels, self.agrees)
        return [
            {"row": row, "distance": distance, "class": self.names[label], "agrees": agrees}
            for row, distance, label, agrees in zip(
                *(column[:n_rows].tolist() for column in columns), strict=True
            )
        ]


def find_evidence(
    model: Model, rule: Rule, codes: NDArray[np.int32], left_out: int | None
) -> Evidence:
    """Find the training rows that a rule covers, nearest to a row (its codes) first.

    Rows at one distance stand by class, then in the order of the table. `left_out` is a training
    row that does not count.
    """
    training = model.training
    training.need_rows(EVIDENCE)
    pairs = np.flatnonzero(_find_covered(model, rule))
    distances = np.full(training.n_pairs, np.nan)
    distances[pairs] = _measure_distances(model, training.codes[:, pairs], codes)
    row_distances, row_labels = distances[training.pair_of_row], training.row_labels
    rows = np.flatnonzero(~np.isnan(row_distances))
    if left_out is not None:
        rows = rows[rows != left_out]
    order = rows[np.lexsort((row_labels[rows], row_distances[rows]))]
    labels = row_labels[order]
    agrees = labels == model.classes.index(rule.label)
    return Evidence(
        order, row_distances[order], labels, model.classes, agrees, training.n_rows,
        training.has_order,
    )  # fmt: skip


def find_nearest(
    model: Model, rule: Rule, codes: NDArray[np.int32], n_nearest: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Find the nearest training rows that a rule covers, for many rows (their codes) at once.

    Returns their positions in the training table, in the order of `Evidence.rows`, and how far
    each is; both of shape (n_rows, n_found).
    """
    training = model.training
    training.need_rows(EVIDENCE)
    covered = np.flatnonzero(_find_covered(model, rule)[training.pair_of_row])
    # Rows at one distance stay in this order: by class, then as in the table.
    covered = covered[np.argsort(training.row_labels[covered], kind="stable")]
    n_found = min(n_nearest, len(covered))
    # Rows are often alike; each different one is measured once.
    different, numbers = np.unique(codes, axis=1, return_inverse=True)
    rows = np.empty((different.shape[1], n_found), np.int64)
    distances = np.empty((different.shape[1], n_found))
    among = np.ascontiguousarray(training.codes[:, training.pair_of_row[covered]])
    for index, one in enumerate(different.T):
        apart = _measure_distances(model, among, one)
        order = np.arange(len(apart))
        if n_found < len(apart):
            order = np.flatnonzero(apart <= np.partition(apart, n_found - 1)[n_found - 1])
        nearest = order.take(np.argsort(apart[order], kind="stable")[:n_found])
        rows[index], distances[index] = covered[nearest], apart[nearest]
    return rows[numbers.reshape(-1)], distances[numbers.reshape(-1)]


def _find_covered(model: Model, rule: Rule) -> NDArray[np.bool_]:
    """Tell which distinct training rows satisfy all conditions of a rule of the model."""
    return np.asarray(find_satisfied(model, rule, model.training.codes).all(axis=0))


def find_satisfied(model: Model, rule: Rule, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Tell which conditions of a rule of the model rows satisfy, given as codes.

    Returns an array of shape (n_conditions, n_rows).
    """
    number_of = {feature.name: number for number, feature in enumerate(model.features)}
    satisfied = np.empty((rule.length, codes.shape[1]), np.bool_)
    for own, condition in zip(satisfied, rule.conditions, strict=True):
        number = number_of[condition.feature]
        # The last entry is for -1: a missing value satisfies no condition.
        holds = np.append(model.features[number].holds(condition), False)
        own[:] = holds[codes[number]]
    return satisfied


def _measure_distances(
    model: Model, codes: NDArray[np.int32], to: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return how far rows are from one row; see `Evidence`."""
    total = np.zeros(codes.shape[1])
    for feature, row, own in zip(model.features, codes, to.tolist(), strict=True):
        total += distances_by_code(feature, own)[row]
    return total / max(len(codes), 1)


def distances_by_code(feature: Feature, own: int) -> NDArray[np.float64]:
    """Return how far each code of a feature, and last a missing one, is from a row's code."""
    distances = np.ones(feature.n_codes + 1)
    is_ordered = isinstance(feature, NumberFeature) or feature.is_ordered
    if is_ordered and own >= 0:
        distances[:-1] = np.abs(np.arange(feature.n_codes) - own) / max(feature.n_codes - 1, 1)
    distances[own] = 0.0  # also of a missing value from a missing one
    return distances
