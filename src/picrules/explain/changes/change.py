"""The smallest changes of a row that change its predicted class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from picrules.encoding.row import Cell, format_cell
from picrules.explain.changes.what_if import join_words, tell_briefly
from picrules.explain.tabular import Result, RowResults, Tabular, list_records, take_head, to_plain
from picrules.rules.condition import Condition, Interval
from picrules.rules.text import Value, format_share, format_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from picrules.explain.explanation import Explanation

COLUMNS = (
    "change", "n_changes", "cost", "prediction", "confidence", "rule", "cover_size", "precision",
)  # fmt: skip

_WORDS = ("no", "one", "two", "three")


@dataclass(frozen=True, slots=True, repr=False)
class Change(Result):
    """New values of a few features that change the predicted class of a row.

    Attributes
    ----------
    conditions : tuple of Condition
        What each changed feature must be, in column order: any value that satisfies it has
        this effect.
    values : dict
        A value that does, by feature: the category, or an example of a number or date.
    old_values : dict
        What the row holds; None is missing.
    cost : float
        How far the changed row is from the row, from 0 to 1, each feature times its weight.
    explanation : Explanation
        The prediction for the changed row.
    """

    conditions: tuple[Condition, ...]
    values: dict[str, Cell]
    old_values: dict[str, Cell]
    cost: float
    explanation: Explanation

    @property
    def n_changes(self) -> int:
        """How many features change."""
        return len(self.conditions)

    @property
    def reason(self) -> str:
        """The new conditions as text, each with the value that the row holds."""
        return " and ".join(self._tell(condition) for condition in self.conditions)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; docs/what-if.md says what each entry means."""
        return {
            "changes": [
                {
                    "feature": condition.feature,
                    "condition": str(condition),
                    "old": to_plain(self.old_values[condition.feature]),
                    "new": to_plain(self.values[condition.feature]),
                }
                for condition in self.conditions
            ],
            **self._plain("n_changes", "cost", "explanation"),
        }

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        row = {
            **self.explanation.to_row(),
            "change": " and ".join(map(str, self.conditions)),
            "n_changes": self.n_changes,
            "cost": self.cost,
        }
        return COLUMNS, [{name: row[name] for name in COLUMNS}]

    def _tell(self, condition: Condition) -> str:
        name, now = condition.feature, format_cell(self.old_values[condition.feature])
        example = f"; say {format_cell(self.values[name])}"
        return f"{condition} (now {now}{example if isinstance(condition, Interval) else ''})"

    def __str__(self) -> str:
        return f"{self.reason}: {tell_briefly(self.explanation)}."


@dataclass(frozen=True, slots=True)
class Tried:
    """How many changes of a given number of features were tried."""

    n_changes: int  # how many features change together
    n_tried: int  # changed rows that were predicted
    n_possible: int  # all that there are, those that hold a smaller answer included
    n_found: int  # those that are enough
    is_complete: bool  # whether all were tried that hold no smaller answer


@dataclass(frozen=True, slots=True, repr=False)
class Changes(RowResults[Change], Result):
    """The smallest changes of a row that change its predicted class, smallest first.

    Fewer features come first, then lower costs, then the order of the columns. No part of a
    change is enough alone.

    Attributes
    ----------
    before : Explanation
        The prediction for the row as it is.
    to : category or None
        The class that was asked for, None for any other than now.
    changes : tuple of Change
        The changes.
    levels : tuple of Tried
        What was tried, by the number of features; more features were not needed.
    n_enough : int
        How many changes are enough, of which these are the smallest; where one is given for
        each set of features, how many such sets there are.
    min_confidence : float or None
        The least confidence that was asked for.
    """

    before: Explanation
    to: Value | None
    changes: tuple[Change, ...]
    levels: tuple[Tried, ...]
    n_enough: int
    min_confidence: float | None = None

    @property
    def is_complete(self) -> bool:
        """Whether it is certain that no smaller change was missed."""
        return all(level.is_complete for level in self.levels)

    @property
    def n_tried(self) -> int:
        """How many changed rows were predicted."""
        return sum(level.n_tried for level in self.levels)

    def __len__(self) -> int:
        return len(self.changes)

    def _result(self, row: int) -> Change:
        return self.changes[row]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; docs/what-if.md says what each entry means."""
        return self._plain("before", "to", "min_confidence", "is_complete", "n_tried", "changes")

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        return COLUMNS, list_records(self.changes)[1]

    def __str__(self) -> str:
        lines = [f"Now {tell_briefly(self.before)}."]
        numbered = (f"  {number}. {change}" for number, change in enumerate(self, start=1))
        lines += take_head(numbered, len(self))
        return "\n".join([*lines, *self._tell_levels()])

    _repr_html_ = Tabular._repr_html_

    def _tell_levels(self) -> list[str]:
        """Say what was tried in vain, and what was not tried."""
        if self.to == self.before.prediction and not self.levels:
            return [f"The prediction is {format_value(self.to)} already."]
        if not self.levels and not len(self):
            return ["There is no other class."]
        texts = [self._tell_vain(), self._tell_others()]
        texts += [
            f"Changes of {_count([level.n_changes])} were not all tried "
            f"({level.n_tried:,} of {level.n_possible:,}); others may be enough, and smaller."
            for level in self.levels
            if not level.is_complete
        ]
        return [text for text in texts if text]

    def _tell_vain(self) -> str:
        """Say how many features were not enough, before the first that were."""
        smallest = self[0].n_changes if len(self) else len(_WORDS)
        complete = [level.n_changes for level in self.levels if level.is_complete]
        vain = [n_changes for n_changes in complete if n_changes < smallest]
        goal = "another class" if self.to is None else format_value(self.to)
        if self.min_confidence is not None:
            goal = f"{goal} with a confidence of {format_share(self.min_confidence)} or more"
        return f"No change of {_count(vain)} is enough for {goal}." if vain else ""

    def _tell_others(self) -> str:
        """Say whether there are more answers than are given."""
        n_found = sum(level.n_found for level in self.levels)
        n_more = self.n_enough - len(self)
        if not len(self) or (n_more == 0 and self.levels[-1].n_found):
            beyond = n_found > len(self) and len(self) == self.n_enough
            return "Other values of the same features are enough too." if beyond else ""
        largest = self.levels[-1].n_changes
        which = f"{'up to ' if largest > 1 else ''}{_count([largest])}"
        if n_more:
            noun, verb = ("change", "is") if n_more == 1 else ("changes", "are")
            return f"{n_more:,} more {noun} of {which} {verb} enough."
        return f"No other change of {which} is enough." if self.is_complete else ""


def _count(n_changes: list[int]) -> str:
    """Write how many features in words: `one feature`, `one or two features`."""
    words = join_words([_WORDS[count] for count in n_changes], "or")
    return f"{words} feature{'s' if n_changes != [1] else ''}"
