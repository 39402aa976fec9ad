"""A prediction with its rule and all that is known about it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

from picrules.rules.rule import Rule
from picrules.rules.text import Value, format_value
from picrules.scoring.measures import precision, recall

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.schema import Schema
    from picrules.kernels.best import Best


@dataclass(frozen=True, slots=True)
class Overruled:
    """A rule for another class that scores higher, but lost by the class offsets.

    Attributes
    ----------
    rule : Rule
        The rule.
    score : float
        Its score.
    offset : float
        By how much the offsets put the predicted class ahead of this rule's class.
    """

    rule: Rule
    score: float
    offset: float


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
        The rule's score by the measure of the estimator; in PIC and fPIC
        `alpha * precision + (1 - alpha) * recall`.
    precision : float
        Share of the covered training rows that are of the predicted class.
    recall : float
        Share of the predicted class's training rows that are covered.
    cover_size : int
        How many training rows the rule covers.
    class_counts : dict
        How many of them are of each class.
    confidence : float or None
        How often predictions like this one are right, where the estimator knows.
    overruled : Overruled or None
        The rule for another class that would have won without class offsets.
    """

    rule: Rule
    prediction: Value
    score: float
    precision: float
    recall: float
    cover_size: int
    class_counts: dict[Value, int]
    confidence: float | None = None
    overruled: Overruled | None = None

    def __str__(self) -> str:
        name = format_value(self.prediction)
        if self.rule.length == 0:
            opening = f"{name}: no rule covers this row, so it gets the most frequent class."
        else:
            opening = f"{name}, because {self.rule.reason}."
        hits = self.class_counts[self.prediction]
        which = "training rows" if self.rule.length == 0 else "training rows like this"
        text = (
            f"{opening}\n"
            f"  {hits} of {self.cover_size} {which} are {name} (precision {self.precision:.1%}),\n"
            f"  which is {self.recall:.1%} of all {name} rows (recall); score {self.score:.3f}."
        )
        if self.confidence is not None:
            text += f"\n  Predictions like this one are right {self.confidence:.1%} of the time."
        if self.overruled is not None:
            text += f"\n  {self.tell_overruled()}"
        return text

    def tell_overruled(self) -> str:
        """Say which rule for another class scores higher, and that the offset decided."""
        if self.overruled is None:
            return ""
        other = format_value(self.overruled.rule.label)
        return (
            f"A rule for {other} scores higher ({self.overruled.score:.3f}: "
            f"{self.overruled.rule.reason}), but the class offset, "
            f"{self.overruled.offset:+.3f} for {format_value(self.prediction)} against {other}, "
            "decided."
        )


class Explanations(Sequence[Explanation]):
    """One explanation a row, made when it is looked at."""

    __slots__ = ()

    @abstractmethod
    def _explain(self, row: int) -> Explanation:
        """Make the explanation of one row."""

    @overload
    def __getitem__(self, position: int) -> Explanation: ...

    @overload
    def __getitem__(self, position: slice) -> list[Explanation]: ...

    def __getitem__(self, position: int | slice) -> Explanation | list[Explanation]:
        rows = range(len(self))[position]
        return (
            self._explain(rows) if isinstance(rows, int) else [self._explain(row) for row in rows]
        )

    def distinct(self) -> tuple[list[Explanation], NDArray[np.int64]]:
        """Return an explanation for each different rule, and the place of each row among them."""
        _, first, places = np.unique(self._keys(), axis=0, return_index=True, return_inverse=True)
        return [self._explain(row) for row in first.tolist()], places.reshape(-1)

    @abstractmethod
    def _keys(self) -> NDArray[np.int64]:
        """Write the rule of each row as numbers."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Explanations) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} explanations>"

    def __str__(self) -> str:
        return "\n".join(str(explanation) for explanation in self)


def explain_counts(
    rule: Rule, score: float, counts: Sequence[int], classes: Sequence[Value], class_size: int
) -> Explanation:
    """Make an explanation from the class counts of a rule's cover.

    Parameters
    ----------
    rule : Rule
        The rule.
    score : float
        Its score.
    counts : sequence of int
        Class counts of its cover.
    classes : sequence
        The classes.
    class_size : int
        Training rows of the rule's class.

    Returns
    -------
    Explanation
        The explanation.
    """
    hits, cover_size = counts[classes.index(rule.label)], sum(counts)
    return Explanation(
        rule=rule,
        prediction=rule.label,
        score=score,
        precision=precision(hits, cover_size),
        recall=recall(hits, class_size),
        cover_size=cover_size,
        class_counts=dict(zip(classes, counts, strict=True)),
    )


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CellExplanations(Explanations):
    """Explanations by rules of which each condition is one code of the row.

    Attributes
    ----------
    best : kernels.best.Best
        What the search found, one entry a row.
    codes : int32 array of shape (n_features, n_rows)
        The rows.
    schema : Schema
        What the codes stand for.
    classes : list
        The classes.
    class_sizes : int64 array of shape (n_classes,)
        How many training rows each class has.
    """

    best: Best
    codes: NDArray[np.int32]
    schema: Schema
    classes: list[Value]
    class_sizes: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    def _explain(self, row: int) -> Explanation:
        best, label = self.best, int(self.best.labels[row])
        conditions = tuple(
            self.schema.features[feature].condition(int(self.codes[feature, row]))
            for feature in best.features[row, : best.lengths[row]].tolist()
        )
        return explain_counts(
            Rule(conditions, self.classes[label]),
            float(best.scores[row]),
            best.counts[row].tolist(),
            self.classes,
            int(self.class_sizes[label]),
        )

    def _keys(self) -> NDArray[np.int64]:
        """Write each row's rule as numbers: class, length, features and codes of the conditions."""
        best, longest = self.best, int(self.best.lengths.max())
        is_used = np.arange(longest) < best.lengths[:, np.newaxis]
        features = np.where(is_used, best.features[:, :longest], 0)
        codes = self.codes[features, np.arange(len(self))[:, np.newaxis]]
        codes = np.where(is_used, codes, -1)
        return np.column_stack([best.labels, best.lengths, features, codes]).astype(np.int64)
