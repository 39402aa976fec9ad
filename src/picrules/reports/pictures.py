"""Small pictures in HTML: bars, and how training rows are spread over a feature.

Bars are pictures, not styled boxes: the web app allows no style in its pages.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from picrules.reports.html import Html, join, tag

if TYPE_CHECKING:
    from picrules.explain.distribution import Distribution

# Classes that have a colour of their own; the others share one.
_COLOURS = 7
# Categories that get a bar of their own.
_MOST_BARS = 14
_WIDTH, _HEIGHT, _TOP = 320, 40, 12
# The highest bar leaves room to see the ground.
_HIGHEST = 35
_LONGEST_LABEL = 24
# About how much of the width of a picture a letter takes.
_LETTER = 0.016


def colour_of(label: int) -> str:
    """Return the name of a class's colour: the same in every picture of a model."""
    return f"pr-c{min(label, _COLOURS)}"


def draw_bar(*contents: object) -> Html:
    """Draw a bar, in which stripes and lines stand."""
    return tag("svg.pr-bar", *contents)


def draw_stripe(kind: str, width: float) -> Html:
    """Draw a stripe from the left end of a bar, over a share of its width."""
    return tag(f"rect.{kind}", width=_percent(max(width, 0.004)), height="100%")


def draw_line(kind: str, at: float) -> Html:
    """Draw a line across a bar, at a share of its width."""
    return tag(f"line.{kind}", x1=_percent(at), x2=_percent(at), y1="-25%", y2="125%")


def draw_place(found: dict[str, Any], label: int, cell: str | None) -> Html:
    """Draw where a row lies in the feature of a condition, from `Distribution.to_dict`.

    Bars have the training rows of the predicted class, `label`, at the bottom, those of the others
    above; the ground is tinted where the condition holds.
    """
    chosen = choose_parts(found)
    parts = [found["parts"][at] for at in chosen]
    here = (chosen.index(found["own"]) + 0.5) / len(parts)
    told = f"{found['condition']}: training rows by class; this row{_tell(cell)} is marked"
    cuts = [(place / len(parts), text) for place, text in found["cuts"]]
    words = _draw_cuts(cuts) if cuts else _draw_name(here, parts[chosen.index(found["own"])])
    return tag(
        "svg.pr-place",
        tag("title", told),
        _draw_bars([part["counts"] for part in parts], [part["holds"] for part in parts], label),
        words,
        tag("text.pr-here", "▼", x=_percent(here), y=_TOP - 2),
        role="img",
    )


def draw_spread(found: Distribution, told: str) -> Html:
    """Draw a first picture of a column."""
    parts = [found.parts[at] for at in choose_parts(found.to_dict())]
    bars = _draw_bars([part.counts for part in parts], [False] * len(parts), 0)
    return tag("svg.pr-place", tag("title", told), bars, role="img")


def choose_parts(found: dict[str, Any]) -> list[int]:
    """Return the parts to draw: all in order, or the categories that matter most."""
    parts = range(len(found["parts"]))
    if found["is_ordered"] or len(parts) <= _MOST_BARS:
        return list(parts)

    def weigh(at: int) -> tuple[bool, bool, int]:
        part = found["parts"][at]
        return at != found["own"], not part["holds"], -sum(part["counts"])

    return sorted(sorted(parts, key=weigh)[:_MOST_BARS])


def _tell(cell: str | None) -> str:
    return "" if cell is None else f" ({cell})"


def _draw_bars(counts: list[Any], holds: list[bool], label: int) -> Html:
    """Draw a bar for each part, the rows of `label` at the bottom, then those of other classes."""
    sides = [round(at * _WIDTH / len(counts)) for at in range(len(counts) + 1)] if counts else []
    places = list(pairwise(sides))
    grounds = [_box(*sides, 0, _HEIGHT) for sides, held in zip(places, holds, strict=True) if held]
    return tag(
        "svg",
        tag("path.pr-holds", d="".join(grounds)) if grounds else "",
        *_stack(counts, places, label),
        y=_TOP, width="100%", height=_HEIGHT,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}", preserveAspectRatio="none",
    )  # fmt: skip


def _stack(counts: list[Any], places: list[tuple[int, int]], label: int) -> list[Html]:
    """Draw the bars of each class upon those of the classes before it."""
    highest = max(map(sum, counts), default=0) or 1
    labels = range(len(counts[0]) if counts else 0)
    tops, sums, drawn = [0] * len(counts), [0] * len(counts), []
    for own in sorted(labels, key=lambda other: other != label):
        floors, sums = tops, [sum_ + each[own] for sum_, each in zip(sums, counts, strict=True)]
        tops = [round(_HIGHEST * sum_ / highest) for sum_ in sums]
        boxes = [
            _box(left + 1, right - 1, floor, top)
            for (left, right), floor, top in zip(places, floors, tops, strict=True)
            if top > floor
        ]
        drawn += [tag(f"path.{colour_of(own)}", d="".join(boxes))] if boxes else []
    return drawn


def _box(left: int, right: int, floor: int, top: int) -> str:
    return f"M{left} {_HEIGHT - floor}v{floor - top}h{max(right - left, 1)}v{top - floor}z"


def _draw_cuts(cuts: list[tuple[float, str]]) -> Html:
    """Draw the ends of a condition, with their numbers; of two, one to each side."""
    anchors = ["end", "start"] if len(cuts) > 1 else ["middle"]
    drawn = [
        join(
            tag("line", x1=_percent(at), x2=_percent(at), y1=_TOP, y2=_TOP + _HEIGHT + 3),
            _label(at, text, anchor),
        )
        for (at, text), anchor in zip(cuts, anchors, strict=True)
    ]
    return join(*drawn)


def _draw_name(at: float, part: dict[str, Any]) -> Html:
    """Write the category of the row below its bar."""
    text = part["text"].partition(" = ")[2] or part["text"]
    if len(text) > _LONGEST_LABEL:
        text = f"{text[: _LONGEST_LABEL - 1]}…"
    return _label(at, text, "middle")


def _label(at: float, text: str, anchor: str) -> Html:
    """Write below a picture; a text that would stand out of it begins or ends there."""
    half = len(text) * _LETTER / 2
    if at < half:
        at, anchor = 0.0, "start"
    elif at > 1 - half:
        at, anchor = 1.0, "end"
    return tag("text", text, x=_percent(at), y=_TOP + _HEIGHT + 12, text_anchor=anchor)


def _percent(share: float) -> str:
    return f"{100 * share:.4g}%"
