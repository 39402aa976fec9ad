"""Several rules that decide together: the points of each, which add up to the decision."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from picrules.explain.tabular import Result
from picrules.rules.text import Value, format_name, format_value, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from picrules.explain.scored_rule import ScoredRule
    from picrules.model.model import Model

# Points of a score, which is a logarithm of odds: so many that 10 points double the odds.
POINTS = 10 / math.log(2)

# What a member's rules are made from.
LOOK_ALIKES, ALL_COLUMNS = "look-alikes", "rules on all columns"
LEADING_TWO = "rules between the two leading classes"

NO_RULE, NO_RULE_BETWEEN = "no rule of it covers this row", "no rule of it is known for this row"


@dataclass(frozen=True, slots=True, repr=False)
class ScorecardLine(Result):
    """One of the rules that decide together, with its points.

    Attributes
    ----------
    rule : ScoredRule or None
        The rule for the predicted class, or for the rival where the points are negative; None
        where there is none that covers the row. A line between two classes, neither of which is
        that one, has the rule of the stronger of the two: costs of errors decide for any class.
    points : float
        By how much it puts the predicted class ahead of the rival.
    is_alike : bool
        Whether the rule is made from the row's look-alikes, whose counts give the points.
    between : tuple of two classes, or None
        The two leading classes, where the rule tells these apart: then its counts, its score and
        its points are of the training rows of these two alone.
    behind : class or None
        The class that falls behind by it, where that is neither the predicted class nor the rival,
        so that the line has no points.
    """

    rule: ScoredRule | None
    points: float
    is_alike: bool = False
    between: tuple[Value, Value] | None = None
    behind: Value | None = None

    @property
    def is_against(self) -> bool:
        """Whether it speaks for the rival."""
        return self.points < 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; docs/explanations.md says what each entry means."""
        return self._plain("points", "is_against", "is_alike", "between", "behind", "rule")

    def __str__(self) -> str:
        between = tell_between(self.between)
        if self.rule is None:
            return f"{between}{NO_RULE_BETWEEN if between else NO_RULE}"
        name = format_value(self.rule.rule.label)
        counts = f"{self.rule.hits:,} of {self.rule.cover_size:,} are {name}"
        more = tell_more(is_alike=self.is_alike, behind=self.behind)
        return f"{between}{self.rule.rule.reason}: {counts}{more}"


