"""A result as a table of HTML for notebooks: no script, nothing loaded from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from picrules.reports.card import style
from picrules.reports.html import join, tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def draw_table(
    title: str, names: Sequence[str], rows: Iterable[Sequence[str]], n_more: int = 0
) -> str:
    """Draw rows of texts under the names of their columns, and say how many more there are."""
    head = tag("tr", *(tag("th", name) for name in names))
    lines = [tag("tr", *(tag("td", cell) for cell in row)) for row in rows]
    more = tag("p.pr-dim", f"... and {n_more:,} more") if n_more > 0 else ""
    table = tag("table.pr-table", tag("thead", head), tag("tbody", *lines))
    return join(style(), tag("div.picrules-card", tag("p.pr-head", title), table, more))
