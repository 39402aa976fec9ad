"""The rules view and the model view: drawn by the scripts of the report, from its content."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from picrules.explain.scorecard import tell_members
from picrules.reports.html import Html, join, tag
from picrules.reports.page import to_page, to_script_json
from picrules.rules.text import format_bound, format_name, format_share, format_value, plural
from picrules.web.views.layout import draw_page, draw_table

if TYPE_CHECKING:
    from picrules.web.desk import Desk
    from picrules.web.served import Served

_SHOWN = 8


def draw_rules(desk: Desk, served: Served) -> Html:
    """Draw the rules in use; a click on one leads to its cases."""
    return draw_page(
        desk,
        "/rules",
        f"Rules in use on {served.table_name}",
        tag(
            "p.dim",
            f"{plural(len(served.rules), 'rule')} for {plural(served.n_rows, 'row')}. "
            "A click on a rule shows its cases.",
        ),
        tag("section", id="rules"),
        _hold(served.content),
        scripts=("report.js",),
    )


def draw_model(desk: Desk, served: Served) -> Html:
    """Draw what the model is, how good it is, and what is doubtful."""
    parts: list[Html] = [tag("p.dim", f"Fingerprint {served.fingerprint}")]
    if desk.trouble:
        parts.append(tag("p", tag("span.mark", "trouble"), desk.trouble))
    if served.asked is not None:
        for name, title in _PARTS.items():
            parts.append(tag("section", tag("h2", title), id=name))
        parts.append(_hold(served.content))
    else:
        parts.append(_describe(type(served.clf).__name__, served.describe()))
    if desk.learner is not None:
        parts.insert(
            1,
            tag("p", tag("a.button", "Download the model file", href="/model.pic", download=True)),
        )
    scripts = () if served.asked is None else ("report.js",)
    return draw_page(desk, "/model", f"Model {served.name}", *parts, scripts=scripts)


_PARTS = {"accuracy": "Accuracy", "warnings": "What is doubtful", "model": "Data and settings"}


def _hold(content: dict[str, Any]) -> Html:
    """Put the content of a report into the page, where its scripts look for it."""
    return tag(
        "script", Html(to_script_json(to_page(content))), type="application/json", id="content"
    )


def _tell_score(told: dict[str, Any]) -> str:
    """Say how good the model is by leave-one-out; nothing where nobody knows."""
    name, in_use = told["parameters"].get("scoring"), told["in_use"]
    if name not in ("accuracy", "balanced_accuracy") or not in_use or len(told["classes"]) == 1:
        return ""
    return f"By leave-one-out, its {name.replace('_', ' ')} is {format_share(in_use['score'])}."


def _describe(kind: str, told: dict[str, Any]) -> Html:
    """Describe a model without a table."""
    classes = [
        tag("tr", tag("td", format_value(entry["class"])), tag("td.number", f"{entry['rows']:,}"))
        for entry in told["classes"]
    ]
    columns = [
        tag(
            "tr",
            tag("td", format_name(one["name"])),
            tag("td", one["kind"]),
            tag("td", _tell_values(one)),
        )
        for one in told["features"]
    ]
    settings = [
        tag("tr", tag("td", name), tag("td", json.dumps(value, default=str)))
        for name, value in {**told["parameters"], **(told["in_use"] or {})}.items()
    ]
    return join(
        tag(
            "p",
            f"{kind}, learned from {plural(told['rows'], 'row')}. "
            f"What decides: {tell_members(told['decided_by'])}. {_tell_score(told)}",
        ),
        tag(
            "p.dim",
            "With a table (--data) this page has accuracy and calibration on it, and what "
            "is doubtful.",
        ),
        draw_table(["class", "training rows"], classes, caption="Classes"),
        draw_table(["column", "kind", "in training"], columns, caption="Columns"),
        tag(
            "details",
            tag("summary", "Settings"),
            draw_table(["setting", "value"], settings, caption="Settings"),
        ),
    )


def _tell_values(feature: dict[str, Any]) -> str:
    values = feature.get("categories", feature.get("cuts", []))
    texts = [
        value
        if isinstance(value, str)
        else format_bound(value)
        if isinstance(value, float)
        else format_value(value)
        for value in values[:_SHOWN]
    ]
    more = f", ... ({len(values)} in all)" if len(values) > _SHOWN else ""
    return ("" if "categories" in feature else "cut at ") + ", ".join(texts) + more
