"""One prediction as a card of HTML, the same in notebooks, reports and the web app.

There is no script in it, and nothing is loaded from elsewhere.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from picrules.explain.by_cost import tell_by_cost
from picrules.explain.look_alikes import tell_alike
from picrules.explain.scorecard import LOOK_ALIKES, NO_RULE, tell_no_rule, tell_word
from picrules.explain.silent import tell_silent
from picrules.explain.simplified import tell_simplified
from picrules.explain.trust import tell_confidence, tell_proven, tell_remark
from picrules.reports.html import Html, join, tag
from picrules.rules.text import format_share, format_value

# The most bytes of a card. Names are cut shorter and shorter until it fits.
MAX_BYTES = 10_000
_LONGEST_TEXTS = (200, 100, 50, 25, 10)

_CONDITIONS_SHOWN = 12
_CLASSES_SHOWN = 8
_OTHERS_SHOWN = 3
_LINES_SHOWN = 9
CARDS_SHOWN = 3


def draw_card(content: dict[str, Any]) -> str:
    """Draw what `Explanation.to_dict` returned, as at most 10 kB of HTML."""
    return join(style(), _draw_within_limit(content, MAX_BYTES - len(style())))


def draw_cards(contents: list[dict[str, Any]], n_more: int) -> str:
    """Draw several predictions, and say how many more there are."""
    cards = [_draw_within_limit(content, MAX_BYTES) for content in contents]
    more = [tag("p", f"... and {n_more:,} more")] if n_more else []
    return join(style(), *cards, *more)


def draw_bare_card(content: dict[str, Any]) -> Html:
    """Draw one prediction, for a page that has the style of cards itself."""
    return _Card(content, _LONGEST_TEXTS[0]).draw()


@cache
def style() -> Html:
    """Return the style of cards; each of its rules begins with the class that only cards have."""
    css = files("picrules.reports").joinpath("templates/card.css").read_text("utf-8")
    return tag("style", Html(css))


def _draw_within_limit(content: dict[str, Any], limit: int) -> Html:
    for longest in _LONGEST_TEXTS:
        card = _Card(content, longest).draw()
        if len(card.encode()) <= limit:
            break
    return card


class _Card:
    """A card whose texts have at most a given length."""

    def __init__(self, content: dict[str, Any], longest: int) -> None:
        self.content, self.longest = content, longest

    def draw(self) -> Html:
        return tag(
            "div.picrules-card",
            self._head(), self._rule(), self._simplified(), self._counts(), self._measures(),
            self._silent(), self._alike(), self._overruled(), self._by_cost(),
            self._scorecard(), self._contrast(), self._nearest(),
        )  # fmt: skip

    def _cut(self, text: str) -> str:
        return text if len(text) <= self.longest else f"{text[: self.longest - 1]}…"

    def _name(self, name: Any) -> str:
        return self._cut(format_value(name))

    def _head(self) -> Html:
        confidence = self.content["confidence"]
        name = tag("b", self._name(self.content["prediction"]))
        if confidence is None:
            return tag("p.pr-head", name)
        return tag("p.pr-head", name, tag("span.pr-dim", f": {tell_confidence(confidence)}"))

    def _rule(self) -> Html:
        conditions = self.content["conditions"]
        if not conditions:
            why = tell_no_rule(self.content)
            return tag("p", f"{why[0].upper()}{why[1:]}.")
        words = ["because ", *["and "] * (len(conditions) - 1)]
        added = self.content["contributions"]
        lines = [
            tag("li", tag("span.pr-dim", word), tag("code", self._cut(condition["text"])),
                tag("span.pr-dim", f" ({self._here(condition)}without it {own['hits']:,} of "
                    f"{own['cover_size']:,})"))
            for word, condition, own in zip(
                words, conditions[:_CONDITIONS_SHOWN], added, strict=False
            )
        ]  # fmt: skip
        if len(conditions) > len(lines):
            lines.append(tag("li", f"and {len(conditions) - len(lines)} more conditions"))
        return tag("ul.pr-rule", *lines)

    def _here(self, condition: dict[str, Any]) -> str:
        """Say what the row holds, where that is known beside the explanation."""
        cell = condition.get("cell")
        return "" if cell is None else f"here {self._cut(cell)}; "

    def _simplified(self) -> Html:
        told = tell_simplified(self.content)
        return tag("p.pr-dim", self._cut(told)) if told else Html("")

    def _counts(self) -> Html:
        own = self.content["prediction"]
        entries = sorted(
            self.content["classes"], key=lambda entry: (entry["class"] != own, -entry["count"])
        )
        lines = [
            self._count(self._name(entry["class"]), entry["count"], entry["class"] == own)
            for entry in entries[:_CLASSES_SHOWN]
        ]
        if rest := entries[_CLASSES_SHOWN:]:
            total = sum(entry["count"] for entry in rest)
            lines.append(self._count(f"{len(rest)} other classes", total, is_own=False))
        like = " like this" if self.content["conditions"] else ""
        title = f"{self.content['cover_size']:,} training rows{like}"
        return join(tag("h4", title), tag("div.pr-grid", *lines, self._confidence()))

    def _count(self, name: str, count: int, is_own: bool) -> Html:
        kind, width = "rect.pr-own" if is_own else "rect", count / self.content["cover_size"]
        bar = _bar(_stripe(kind, 0, width) if count else "")
        return join(tag("span", name), bar, tag("span", f"{count:,}"))

    def _confidence(self) -> Html:
        """Draw the confidence, or where it is not known the precision, beside the class's share."""
        name = "precision" if self.content["confidence"] is None else "confidence"
        value, share = self.content[name], self.content["share"]
        bar = _bar(
            tag("title", f"line: {name}; dots: share of the class"),
            _line("line.pr-share", share),
            _line("line.pr-point", value),
        )
        return join(tag("span", name), bar, tag("span", format_share(value)))

    def _measures(self) -> Html:
        content = self.content
        shares = {name: format_share(content[name]) for name in ("precision", "share", "recall")}
        return tag(
            "p.pr-dim",
            f"Precision {shares['precision']}, "
            f"{content['lift']:.2f} times the share of {self._name(content['prediction'])} "
            f"({shares['share']}); recall {shares['recall']}; score {content['score']:.3f}. "
            f"{tell_proven(content['proven_length'], self._name(content['prediction']))} "
            f"{tell_remark(content)}",
        )

    def _silent(self) -> Html:
        silent = [{**one, "feature": self._cut(one["feature"])} for one in self.content["silent"]]
        told = tell_silent(silent)
        return tag("p", told) if told else join()

    def _alike(self) -> Html:
        told = tell_alike(self.content, self._name(self.content["prediction"]))
        return tag("p", told) if told else Html("")

    def _scorecard(self) -> Html:
        card = self.content["scorecard"]
        if card is None:
            return Html("")
        lines = [
            _points(line["points"], self._line(at, line))
            for at, line in enumerate(card["lines"][:_LINES_SHOWN])
        ]
        if rest := card["lines"][_LINES_SHOWN:]:
            points = sum(line["points"] for line in rest)
            lines.append(_points(points, f"{len(rest)} more rules"))
        names = map(self._name, (self.content["prediction"], card["rival"]))
        lines.append(_points(card["offset_points"], "class offset"))
        together = tag("b", "together, for {} against {}".format(*names))
        lines.append(_points(card["total"], together))
        return join(
            tag("h4", f"{len(card['lines'])} rules decide together"),
            tag("div.pr-points", *lines),
            tag("p.pr-dim", "10 points double the odds."),
        )

    def _line(self, at: int, line: dict[str, Any]) -> Html:
        word, rule = tell_word(at, is_against=line["is_against"]), line["rule"]
        if rule is None:
            return join(f"{word}: {NO_RULE}")
        reason = " and ".join(condition["text"] for condition in rule["conditions"])
        counts = f": {rule['hits']:,} of {rule['cover_size']:,} are {self._name(rule['class'])}"
        which = f" ({LOOK_ALIKES})" if line["is_alike"] else ""
        return join(
            f"{word}: ", tag("code", self._cut(reason)), tag("span.pr-dim", f"{counts}{which}")
        )

    def _overruled(self) -> Html:
        other = self.content["overruled"]
        if other is None:
            return Html("")
        name = self._name(self.content["prediction"])
        return join(
            tag("h4", "The class offset decided"),
            tag("p", f"A rule for another class scores higher ({other['score']:.3f}): ",
                tag("code", self._cut(other["rule"])),
                f"; the offset of {other['offset']:+.3f} put {name} ahead."),
        )  # fmt: skip

    def _by_cost(self) -> Html:
        told = tell_by_cost(self.content)
        return tag("p", told) if told else Html("")

    def _contrast(self) -> Html:
        others = self.content["contrast"]
        if not others:
            return Html("")
        lines = [self._other(other) for other in others[:_OTHERS_SHOWN]]
        if len(others) > len(lines):
            lines.append(tag("li.pr-dim", f"and {len(others) - len(lines)} more classes"))
        return join(tag("h4", "The best case for the other side"), tag("ul.pr-list", *lines))

    def _other(self, other: dict[str, Any]) -> Html:
        precision = format_share(other["precision"])
        numbers = (
            f": {other['hits']:,} of {other['cover_size']:,} rows ({precision}); "
            f"score {other['score']:.3f}"
        )
        return tag("li", tag("code", self._cut(other["rule"])), tag("span.pr-dim", numbers))

    def _nearest(self) -> Html:
        rows = self.content["nearest"]
        if not rows:
            return Html("")
        texts = [f"{entry['row']} ({self._name(entry['class'])})" for entry in rows]
        return tag("p.pr-dim", "Nearest covered training rows: ", ", ".join(texts))


def _points(points: float, text: object) -> Html:
    kind = "span.pr-against" if points < 0 else "span"
    return join(tag(kind, f"{round(points):+d}"), tag("span", text))


# Bars are pictures, not styled boxes: the web app allows no style in its pages.
def _bar(*contents: object) -> Html:
    return tag("svg.pr-bar", *contents)


def _stripe(name: str, left: float, width: float) -> Html:
    return tag(name, x=_percent(left), width=_percent(max(width, 0.004)), height="100%")


def _line(name: str, at: float) -> Html:
    return tag(name, x1=_percent(at), x2=_percent(at), y1="-25%", y2="125%")


def _percent(share: float) -> str:
    return f"{100 * share:.4g}%"
