"""How often chance alone gives a row a rule as good as the one it has."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.explain.chance.shuffles import shuffle_labels
from picrules.explain.explanations import Explanations
from picrules.explain.tabular import Result, RowResults, take_head
from picrules.rules.text import format_value
from picrules.scoring.statistics import adjust_p_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.model.model import Model
    from picrules.model.searcher import Report
    from picrules.rules.rule import Rule


@dataclass(frozen=True, slots=True, repr=False)
class RowSignificance(Result):
    """How often chance alone gives one row a rule as good as the one it has.

    Attributes
    ----------
    rule : Rule
        The row's rule.
    p_value : float
        `(1 + n_as_good) / (1 + n_permutations)`: it counts the whole search, for each shuffle.
    adjusted : float
        The p-value adjusted for the number of rows, by Benjamini and Hochberg.
    fisher_p_value : float
        Fisher's exact p-value of the rule, one-sided. It ignores the search: the rule is taken
        as given, though it is the best of many.
    n_as_good : int
        Shuffles of the training labels that gave the row a rule at least as good.
    n_permutations : int
        How many shuffles there were.
    n_rows : int
        How many rows the p-value is adjusted for.
    n_rules : int
        How many rules decide together; what is compared is then what they say together.
    """

    rule: Rule
    p_value: float
    adjusted: float
    fisher_p_value: float
    n_as_good: int
    n_permutations: int
    n_rows: int
    n_rules: int = 1

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: an entry for each attribute, and `prediction`."""
        names = [field.name for field in fields(self)]
        return {"prediction": self.rule.label, **self._plain(*names)}

    def __str__(self) -> str:
        name = format_value(self.rule.label)
        if self.rule.length == 0 and self.n_rules == 1:
            return f"{name}: no rule covers this row; there is nothing to check, the p-value is 1."
        reason = f"because {self.rule.reason}" if self.rule.length else "without a rule of its own"
        what = "a rule" if self.n_rules == 1 else f"{self.n_rules} rules that are together"
        as_one = ""
        if self.n_rows > 1:
            among = f"the p-value as one of {self.n_rows:,} rows (Benjamini-Hochberg)"
            as_one = f"  adjusted {self.adjusted:.4f}: {among}.\n"
        return (
            f"{name}, {reason}.\n"
            f"  p-value {self.p_value:.4f}: {self.n_as_good} of {self.n_permutations} shuffles of "
            f"the training labels give this row {what} as good.\n"
            f"{as_one}"
            f"  Fisher's p-value {self.fisher_p_value:.2g} ignores the search: the rule as given, "
            "not as the best of many."
        )


@dataclass(frozen=True, eq=False, repr=False)
class Significance(RowResults[RowSignificance], Result):
    """How often chance alone gives each row a rule as good as the one it has.

    A sequence of `RowSignificance`, one per row.

    Attributes
    ----------
    rules : list of Rule
        The rule of each row.
    n_as_good : int64 array of shape (n_rows,)
        Shuffles of the training labels that gave the row a rule at least as good.
    fisher_p_values : float64 array of shape (n_rows,)
        Fisher's p-value of each rule, which ignores the search.
    n_permutations : int
        How many shuffles there were.
    n_rules : int
        How many rules decide together about each row.
    row_index : pandas index or None
        That of the rows, where they came as a pandas table.
    """

    rules: list[Rule]
    n_as_good: NDArray[np.int64]
    fisher_p_values: NDArray[np.float64]
    n_permutations: int
    n_rules: int = 1
    row_index: Any = None
    _columns = ("prediction", "rule", "p_value", "adjusted", "fisher_p_value", "n_as_good")

    @cached_property
    def p_values(self) -> NDArray[np.float64]:
        """For each row `(1 + n_as_good) / (1 + n_permutations)`."""
        return np.divide(1 + self.n_as_good, 1 + self.n_permutations)

    @cached_property
    def adjusted(self) -> NDArray[np.float64]:
        """The p-values, adjusted for the number of rows by Benjamini and Hochberg."""
        return adjust_p_values(self.p_values)

    def __len__(self) -> int:
        return len(self.rules)

    def _result(self, row: int) -> RowSignificance:
        return RowSignificance(
            self.rules[row],
            float(self.p_values[row]),
            float(self.adjusted[row]),
            float(self.fisher_p_values[row]),
            int(self.n_as_good[row]),
            self.n_permutations,
            len(self),
            self.n_rules,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: `n_permutations`, and `rows` with all else."""
        rows = [{name: row[name] for name in self._columns} for row in self._to_records()[1]]
        return {"n_permutations": self.n_permutations, "rows": rows}

    def __repr__(self) -> str:
        return f"<significance of {len(self)} rules, {self.n_permutations} permutations>"

    def __str__(self) -> str:
        opening = (
            f"{len(self)} rows, {self.n_permutations} shuffles of the training labels; settings, "
            "cuts and class offsets are held fixed.\n"
            "  p-value:  how often shuffled labels give the row a rule at least as good.\n"
            "  adjusted: the share of chance finds to expect (Benjamini-Hochberg) among the rows "
            "with a p-value up to this one.\n"
            "  Fisher:   the p-value of the rule that ignores the search, as if it had not been "
            "picked as the best of many.\n"
            " p-value  adjusted    Fisher  rule"
        )
        lines = (
            f"{row.p_value:8.4f}  {row.adjusted:8.4f}  {row.fisher_p_value:8.2g}  {row.rule}"
            for row in self
        )
        return "\n".join([opening, *take_head(lines, len(self))])

    def _row_index(self) -> Any:
        return self.row_index


def check_chance(
    model: Model,
    codes: NDArray[np.int32],
    n_permutations: int,
    random_state: int,
    report: Report | None = None,
    row_index: Any = None,
) -> Significance:
    """Count in how many shuffles of the training labels each row gets a rule as good as its own.

    How good a rule is, is its score plus the offset of its class, whatever the class; where several
    decide, the sum of their weighted scores plus the offset. `report` is told the share of the work
    just done.
    """
    asked = Explanations.of(model, codes)
    explanations, rule_of = asked.distinct()
    # No rule is worse than any, -inf; so a row without one has the p-value 1.
    values = asked.cases.decisions.values[asked.cases.numbers]
    n_as_good = np.zeros(len(values), np.int64)
    for rows in shuffle_labels(model.training, n_permutations, random_state):
        _, shuffled = model.trained_on(*rows).predict(codes)
        n_as_good += shuffled >= values
        if report is not None:
            report(1 / n_permutations)
    rules = [explanations[index].rule for index in rule_of.tolist()]
    fisher_p_values = np.array([explanation.fisher_p_value for explanation in explanations])
    return Significance(
        rules, n_as_good, fisher_p_values[rule_of], n_permutations, len(model.members), row_index
    )
