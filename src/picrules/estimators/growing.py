"""Add rows to what an estimator has learned, and take rows away from it.

Training rows are a multiset of coded rows and classes: what they count adds up. All that was chosen
once, the schema and the settings, stays; all else follows from the rows anew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.growth import extend_schema, find_unknown, recode
from picrules.engines.multiset import Match
from picrules.errors import BadTable, BadTarget
from picrules.estimators.target import place_classes
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Schema
    from picrules.engines.multiset import Batch
    from picrules.engines.training import Training
    from picrules.estimators.counted_rows import CountedRows
    from picrules.estimators.fitted import Fitted


class NotAmong(BadTable):
    """A row that is to be taken away was never added, or not as often."""

    def __init__(self, row: int, value: Any) -> None:
        super().__init__(row, value)
        self.row, self._value = row, value

    def tell(self, where: str) -> str:
        """Say so of a row that is called so."""
        return (
            f"{where} with the class {show(self._value)} is not among the training rows, or not as "
            "often; only rows that were added can be taken away"
        )

    def __str__(self) -> str:
        return self.tell(f"row {self.row}")


@dataclass(frozen=True, slots=True)
class Given:
    """Rows to add or to take away, as they were read."""

    columns: Sequence[Column]
    classes: NDArray[Any]  # sorted
    labels: NDArray[np.int64]

    def widen(
        self, held: Held | CountedRows, extend: Callable[[Schema], Conditions]
    ) -> tuple[Conditions, NDArray[Any]]:
        """Return the conditions and classes of what is held and of these rows.

        `extend` makes the conditions of a schema with more categories.
        """
        classes = join_classes(held.classes, self.classes)
        schema = extend_schema(held.conditions.schema, self.columns)
        is_known = schema == held.conditions.schema
        return held.conditions if is_known else extend(schema), classes

    def encode(self, held: Held | CountedRows) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return codes and labels by what is held; one that is not known there has the label -1."""
        labels = place_classes(self.classes, held.classes)[self.labels]
        labels[find_unknown(held.conditions.schema, self.columns)] = -1
        return held.conditions.encode(self.columns), labels

    def not_among(self, row: int) -> NotAmong:
        """Return what says that a row cannot be taken away."""
        return NotAmong(row, self.classes.tolist()[self.labels[row]])


@dataclass(frozen=True, slots=True)
class Change:
    """Rows that came or went."""

    conditions: Conditions
    classes: NDArray[Any]
    rows: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]
    is_added: bool

    @classmethod
    def of(cls, held: Held, batch: Batch, *, is_added: bool) -> Change:
        """Return rows in the codes and classes of those that are held."""
        rows = (batch.codes, batch.labels, batch.times)
        return cls(held.conditions, held.classes, rows, is_added)


@dataclass(frozen=True, slots=True)
class Held:
    """What a model holds of its training rows: from it and the settings all else follows."""

    classes: NDArray[Any]  # sorted
    conditions: Conditions
    training: Training
    change: Change | None = None  # what came or went last

    @classmethod
    def of(cls, fitted: Fitted) -> Held:
        """Return what a model holds."""
        return cls(fitted.classes, fitted.conditions, fitted.training)

    def add(self, given: Given, extend: Callable[[Schema], Conditions]) -> Held:
        """Hold some more rows; categories and classes may be new."""
        conditions, classes = given.widen(self, extend)
        held = self if conditions is self.conditions else self.turn_into(conditions)
        if len(classes) > len(self.classes):
            held = held.name_classes(classes)
        match = Match.of(held.training, *given.encode(held))
        change = Change.of(held, match.batch, is_added=True)
        return replace(held, training=match.added(), change=change)

    def take_away(self, given: Given) -> Held:
        """Hold these rows no more, each as often as it is told; the last ones go.

        A class that no row is left of is none any more; the schema stays.
        """
        match = Match.of(self.training, *given.encode(self))
        is_missing = match.missing
        if is_missing.any():
            raise given.not_among(int(is_missing.argmax()))
        if len(given.labels) == self.training.n_rows:
            raise BadTable("no training row would be left; at least one is needed")
        change = Change.of(self, match.batch, is_added=False)
        held = replace(self, training=match.taken(), change=change)
        present = np.flatnonzero(held.training.class_sizes)
        return (
            held if len(present) == len(self.classes) else held.name_classes(self.classes[present])
        )

    def turn_into(self, conditions: Conditions) -> Held:
        """Hold the same in the codes of conditions on a schema with more categories."""
        before = self.conditions
        for column in np.setdiff1d(conditions.features, before.features).tolist():
            if before.schema.features[column].n_codes:
                name = before.schema.features[column].name
                raise BadTable(
                    f"column {name!r} holds a category that is new; it had one only, of which the "
                    "model does not know which rows had it, so fit again with all rows"
                )
        codes = recode(before.spread(self.training.codes), before.schema, conditions.schema)
        training = replace(self.training, codes=codes[conditions.features])
        return replace(self, conditions=conditions, training=training)

    def name_classes(self, classes: NDArray[Any]) -> Held:
        """Hold the same with other classes: some more, or none without a row."""
        if len(classes) > len(self.classes):
            place, sizes = np.searchsorted(classes, self.classes), np.zeros(len(classes), np.int64)
            sizes[place] = self.training.class_sizes
        else:
            place = np.searchsorted(classes, self.classes)
            sizes = self.training.class_sizes[np.searchsorted(self.classes, classes)]
        training = replace(self.training, labels=place[self.training.labels], class_sizes=sizes)
        return replace(self, classes=classes, training=training)


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
