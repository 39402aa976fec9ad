"""The search for a rule, told: what was looked at, what was skipped, and why that was safe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from picrules.explain.tabular import Result, Tabular, list_records

if TYPE_CHECKING:
    from collections.abc import Iterable

    from picrules.explain.scored_rule import ScoredRule

_COUNTS = ("length", "possible", "looked_at", "cannot_beat", "same_cover", "too_small")


@dataclass(frozen=True, slots=True, repr=False)
class Level(Result):
    """The rules of one length that cover the row."""

    length: int
    possible: int  # how many rules there are
    looked_at: int  # those whose cover was counted
    # Those skipped because the first of their conditions leave too few rows of every class for a
    # rule as good as the best so far.
    cannot_beat: int
    # Those skipped because one of their conditions excludes no row: a shorter rule says the same.
    same_cover: int
    too_small: int  # those skipped because the first of their conditions cover too few rows
    best: ScoredRule | None  # the best rule of this length or shorter

    def to_dict(self) -> dict[str, Any]:
        """Return an entry for each attribute; `best` has its `rule` and `score`."""
        best = self.best and {"rule": str(self.best.rule), "score": self.best.score}
        return {**self._plain(*_COUNTS), "best": best}

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        best = {"rule": self.best and str(self.best.rule), "score": self.best and self.best.score}
        row = {**self._plain(*_COUNTS), **best}
        return row, [row]

    def __str__(self) -> str:
        best = "no rule" if self.best is None else str(self.best)
        counts = f"{self.looked_at:,} of {self.possible:,} rules looked at"
        return f"length {self.length}: {counts}; the best so far: {best}"


@dataclass(frozen=True, slots=True, repr=False)
class SearchTrace(Result):
    """How the best rule of a row is found by the bitmap engine, length by length.

    The answer is proven: every rule up to the last length was looked at, or skipped because it
    can not be better. The table engine, which may have given the prediction, looks at all
    rules and finds the same one.

    Attributes
    ----------
    levels : tuple of Level
        One entry per length.
    is_complete : bool
        Whether no longer rule covers the row; else longer rules were not asked for, or, in
        PIC, the last length brought nothing better.
    """

    levels: tuple[Level, ...]
    is_complete: bool

    @property
    def n_possible(self) -> int:
        """How many rules cover the row, up to the last length."""
        return sum(level.possible for level in self.levels)

    @property
    def n_looked_at(self) -> int:
        """How many of them were looked at."""
        return sum(level.looked_at for level in self.levels)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: one entry for each attribute and property."""
        return self._plain("levels", "is_complete", "n_possible", "n_looked_at")

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        return list_records(self.levels)

    def _title(self) -> str:
        return str(self).rpartition("\n")[2]

    _repr_html_ = Tabular._repr_html_

    def __str__(self) -> str:
        if self.n_possible == 0:
            return "No rule covers this row."
        header = [f"{name.replace('_', ' '):>11}" for name in _COUNTS]
        lines = ["  ".join([*header, "best so far"])]
        for level in self.levels:
            cells = [f"{getattr(level, name):>11,}" for name in _COUNTS]
            best = "none" if level.best is None else f"{level.best.score:.3f}  {level.best.rule}"
            lines.append("  ".join([*cells, best]))
        last = self.levels[-1].length
        scope = "any length" if self.is_complete else f"at most {last} conditions"
        lines.append(
            f"Proven: no rule of {scope} is better. Looked at {self.n_looked_at:,} of "
            f"{self.n_possible:,} rules that cover this row"
            + ("; the others can not be." if self.n_looked_at < self.n_possible else ".")
        )
        return "\n".join(lines)
