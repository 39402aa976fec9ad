"""Settings that were tried, how well they did, and what was chosen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.explain.tabular import Tabular
from picrules.rules.text import format_share

if TYPE_CHECKING:
    from collections.abc import Iterable

    from picrules.scoring.settings import Setting


@dataclass(frozen=True)
class Candidate:
    """Settings that were tried, and how well they did.

    Attributes
    ----------
    cuts : int
        Into how many parts ordered features are cut.
    has_subsets : bool
        Whether categories have sets of values, or `!=`, beside `=`.
    has_intervals : bool
        Whether ordered features have conditions with two ends beside those with one.
    max_length : int
        The longest rules.
    setting : Setting
        The measure, alpha and smoothing.
    has_offset : bool
        Whether class offsets are added.
    n_looked_at : int
        How many rules there are to choose from.
    score : float
        Mean leave-one-out score of the rows.
    """

    cuts: int
    has_subsets: bool
    has_intervals: bool
    max_length: int
    setting: Setting
    has_offset: bool
    n_looked_at: int
    score: float = np.nan

    def to_dict(self) -> dict[str, Any]:
        """Return the settings by the names of the estimator's parameters, and the result.

        Returns
        -------
        dict
            Plain values; the result is `n_looked_at` and `score`.
        """
        return {
            "cuts": self.cuts,
            "subsets": self.has_subsets,
            "intervals": self.has_intervals,
            "max_length": self.max_length,
            "measure": self.setting.measure,
            "alpha": self.setting.alpha,
            "smoothing": self.setting.smoothing,
            "class_offset": self.has_offset,
            "n_looked_at": self.n_looked_at,
            "score": self.score,
        }


@dataclass(frozen=True, repr=False)
class Tuning(Tabular):
    """What was tried, and what was chosen.

    Attributes
    ----------
    candidates : tuple of Candidate
        All that was tried, in the order in which it was tried.
    chosen : Candidate
        The one that finds the best short rule. `n_rules` and `is_alike` tell what decides.
    default : Candidate
        The one that the others had to beat.
    scoring : str
        What the scores are.
    n_rows : int
        How many training rows were judged.
    seconds : float or None
        How long it took; None where the classifier comes from a file.
    is_complete : bool
        Whether everything was tried, or the budget ended before.
    n_rules : int
        How many rules decide together; 0 where no rule is better than the larger class.
    optimism : float or None
        By how much the score of the chosen candidate flatters, about: what the best of all
        candidates loses on rows that had no say in choosing it. None where the classifier comes
        from a model file.
    is_alike : bool
        Whether a row's rule is grown from its look-alikes, instead of being the best short one.
    by_rules : dict of int to float
        The score by the number of rules, as far as they were tried.
    accuracy : float or None
        The share of new predictions that can be expected to be right: the mean confidence of
        left-out training rows. The score of the best of many candidates flatters; this does not.
        None with one class, and in model files that do not tell.
    has_rows : bool
        Whether what needs the rows of the model was tried, look-alikes and several rules, where
        they were asked for; with `keep_rows=False` they are not.
    """

    candidates: tuple[Candidate, ...]
    chosen: Candidate
    default: Candidate
    scoring: str
    n_rows: int
    seconds: float | None
    is_complete: bool
    n_rules: int = 1
    by_rules: dict[int, float] = field(default_factory=dict)
    is_alike: bool = False
    optimism: float | None = None
    accuracy: float | None = None
    has_rows: bool = True

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the candidates as rows for a table.

        Returns
        -------
        list of dict
            For each candidate what its `to_dict` says.
        """
        return [candidate.to_dict() for candidate in self.candidates]

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        best = sorted(self.to_dicts(), key=lambda row: -row["score"])
        return best[0], best

    def __str__(self) -> str:
        chosen = ", ".join(
            f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in self.chosen.to_dict().items()
            if name not in ("score", "n_looked_at")
        )
        is_in_use = self.n_rules == 1 and not self.is_alike
        time = "" if self.seconds is None else f" in {self.seconds:.1f} s"
        end = "" if self.is_complete else "; the budget ended before everything was tried"
        return (
            f"{len(self.candidates)} settings tried on {self.n_rows} rows{time}{end}\n"
            f"  {'chosen' if is_in_use else 'best short rule'}: {chosen}\n"
            f"  leave-one-out {self.scoring} {self.chosen.score:.4f}, "
            f"of the default {self.default.score:.4f}{self._tell_what_decides()}"
        )

    def _tell_what_decides(self) -> str:
        if self.n_rules == 0:
            return "\n  nothing is learned: no rule is better than the larger class here"
        if not self.has_rows:
            return "\n  look-alikes and several rules were not tried: they need rows that are kept"
        if not self.by_rules:
            return ""
        what = "one rule decides" if self.n_rules == 1 else f"{self.n_rules} rules decide"
        if self.is_alike:
            first = ", the first" if self.n_rules > 1 else ""
            what += f"{first}, grown from a row's look-alikes"
        score = self.by_rules.get(self.n_rules, self.chosen.score)
        return f"\n  {what}, {self.scoring} {score:.4f}{self._tell_accuracy()}"

    def _tell_accuracy(self) -> str:
        if self.accuracy is None:
            return ""
        return f"\n  of new predictions about {format_share(self.accuracy)} are right"
