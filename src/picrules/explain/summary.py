"""All explanations together: which rules are used, how often, and how good they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.errors import BadParameter
from picrules.explain.explanation import Explanation
from picrules.explain.tabular import N_SHOWN, Result, Tabular
from picrules.explain.trust import ONE_CLASS, UNTOLD
from picrules.rules.text import format_share, plural, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from picrules.explain.explanations import Explanations
    from picrules.rules.rule import Rule

UNIT = 2.0**-30

COLUMNS = (
    "rule", "prediction", "rows", "share", "confidence", "length", "score", "precision", "recall",
    "cover_size",
)  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class RuleUse(Result):
    """A rule, and how many rows it decides.

    Attributes
    ----------
    explanation : Explanation
        The explanation of the first of these rows: the rule and its numbers.
    n_rows : int
        How many rows it decides.
    units : int or None
        The sum of their confidences as a whole number of `UNIT`, so that parts add up exactly;
        None where the estimator does not know the confidence.
    """

    explanation: Explanation
    n_rows: int
    units: int | None = None

    @property
    def confidence(self) -> float | None:
        """The mean confidence of these rows, where the estimator knows it."""
        return None if self.units is None else self.units * UNIT / self.n_rows

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: the rule, its rows and numbers of training."""
        row = {**self.explanation.to_row(), "rows": self.n_rows, "confidence": self.confidence}
        return {name: row[name] for name in COLUMNS if name in row}

    def __str__(self) -> str:
        return f"{plural(self.n_rows, 'row')}: {self.rule}"

    @property
    def rule(self) -> Rule:
        """The rule."""
        return self.explanation.rule


