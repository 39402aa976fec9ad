"""A rule: conditions on different features, and the class they predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from picrules.rules.text import Value, format_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from picrules.rules.condition import Condition

EMPTY_RULE_TEXT = "no rule; the most frequent class is"


@dataclass(frozen=True, slots=True)
class Rule:
    """A conjunction of conditions on different features, and the class it predicts.

    Rules are values: equal rules are equal and hash alike. `str(rule)` reads like a
    sentence, and `parse_rule` turns it back into an equal rule. A rule without conditions
    is what a row gets that no other rule covers.

    Examples
    --------
    >>> from picrules import Category, Interval, Rule
    >>> foul, small = Category("odor", ("foul",)), Interval("height", -float("inf"), 4.5)
    >>> str(Rule((foul, small), "poisonous"))
    'if odor = foul and height <= 4.5 then poisonous'
    """

    conditions: tuple[Condition, ...]
    label: Value

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
