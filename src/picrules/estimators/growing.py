"""Add rows to what an estimator has learned, and take rows away from it.

Training rows are a multiset of coded rows and classes: what they count adds up. All that was chosen
once, the schema and the settings, stays; all else follows from the rows anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.growth import extend_schema, find_unknown, recode
from picrules.engines.training import find_distinct
from picrules.errors import BadTable, BadTarget
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.encoding.schema import Schema
    from picrules.estimators.fitted import Fitted


@dataclass(frozen=True, slots=True)
class CodedRows:
    """Rows as codes of all columns, with their classes."""

    schema: Schema
    classes: NDArray[Any]  # sorted
    codes: NDArray[np.int32]  # (n_columns, n_rows)
    labels: NDArray[np.int64]  # (n_rows,): positions among the classes
    has_order: bool = True  # whether they stand as in the training table

    @classmethod
    def of(cls, fitted: Fitted) -> CodedRows:
        """Return the training rows of what was learned."""
        schema, training = fitted.conditions.schema, fitted.training
        training.need_rows("which rows partial_fit and forget start from")
        labels, has_order = training.row_labels, training.has_order
        return cls(schema, fitted.classes, fitted.column_codes, labels, has_order)

    def add(
        self, columns: Sequence[Column], classes: NDArray[Any], labels: NDArray[np.int64]
    ) -> CodedRows:
        """Return these rows and some more; categories and classes may be new."""
        schema, every = extend_schema(self.schema, columns), join_classes(self.classes, classes)
        codes = [recode(self.codes, self.schema, schema), schema.encode(columns)]
        old, new = (np.searchsorted(every, each) for each in (self.classes, classes))
        own = np.concatenate([old[self.labels], new[labels]])
        joined = np.concatenate(codes, axis=1)
        return CodedRows(schema, every, joined, own.astype(np.int64), self.has_order)

    def take_away(
        self, columns: Sequence[Column], classes: NDArray[Any], labels: NDArray[np.int64]
    ) -> CodedRows:
        """Return these rows without some of them, each as often as it is told; the last ones go.

        A class that no row is left of is none any more; the schema stays.
        """
        own = place_classes(classes, self.classes)[labels]
        is_unknown = find_unknown(self.schema, columns) | (own < 0)
        codes = np.concatenate([self.codes, self.schema.encode(columns)], axis=1)
        numbers = _number_rows(codes, np.concatenate([self.labels, own]), self.schema)
        kept, gone = np.split(numbers, [len(self.labels)])
        counts = np.bincount(kept, minlength=numbers.max() + 1)
        is_unknown |= _rank(gone) >= counts[gone]
        if is_unknown.any():
            row = int(is_unknown.argmax())
            raise not_among(row, classes.tolist()[labels[row]])
        is_left = _rank(kept[::-1])[::-1] >= np.bincount(gone, minlength=len(counts))[kept]
        if not is_left.any():
            raise BadTable("no training row would be left; at least one is needed")
        present, left = np.unique(self.labels[is_left], return_inverse=True)
        return CodedRows(
            self.schema, self.classes[present], self.codes[:, is_left], left.astype(np.int64),
            self.has_order,
        )  # fmt: skip


def place_classes(classes: NDArray[Any], known: NDArray[Any]) -> NDArray[np.int64]:
    """Return the position of each class among those that are known; -1 where it is none."""
    label_of = {value: label for label, value in enumerate(known.tolist())}
    return np.array([label_of.get(value, -1) for value in classes.tolist()], np.int64)


def not_among(row: int, value: Any) -> BadTable:
    """Return what says that a row cannot be taken away."""
    return BadTable(
        f"row {row} with the class {show(value)} is not among the training rows, or not as often; "
        "only rows that were added can be taken away"
    )


def check_classes(known: Any, classes: NDArray[Any]) -> None:
    """Refuse classes that are not among those that are told to come."""
    if known is None:
        return
    listed = np.asarray(known).tolist()
    for value in classes.tolist():
        if value not in listed:
            raise BadTarget(f"y holds the class {show(value)}; classes has {show(listed)}")


def join_classes(old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
    """Return all classes, sorted; they must be of one kind."""
    kinds = [_KINDS[each.dtype.kind] for each in (old, new)]
    if kinds[0] != kinds[1]:
        raise BadTarget(f"y holds {kinds[1]}; the classes so far are {kinds[0]}")
    if set(new.tolist()) <= set(old.tolist()):
        return old
    return np.unique(np.concatenate([old, new]))


_KINDS = {"O": "text", "U": "text", "b": "booleans"} | dict.fromkeys("iuf", "numbers")


def _number_rows(
    codes: NDArray[np.int32], labels: NDArray[np.int64], schema: Schema
) -> NDArray[np.int64]:
    """Give each distinct pair of coded row and class a number."""
    counts = [int(labels.max()) + 1, *schema.n_codes.tolist()]
    _, numbers = find_distinct((labels.astype(np.int32), *codes), counts, len(labels))
    return np.arange(len(labels)) if numbers is None else numbers


def _rank(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each entry how many equal ones stand before it."""
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    ranks = np.arange(len(numbers)) - np.repeat(starts, np.diff(np.append(starts, len(numbers))))
    found = np.empty(len(numbers), np.int64)
    found[order] = ranks
    return found
