"""The training rows most like a row, where these decide about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from picrules.explain.tabular import Result
from picrules.rules.text import format_value, plural
from picrules.scoring.measures import precision

if TYPE_CHECKING:
    from picrules.rules.text import Value


@dataclass(frozen=True, slots=True, repr=False)
class LookAlikes(Result):
    """The training rows most like a row: those in a box of conditions around it.

    Attributes
    ----------
    class_counts : dict
        How many of them are of each class.
    prediction : category
        The predicted class.
    n_sides : int
        How many conditions the box has; the row's rule is made of some of them.
    """

    class_counts: dict[Value, int]
    prediction: Value
    n_sides: int

    @property
    def hits(self) -> int:
        """How many of them are of the predicted class."""
        return self.class_counts[self.prediction]

    @property
    def cover_size(self) -> int:
        """How many they are."""
        return sum(self.class_counts.values())

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; docs/explanations.md says what each entry means."""
        classes = [{"class": name, "count": count} for name, count in self.class_counts.items()]
        return {**self._plain("cover_size", "hits", "n_sides"), "classes": classes}

    def __str__(self) -> str:
        counts = ", ".join(
            f"{count:,} {format_value(name)}" for name, count in self.class_counts.items() if count
        )
        rows, sides = plural(self.cover_size, "training row"), plural(self.n_sides, "condition")
        return f"{rows} most like this one ({counts}), in a box of {sides}"


def tell_alike(content: dict[str, Any], name: str) -> str:
    """Say how the rule follows from the look-alikes, from `Explanation.to_dict`; or nothing.

    `name` is how the predicted class is written.
    """
    alike = content["alike"]
    if alike is None:
        return ""
    length, n_sides = content["length"], alike["n_sides"]
    size, hits = alike["cover_size"], alike["hits"]
    rows = f"{plural(size, 'training row')} most like this one"
    opening = f"Of the {rows}, {hits:,} {'is' if hits == 1 else 'are'} {name}"
    if content["scorecard"] is None:
        opening = f"Decided by the {rows} ({hits:,} {'is' if hits == 1 else 'are'} {name})"
    if length == 0:
        return f"{opening}."
    is_as_precise = length < n_sides and content["precision"] >= precision(hits, size)
    sequel = ", and is no less precise" if is_as_precise else ""
    return (
        f"{opening}; a box of {plural(n_sides, 'condition')} around it holds them. "
        f"The rule was grown from these: it has {'all' if length == n_sides else length} of "
        f"them{sequel}."
    )
