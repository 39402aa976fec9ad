"""Small pictures of how rows are spread over a feature, and where a case lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from picrules.reports.html import Html, join, tag

if TYPE_CHECKING:
    from picrules.explain.distribution import Distribution, Part

# Categories that get a bar of their own.
_MOST_BARS = 14
_WIDTH, _HEIGHT = 320.0, 64.0


def draw_distribution(found: Distribution, own_class: Any, shown: str) -> Html:
    """Draw where a case lies in the feature of a condition: `shown` is its value.

    Bars have the rows of the predicted class below, the others above; where the condition holds,
    the ground is tinted.
    """
    parts = choose_parts(found)
    label = found.classes.index(own_class)
    highest = max((part.n_rows for part in parts), default=0) or 1
    width = _WIDTH / max(len(parts), 1)
    bars = [_draw_part(part, at * width, width, highest, label) for at, part in enumerate(parts)]
    told = f"{found.condition}: training rows by class; this case ({shown}) is marked"
    picture = tag(
        "svg",
        tag("title", told),
        *bars,
        viewBox=f"0 -14 {_WIDTH:g} {_HEIGHT + 14:g}",
        role="img",
        class_="spread",
        preserveAspectRatio="none",
    )
    ends = [tag("span", parts[0].text), tag("span", parts[-1].text)] if parts else []
    return tag(
        "figure.spread",
        tag("figcaption", tag("code", found.condition), tag("span.dim", f" here {shown}")),
        picture,
        tag("div.ends.dim", *ends) if found.is_ordered else _name_bars(parts, width),
    )


def draw_spread(found: Distribution, told: str) -> Html:
    """Draw a first picture of a column."""
    parts = choose_parts(found)
    highest = max((part.n_rows for part in parts), default=0) or 1
    width = _WIDTH / max(len(parts), 1)
    bars = [_draw_part(part, at * width, width, highest, 0) for at, part in enumerate(parts)]
    return tag(
        "svg",
        tag("title", told),
        *bars,
        viewBox=f"0 0 {_WIDTH:g} {_HEIGHT:g}",
        role="img",
        class_="spread",
        preserveAspectRatio="none",
    )


def choose_parts(found: Distribution) -> list[Part]:
    """Return the parts to draw: all in order, or the categories that matter most."""
    if found.is_ordered or len(found.parts) <= _MOST_BARS:
        return list(found.parts)
    by_weight = sorted(
        found.parts, key=lambda part: (not part.is_own, not part.holds, -part.n_rows)
    )
    return sorted(by_weight[:_MOST_BARS], key=found.parts.index)


def _draw_part(part: Part, left: float, width: float, highest: int, label: int) -> Html:
    own = part.counts[label] / highest * _HEIGHT
    others = (part.n_rows - part.counts[label]) / highest * _HEIGHT
    gap = min(1.0, width / 8)
    ground = tag("rect.holds", x=f"{left:.2f}", y=0, width=f"{width:.2f}", height=f"{_HEIGHT:g}")
    return tag(
        "g",
        tag("title", f"{part.text}: {part.n_rows:,} training rows"),
        ground if part.holds else "",
        _bar("rect.own", left + gap, _HEIGHT - own, width - 2 * gap, own),
        _bar("rect.others", left + gap, _HEIGHT - own - others, width - 2 * gap, others),
        _mark(left + width / 2) if part.is_own else "",
    )


def _bar(name: str, x: float, y: float, width: float, height: float) -> Html:
    return tag(name, x=f"{x:.2f}", y=f"{y:.2f}", width=f"{width:.2f}", height=f"{height:.2f}")


def _mark(x: float) -> Html:
    return join(
        tag("line.here", x1=f"{x:.2f}", x2=f"{x:.2f}", y1=-8, y2=f"{_HEIGHT:g}"),
        tag("path.here", d=f"M{x - 6:.2f} -14h12l-6 9z"),
    )


def _name_bars(parts: list[Part], width: float) -> Html:
    del width
    return tag("div.ends.dim", *(tag("span", part.text) for part in parts if part.is_own))
