"""The table of cases: found, sorted and filtered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from picrules.reports.cases import FLAGS
from picrules.reports.html import Html, join, tag
from picrules.reports.pictures import colour_of
from picrules.rules.text import format_share, format_value, plural
from picrules.web.views.layout import draw_choice, draw_page, draw_table, to_link

if TYPE_CHECKING:
    from picrules.web.desk import Desk
    from picrules.web.finding import Found, Wanted
    from picrules.web.served import Served

SORTS = {
    "row": "row",
    "unsure": "least sure first",
    "sure": "most sure first",
    "prediction": "prediction",
    "rule": "rule",
}
UNDER = {"": "any", "0.6": "under 60%", "0.75": "under 75%", "0.9": "under 90%"}
OUTCOMES = {"": "right or wrong", "right": "right", "wrong": "wrong"}


def draw_cases(desk: Desk, served: Served, wanted: Wanted, found: Found) -> Html:
    """Draw the rows that were found, a page of them."""
    return draw_page(
        desk,
        "/cases",
        f"Cases of {served.table_name}",
        _draw_tools(served, wanted),
        tag(
            "p",
            tag("b", plural(found.n_found, "case")),
            f" of {served.n_rows:,}. ",
            "These rows are like those the model was learned from, which flatters it."
            if served.is_training
            else "",
            role="status",
        ),
        _draw_rule(served, wanted),
        draw_table(
            ["row", "predicted", *(["is"] if served.has_truth else []), served.sureness, "rule"],
            [_draw_line(served, number) for number in found.numbers],
            caption="Cases",
            kind="list",
        ),
        _draw_steps(wanted, found),
    )


def _draw_tools(served: Served, wanted: Wanted) -> Html:
    names = {format_value(name): format_value(name) for name in served.classes}
    flags = {"": "all", **{str(at): flag for at, flag in enumerate(FLAGS)}}
    choices = [
        draw_choice("prediction", "Predicted", wanted.prediction, {"": "any class", **names}),
        draw_choice("under", served.sureness.capitalize(), wanted.under, UNDER),
        draw_choice("flag", "Marked", wanted.flag, flags),
        draw_choice("sort", "Sort by", wanted.sort, SORTS),
    ]
    if served.has_truth:
        choices.insert(2, draw_choice("outcome", "Outcome", wanted.outcome, OUTCOMES))
    rule = tag("input", type="hidden", name="rule", value=wanted.rule) if wanted.rule else ""
    box = tag(
        "input",
        type="search",
        name="q",
        value=wanted.q,
        placeholder="Row number, or words of the rule",
        aria_label="Search by row number or words of the rule",
    )
    return tag(
        "form.tools",
        box,
        *choices,
        rule,
        tag("button", "Find", type="submit"),
        method="get",
        action="/cases",
        role="search",
        data_send="change",
    )


def _draw_rule(served: Served, wanted: Wanted) -> Html:
    if not wanted.rule:
        return Html("")
    rule = served.rules[int(wanted.rule)]
    return tag(
        "p",
        "Only cases of the rule ",
        tag("code", rule["rule"]),
        ". ",
        tag("a", "All rules", href=wanted.to_link(rule="")),
    )


def _draw_line(served: Served, number: int) -> Html:
    told = served.tell(number)
    marks = [tag("span.mark", flag) for flag in told.flags]
    link = tag("a", f"{number:,}", href=to_link("/case", row=number))
    sure = "" if len(served.classes) == 1 else format_share(told.confidence)
    real = [tag("td", _draw_class(served, told.truth), data_name="is")] if served.has_truth else []
    return tag(
        "tr",
        tag("td.number", link),
        tag("td", _draw_class(served, told.prediction), data_name="predicted"),
        *real,
        tag("td.number", sure, data_name=served.sureness),
        tag("td", tag("code", told.rule), tag("div", *marks) if marks else ""),
    )


def _draw_class(served: Served, name: Any) -> Html:
    """Write a class behind a spot of its colour; one that training never saw has none."""
    known = served.classes
    label = known.index(name) if name in known else len(known)
    return tag(f"span.class.{colour_of(label)}", format_value(name))


def _draw_steps(wanted: Wanted, found: Found) -> Html:
    """Draw links to the pages before and after."""
    steps = []
    if found.page > 1:
        steps.append(tag("a", "Previous page", href=wanted.to_link(page=found.page - 1)))
    steps.append(tag("span", f"Page {found.page} of {found.n_pages}"))
    if found.page < found.n_pages:
        steps.append(tag("a", "Next page", href=wanted.to_link(page=found.page + 1)))
    return tag("nav.tools", join(*steps), aria_label="Pages")
