"""What the model would say if some values of a row were others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.row import format_cell, plain_cell, read_cell, to_plain
from picrules.encoding.schema import list_names
from picrules.errors import BadParameter
from picrules.explain.briefly import join_words, tell_briefly
from picrules.rules.text import format_name, format_value, show

if TYPE_CHECKING:
    from collections.abc import Callable

    from picrules.encoding.columns import Column
    from picrules.encoding.row import Cell
    from picrules.encoding.schema import CategoryFeature, NumberFeature
    from picrules.explain.explanation import Explanation
    from picrules.explain.model import Model


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What the model says about a row, and what it would say if some values were others.

    It is a statement about the model alone, not about what would happen in the world.

    Attributes
    ----------
    before : Explanation
        The prediction for the row as it is.
    after : Explanation
        The prediction for the changed row.
    changes : dict
        The old and the new value of each feature that was given; None is missing.
    notes : tuple of str
        What one should know about the new values, such as a category never seen in training.
    """

    before: Explanation
    after: Explanation
    changes: dict[str, tuple[Cell, Cell]]
    notes: tuple[str, ...] = ()

    @property
    def is_changed(self) -> bool:
        """Whether the predicted class is another one."""
        return self.before.prediction != self.after.prediction

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain values that JSON can hold.

        Returns
        -------
        dict
            See docs/what-if.md for what each entry means.
        """
        return {
            "changes": [
                {"feature": name, "old": to_plain(old), "new": to_plain(new)}
                for name, (old, new) in self.changes.items()
            ],
            "is_changed": self.is_changed,
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        given = join_words([_tell_change(*item) for item in self.changes.items()])
        old, new = (format_value(each.prediction) for each in (self.before, self.after))
        outcome = f"changes from {old} to {new}" if self.is_changed else f"stays {old}"
        lines = [f"With {given}, the prediction {outcome}."]
        if self.before.rule == self.after.rule:
            lines.append(f"The reason is the same: {tell_briefly(self.after)}.")
        else:
            lines.append(f"Before: {tell_briefly(self.before)}.")
            lines.append(f"After: {tell_briefly(self.after)}.")
        return "\n  ".join([*lines, *self.notes])


def merge_changes(changes: Any, values: dict[str, Any]) -> dict[Any, Any]:
    """Put the changes of a dict and of keywords together.

    Parameters
    ----------
    changes : dict or None
        New values by column name.
    values : dict
        More of them.

    Returns
    -------
    dict
        At least one new value.
    """
    if changes is not None and not isinstance(changes, Mapping):
        raise BadParameter(
            f"changes is {show(changes)} ({type(changes).__name__}); a dict from column name to "
            "new value is accepted"
        )
    merged = dict(changes or {})
    for name in values:
        if name in merged:
            raise BadParameter(f"the column {name!r} is given twice; one new value is accepted")
    if not merged and not values:
        raise BadParameter(
            "no new value is given; what_if(row, age=50) or what_if(row, {'age': 50}) is accepted"
        )
    return merged | values


def ask_what_if(
    model: Model,
    columns: list[Column],
    new: dict[Any, Any],
    report: Callable[[float], None] | None = None,
) -> WhatIf:
    """Ask a model about a row with other values.

    Parameters
    ----------
    model : Model
        The fitted estimator.
    columns : list of Column
        The row.
    new : dict
        New values by column name.
    report : callable or None
        Called with the share of the work that was just done.

    Returns
    -------
    WhatIf
        Both predictions.
    """
    features = model.conditions.schema.features
    places = {feature.name: place for place, feature in enumerate(features)}
    changed, changes, notes = list(columns), {}, []
    for name, cell in new.items():
        if name not in places:
            raise BadParameter(f"there is no column {name!r}; the columns are {list_names(places)}")
        place = places[name]
        feature, column = features[place], read_cell(name, cell)
        changed[place] = column
        changes[name] = (plain_cell(feature, columns[place]), plain_cell(feature, column))
        notes += _notes(feature, column, is_used=place in model.places)
    codes = np.concatenate([model.encode(columns), model.encode(changed)], axis=1)
    before, after = model.explain(codes, report)
    return WhatIf(before, after, changes, tuple(notes))


def _notes(feature: CategoryFeature | NumberFeature, column: Column, *, is_used: bool) -> list[str]:
    """Say why a new value may say nothing to the model."""
    name, cell = format_name(feature.name), plain_cell(feature, column)
    if not is_used or feature.n_codes == 0:
        return [f"No rule can speak of {name}: training saw no two values of it."]
    if cell is not None and feature.encode(column)[0] < 0:
        return [f"Training never saw {name} = {format_cell(cell)}, so it satisfies no condition."]
    return []


def _tell_change(name: str, cells: tuple[Cell, Cell]) -> str:
    old, new = map(format_cell, cells)
    instead = "as before" if cells[0] == cells[1] else f"instead of {old}"
    return f"{format_name(name)} = {new} {instead}"
