"""The cards of a report: drawn as in notebooks and in the web app, and packed for the page.

`Explanation.to_dict` of ten thousand rows would take half a minute. What a card shows of a rule
is found once for each rule; most of what belongs to a row is in the content of the report already.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

from picrules.explain.distribution import find_distribution, number_of
from picrules.explain.tabular import to_plain
from picrules.reports.card import draw_bare_card

if TYPE_CHECKING:
    from picrules.explain.explanation import Explanation
    from picrules.reports.asked import Asked
    from picrules.rules.condition import Condition

# What belongs to a rule, whichever row it decides.
_OF_RULES = (
    "prediction", "score", "cover_size", "hits", "precision", "recall", "share", "lift",
    "contributions",
)  # fmt: skip

# And to a row, known as soon as it is explained.
_OF_ROWS = (
    "confidence", "overruled", "by_cost", "proven_length", "is_learned", "simplified", "silent",
)  # fmt: skip

# Cards that the page unpacks at once.
PACK = 64


def pack_cards(asked: Asked, content: dict[str, Any]) -> list[str]:
    """Draw the card of each case, and pack it with the cells: JSON lists, in zlib, in base64."""
    cases = CaseCards(asked, content)
    n_cases = len(content["cases"]["row"])
    return [
        _pack([cases.draw(place) for place in range(start, min(start + PACK, n_cases))])
        for start in range(0, n_cases, PACK)
    ]


def _pack(cards: list[Any]) -> str:
    return base64.b64encode(zlib.compress(json.dumps(cards).encode())).decode()


class CaseCards:
    """The cases of a report, each as the entries of `Explanation.to_dict` that a card shows."""

    def __init__(self, asked: Asked, content: dict[str, Any]) -> None:
        self._asked, self._content, self._cases = asked, content, content["cases"]
        self._classes = [*asked.clf.classes_.tolist(), *asked.unknown]
        self._by_rule: dict[int, dict[str, Any]] = {}
        self._model = asked.explanations.cases.model
        self._places: dict[Condition, tuple[int, dict[str, Any]]] = {}

    def draw(self, place: int) -> tuple[str, list[str | None]]:
        """Return a case's card, and its cells, None for those that the report has not."""
        cells = [self._tell_cell(column, place) for column in range(len(self._cases["cells"]))]
        return draw_bare_card(self.to_dict(place)), cells

    def to_dict(self, place: int) -> dict[str, Any]:
        """Return the case at a place in the lists of the report."""
        cases, row = self._cases, self._cases["row"][place]
        known = self._tell_rule(int(self._asked.which[row]))
        numbers = self._content["rules"][cases["rule"][place]]["conditions"]
        columns = [self._content["conditions"][number]["column"] for number in numbers]
        explanation = self._asked.explanations[row]
        conditions = [
            {"text": str(condition), "cell": self._tell_cell(column, place),
             "distribution": self._tell_place(condition, row)}
            for condition, column in zip(explanation.rule.conditions, columns, strict=True)
        ]  # fmt: skip
        is_plain = self._model.is_plain
        return {
            **known,
            "conditions": conditions,
            **{name: to_plain(getattr(explanation, name)) for name in _OF_ROWS},
            "alike": None if is_plain else to_plain(explanation.alike),
            "scorecard": None if is_plain else self._tell_scorecard(explanation, place),
            "contrast": [self._tell_other(number) for number in cases["contrast"][place]],
            "nearest": self._tell_nearest(place),
        }

    def _tell_rule(self, which: int) -> dict[str, Any]:
        """Return what belongs to a rule."""
        if which not in self._by_rule:
            explanation: Explanation = self._asked.distinct[which]
            # Not by `to_dict`: a p-value for each rule takes long and is not shown.
            self._by_rule[which] = {
                **{name: to_plain(getattr(explanation, name)) for name in _OF_RULES},
                "length": explanation.rule.length,
                "classes": [
                    {"class": name, "count": count}
                    for name, count in explanation.class_counts.items()
                ],
            }
        return self._by_rule[which]

    def _tell_place(self, condition: Condition, row: int) -> dict[str, Any]:
        """Return where a row lies in the feature of a condition."""
        if condition not in self._places:
            number = number_of(self._model, condition)
            found = find_distribution(self._model, condition)
            self._places[condition] = number, found.to_dict()
        number, told = self._places[condition]
        cases = self._asked.explanations.cases
        return {**told, "own": int(cases.case_codes[number, cases.numbers[row]])}

    def _tell_cell(self, column: int, place: int) -> str | None:
        """Return a cell of a case; None if it is not in the report."""
        cells = self._cases["cells"][column]
        if cells is None:
            return None
        if "numbers" in cells:
            cell = cells["numbers"][place]
        else:
            cell = [*cells["texts"], None][cells["codes"][place]]  # code -1 is the last
        return "missing" if cell is None else str(cell)

    def _tell_other(self, number: int) -> dict[str, Any]:
        rule = self._content["rules"][number]
        texts = [self._content["conditions"][at]["text"] for at in rule["conditions"]]
        name = self._content["classes"][rule["class"]]["name"]
        return {
            **rule,
            "class": self._classes[rule["class"]],
            "conditions": [{"text": text} for text in texts],
            "rule": f"if {' and '.join(texts)} then {name}",
        }

    def _tell_scorecard(self, explanation: Explanation, place: int) -> dict[str, Any] | None:
        card = explanation.scorecard
        if card is None:
            return None
        # The report rounds points, and a card would round them again.
        lines = [
            {
                "points": line.points,
                "is_against": line.is_against,
                "is_alike": line.is_alike,
                "between": line.between,
                "behind": line.behind,
                "rule": None if number is None else self._tell_other(number),
            }
            for line, number in zip(
                card.lines, self._cases["scorecard"][place]["rules"], strict=True
            )
        ]
        names = ("offset_points", "rival", "total")
        return {"lines": lines, **{name: getattr(card, name) for name in names}}

    def _tell_nearest(self, place: int) -> list[dict[str, Any]]:
        nearest = self._cases["nearest"] and self._cases["nearest"][place]
        first = self._content["first_row"]
        has_order = self._model.training.has_order
        return [
            {"row": row + first if has_order else None, "class": self._classes[label]}
            for row, label, _ in nearest or ()
        ]
