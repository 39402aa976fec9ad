"""One prediction as a card of HTML, the same in notebooks, reports and the web app.

There is no script in it, and nothing is loaded from elsewhere.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from picrules.explain.by_cost import tell_by_cost
from picrules.explain.look_alikes import tell_alike
from picrules.explain.scorecard import (
    NO_RULE,
    NO_RULE_BETWEEN,
    round_points,
    tell_between,
    tell_more,
    tell_no_rule,
    tell_outdone,
    tell_word,
)
from picrules.explain.silent import tell_silent
from picrules.explain.simplified import tell_simplified
from picrules.explain.trust import ONE_CLASS, tell_confidence, tell_proven, tell_remark
from picrules.reports.html import Html, join, tag
from picrules.reports.pictures import colour_of, draw_bar, draw_line, draw_place, draw_stripe
from picrules.rules.text import format_share, format_value

# The most bytes of a card. Pictures are left out and names are cut shorter until it fits.
MAX_BYTES = 10_000
_PICTURES_SHOWN = 4
_LONGEST_TEXTS = (200, 100, 50, 25, 10)
_LIMITS = ((200, _PICTURES_SHOWN), (50, _PICTURES_SHOWN), *((most, 0) for most in _LONGEST_TEXTS))

_CONDITIONS_SHOWN = 12
_CLASSES_SHOWN = 8
_OTHERS_SHOWN = 3
_LINES_SHOWN = 9
CARDS_SHOWN = 3


def draw_card(content: dict[str, Any]) -> str:
    """Draw what `Explanation.to_dict` or `to_card` returned, as at most 10 kB of HTML."""
    return join(style(), _draw_within_limit(content, MAX_BYTES - len(style())))


def draw_cards(contents: list[dict[str, Any]], n_more: int) -> str:
    """Draw several predictions, and say how many more there are."""
    cards = [_draw_within_limit(content, MAX_BYTES) for content in contents]
    more = [tag("p", f"... and {n_more:,} more")] if n_more else []
    return join(style(), *cards, *more)


def draw_bare_card(content: dict[str, Any]) -> Html:
    """Draw one prediction, for a page that has the style of cards itself."""
    return _Card(content, *_LIMITS[0]).draw()


@cache
def style() -> Html:
    """Return the style of cards; each of its rules begins with the class that only cards have."""
    folder = files("picrules.reports").joinpath("templates")
    colours = (
        folder.joinpath("colours.css").read_text("utf-8").replace(".pr-", ".picrules-card .pr-")
    )
    return tag("style", Html(folder.joinpath("card.css").read_text("utf-8") + colours))


def _draw_within_limit(content: dict[str, Any], limit: int) -> Html:
    for limits in _LIMITS:
        card = _Card(content, *limits).draw()
        if len(card.encode()) <= limit:
            break
    return card


class _Card:
    """A card whose texts have at most a given length, with at most so many pictures."""

    def __init__(self, content: dict[str, Any], longest: int, n_pictures: int) -> None:
        self.content, self.longest, self.n_pictures = content, longest, n_pictures
        self.label_of = {entry["class"]: at for at, entry in enumerate(content["classes"])}

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
        name = tag("b", self._class(self.content["prediction"]))
        if confidence is None:
            return tag("p.pr-head", name)
        return tag("p.pr-head", name, tag("span.pr-dim", f": {tell_confidence(confidence)}"))

    def _class(self, name: Any) -> Html:
        """Write a class behind a spot of its colour."""
        return tag(f"span.pr-class.{colour_of(self.label_of[name])}", self._name(name))

    def _rule(self) -> Html:
        conditions = self.content["conditions"]
        if not conditions:
            why = tell_no_rule(self.content)
            return tag("p", f"{why[0].upper()}{why[1:]}.")
        words = ["because ", *["and "] * (len(conditions) - 1)]
        added = self.content["contributions"]
        known = zip(words, conditions[:_CONDITIONS_SHOWN], added, strict=False)
        lines = [self._condition(at, *each) for at, each in enumerate(known)]
        if len(conditions) > len(lines):
            lines.append(tag("li", f"and {len(conditions) - len(lines)} more conditions"))
        has_pictures = self.n_pictures and "distribution" in conditions[0]
        return join(tag("ul.pr-rule", *lines), _LEGEND if has_pictures else "")

    def _condition(
        self, at: int, word: str, condition: dict[str, Any], own: dict[str, Any]
    ) -> Html:
        """Draw a condition: what the row holds, what it is without it, and where the row lies."""
        found, cell = condition.get("distribution"), condition.get("cell")
        label = self.label_of[self.content["prediction"]]
        picture = Html("")
        if found is not None and at < self.n_pictures:
            picture = draw_place(found, label, cell and self._cut(cell))
        return tag(
            "li",
            tag("span.pr-dim", word),
            tag("code", self._cut(condition["text"])),
            tag("span.pr-dim", f" ({self._here(condition)}without it {own['hits']:,} of "
                f"{own['cover_size']:,})"),
            picture,
        )  # fmt: skip

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
            self._count(self._name(entry["class"]), entry["count"], self.label_of[entry["class"]])
            for entry in entries[:_CLASSES_SHOWN]
        ]
        if rest := entries[_CLASSES_SHOWN:]:
            total = sum(entry["count"] for entry in rest)
            lines.append(self._count(f"{len(rest)} other classes", total, len(entries)))
        like = " like this" if self.content["conditions"] else ""
        title = f"{self.content['cover_size']:,} training rows{like}"
        return join(tag("h4", title), tag("div.pr-grid", *lines, self._confidence()))

    def _count(self, name: str, count: int, label: int) -> Html:
        width = count / self.content["cover_size"]
        bar = draw_bar(draw_stripe(colour_of(label), width) if count else "")
        return join(tag("span", name), bar, tag("span", f"{count:,}"))

    def _confidence(self) -> Html:
        """Draw the confidence, or where it is not known the precision, beside the class's share."""
        if len(self.content["classes"]) == 1:
            return join()
        name = "precision" if self.content["confidence"] is None else "confidence"
        value, share = self.content[name], self.content["share"]
        bar = draw_bar(
            tag("title", f"line: {name}; dots: share of the class"),
            draw_line("pr-share", share),
            draw_line("pr-point", value),
        )
        return join(tag("span", name), bar, tag("span", format_share(value)))

    def _measures(self) -> Html:
        content = self.content
        if len(content["classes"]) == 1:
            return tag("p.pr-dim", ONE_CLASS)
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
        shown, rest = card["lines"][:_LINES_SHOWN], card["lines"][_LINES_SHOWN:]
        points = [line["points"] for line in shown]
        texts: list[object] = [self._line(at, line) for at, line in enumerate(shown)]
        if rest:
            points.append(sum(line["points"] for line in rest))
            texts.append(f"{len(rest)} more rules")
        names = [self._name(self.content["prediction"]), self._name(card["rival"])]
        ahead = names[card["offset_points"] < 0]
        texts.append(f"head start of {ahead} (class offset)")
        texts.append(tag("b", "together, for {} against {}".format(*names)))
        rounded = round_points([*points, card["offset_points"]])
        told = ["10 points double the odds."]
        if self.content["conditions"]:
            told.insert(0, tell_outdone(card, self.content["prediction"], self._name))
        return join(
            tag("h4", f"{len(card['lines'])} rules decide together"),
            tag("div.pr-points", *map(_points, rounded, texts)),
            tag("p.pr-dim", " ".join(filter(None, told))),
        )

    def _line(self, at: int, line: dict[str, Any]) -> Html:
        word, rule = tell_word(at, is_against=line["is_against"]), line["rule"]
        between = tell_between(line["between"], self._name)
        if rule is None:
            return join(f"{word}: {between}{NO_RULE_BETWEEN if between else NO_RULE}")
        reason = " and ".join(condition["text"] for condition in rule["conditions"])
        counts = f": {rule['hits']:,} of {rule['cover_size']:,} are {self._name(rule['class'])}"
        more = tell_more(is_alike=line["is_alike"], behind=line["behind"], name=self._name)
        return join(
            f"{word}: {between}",
            tag("code", self._cut(reason)),
            tag("span.pr-dim", f"{counts}{more}"),
        )

    def _overruled(self) -> Html:
        other = self.content["overruled"]
        if other is None:
            return Html("")
        name = self._name(self.content["prediction"])
        return join(
            tag("h4", "A rule for another class scores higher"),
            tag("p", f"{other['score']:.3f}: ", tag("code", self._cut(other["rule"])),
                f". But {name} has a head start of {other['offset']:.3f} over that class (the "
                "class offset), and with it comes out ahead."),
        )  # fmt: skip

    def _by_cost(self) -> Html:
        told = tell_by_cost(self.content)
        return tag("p", told) if told else Html("")

    def _contrast(self) -> Html:
        """Draw the rule beside the best rules for other classes, by how many rows each rests on."""
        others = self.content["contrast"]
        if not others:
            return Html("")
        shown = others[:_OTHERS_SHOWN]
        own = {**self.content, "class": self.content["prediction"]}
        most = max(side["cover_size"] for side in (own, *shown))
        lines = [self._side(own, most, "this rule"), *(self._other(each, most) for each in shown)]
        if len(others) > len(shown):
            lines.append(
                tag("span.pr-dim.pr-whole", f"and {len(others) - len(shown)} more classes")
            )
        title = "The two sides" if len(shown) == 1 else "The best case for each side"
        return join(tag("h4", title), tag("div.pr-grid.pr-sides", *lines))

    def _side(self, side: dict[str, Any], most: int, *told: object) -> Html:
        bar = draw_bar(
            draw_stripe("pr-rest", side["cover_size"] / most),
            draw_stripe(colour_of(self.label_of[side["class"]]), side["hits"] / most)
            if side["hits"]
            else "",
        )
        counts = f"{side['hits']:,} of {side['cover_size']:,}"
        return join(
            self._class(side["class"]), bar, tag("span", counts), tag("span.pr-whole", *told)
        )

    def _other(self, other: dict[str, Any], most: int) -> Html:
        numbers = f" ({format_share(other['precision'])}; score {other['score']:.3f})"
        rule = tag("code", self._cut(other["rule"]))
        return self._side(other, most, rule, tag("span.pr-dim", numbers))

    def _nearest(self) -> Html:
        rows = self.content["nearest"]
        if not rows:
            return Html("")
        names = [self._name(entry["class"]) for entry in rows]
        if rows[0]["row"] is None:
            return tag("p.pr-dim", "Classes of the nearest covered rows: ", ", ".join(names))
        texts = [f"{entry['row']} ({name})" for entry, name in zip(rows, names, strict=True)]
        return tag("p.pr-dim", "Nearest covered training rows: ", ", ".join(texts))


_LEGEND = tag(
    "p.pr-dim.pr-legend",
    "Training rows by part of the column and by class; tinted where the condition holds; "
    "▼ is this row.",
)


def _points(points: int, text: object) -> Html:
    kind = "span.pr-against" if points < 0 else "span"
    return join(tag(kind, f"{points:+d}"), tag("span", text))
