"""A prediction with its rule and all that is known about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from picrules.rules.text import Value, format_value
from picrules.scoring.measures import precision, recall

if TYPE_CHECKING:
    from collections.abc import Callable

    from picrules.rules.rule import Rule


@dataclass(frozen=True, slots=True)
class Explanation:
    """One row's predicted class, and the rule that is the reason for it.

    Attributes
    ----------
    rule : Rule
        The best rule that covers the row; without conditions when none does.
    prediction : str, int, float or bool
        The predicted class, which is the rule's class.
    score : float
        `alpha * precision + (1 - alpha) * recall`.
    precision : float
        Share of the covered training rows that are of the predicted class.
    recall : float
        Share of the predicted class's training rows that are covered.
    cover_size : int
        How many training rows the rule covers.
    class_counts : dict
        How many of them are of each class.
    """

    rule: Rule
    prediction: Value
    score: float
    precision: float
    recall: float
    cover_size: int
    class_counts: dict[Value, int]

    def __str__(self) -> str:
        name = format_value(self.prediction)
        if self.rule.length == 0:
            opening = f"{name}: no rule covers this row, so it gets the most frequent class."
        else:
            opening = f"{name}, because {self.rule.reason}."
        hits = self.class_counts[self.prediction]
        which = "training rows" if self.rule.length == 0 else "training rows like this"
        return (
            f"{opening}\n"
            f"  {hits} of {self.cover_size} {which} are {name} (precision {self.precision:.1%}),\n"
            f"  which is {self.recall:.1%} of all {name} rows (recall); score {self.score:.3f}."
        )


class Explanations(Sequence[Explanation]):
    """One explanation a row, made when it is looked at.

    Parameters
    ----------
    n_rows : int
        How many there are.
    make : callable
        Takes the position of a row and returns its explanation.
    """

    def __init__(self, n_rows: int, make: Callable[[int], Explanation]) -> None:
        self._n_rows = n_rows
        self._make = make

    def __len__(self) -> int:
        return self._n_rows

    @overload
    def __getitem__(self, position: int) -> Explanation: ...

    @overload
    def __getitem__(self, position: slice) -> list[Explanation]: ...

    def __getitem__(self, position: int | slice) -> Explanation | list[Explanation]:
        rows = range(self._n_rows)[position]
        return self._make(rows) if isinstance(rows, int) else [self._make(row) for row in rows]

    def __repr__(self) -> str:
        return f"<{self._n_rows} explanations>"

    def __str__(self) -> str:
        return "\n".join(str(explanation) for explanation in self)


def make_explanation(
    rule: Rule, score: float, class_counts: dict[Value, int], class_size: int
) -> Explanation:
    """Work out what follows from a rule and its class counts.

    Parameters
    ----------
    rule : Rule
        The rule.
    score : float
        Its score, as the engine computed it.
    class_counts : dict
        How many rows of each class it covers.
    class_size : int
        How many training rows are of the rule's class.

    Returns
    -------
    Explanation
        The explanation of a row that gets this rule.
    """
    hits, cover_size = class_counts[rule.label], sum(class_counts.values())
    return Explanation(
        rule=rule,
        prediction=rule.label,
        score=score,
        precision=precision(hits, cover_size),
        recall=recall(hits, class_size),
        cover_size=cover_size,
        class_counts=class_counts,
    )
