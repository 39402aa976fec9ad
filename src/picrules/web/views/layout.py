"""What all pages share: the frame, links and small pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from picrules.reports.html import Html, join, tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from picrules.web.desk import Desk

_NAMES = {
    "/cases": "Cases",
    "/case": "New case",
    "/rules": "Rules",
    "/model": "Model",
    "/decisions": "Decisions",
    "/learn": "Learn",
}


def draw_page(
    desk: Desk, path: str, title: str, *contents: object, scripts: Iterable[str] = ()
) -> Html:
    """Draw a page; `path` is that of the link that leads to it."""
    links = [
        tag("a", name, href=to, aria_current="page" if to == path else None)
        for to, name in _NAMES.items()
        if to in find_paths(desk)
    ]
    about = desk.served.name if desk.served is not None else "no model yet"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{title} - picrules"),
        tag("link", rel="icon", href="/static/icon.svg"),
        tag("link", rel="stylesheet", href="/static/app.css"),
        *(tag("script", src=f"/static/{name}", defer=True) for name in ("app.js", *scripts)),
    )
    body = tag(
        "body",
        tag("a.skip", "To the content", href="#main"),
        tag(
            "header.top",
            tag("a.brand", "picrules", href="/"),
            tag("span.dim", about),
            tag("nav", *links, aria_label="Views"),
        ),
        tag("main", tag("h1", title), *contents, id="main", tabindex="-1"),
    )
    return join(Html("<!doctype html>\n"), tag("html", head, body, lang="en"))


def find_paths(desk: Desk) -> set[str]:
    """Return the paths of the views that there are now."""
    paths = {"/learn"} if desk.learner is not None else set()
    if desk.served is not None:
        paths |= {"/case", "/model"}
        paths |= {"/cases", "/rules"} if desk.served.asked is not None else set()
        paths |= {"/decisions"} if desk.log is not None else set()
    return paths


def to_link(path: str, **query: Any) -> str:
    """Return an address on this server; what is None is left out."""
    given = {key: value for key, value in query.items() if value is not None and value != ""}
    return f"{path}?{urlencode(given)}" if given else path


def draw_table(
    heads: Iterable[object], rows: Iterable[Html], *, caption: str, kind: str = ""
) -> Html:
    """Draw a table whose rows are finished."""
    cells = [head if isinstance(head, Html) else tag("th", head, scope="col") for head in heads]
    table = tag(
        f"table.{kind}" if kind else "table",
        tag("caption", caption),
        tag("thead", tag("tr", *cells)),
        tag("tbody", *rows),
    )
    # Reachable by the keyboard, so that it can be scrolled.
    return tag("div.scroll", table, tabindex="0", role="region", aria_label=caption)


def draw_choice(name: str, label: str, chosen: str, options: dict[str, str]) -> Html:
    """Draw a list to choose from, with its label."""
    entries = [
        tag("option", text, value=value, selected=value == chosen)
        for value, text in options.items()
    ]
    return tag("label", label, " ", tag("select", *entries, name=name))
