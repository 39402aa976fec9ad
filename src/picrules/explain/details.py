"""What an explanation tells beside the rule, the evidence and the contrast."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Details:
    """What is wanted.

    Attributes
    ----------
    top : int
        How many of the best rules, whatever their class.
    max_overlap : float
        How much two of them may cover the same rows: 1 for any two different rules.
    trace : bool
        Whether to tell the search.
    """

    top: int = 0
    max_overlap: float = 1.0
    trace: bool = False
