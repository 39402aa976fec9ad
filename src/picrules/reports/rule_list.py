"""The rules of a report, each once, with its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from picrules.explain.scored_rule import ScoredRule

if TYPE_CHECKING:
    from picrules.rules.condition import Condition
    from picrules.rules.rule import Rule
    from picrules.rules.text import Value

# A rule that covers fewer training rows is called weak.
FEW_ROWS = 10

# Digits of the numbers in a report.
DIGITS = 5


class RuleList:
    """Rules by number, so that cases can refer to them.

    Parameters
    ----------
    classes : list
        The classes.
    features : list of str
        The names of the features.
    n_rows : int
        How many rows the table has.
    """

    def __init__(self, classes: list[Value], features: list[str], n_rows: int) -> None:
        self._n_rows = n_rows
        self._label_of = {name: label for label, name in enumerate(classes)}
        self._place_of = {name: place for place, name in enumerate(features)}
        self._numbers: dict[Rule, int] = {}
        self._condition_numbers: dict[Condition, int] = {}
        self.rules: list[dict[str, Any]] = []
        self.conditions: list[dict[str, Any]] = []

    def add(self, scored: ScoredRule, n_rows: int = 0) -> int:
        """Return the number of a rule, after listing it if it is new.

        Parameters
        ----------
        scored : ScoredRule
            The rule and its numbers.
        n_rows : int
            How many rows of the table it decides.

        Returns
        -------
        int
            Its position in `rules`.
        """
        number = self._numbers.setdefault(scored.rule, len(self.rules))
        if number == len(self.rules):
            self.rules.append(self._describe(scored))
        if n_rows:
            self.rules[number].update(rows=n_rows, usage=round(n_rows / self._n_rows, DIGITS))
        return number

    def _describe(self, scored: ScoredRule) -> dict[str, Any]:
        # Not that of an explanation, which looks for other rules and for rows.
        content = ScoredRule.to_dict(scored)
        measures = ("score", "precision", "recall", "lift", "share")
        return {
            "class": self._label_of[scored.rule.label],
            "conditions": [self._condition(condition) for condition in scored.rule.conditions],
            "rows": 0,
            "usage": 0,
            "cover_size": content["cover_size"],
            "hits": content["hits"],
            **{name: round(content[name], DIGITS) for name in measures},
            "interval": [round(end, DIGITS) for end in content["interval"]],
            "counts": [
                [self._label_of[entry["class"]], entry["count"]]
                for entry in content["classes"]
                if entry["count"]
            ],
            "weak": find_weakness(scored),
        }

    def _condition(self, condition: Condition) -> int:
        number = self._condition_numbers.setdefault(condition, len(self.conditions))
        if number == len(self.conditions):
            place = self._place_of[condition.feature]
            self.conditions.append({"column": place, "text": str(condition)})
        return number


def find_weakness(scored: ScoredRule) -> str:
    """Say why a rule should not be trusted much; nothing if there is no such reason.

    Parameters
    ----------
    scored : ScoredRule
        The rule and its numbers.

    Returns
    -------
    str
        A sentence, or an empty text.
    """
    lower, _ = scored.interval
    if scored.rule.length == 0:
        return ""
    if scored.cover_size < FEW_ROWS:
        return f"It rests on {scored.cover_size} training rows."
    if lower <= scored.share:
        return (
            f"Its precision may be no higher than the share of its class: the interval begins at "
            f"{lower:.1%}, the share is {scored.share:.1%}."
        )
    return ""
