"""What a search finds: the best score of each row, or of each row and class, and its rule."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from picrules.kernels.best import Best


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules as numbers, with the class counts of their covers among all training rows."""

    lengths: NDArray[np.integer]  # (n_rules,): number of conditions; 0 where there is no rule
    features: NDArray[np.integer]  # (n_rules, max_length): in column order, then -1
    positions: NDArray[np.integer]  # (n_rules, max_length): which condition of each, then -1
    counts: NDArray[np.int64]  # (n_rules, n_classes)

    @classmethod
    def empty(cls, n_rules: int, max_length: int, n_classes: int) -> Rules:
        """Return rules without conditions."""
        return cls(
            np.zeros(n_rules, np.int32),
            np.full((n_rules, max_length), -1, np.int32),
            np.full((n_rules, max_length), -1, np.int32),
            np.zeros((n_rules, n_classes), np.int64),
        )

    def take(self, indices: NDArray[np.int64]) -> Rules:
        """Return some of the rules, or one several times."""
        return Rules(
            self.lengths[indices],
            self.features[indices],
            self.positions[indices],
            self.counts[indices],
        )

    def put(self, indices: NDArray[np.int64], rules: Rules) -> None:
        """Write rules, which may be shorter, over some of these."""
        width = rules.features.shape[1]
        self.lengths[indices], self.counts[indices] = rules.lengths, rules.counts
        self.features[indices, :width] = rules.features
        self.positions[indices, :width] = rules.positions


@dataclass(frozen=True, slots=True)
class Found:
    """The best rules of rows: in one slot per row, or in one per row and class.

    With one slot, ties are settled by the conditions first, so the class of the rule is part of
    what is found.
    """

    scores: NDArray[np.float64]  # (n_rows, n_slots): -inf where no rule covers the row
    labels: NDArray[np.int64]  # (n_rows, n_slots): the class of each
    rules: Callable[[NDArray[np.int64], NDArray[np.int64]], Rules]  # of rows and slots

    @classmethod
    def from_best(cls, best: Best) -> Found:
        """Return what a search wrote down."""
        return cls(best.scores, best.labels, partial(_read_rules, best))

    @classmethod
    def join(cls, parts: Sequence[Found]) -> Found:
        """Put what was found for parts of the rows together, in their order."""
        if len(parts) == 1:
            return parts[0]
        sizes = [len(part.scores) for part in parts]
        find = partial(
            _find_in_parts,
            [part.rules for part in parts],
            np.repeat(np.arange(len(parts)), sizes),
            np.concatenate([np.arange(size) for size in sizes]),
        )
        return cls(
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.labels for part in parts]),
            find,
        )

    def replaced(self, rows: NDArray[np.int64], by: Found) -> Found:
        """Return the same with what was found anew for some of the rows."""
        scores, labels = self.scores.copy(), self.labels.copy()
        scores[rows], labels[rows] = by.scores, by.labels
        part_of, indices = np.zeros(len(scores), np.int64), np.arange(len(scores))
        part_of[rows], indices[rows] = 1, np.arange(len(rows))
        find = partial(_find_in_parts, [self.rules, by.rules], part_of, indices)
        return Found(scores, labels, find)


def _read_rules(best: Best, rows: NDArray[np.int64], slots: NDArray[np.int64]) -> Rules:
    names = ("lengths", "features", "positions", "counts")
    return Rules(*(getattr(best, name)[rows, slots] for name in names))


def _find_in_parts(
    parts: list[Callable[..., Rules]],
    part_of: NDArray[np.int64],
    indices: NDArray[np.int64],
    rows: NDArray[np.int64],
    slots: NDArray[np.int64],
) -> Rules:
    """Find the rules of rows of which each is in one of the parts, with another number there."""
    own_parts = part_of[rows]
    asked = {part: np.flatnonzero(own_parts == part) for part in np.unique(own_parts).tolist()}
    found = [parts[part](indices[rows[own]], slots[own]) for part, own in asked.items()]
    if not found:
        return parts[0](rows, slots)
    width = max(rules.features.shape[1] for rules in found)
    joined = Rules.empty(len(rows), width, found[0].counts.shape[1])
    for own, rules in zip(asked.values(), found, strict=True):
        joined.put(own, rules)
    return joined


def distinct_pairs(
    rows: NDArray[np.int64], labels: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Return the distinct pairs of a row and a class, and which each is; None where all differ."""
    pairs = np.column_stack([rows, labels])
    if len(rows) < 2 or (np.diff(rows) > 0).all():  # as most are asked for
        return pairs, None
    keys = rows * (labels.max() + 1) + labels
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    return pairs[first], numbers.reshape(-1)
