"""A rule in plain English."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from picrules.rules.condition import (
    Category,
    Condition,
    Exclusion,
    Interval,
    has_dates,
    has_texts,
)
from picrules.rules.text import Value, format_bound, format_value, is_open

if TYPE_CHECKING:
    from picrules.rules.rule import Rule

# Signs and words that could be taken for a part of the sentence.
_UNCLEAR = re.compile(r"[,.;:]\s|[,.;:]$|\b(?:above|and|at most|if|is|known|no|not|or|over|then)\b")


def to_english(rule: Rule) -> str:
    """Write a rule as a plain sentence: see `Rule.to_english`."""
    label = _value(rule.label)
    if not rule.conditions:
        return f"No rule applies; the most frequent class is {label}."
    claims = ", and ".join(map(to_claim, rule.conditions))
    return f"If {claims}, then {label}."


def to_claim(condition: Condition) -> str:
    """Write a condition as a part of a sentence."""
    name = _text(condition.feature)
    if isinstance(condition, Interval):
        return f"{name} is {_range(condition)}"
    if isinstance(condition, Exclusion):
        return f"{name} is not {_value(condition.value)}"
    assert isinstance(condition, Category)
    *others, last = map(_value, condition.values)
    return f"{name} is {', '.join(others)} or {last}" if others else f"{name} is {last}"


def _range(interval: Interval) -> str:
    over, at_most = ("after", "no later than") if has_dates(interval) else ("over", "at most")
    over = "above" if has_texts(interval) else over
    ends = [
        f"{word} {_text(end) if isinstance(end, str) else format_bound(end).replace('T', ' ')}"
        for word, end in ((over, interval.lower), (at_most, interval.upper))
        if not is_open(end)
    ]
    return " and ".join(ends) or "known"


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return _text(value) if isinstance(value, str) else format_value(value)


def _text(text: str) -> str:
    """Write a text bare unless it could be misread; "true" in quotes is not the boolean."""
    is_unclear = _UNCLEAR.search(text) or text in ("true", "false")
    return json.dumps(text, ensure_ascii=False) if is_unclear else format_value(text)
