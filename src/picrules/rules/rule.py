"""A rule: conditions on different features, and the class they predict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from picrules.errors import BadRule
from picrules.rules.condition import Condition
from picrules.rules.text import Value, format_value, show
from picrules.rules.values import to_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

EMPTY_RULE_TEXT = "no rule; the most frequent class is"


@dataclass(frozen=True, slots=True)
class Rule:
    """A conjunction of conditions on different features, and the class it predicts.

    Rules are values: rules with the same class and the same conditions, in any order, are
    equal and hash alike. `str(rule)` reads like a sentence, with the conditions in the order
    given, and `parse_rule` turns it back into an equal rule. A rule without conditions is
    what a row gets that no other rule covers.

    Examples
    --------
    >>> from picrules import Category, Interval, Rule
    >>> foul, small = Category("odor", ("foul",)), Interval("height", -float("inf"), 4.5)
    >>> str(Rule((foul, small), "poisonous"))
    'if odor = foul and height <= 4.5 then poisonous'
    """

    conditions: tuple[Condition, ...]
    label: Value

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", _to_conditions(self.conditions))
        object.__setattr__(self, "label", to_value(self.label, "the class of a rule"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rule):
            return NotImplemented
        same_label = self.label == other.label
        return same_label and frozenset(self.conditions) == frozenset(other.conditions)

    def __hash__(self) -> int:
        return hash((frozenset(self.conditions), self.label))

    @property
    def length(self) -> int:
        """The number of conditions."""
        return len(self.conditions)

    def covers(self, columns: Mapping[str, ArrayLike], n_rows: int) -> NDArray[np.bool_]:
        """Tell which of `n_rows` rows, given column by column, satisfy all conditions."""
        covered = np.ones(n_rows, np.bool_)
        for condition in self.conditions:
            covered &= condition.covers(columns[condition.feature])
        return covered

    def __str__(self) -> str:
        if not self.conditions:
            return f"{EMPTY_RULE_TEXT} {format_value(self.label)}"
        return f"if {self.reason} then {format_value(self.label)}"

    @property
    def reason(self) -> str:
        """The conditions as text, joined by `and`."""
        return " and ".join(str(condition) for condition in self.conditions)


def _to_conditions(conditions: object) -> tuple[Condition, ...]:
    if not isinstance(conditions, Iterable):
        raise BadRule(
            f"the conditions of a rule are {show(conditions)}, which is not a tuple; "
            "write (CONDITION,) for one condition"
        )
    checked = tuple(conditions)
    for condition in checked:
        if not isinstance(condition, Condition):
            raise BadRule(
                f"a condition of a rule is {show(condition)} ({type(condition).__name__}); "
                "a Category, an Exclusion or an Interval is accepted"
            )
    features = [condition.feature for condition in checked]
    if len(set(features)) < len(features):
        twice = next(name for name in features if features.count(name) > 1)
        raise BadRule(f"a rule has two conditions on one feature, {twice!r}; one is accepted")
    return checked
