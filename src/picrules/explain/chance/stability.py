"""What becomes of a row's class and rule when the training rows are drawn again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.explain.chance.shuffles import resample_rows
from picrules.explain.explanations import Explanations
from picrules.explain.tabular import FEW_SHOWN, Result, RowResults, take_head
from picrules.rules.text import Value, format_share, format_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.model.model import Model
    from picrules.model.searcher import Report
    from picrules.rules.rule import Rule

# Rules that `str` and `to_dict` list.
RULES_SHOWN = 5


@dataclass(frozen=True, slots=True, repr=False)
class Stability(Result):
    """What becomes of one row's class and rule when the training rows are drawn again.

    Attributes
    ----------
    rule : Rule
        The rule that all training rows give.
    rules : tuple of (Rule, float)
        The rules that resamples give, each with its share of them; the most frequent first,
        then in the order of their text.
    classes : dict
        The share of the resamples in which each class is predicted.
    n_resamples : int
        How many resamples there were.
    """

    rule: Rule
    rules: tuple[tuple[Rule, float], ...]
    classes: dict[Value, float]
    n_resamples: int

    @property
    def class_share(self) -> float:
        """Share of the resamples in which the row keeps its class."""
        return self.classes[self.rule.label]

    @property
    def rule_share(self) -> float:
        """Share of the resamples in which the row keeps exactly its rule."""
        return dict(self.rules).get(self.rule, 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; `n_rules` counts all rules, `rules` has the first five."""
        return {
            "prediction": self.rule.label,
            "rule": str(self.rule),
            "class_share": self.class_share,
            "rule_share": self.rule_share,
            "n_rules": len(self.rules),
            "n_resamples": self.n_resamples,
            "classes": [{"class": name, "share": share} for name, share in self.classes.items()],
            "rules": [
                {"rule": str(rule), "share": share} for rule, share in self.rules[:RULES_SHOWN]
            ],
        }

    def __str__(self) -> str:
        name = format_value(self.rule.label)
        resamples = f"{self.n_resamples} resamples of the training rows"
        lines = [
            str(self.rule),
            f"  {name} in {format_share(self.class_share)} of {resamples},",
            f"  by exactly this rule in {format_share(self.rule_share)}.",
        ]
        others = [(rule, share) for rule, share in self.rules if rule != self.rule]
        if others:
            lines.append("  Otherwise:")
            lines.extend(
                f"  {format_share(share):>10}  {rule}" for rule, share in others[:RULES_SHOWN]
            )
        if len(others) > RULES_SHOWN:
            rest = sum(share for _, share in others[RULES_SHOWN:])
            lines.append(f"  {format_share(rest):>10}  {len(others) - RULES_SHOWN} other rules")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False, repr=False)
class Stabilities(RowResults[Stability], Result):
    """What becomes of each row's class and rule when the training rows are drawn again.

    A sequence of `Stability`, one per row.

    Attributes
    ----------
    classes : list
        All classes of the model.
    rules : list of Rule
        All rules that any row has, or gets by a resample.
    own : int64 array of shape (n_rows,)
        The position in `rules` of the rule that all training rows give.
    found : int64 array of shape (n_resamples, n_rows)
        The position in `rules` of the rule that each resample gives.
    row_index : pandas index or None
        That of the rows, where they came as a pandas table.
    """

    classes: list[Value]
    rules: list[Rule]
    own: NDArray[np.int64]
    found: NDArray[np.int64]
    row_index: Any = None
    _columns = ("prediction", "rule", "class_share", "rule_share", "n_rules")

    @property
    def n_resamples(self) -> int:
        """How many resamples there were."""
        return len(self.found)

    @cached_property
    def class_shares(self) -> NDArray[np.float64]:
        """Share of the resamples in which each row keeps its class."""
        labels = np.array([self.classes.index(rule.label) for rule in self.rules], np.int64)
        shares: NDArray[np.float64] = (labels[self.found] == labels[self.own]).mean(axis=0)
        return shares

    @cached_property
    def rule_shares(self) -> NDArray[np.float64]:
        """Share of the resamples in which each row keeps exactly its rule."""
        shares: NDArray[np.float64] = (self.found == self.own).mean(axis=0)
        return shares

    def __len__(self) -> int:
        return len(self.own)

    def _result(self, row: int) -> Stability:
        indices, counts = np.unique(self.found[:, row], return_counts=True)
        totals = dict.fromkeys(self.classes, 0)
        shares = []
        for index, count in zip(indices.tolist(), counts.tolist(), strict=True):
            rule = self.rules[index]
            shares.append((rule, count / self.n_resamples))
            totals[rule.label] += count
        return Stability(
            self.rules[self.own[row]],
            tuple(sorted(shares, key=lambda pair: (-pair[1], str(pair[0])))),
            {name: count / self.n_resamples for name, count in totals.items()},
            self.n_resamples,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: `n_resamples`, and `rows`, each as `Stability` says it."""
        return {"n_resamples": self.n_resamples, "rows": [row.to_dict() for row in self]}

    def __repr__(self) -> str:
        return f"<stability of {len(self)} rows, {self.n_resamples} resamples>"

    def __str__(self) -> str:
        opening = (
            f"{len(self)} rows, {self.n_resamples} resamples of the training rows; conditions, "
            "settings and class offsets are held fixed."
        )
        return "\n".join([opening, *take_head(map(str, self), len(self), FEW_SHOWN)])

    def _row_index(self) -> Any:
        return self.row_index


def check_stability(
    model: Model,
    codes: NDArray[np.int32],
    n_resamples: int,
    random_state: int,
    report: Report | None = None,
    row_index: Any = None,
) -> Stabilities:
    """Explain rows again by resamples of the training rows.

    `report` is told the share of the work just done.
    """
    numbers: dict[Rule, int] = {}
    own = _number_rules(Explanations.of(model, codes), numbers)
    found = np.empty((n_resamples, len(own)), np.int64)
    for resample, rows in enumerate(resample_rows(model.training, n_resamples, random_state)):
        explanations = Explanations.of(model.trained_on(*rows), codes)
        found[resample] = _number_rules(explanations, numbers)
        if report is not None:
            report(1 / n_resamples)
    return Stabilities(model.classes, list(numbers), own, found, row_index)


def _number_rules(explanations: Explanations, numbers: dict[Rule, int]) -> NDArray[np.int64]:
    """Return the number of each row's rule; a rule not seen before gets the next."""
    distinct, indices = explanations.distinct()
    own = [numbers.setdefault(explanation.rule, len(numbers)) for explanation in distinct]
    return np.array(own, np.int64)[indices]