@dataclass(frozen=True, slots=True, repr=False)
class Scorecard(Result):
    """The rules that decide about a row together, each with its points.

    Points are logarithms of odds, scaled so that 10 points double the odds of the predicted class
    against the rival.

    Attributes
    ----------
    lines : tuple of ScorecardLine
        One entry per rule, that of the row's own rule first.
    offset_points : float
        By how much the class offsets put the predicted class ahead of the rival.
    prediction : category
        The predicted class.
    rival : category
        The class with the second highest sum.
    """

    lines: tuple[ScorecardLine, ...]
    offset_points: float
    prediction: Value
    rival: Value

    @property
    def total(self) -> float:
        """The sum of all points, those of the offsets included; negative only if costs decide."""
        return sum(line.points for line in self.lines) + self.offset_points

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; docs/explanations.md says what each entry means."""
        return self._plain("lines", "offset_points", "rival", "total")

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        rows = [
            {
                "points": line.points,
                "rule": line.rule and str(line.rule.rule),
                "hits": line.rule and line.rule.hits,
                "cover_size": line.rule and line.rule.cover_size,
                "is_alike": line.is_alike,
                "behind": line.behind,
                "between": line.between and " and ".join(map(format_value, line.between)),
            }
            for line in self.lines
        ]
        return rows[0], rows

    def to_lines(self) -> list[str]:
        """Write the points and the rule of each line, then the offset and the sum.

        Returns
        -------
        list of str
            The lines.
        """
        names = format_value(self.prediction), format_value(self.rival)
        texts = [
            f"{tell_word(at, is_against=line.is_against)}: {line}"
            for at, line in enumerate(self.lines)
        ]
        texts += ["class offset", "together, for {} against {}".format(*names)]
        rounded = round_points([*(line.points for line in self.lines), self.offset_points])
        return [
            f"{plural(len(self.lines), 'rule')} decide together; 10 points double the odds:",
            *(f"  {points:+5d}  {text}" for points, text in zip(rounded, texts, strict=True)),
        ]

    def __str__(self) -> str:
        return "\n".join(self.to_lines())


def name_members(model: Model) -> list[str]:
    """Say for each of the rules that decide together what it is made from; none, if nothing is."""
    names: list[str] = []
    if not model.is_learned:
        return names
    for member in model.members:
        features = member.search.features
        if member.search.alike is not None:
            names.append(LOOK_ALIKES)
        elif member.pairs is not None:
            names.append(LEADING_TWO)
        elif features is None:
            names.append(ALL_COLUMNS)
        else:
            known = member.source.searcher.names
            texts = (format_name(known[feature]) for feature in features)
            names.append(f"rules on {' and '.join(texts)}")
    return names


def tell_members(names: list[str]) -> str:
    """Say what decides about a row, from `name_members`."""
    if not names:
        return "nothing: no rule is better than the larger class here, so every row gets it"
    if len(names) > 1:
        return f"{len(names)} rules together: {'; '.join(names)}"
    return f"one rule per row{', made from its look-alikes' if names == [LOOK_ALIKES] else ''}"


def tell_between(
    between: Sequence[Value] | None, name: Callable[[Value], str] = format_value
) -> str:
    """Say between which classes a line of a scorecard decides, in front of its rule."""
    return "" if between is None else "between {} and {}, ".format(*map(name, between))


def tell_more(
    *, is_alike: bool, behind: Value | None, name: Callable[[Value], str] = format_value
) -> str:
    """Say behind a line's counts what the rule is made from, or what it does without points."""
    if is_alike:
        return f" ({LOOK_ALIKES})"
    return "" if behind is None else f" (puts {name(behind)} behind)"


def round_points(points: list[float]) -> list[int]:
    """Round points to whole ones that add up to their sum, which comes last.

    Those that are nearest to the next whole number are rounded the other way where that is needed.

    Examples
    --------
    >>> round_points([1.6, -0.8, 1.5])
    [2, -1, 1, 2]
    """
    total = round(sum(points))
    lower = [math.floor(each) for each in points]
    order = sorted(range(len(points)), key=lambda at: lower[at] - points[at])
    for at in order[: total - sum(lower)]:
        lower[at] += 1
    return [*lower, total]


def tell_word(at: int, *, is_against: bool) -> str:
    """Return what a line of a scorecard begins with."""
    return "but" if is_against else "also" if at else "rule"


def tell_outdone(
    card: dict[str, Any], own: Value, name: Callable[[Value], str] = format_value
) -> str:
    """Say that the row's own rule is not what decided, from `Scorecard.to_dict`; or nothing."""
    first, lines = card["lines"][0], card["lines"]
    if not first["is_against"] or card["total"] < 0:  # then costs decided, which is told
        return ""
    is_by_rules = sum(line["points"] for line in lines) > 0
    what = "the other rules speak more for" if is_by_rules else "the class offset decided for"
    rival = name(card["rival"])
    against = f"The best rule for {rival} is stronger than this one"
    if first["is_alike"]:  # whose counts decide, not the rule that is made from them
        against = f"The training rows most like this one speak more for {rival}"
    return f"{against}, but {what} {name(own)}."


def tell_no_rule(content: dict[str, Any]) -> str:
    """Say why a row without a rule of its own has its class, from `Explanation.to_dict`."""
    if content.get("by_cost") is not None:
        return "no rule for this class covers this row, but errors cost least with it"
    if not content["is_learned"]:
        return "no rule is better than the larger class here, so every row gets it"
    if content["scorecard"] is None:
        if content["alike"] is None:
            return "no rule covers this row, so it gets the most frequent class"
        if content["alike"]["hits"] == 0:
            return "no training row most like this one is of this class, which its offset put ahead"
        return "no condition sets the training rows most like this one apart from the others"
    if any(line["rule"] for line in content["scorecard"]["lines"]):
        return "this row has no rule of its own, so the other rules of its scorecard decide"
    return "no rule covers this row, so the class offset decides"
