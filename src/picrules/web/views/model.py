"""The rules view and the model view: drawn by the scripts of the report, from its content."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from picrules.reports.html import Html, join, tag
from picrules.reports.page import to_page, to_script_json
from picrules.rules.text import format_bound, format_name, format_value, plural
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
        parts.append(_describe(served.describe()))
    if desk.learner is not None:
        parts.insert(
            1,
            tag("p", tag("a.button", "Download the model file", href="/model.pic", download=True)),
        )
    return draw_page(desk, "/model", f"Model {served.name}", *parts, scripts=("report.js",))


_PARTS = {"accuracy": "Accuracy", "warnings": "What is doubtful", "model": "Data and settings"}


def _hold(content: dict[str, Any]) -> Html:
    """Put the content of a report into the page, where its scripts look for it."""
    return tag(
        "script", Html(to_script_json(to_page(content))), type="application/json", id="content"
    )


def _describe(told: dict[str, Any]) -> Html:
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
        tag("p", f"{told['estimator']}, learned from {plural(told['rows'], 'row')}."),
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
