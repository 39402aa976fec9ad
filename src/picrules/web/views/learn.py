"""The page on which a table is dropped, looked at and learned from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from picrules.reports.html import Html, tag
from picrules.reports.pictures import draw_spread
from picrules.rules.text import format_name, plural
from picrules.web.views.layout import draw_page, draw_table

if TYPE_CHECKING:
    from picrules.web.desk import Desk
    from picrules.web.files import Looked
    from picrules.web.learning import Learner

# Columns that are shown with a picture.
_MOST_COLUMNS = 200


def draw_learn(desk: Desk, learner: Learner) -> Html:
    """Draw what there is: the place to drop a file, the table, the progress."""
    state = "" if learner.fit is None else learner.fit.state
    fit = tag("div", role="status", id="fit", data_state=state)
    return draw_page(
        desk,
        "/learn",
        "Learn from a table",
        tag(
            "label.drop",
            "Drop a CSV, Parquet, Feather or JSON lines file here, or choose one: ",
            tag("input", type="file", id="file"),
            id="drop",
        ),
        tag("div", role="status", id="upload"),
        fit if learner.looked is None else _draw_table(learner.looked, fit),
    )


def _draw_table(looked: Looked, fit: Html) -> Html:
    names = list(looked.kinds)
    options = [tag("option", name, value=name, selected=name == names[-1]) for name in names]
    target = tag("label", "The column of the classes ", tag("select", *options, name="target"))
    lines = [_draw_column(looked, name) for name in names[:_MOST_COLUMNS]]
    rest = len(names) - len(lines)
    return tag(
        "form.learn",
        tag("h2", f"{looked.name}: {plural(looked.n_rows, 'row')}"),
        tag("div.tools", target, tag("button", "Learn", type="submit")),
        fit,
        draw_table(
            ["use", "column", "kind", "missing", "rows"], lines, caption="Columns", kind="list"
        ),
        tag("p.dim", f"{plural(rest, 'more column')} not shown here, but used.") if rest else "",
    )


def _draw_column(looked: Looked, name: str) -> Html:
    shown = format_name(name)
    return tag(
        "tr",
        tag(
            "td",
            tag(
                "input",
                type="checkbox",
                name="use",
                value=name,
                checked=True,
                aria_label=f"use {shown}",
            ),
        ),
        tag("th", shown, scope="row"),
        tag("td", looked.kinds[name], data_name="kind"),
        tag("td.number", f"{looked.n_missing[name]:,}", data_name="missing"),
        tag("td", draw_spread(looked.pictures[name], f"How the rows are spread over {shown}")),
    )
