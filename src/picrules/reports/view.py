"""Results in notebooks: a text or the head of a table, as HTML without script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from picrules.reports.card import style
from picrules.reports.html import Html, join, tag
from picrules.rules.text import format_difference, format_share

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST_CELL = 200
_MOST_LINES = 40

# Columns that hold shares.
_SHARES = frozenset(
    {
        "confidence", "precision", "recall", "share", "lower", "upper", "class_share", "rule_share",
        "coverage", "agreement", "accuracy", "changed", "used",
    }
)  # fmt: skip


_DIFFERENCES = frozenset({"loss", "error", "gain"})


def draw_text(text: str) -> Html:
    """Draw the text of a result; of a long one its first lines."""
    lines = text.split("\n")
    shown = [_cut(line, 5 * _LONGEST_CELL) for line in lines[:_MOST_LINES]]
    if len(lines) > len(shown):
        shown.append(f"... and {len(lines) - len(shown):,} more lines")
    return join(style(), tag("div.picrules-card pr-wide", tag("pre", "\n".join(shown))))


def draw_table(
    title: str, names: Iterable[str], records: Iterable[dict[str, Any]], total: int
) -> Html:
    """Draw rows of a table, of which there are `total`."""
    columns = list(names)
    rows = [tag("tr", *(_draw_cell(name, row[name]) for name in columns)) for row in records]
    head = tag("tr", *(tag("th", name.replace("_", " ")) for name in columns))
    more = [tag("p.pr-dim", f"... and {total - len(rows):,} more")] if total > len(rows) else []
    return join(
        style(),
        tag(
            "div.picrules-card pr-wide",
            tag("p", _cut(title, _LONGEST_CELL)),
            tag("table", tag("thead", head), tag("tbody", *rows)),
            *more,
        ),
    )


def _draw_cell(name: str, value: Any) -> Html:
    if value is None:
        return tag("td", "")
    if isinstance(value, bool):
        return tag("td", "yes" if value else "no")
    if isinstance(value, int):
        return tag("td.pr-number", f"{value:,}")
    if isinstance(value, float):
        return tag("td.pr-number", _format_number(name, value))
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return tag("td", _cut(text, _LONGEST_CELL))


def _format_number(name: str, value: float) -> str:
    if name in _DIFFERENCES:
        return format_difference(value)
    return format_share(value) if name in _SHARES else f"{value:.4g}"


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
