"""The decisions view: how often people overrule which rules."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from picrules.reports.html import Html, tag
from picrules.rules.text import format_value, plural
from picrules.web.views.layout import draw_page, draw_table

if TYPE_CHECKING:
    from picrules.web.desk import Desk
    from picrules.web.log import RuleDecisions


def draw_decisions(desk: Desk, by_rule: list[RuleDecisions], recent: list[tuple[Any, ...]]) -> Html:
    """Draw what people decided, by rule and lately."""
    rules = [
        tag(
            "tr",
            tag("td.number", f"{rule.n_overruled:,} of {rule.n_decided:,}"),
            tag("td", tag("code", rule.rule)),
        )
        for rule in by_rule
    ]
    lines = [
        tag(
            "tr.no" if is_overruled else "tr",
            tag("td.number", f"{datetime.fromisoformat(time):%Y-%m-%d %H:%M}"),
            tag("td", format_value(prediction), data_name="predicted"),
            tag("td", format_value(decision), data_name="decided"),
            tag("td.note", note, data_name="note" if note else None),
            tag("td", tag("code", rule)),
        )
        for time, prediction, rule, decision, is_overruled, note in recent
    ]
    n_overruled = sum(rule.n_overruled for rule in by_rule)
    n_decided = sum(rule.n_decided for rule in by_rule)
    return draw_page(
        desk,
        "/decisions",
        "Decisions",
        tag(
            "p",
            f"{plural(n_decided, 'decision')}, of which {n_overruled:,} overruled the model. ",
            tag("a", "All answers and decisions as CSV", href="/api/decisions.csv", download=True),
        ),
        tag("h2", "By rule, the most overruled first"),
        draw_table(["overruled", "rule"], rules, caption="By rule", kind="list"),
        tag("h2", "The last decisions"),
        draw_table(
            ["time (UTC)", "predicted", "decided", "note", "rule"],
            lines,
            caption="The last decisions",
            kind="list decisions",
        ),
    )
