"""Thresholds on one path, gathered into one interval a feature."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, nextafter

from picrules.rules.condition import Interval


@dataclass(frozen=True, slots=True)
class Path:
    """What a row must satisfy so far: `lower < x <= upper` for some features.

    Attributes
    ----------
    ends : dict
        Position of a feature to its two ends, in the order in which the features came.
    """

    ends: dict[int, tuple[float, float]] = field(default_factory=dict)

    def narrow(self, feature: int, symbol: str, cut: float) -> Path:
        """Return the path with one more claim, `x <= cut`, `x > cut`, `x < cut` or `x >= cut`."""
        if symbol in ("<", ">="):
            cut = nextafter(cut, -inf)  # x < cut is x <= the number before it
        lower, upper = self.ends.get(feature, (-inf, inf))
        ends = (lower, min(upper, cut)) if symbol[0] == "<" else (max(lower, cut), upper)
        return Path({**self.ends, feature: ends})

    @property
    def is_empty(self) -> bool:
        """Whether no row can be inside."""
        return any(lower >= upper for lower, upper in self.ends.values())

    def conditions(self, names: list[str]) -> tuple[Interval, ...]:
        """Return one condition a feature."""
        return tuple(Interval(names[feature], *ends) for feature, ends in self.ends.items())
