"""The case view: the decision, its reason, and what else there is to know."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from picrules.encoding.schema import CategoryFeature
from picrules.explain.changes.what_if import tell_briefly
from picrules.explain.distribution import to_card
from picrules.reports.card import draw_bare_card
from picrules.reports.html import Html, join, tag
from picrules.rules.text import format_bound, format_name, format_value, plural
from picrules.web.rows import to_text
from picrules.web.served import FIRST_ROW
from picrules.web.views.layout import draw_page, draw_table, to_link

if TYPE_CHECKING:
    from collections.abc import Mapping

    from picrules.encoding.schema import Feature
    from picrules.explain.changes.change import Change, Changes
    from picrules.explain.explanation import Explanation
    from picrules.web.desk import Desk
    from picrules.web.rows import Cells
    from picrules.web.served import Served

# Covered training rows, and categories, that are listed.
_ROWS_SHOWN = 20
_MOST_OPTIONS = 200
# Names and values with more letters have a line of their own.
_LONG = 28


@dataclass(frozen=True, slots=True)
class Case:
    """A row of the table or a new one, and the values that were given for it."""

    served: Served
    number: int | None  # of the row of the table
    given: dict[str, Any]  # cells that are not those of the row

    @property
    def cells(self) -> Cells:
        """All cells, in column order."""
        names = self.served.reader.names
        own = [None] * len(names) if self.number is None else self.served.cells_of(self.number)
        return [self.given.get(name, cell) for name, cell in zip(names, own, strict=True)]

    def to_link(self, path: str = "/case", change: Mapping[str, Any] | None = None) -> str:
        """Return the address of this case, with further values."""
        given = {
            f"v.{name}": to_text(cell) for name, cell in {**self.given, **(change or {})}.items()
        }
        row = {} if self.number is None else {"row": self.number}
        return f"{path}?{urlencode(row | given)}"

    @property
    def title(self) -> str:
        """What the case is called."""
        if self.number is None:
            return "New case"
        return f"Row {self.number:,}" + (" with changes" if self.given else "")


@dataclass(frozen=True, slots=True)
class Drawn:
    """The parts of an answer that are drawn in the thread that searched."""

    answer: Html
    prediction: Any


def draw_answer(case: Case, explanation: Explanation) -> Drawn:
    """Draw what is known about a case at once."""
    content = to_card(explanation)
    if explanation.has_evidence and explanation.evidence.has_order:
        for near in content["nearest"]:
            near["row"] += FIRST_ROW  # as everywhere on the pages
    answer = join(
        tag("p.words", explanation.rule.to_english()),
        draw_bare_card(content),
        _draw_top(content["top"]),
        _draw_evidence(case.served, explanation),
        _draw_copies(explanation),
    )
    return Drawn(answer, explanation.prediction)


def draw_case(desk: Desk, case: Case, drawn: Drawn, logged: int | None) -> Html:
    """Draw the page of a case."""
    return draw_page(
        desk,
        "/case" if case.number is None else "/cases",
        case.title,
        _draw_steps(case),
        _draw_about(case),
        tag(
            "div.case",
            tag("div", drawn.answer, _draw_more(case), id="answer"),
            tag(
                "div",
                _draw_decision(desk, case, drawn.prediction, logged),
                _draw_form(case),
                id="values",
            ),
        ),
    )


def _draw_steps(case: Case) -> Html:
    links = []
    if case.number is not None:
        if case.number > 1:
            links.append(
                tag("a", "Previous", href=to_link("/case", row=case.number - 1), rel="prev")
            )
        if case.number < case.served.n_rows:
            links.append(tag("a", "Next", href=to_link("/case", row=case.number + 1), rel="next"))
        if case.given:
            links.append(tag("a", "The row as it is", href=to_link("/case", row=case.number)))
    links.append(tag("button", "Print", type="button", data_do="print"))
    return tag("nav.tools", *links, aria_label="This case")


def _draw_about(case: Case) -> Html:
    """Say what the class of a row is; on paper also of which model and table the page is."""
    served, when = case.served, datetime.now(UTC)
    table = f"; table {served.table_name}" if case.number is not None else ""
    source = f"Model {served.name}, fingerprint {served.fingerprint[:16]}{table}; asked on "
    return join(_draw_truth(case), tag("p.printed", f"{source}{when:%Y-%m-%d %H:%M} UTC."))


def _draw_truth(case: Case) -> Html:
    if case.number is None or not case.served.has_truth:
        return Html("")
    return tag("p", "Its class is ", tag("b", format_value(case.served.truth_of(case.number))), ".")


def _draw_form(case: Case) -> Html:
    """Draw a form made from the schema, with the values of the case."""
    fields = [
        _draw_field(feature, cell, is_changed=feature.name in case.given)
        for feature, cell in zip(case.served.reader.features, case.cells, strict=True)
    ]
    row = tag("input", type="hidden", name="row", value=case.number) if case.number else ""
    return tag(
        "form.values",
        tag("h2", "Values"),
        row,
        tag(
            "p.dim",
            "Change a value to see what the model would say. Empty is missing. Rules cut a number "
            "at the values below its field, or between them.",
        ),
        *fields,
        tag("button", "Ask", type="submit"),
        method="get",
        action="/case",
        data_live="yes",
    )


def _draw_field(feature: Feature, cell: Any, *, is_changed: bool) -> Html:
    name, text = f"v.{feature.name}", to_text(cell)
    label = tag("span", format_name(feature.name))
    if isinstance(feature, CategoryFeature) and len(feature.categories) <= _MOST_OPTIONS:
        known = [to_text(value) for value in feature.categories]
        unseen = [] if text in ("", *known) else [text]
        options = [
            tag("option", value or "missing", value=value, selected=value == text)
            for value in ["", *known, *unseen]
        ]
        box = tag("select", *options, name=name, data_was=text)
    else:
        box = tag(
            "input",
            name=name,
            value=text,
            autocomplete="off",
            data_was=text,
            inputmode="decimal" if feature.kind == "number" else None,
            placeholder="missing",
        )
    is_long = max(len(feature.name), len(text)) > _LONG
    kind = "label" + ".changed" * is_changed + ".long" * is_long
    # On paper a long text stands beside its field, which would cut it off.
    printed = tag("span.printed", text or "missing") if is_long else ""
    return tag(kind, label, box, printed, _draw_range(feature))


def _draw_range(feature: Feature) -> Html:
    """Say between which cuts a number lies, which is what the model can tell apart."""
    cuts = getattr(feature, "cuts", ())
    if not cuts:
        return Html("")
    first, last = feature.condition(0), feature.condition(feature.n_codes - 1)
    ends = format_bound(first.upper), format_bound(last.lower)  # type: ignore[attr-defined]
    return tag(
        "span.dim.range", "cut at {}".format(ends[0] if len(cuts) == 1 else " … ".join(ends))
    )


def _draw_top(rules: list[dict[str, Any]]) -> Html:
    if not rules:
        return Html("")
    lines = [
        tag(
            "tr",
            tag("td", tag("code", rule["rule"])),
            tag("td.number", f"{rule['hits']:,} of {rule['cover_size']:,}"),
            tag("td.number", f"{rule['score']:.3f}"),
        )
        for rule in rules
    ]
    table = draw_table(
        ["rule", "training rows", "score"], lines, caption="The best rules for this case"
    )
    return tag(
        "details", tag("summary", "Alternatives: the best rules, whatever their class"), table
    )


def _draw_evidence(served: Served, explanation: Explanation) -> Html:
    if not explanation.has_evidence:
        return Html("")
    evidence = explanation.evidence
    lines = [
        tag(
            "tr.yes" if entry["agrees"] else "tr.no",
            _draw_number(served, entry["row"]) if evidence.has_order else "",
            tag("td", format_value(entry["class"])),
            tag("td.number", f"{entry['distance']:.2f}"),
        )
        for entry in evidence.to_dicts(_ROWS_SHOWN)
    ]
    shown = min(len(evidence.rows), _ROWS_SHOWN)
    caption = f"The nearest {shown} of {plural(len(evidence.rows), 'training row')} like this"
    heads = [*(["training row"] if evidence.has_order else []), "class", "distance"]
    table = draw_table(heads, lines, caption=caption)
    return tag("details", tag("summary", "The training rows behind the rule"), table)


def _draw_number(served: Served, row: int) -> Html:
    """Draw the number of a training row: a link, if the table is that which was learned from."""
    number = row + FIRST_ROW
    if served.asked is not None and served.is_training and number <= served.n_rows:
        return tag("td.number", tag("a", f"{number:,}", href=to_link("/case", row=number)))
    return tag("td.number", f"{number:,}")


def _draw_copies(explanation: Explanation) -> Html:
    texts = {
        "text": str(explanation),
        "JSON": explanation.to_json(),
        "SQL": explanation.rule.to_sql(),
    }
    boxes = [
        join(
            tag(
                "button", f"Copy as {name}", type="button", data_do="copy", data_from=f"copy-{name}"
            ),
            tag("textarea", text, id=f"copy-{name}", hidden=True, readonly=True, aria_label=name),
        )
        for name, text in texts.items()
    ]
    return tag("div.tools.copies", *boxes, tag("span", role="status"))


_QUESTIONS = {
    "changes": "What would change the decision?",
    "chance": "Could the rule be chance?",
    "stability": "Would other training rows say the same?",
}


def _draw_more(case: Case) -> Html:
    """Draw the questions that need more searching, each answered on request."""
    parts = [
        tag(
            "section.more",
            tag(
                "button",
                title,
                type="button",
                data_do="ask",
                data_from=case.to_link(f"/case/{name}"),
            ),
            tag("div", role="status"),
            id=name,
        )
        for name, title in _QUESTIONS.items()
        if name == "changes" or case.served.has_rows
    ]
    return join(*parts)


def draw_changes(case: Case, changes: Changes) -> Html:
    """Draw the smallest changes; each can be tried."""
    lines = [_draw_change(case, change) for change in changes]
    told = [
        tag("p", line) for line in str(changes).splitlines() if not line.startswith((" ", "Now "))
    ]
    note = tag(
        "p.dim", "What the model would say of another row; not what would happen to the person."
    )
    return join(tag("ol.changes", *lines) if lines else "", *told, note)


def _draw_change(case: Case, change: Change) -> Html:
    link = tag("a", "Try it", href=case.to_link(change=change.values), data_swap="yes")
    return tag(
        "li",
        tag("code", change.reason),
        f": {tell_briefly(change.explanation)}. ",
        link,
    )


def draw_text(text: str) -> Html:
    """Draw what an answer of the library says; lines that are too long go on further right."""
    return tag("pre.told", *(tag("span", line) for line in text.splitlines(keepends=True)))


def _draw_decision(desk: Desk, case: Case, prediction: Any, logged: int | None) -> Html:
    """Draw the form by which a person agrees or overrules."""
    if desk.log is None or logged is None:
        return Html("")
    choices = [
        tag(
            "label",
            tag("input", type="radio", name="decision", value=at, checked=name == prediction),
            format_value(name) + (" (agree)" if name == prediction else " (overrule)"),
        )
        for at, name in enumerate(case.served.classes)
    ]
    note = tag("label", "Note ", tag("textarea", name="note", rows="2", maxlength="10000"))
    return tag(
        "form.decision",
        tag("h2", "Your decision"),
        tag("fieldset", tag("legend", "The class is"), *choices),
        note,
        tag("button", "Keep the decision", type="submit"),
        tag("p", role="status"),
        data_answer=logged,
        data_classes=json.dumps(case.served.classes),
    )