@dataclass(frozen=True, slots=True, repr=False)
class Summary(Result):
    """The rules that the explanations of a table use.

    Summaries of parts of a table add up to the summary of the table: `first + second`.

    Attributes
    ----------
    uses : tuple of RuleUse
        Each rule once, the most used first, then in the order of their texts. The rule without
        conditions is among them where a row has no other.
    """

    uses: tuple[RuleUse, ...] = ()

    @property
    def n_rows(self) -> int:
        """How many rows were explained."""
        return sum(use.n_rows for use in self.uses)

    @property
    def n_rules(self) -> int:
        """How many different rules there are, the one without conditions included."""
        return len(self.uses)

    @property
    def mean_length(self) -> float:
        """Conditions per row on average; a row without a rule has none."""
        return self._mean(use.n_rows * use.rule.length for use in self.uses)

    @property
    def coverage(self) -> float:
        """Share of the rows that a rule with conditions covers."""
        return self._mean(use.n_rows for use in self.uses if use.rule.length)

    @property
    def n_uncovered(self) -> int:
        """How many rows no rule covers."""
        return sum(use.n_rows for use in self.uses if not use.rule.length)

    @property
    def shared(self) -> list[RuleUse]:
        """The rules with conditions that decide two rows or more."""
        return [use for use in self.uses if use.rule.length and use.n_rows > 1]

    @property
    def personal(self) -> list[RuleUse]:
        """The rules with conditions that decide one row."""
        return [use for use in self.uses if use.rule.length and use.n_rows == 1]

    def __add__(self, other: Summary) -> Summary:
        if not isinstance(other, Summary):
            return NotImplemented
        return Summary.total([self, other])

    @classmethod
    def total(cls, parts: Iterable[Summary]) -> Summary:
        """Add up the summaries of many parts of a table, one after the other.

        Parameters
        ----------
        parts : iterable of Summary
            The summaries; where a rule is in several, its numbers are those of the first.

        Returns
        -------
        Summary
            The summary of all rows.
        """
        first: dict[Rule, Explanation] = {}
        counts: Counter[Rule] = Counter()
        units: Counter[Rule] = Counter()
        for use in chain.from_iterable(part.uses for part in parts):
            first.setdefault(use.rule, use.explanation)
            counts[use.rule] += use.n_rows
            units[use.rule] += use.units or 0
        uses = [
            RuleUse(known, counts[rule], None if known.confidence is None else units[rule])
            for rule, known in first.items()
        ]
        return Summary(tuple(sorted(uses, key=lambda use: (-use.n_rows, str(use.rule)))))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON.

        `shared_rules` and `personal_rules` are how many rules decide several rows or one; `rules`
        has the most used first, with their `rows`, the `share` of these, and numbers of training.
        """
        return {
            "rows": self.n_rows,
            "n_rules": self.n_rules,
            "mean_length": self.mean_length,
            "coverage": self.coverage,
            "rows_without_rule": self.n_uncovered,
            "shared_rules": len(self.shared),
            "personal_rules": len(self.personal),
            "rules": self._to_records()[1],
        }

    def _to_records(self) -> tuple[Iterable[str], list[dict[str, Any]]]:
        n_rows = self.n_rows  # a sum over all rules
        rows = ({**use.to_dict(), "share": use.n_rows / n_rows} for use in self.uses)
        return COLUMNS, [{name: row[name] for name in COLUMNS} for row in rows]

    _repr_html_ = Tabular._repr_html_

    def to_lines(self, top: int | None = None) -> list[str]:
        """Write the numbers of the table, and one line per rule.

        Parameters
        ----------
        top : int or None
            Write at most that many rules, the most used ones; None for all.

        Returns
        -------
        list of str
            The lines.
        """
        n_rows = self.n_rows
        counts = f"{plural(n_rows, 'row')}, {plural(self.n_rules, 'rule')}"
        lines = [
            f"{counts}, {self.mean_length:.2f} conditions per row on average",
            *(
                [ONE_CLASS]
                if any(len(use.explanation.class_sizes) == 1 for use in self.uses)
                else []
            ),
            "",
            "   rows       share  confidence   precision   cover  rule",
        ]
        for use in self.uses[:top]:
            share, known = use.n_rows / n_rows, use.explanation
            sure = UNTOLD if use.confidence is None else format_share(use.confidence)
            right = UNTOLD if len(known.class_sizes) == 1 else format_share(known.precision)
            shares = f"{format_share(share):>11} {sure:>11} {right:>11}"
            lines.append(f"{use.n_rows:7,} {shares} {known.cover_size:7,}  {use.rule}")
        if top is not None and top < self.n_rules:
            lines.append(f"        ... and {self.n_rules - top} more")
        return lines

    def __str__(self) -> str:
        first, *lines = self.to_lines(N_SHOWN)
        second = (
            f"{format_share(self.coverage)} of the rows have a rule: "
            f"{plural(len(self.shared), 'shared rule')}, "
            f"{plural(len(self.personal), 'personal rule')}"
        )
        return "\n".join([first, second, *lines])

    def _mean(self, numbers: Iterable[int]) -> float:
        """Divide a sum by the number of rows; 0 without rows."""
        return sum(numbers) / max(self.n_rows, 1)


def summarize(explanations: Iterable[Explanation]) -> Summary:
    """Tell which rules the explanations of a table use, and how often.

    Parameters
    ----------
    explanations : iterable of Explanation
        For example `clf.explain(X)`, which is counted without looking at each row's explanation.

    Returns
    -------
    Summary
        The rules in use.

    Examples
    --------
    >>> from picrules import PICClassifier, summarize
    >>> clf = PICClassifier().fit([["a"], ["a"], ["b"]], ["yes", "yes", "no"])
    >>> print(summarize(clf.explain([["a"], ["a"], ["b"], ["c"]])))
    4 rows, 3 rules, 0.75 conditions per row on average
    75.0% of the rows have a rule: 1 shared rule, 1 personal rule
    <BLANKLINE>
       rows       share  confidence   precision   cover  rule
          2       50.0%   not known        100%       2  if x0 = a then yes
          1       25.0%   not known        100%       1  if x0 = b then no
          1       25.0%   not known       66.7%       3  no rule; the most frequent class is yes
    """
    if hasattr(explanations, "distinct"):
        return summarize_rules(explanations, *explanations.distinct())  # type: ignore[arg-type]
    uses = (RuleUse(_check(item), 1, _to_units(item.confidence)) for item in explanations)
    return Summary.total([Summary(tuple(uses))])


def summarize_rules(
    explanations: Explanations, distinct: list[Explanation], which: NDArray[np.int64]
) -> Summary:
    """Count the rows of each of the different rules that `Explanations.distinct` gave."""
    counts = np.bincount(which, minlength=len(distinct))
    units = np.zeros(len(distinct), np.int64)
    np.add.at(units, which, np.rint(explanations.confidences / UNIT).astype(np.int64))
    uses = (
        RuleUse(first, count, None if first.confidence is None else total)
        for first, count, total in zip(distinct, counts.tolist(), units.tolist(), strict=True)
    )
    return Summary.total([Summary(tuple(uses))])


def _to_units(confidence: float | None) -> int | None:
    return None if confidence is None else round(confidence / UNIT)


def _check(item: Any) -> Explanation:
    if isinstance(item, Explanation):
        return item
    raise BadParameter(
        f"summarize got {show(item)} ({type(item).__name__}) where an Explanation is expected; "
        "clf.explain(X) is accepted"
    )
