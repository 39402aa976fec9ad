"""What the model would say if some values of a row were others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from picrules.encoding.columns import Kind
from picrules.encoding.row import Cell, format_cell, plain_cell, read_cell
from picrules.encoding.tables import to_column_name
from picrules.errors import BadParameter
from picrules.explain.explanations import Explanations
from picrules.explain.tabular import Result, to_plain
from picrules.explain.trust import tell_class
from picrules.rules.text import format_name, format_share, format_value, list_names, plural, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from picrules.encoding.columns import Column
    from picrules.explain.explanation import Explanation
    from picrules.model.model import Model
    from picrules.model.searcher import Report


@dataclass(frozen=True, slots=True, repr=False)
class WhatIf(Result):
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
        """Return plain values for JSON; docs/what-if.md says what each entry means."""
        return {
            "changes": [
                {"feature": name, "old": to_plain(old), "new": to_plain(new)}
                for name, (old, new) in self.changes.items()
            ],
            **self._plain("is_changed", "before", "after", "notes"),
        }

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        both = {"before": self.before, "after": self.after}
        rows = [{"when": when, **each.to_row()} for when, each in both.items()]
        return rows[0], rows

    def __str__(self) -> str:
        given = join_words([_tell_change(*item) for item in self.changes.items()])
        old, new = (format_value(each.prediction) for each in (self.before, self.after))
        outcome = f"changes from {old} to {new}" if self.is_changed else f"stays {old}"
        lines = [f"With {given}, the prediction {outcome}{self._tell_confidences()}."]
        if self.before.rule == self.after.rule:
            same = "The reason" if self.after.n_rules == 1 else "The first rule"
            lines.append(f"{same} is the same: {tell_briefly(self.after)}.")
        else:
            lines.append(f"Before: {tell_briefly(self.before)}.")
            lines.append(f"After: {tell_briefly(self.after)}.")
        return "\n  ".join([*lines, *self.notes])

    def _tell_confidences(self) -> str:
        """Say how sure the predictions are; nothing where that is not known."""
        known = (self.before.confidence, self.after.confidence)
        if None in known:
            return ""
        old, new = (format_share(each) for each in known if each is not None)
        return f"; its confidence {f'stays {old}' if old == new else f'goes from {old} to {new}'}"


def merge_changes(changes: Any, values: dict[str, Any]) -> dict[Any, Any]:
    """Put the new values of a dict (or None) and of keywords together: at least one."""
    if changes is not None and not isinstance(changes, Mapping):
        raise BadParameter(
            f"changes is {show(changes)} ({type(changes).__name__}); a dict from column name to "
            "new value is accepted"
        )
    merged = {to_column_name(name): value for name, value in (changes or {}).items()}
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
    report: Report | None = None,
) -> WhatIf:
    """Ask a model about a row, and about the row with new values by column name."""
    features = model.conditions.schema.features
    positions = {feature.name: position for position, feature in enumerate(features)}
    used = {feature.name for feature in model.features if feature.n_codes}
    changed, changes, notes = list(columns), {}, []
    for name, cell in new.items():
        if name not in positions:
            known = list_names(positions)
            raise BadParameter(f"there is no column {name!r}; the columns are {known}")
        position = positions[name]
        feature = features[position]
        column = read_cell(name, _read_date(cell) if feature.kind is Kind.DATE else cell)
        changed[position] = column
        shown, value = format_name(name), plain_cell(feature, column)
        changes[name] = (plain_cell(feature, columns[position]), value)
        if name not in used:
            notes.append(f"No rule can speak of {shown}: training saw no two values of it.")
        elif value is not None and feature.encode(column)[0] < 0:
            claim = f"{shown} = {format_cell(value)}"
            notes.append(f"Training never saw {claim}, so it satisfies no condition.")
    before, after = (
        Explanations.of(model, model.encode(each), report, cells=each)[0]
        for each in (columns, changed)
    )
    return WhatIf(before, after, changes, tuple(notes))


def _read_date(cell: Any) -> Any:
    """Return the moment that a text such as rules print stands for; all else as it is."""
    if not isinstance(cell, str):
        return cell
    try:
        return datetime.fromisoformat(cell)
    except ValueError:
        return cell  # refused where it is read


def tell_briefly(explanation: Explanation) -> str:
    """Say what is predicted, how sure, why, and on how many training rows; no full stop."""
    name = tell_class(format_value(explanation.prediction), explanation.confidence)
    if explanation.rule.length == 0:
        if explanation.n_rules == 1 and explanation.alike is None and explanation.is_learned:
            return f"{name}, the most frequent class, because no rule covers this row"
        return f"{name}: {explanation.tell_no_rule()}"
    counts = f"{explanation.hits} of {explanation.cover_size} training rows like this"
    others = plural(explanation.n_rules - 1, "more rule") if explanation.n_rules > 1 else ""
    return f"{name}, because {explanation.rule.reason} ({counts}{others and f'; {others}'})"


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Join words as in a sentence: `a`, `a and b`, `a, b and c`."""
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end


def _tell_change(name: str, cells: tuple[Cell, Cell]) -> str:
    old, new = map(format_cell, cells)
    instead = "as before" if cells[0] == cells[1] else f"instead of {old}"
    return f"{format_name(name)} = {new} {instead}"
