"""The rules of a report, each once, with its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from picrules.rules.english import to_claim
from picrules.rules.text import format_share
from picrules.scoring.statistics import wilson_interval

if TYPE_CHECKING:
    from picrules.explain.scored_rule import ScoredRule
    from picrules.explain.summary import RuleUse
    from picrules.rules.condition import Condition
    from picrules.rules.rule import Rule
    from picrules.rules.text import Value

# A rule that covers fewer training rows is called weak.
FEW_ROWS = 10

# Digits of the numbers in a report.
DIGITS = 5


class RuleList:
    """The rules and conditions of a report, to which cases refer by their numbers."""

    def __init__(self, classes: list[Value], features: list[str], n_rows: int) -> None:
        self._n_rows = n_rows
        self.label_of = {name: label for label, name in enumerate(classes)}
        self._column_of = {name: column for column, name in enumerate(features)}
        # By rule, and by the classes whose rows were counted: some rules tell two classes apart.
        self._numbers: dict[tuple[Rule, tuple[Value, ...]], int] = {}
        self._condition_numbers: dict[Condition, int] = {}
        self.rules: list[dict[str, Any]] = []
        self.conditions: list[dict[str, Any]] = []

    def add(self, scored: ScoredRule, use: RuleUse | None = None) -> int:
        """Return the number of a rule; list it, with the rows that it decides, if it is new."""
        key = scored.rule, tuple(scored.class_sizes)
        number = self._numbers.setdefault(key, len(self.rules))
        if number == len(self.rules):
            self.rules.append(self._describe(scored, use))
        return number

    def judge(self, number: int, n_right: int) -> None:
        """Write down how many of the rows that a rule decides are right."""
        rule = self.rules[number]
        interval = wilson_interval(n_right, rule["rows"])
        rule["right"] = {"rows": n_right, "interval": [round(end, DIGITS) for end in interval]}

    def _describe(self, scored: ScoredRule, use: RuleUse | None) -> dict[str, Any]:
        # Not by `to_dict`: a p-value for each of thousands of rules takes long and is not shown.
        n_decided = use.n_rows if use else 0
        return {
            "class": self.label_of[scored.rule.label],
            "conditions": [self._condition(condition) for condition in scored.rule.conditions],
            "rows": n_decided,
            "usage": n_decided / self._n_rows if n_decided else 0,
            "confidence": use and use.confidence,
            "cover_size": scored.cover_size,
            "hits": scored.hits,
            # Shares are written as they are: rounded twice, they would read another way.
            **{name: getattr(scored, name) for name in ("precision", "recall", "share")},
            **{name: round(getattr(scored, name), DIGITS) for name in ("score", "lift")},
            "interval": [round(end, DIGITS) for end in scored.interval],
            "counts": [
                [self.label_of[name], count] for name, count in scored.class_counts.items() if count
            ],
            "weak": find_weakness(scored),
            "right": None,
        }

    def _condition(self, condition: Condition) -> int:
        number = self._condition_numbers.setdefault(condition, len(self.conditions))
        if number == len(self.conditions):
            column = self._column_of[condition.feature]
            words = {"text": str(condition), "words": to_claim(condition)}
            self.conditions.append({"column": column, **words})
        return number


def find_weakness(scored: ScoredRule) -> str:
    """Say why a rule should not be trusted much; nothing if there is no such reason."""
    if scored.rule.length == 0:
        return ""
    if scored.cover_size < FEW_ROWS:
        return f"It rests on {scored.cover_size} training rows."
    lower, _ = scored.interval
    if lower <= scored.share:
        counts = f"{scored.hits:,} of {scored.cover_size:,} training rows"
        return f"{counts} could be chance: the share of its class is {format_share(scored.share)}."
    return ""
