"""All explanations together: which rules are used, how often, and how good they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.errors import BadParameter
from picrules.explain.explanation import Explanation
from picrules.explain.tabular import Result, Tabular
from picrules.rules.text import plural, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from picrules.rules.rule import Rule

# Rules that the text of a summary lists.
N_SHOWN = 20

COLUMNS = (
    "rule", "prediction", "rows", "share", "length", "score", "precision", "recall", "cover_size",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RuleUse:
    """A rule, and how many rows it decides.

    Attributes
    ----------
    explanation : Explanation
        The explanation of the first of these rows: the rule and its numbers.
    n_rows : int
        How many rows it decides.
    """

    explanation: Explanation
    n_rows: int

    @property
    def rule(self) -> Rule:
        """The rule."""
        return self.explanation.rule


@dataclass(frozen=True, slots=True)
class Summary(Tabular, Result):
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
        for use in chain.from_iterable(part.uses for part in parts):
            first.setdefault(use.rule, use.explanation)
            counts[use.rule] += use.n_rows
        uses = [RuleUse(explanation, counts[rule]) for rule, explanation in first.items()]
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
        rows = (
            {**use.explanation.to_row(), "rows": use.n_rows, "share": use.n_rows / n_rows}
            for use in self.uses
        )
        return COLUMNS, [{name: row[name] for name in COLUMNS} for row in rows]

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
            "",
            "   rows  share  precision   cover  rule",
        ]
        for use in self.uses[:top]:
            share, known = use.n_rows / n_rows, use.explanation
            numbers = f"{share:6.1%} {known.precision:10.1%} {known.cover_size:7,}"
            lines.append(f"{use.n_rows:7,} {numbers}  {use.rule}")
        if top is not None and top < self.n_rules:
            lines.append(f"        ... and {self.n_rules - top} more")
        return lines

    def __str__(self) -> str:
        first, *lines = self.to_lines(N_SHOWN)
        second = (
            f"{self.coverage:.1%} of the rows have a rule: "
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
       rows  share  precision   cover  rule
          2  50.0%     100.0%       2  if x0 = a then yes
          1  25.0%     100.0%       1  if x0 = b then no
          1  25.0%      66.7%       3  no rule; the most frequent class is yes
    """
    if hasattr(explanations, "distinct"):
        first, indices = explanations.distinct()
        uses = tuple(map(RuleUse, first, np.bincount(indices, minlength=len(first)).tolist()))
    else:
        uses = tuple(RuleUse(_check(item), 1) for item in explanations)
    return Summary.total([Summary(uses)])


def _check(item: Any) -> Explanation:
    if isinstance(item, Explanation):
        return item
    raise BadParameter(
        f"summarize got {show(item)} ({type(item).__name__}) where an Explanation is expected; "
        "clf.explain(X) is accepted"
    )
