"""How a rule that was not searched for does on rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import Any

from picrules.explain.scored_rule import ScoredRule
from picrules.rules.text import format_share, format_value


@dataclass(frozen=True, slots=True, repr=False)
class RuleScore(ScoredRule):
    """How a rule of one's own does on rows; `score_rule` gives it.

    `ScoredRule` has its numbers, of the rows that were given. They are not chosen as the best of
    many, so the interval of the precision means what it says. Where the rule covers no row, its
    precision, score and lift are NaN, and the interval is from 0 to 1.
    """

    __hash__ = ScoredRule.__hash__

    @property
    def n_rows(self) -> int:
        """How many rows were given."""
        return sum(self.class_sizes.values())

    @property
    def coverage(self) -> float:
        """Share of the rows that the rule covers."""
        return self.cover_size / self.n_rows

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: as an explanation's, and `n_rows` and `coverage`."""
        content = {**ScoredRule.to_dict(self), **self._plain("n_rows", "coverage")}
        return {
            name: None if isinstance(value, float) and isnan(value) else value
            for name, value in content.items()
        }

    def __str__(self) -> str:
        of_rows = f"{self.cover_size:,} of {self.n_rows:,} rows ({format_share(self.coverage)})"
        if self.cover_size == 0:
            return f"{self.rule}\n  covers {of_rows}; nothing is known about it."
        name = format_value(self.rule.label)
        if len(self.class_sizes) == 1:
            of_class = f"all rows given are {next(iter(map(format_value, self.class_sizes)))}"
            return f"{self.rule}\n  covers {of_rows}; {of_class}, so nothing is known about it."
        lower, upper = map(format_share, self.interval)
        return (
            f"{self.rule}\n  covers {of_rows}; {self.hits:,} of them are {name}: precision "
            f"{format_share(self.precision)} (95% interval {lower} to {upper}),\n"
            f"  {self.lift:.2f} times the share of {name} ({format_share(self.share)}); "
            f"recall {format_share(self.recall)}; score {self.score:.3f}."
        )
