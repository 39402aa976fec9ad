"""A prediction with its rule and all that is known about it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from picrules.errors import NoTrainingRows
from picrules.explain.by_cost import ByCost, tell_by_cost
from picrules.explain.distribution import find_places, to_card
from picrules.explain.look_alikes import LookAlikes, tell_alike
from picrules.explain.scorecard import Scorecard, tell_no_rule, tell_outdone
from picrules.explain.scored_rule import ScoredRule
from picrules.explain.silent import Silent, list_silent, tell_silent
from picrules.explain.simplified import Simplified, tell_simplified
from picrules.explain.tabular import Result, Results
from picrules.explain.trust import ONE_CLASS, tell_confidence, tell_proven, tell_remark
from picrules.rules.text import Value, format_share, format_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from picrules.explain.cases import Cases
    from picrules.explain.contributions import Contribution
    from picrules.explain.evidence import Evidence
    from picrules.explain.search_trace import SearchTrace
    from picrules.rules.rule import Rule

# Training rows that `to_dict` lists.
NEAREST_SHOWN = 5

# What is found when it is first looked at.
_ASKED = ("evidence", "contributions", "contrast", "scorecard", "alike", "top", "trace")


@dataclass(frozen=True, slots=True, repr=False)
class Overruled(Result):
    """A rule for another class that scores higher, but lost by the class offsets.

    Attributes
    ----------
    rule : Rule
        The rule.
    score : float
        Its score.
    offset : float
        By how much the offsets put the predicted class ahead of this rule's class.
    """

    rule: Rule
    score: float
    offset: float

    def to_dict(self) -> dict[str, Any]:
        """Return the rule and its numbers as plain values."""
        return self._plain("rule", "score", "offset")


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(ScoredRule):
    """One row's predicted class, and the rule that is the reason for it.

    The rule is the best of the rules that cover the row and were looked at, without conditions
    when none covers it; its class is the prediction. `ScoredRule` has its numbers.

    Attributes
    ----------
    confidence : float or None
        How often predictions like this one are right, where the estimator knows. With a single
        class nothing is known.
    confidence_interval : tuple of float or None
        The lower and the upper end of the 95% interval of the confidence: how sure it is itself,
        and how much rules with the same confidence differ. None where it is not known.
    overruled : Overruled or None
        The rule for another class that would have won without class offsets.
    proven_length : int or None
        No rule for the predicted class with at most so many conditions scores higher: all of
        them were looked at. None where the rule was grown from look-alikes, was
        shortened, or is empty.
    is_learned : bool
        False where no rule of the whole model is better than the larger class, which every row
        gets then.
    silent : tuple of Silent
        The values that satisfy no condition of any rule: missing, or never seen in training.
    simplified : Simplified or None
        What the rule was before `explain(X, simplify=...)` dropped conditions; None if it did not.
    by_cost : ByCost or None
        What would be predicted if errors cost the same, where that is another class.
    source : tuple, dict or None
        The rows that this is one of, and which: where more is asked when it is looked at. A
        pickled explanation has found all of that instead, and leaves the training rows behind.
    """

    confidence: float | None = None
    confidence_interval: tuple[float, float] | None = None
    overruled: Overruled | None = None
    proven_length: int | None = field(default=None, compare=False)
    is_learned: bool = True
    silent: tuple[Silent, ...] = field(default=(), compare=False)
    simplified: Simplified | None = None
    by_cost: ByCost | None = None
    source: tuple[Cases, int] | dict[str, Any] | None = field(
        default=None, compare=False, repr=False
    )

    __hash__ = ScoredRule.__hash__

    @property
    def prediction(self) -> Value:
        """The predicted class, which is the rule's class."""
        return self.rule.label

    @property
    def evidence(self) -> Evidence:
        """The training rows that the rule covers, nearest to this row first."""
        evidence: Evidence = self._find("evidence", self.rule)
        return evidence

    @property
    def has_evidence(self) -> bool:
        """Whether the training rows that the rule covers can be told: not where none are kept."""
        if not isinstance(self.source, tuple):
            return self.source is None or "evidence" in self.source
        return self.source[0].model.training.counts is None

    @property
    def contributions(self) -> Results[Contribution]:
        """What each condition of the rule adds: the class counts without it, in their order."""
        contributions: Results[Contribution] = self._find("contributions", self.rule)
        return contributions

    @property
    def contrast(self) -> Results[ScoredRule]:
        """The best rule for every other class that has one, best first.

        Of the rules that the search looked at: in PIC those with at most one condition more
        than the rule of the prediction.
        """
        contrast: Results[ScoredRule] = self._find("contrast")
        return contrast

    @property
    def scorecard(self) -> Scorecard | None:
        """The rules that decide together, each with its points; None where one decides."""
        scorecard: Scorecard | None = self._find("scorecard")
        return scorecard

    @property
    def alike(self) -> LookAlikes | None:
        """The training rows most like this one, where the rule is made from them; else None."""
        alike: LookAlikes | None = self._find("alike")
        return alike

    @property
    def n_rules(self) -> int:
        """How many rules decide together."""
        if isinstance(self.source, tuple):
            cases, row = self.source
            return cases.n_rules_of(row)
        scorecard = self.source and self.source["scorecard"]
        return len(scorecard.lines) if scorecard else 1

    @property
    def n_conditions(self) -> int:
        """How many conditions there are to read, in all rules that decide together."""
        if self.n_rules == 1 or self.scorecard is None:
            return self.rule.length
        return sum(line.rule.rule.length for line in self.scorecard.lines if line.rule)

    @property
    def top(self) -> Results[ScoredRule]:
        """The best rules that cover this row, whatever their class: `explain(X, top=5)`."""
        top: Results[ScoredRule] = self._find("top")
        return top

    @property
    def agreement(self) -> float | None:
        """Share of the best rules whose class is the prediction; None without `top`."""
        top = self.top
        return sum(one.rule.label == self.prediction for one in top) / len(top) if top else None

    @property
    def trace(self) -> SearchTrace | None:
        """How the rule was found: `explain(X, trace=True)`; None for one from look-alikes."""
        trace: SearchTrace | None = self._find("trace")
        return trace

    def to_dict(self) -> dict[str, Any]:
        """Return all that is known about the prediction as plain values that JSON can hold."""
        return {
            **self._plain("prediction", "confidence", "confidence_interval"),
            **ScoredRule.to_dict(self),
            **self._plain("overruled", "by_cost", "proven_length", "is_learned", "silent"),
            **self._plain("simplified"),
            **self._plain("scorecard", "alike", "contributions", "contrast", "top", "trace"),
            "nearest": self.evidence.to_dicts(NEAREST_SHOWN) if self.has_evidence else [],
        }

    def to_row(self) -> dict[str, Any]:
        """Return what `Explanations.to_frame` has one column each for.

        Returns
        -------
        dict
            Plain values; `lower` and `upper` are the ends of the precision's interval, `silent`
            names the features whose values were missing or never seen.
        """
        lower, upper = self.interval
        return {
            **self._plain("prediction", "confidence", "rule"),
            "length": self.rule.length,
            **self._plain("score", "cover_size", "hits", "precision"),
            "lower": lower,
            "upper": upper,
            **self._plain("recall", "lift", "n_rules"),
            "silent": list_silent(each.feature for each in self.silent),
        }

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        row = self.to_row()
        return row, [row]

    def to_json(self) -> str:
        """Return `to_dict` as JSON text.

        Returns
        -------
        str
            One JSON object, without line breaks.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def plot(self, ax: Any = None) -> Any:
        """Plot the classes of the covered training rows, and the confidence.

        Parameters
        ----------
        ax : Axes or None
            Where to draw; None makes a figure.

        Returns
        -------
        Axes
            The axes that were drawn on; see `picrules.plot_evidence`.
        """
        from picrules.reports.plots import plot_evidence  # noqa: PLC0415  (as in `_repr_html_`)

        return plot_evidence(self, ax)

    def _repr_html_(self) -> str | None:
        """Return a card for notebooks; without training rows to look at, the text has to do."""
        if self.source is None:
            return ScoredRule._repr_html_(self)
        # Pictures lie above what they draw: docs/decisions/layers.md
        from picrules.reports.card import draw_card  # noqa: PLC0415

        return draw_card(to_card(self))

    def __str__(self) -> str:
        name = format_value(self.prediction)
        opening, which = f"{name}, because {self.rule.reason}.", "training rows like this"
        if self.rule.length == 0:
            opening, which = f"{name}: {self.tell_no_rule()}.", "training rows"
        precision, recall = format_share(self.precision), format_share(self.recall)
        counted = [
            "" if self.confidence is None else tell_confidence(self.confidence),
            f"{self.hits} of {self.cover_size} {which} are {name} (precision {precision}),",
            f"which is {recall} of all {name} rows (recall); score {self.score:.3f}.",
            tell_proven(self.proven_length, name),
            tell_remark(self._tell()),
        ]
        known = [
            *([ONE_CLASS] if len(self.class_sizes) == 1 else counted),
            self.tell_simplified(),
            self.tell_alike(),
            self.tell_overruled(),
            self.tell_by_cost(),
            tell_silent([each.to_dict() for each in self.silent]),
        ]
        if self.n_rules > 1 and self.scorecard is not None:
            if self.rule.length > 0:
                known.append(tell_outdone(self.scorecard.to_dict(), self.prediction))
            known += self.scorecard.to_lines()
        return "\n  ".join([opening, *filter(None, known)])

    def tell_by_cost(self) -> str:
        """Say that the costs of errors decided, and which class is likelier.

        Returns
        -------
        str
            A sentence; empty if they did not.
        """
        return tell_by_cost(self._plain("by_cost", "prediction", "confidence"))

    def tell_simplified(self) -> str:
        """Say which conditions were dropped, and what that cost.

        Returns
        -------
        str
            A sentence; empty if none were.
        """
        return tell_simplified(self._plain("simplified"))

    def tell_alike(self) -> str:
        """Say which training rows are most like this one, where the rule is made from them.

        Returns
        -------
        str
            A sentence or two; empty if it is not.
        """
        return tell_alike(self._tell(), format_value(self.prediction))

    def tell_no_rule(self) -> str:
        """Say why a row that no rule of its own covers has its class.

        Returns
        -------
        str
            A sentence, without a capital and a full stop.
        """
        return tell_no_rule(self._tell())

    def _tell(self) -> dict[str, Any]:
        """Return the entries of `to_dict` that sentences are made of."""
        content: dict[str, Any] = {
            "alike": None, "scorecard": None, "length": self.rule.length,
            "is_learned": self.is_learned, **self._plain("by_cost"),
        }  # fmt: skip
        if self.source is not None:
            content |= self._plain("alike")
        if self.n_rules > 1 and self.scorecard is not None:
            content["scorecard"] = {"lines": [{"rule": each.rule} for each in self.scorecard.lines]}
        return {**content, "precision": self.precision, "confidence": self.confidence}

    def tell_overruled(self) -> str:
        """Say which rule for another class scores higher, and that the offset decided.

        Returns
        -------
        str
            A sentence, empty if no other rule scores higher.
        """
        if self.overruled is None:
            return ""
        other = format_value(self.overruled.rule.label)
        return (
            f"A rule for {other} scores higher ({self.overruled.score:.3f}: "
            f"{self.overruled.rule.reason}), but the class offset, "
            f"{self.overruled.offset:+.3f} for {format_value(self.prediction)} against {other}, "
            "decided."
        )

    def __getstate__(self) -> dict[str, Any]:
        state = {each.name: getattr(self, each.name) for each in fields(self)}
        if self.source is not None:
            told = {
                what: getattr(self, what)
                for what in _ASKED
                if what != "evidence" or self.has_evidence
            }
            state["source"] = told | {"places": find_places(self)}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)

    def _find(self, what: str, *about: Rule) -> Any:
        """Ask the rows that this is one of: `Cases.find_evidence` and the like."""
        if self.source is None:
            raise NoTrainingRows(
                "this explanation was made by hand, without training rows; "
                "take one that an estimator's explain(X) gave"
            )
        if isinstance(self.source, dict):
            if what not in self.source:
                raise NoTrainingRows("the model of this explanation kept no training rows")
            return self.source[what]
        cases, row = self.source
        return getattr(cases, f"find_{what}")(*about, row)
