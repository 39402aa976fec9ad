"""Coded rows that come in batches, wherever they were counted, joined into training rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.training import Training, find_distinct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

# Batches are joined when they hold that many rows, or twice as many as were distinct before.
FEW_ROWS = 2**18


def row_bytes(n_features: int) -> int:
    """Return the memory that a coded row takes, with its class and how often it occurs."""
    return 4 * n_features + 16


@dataclass(frozen=True, slots=True, eq=False)
class CodedBatch:
    """Some coded rows with their classes, and how often each occurs; some may be alike."""

    codes: NDArray[np.int32]  # (n_features, n): features that have conditions; -1 is missing
    labels: NDArray[np.int64]  # (n,): positions among the sorted classes
    occurrences: NDArray[np.int64]  # (n,)

    @classmethod
    def of(cls, training: Training) -> CodedBatch:
        """Take the distinct rows of training rows."""
        return cls(training.codes, training.labels, training.occurrences)

    def __len__(self) -> int:
        return len(self.labels)

    def cut(self, n_rows: int) -> Iterator[CodedBatch]:
        """Give its rows in batches of at most so many."""
        for start in range(0, len(self), n_rows):
            own = slice(start, start + n_rows)
            yield CodedBatch(self.codes[:, own], self.labels[own], self.occurrences[own])

    @property
    def times(self) -> NDArray[np.int64] | None:
        """How often each row occurs; None where each occurs once."""
        return None if (self.occurrences == 1).all() else self.occurrences


def join(batches: Iterable[CodedBatch], n_codes: NDArray[np.int64], n_classes: int) -> Training:
    """Join batches into training rows, a few batches at a time."""
    held: list[CodedBatch] = []
    most = FEW_ROWS
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) > most:
            held = [add_up(held, n_codes, n_classes)]
            most = max(FEW_ROWS, 2 * len(held[0]))
    return to_training(add_up(held, n_codes, n_classes), n_classes)


def to_training(pairs: CodedBatch, n_classes: int) -> Training:
    """Take distinct pairs of coded row and class for training rows."""
    sizes = np.zeros(n_classes, np.int64)
    np.add.at(sizes, pairs.labels, pairs.occurrences)
    return Training(pairs.codes, pairs.labels, pairs.occurrences, sizes, has_order=False)


def add_up(batches: list[CodedBatch], n_codes: NDArray[np.int64], n_classes: int) -> CodedBatch:
    """Return the distinct pairs of coded row and class of some batches, in canonical order.

    Columns are put together one by one: there is no second copy of all rows.
    """
    labels = np.concatenate([batch.labels for batch in batches])

    def put_together(feature: int) -> NDArray[np.int32]:
        return np.concatenate([batch.codes[feature] for batch in batches])

    keys = chain([labels.astype(np.int32)], map(put_together, range(len(n_codes))))
    first, numbers = find_distinct(keys, [n_classes, *n_codes.tolist()], len(labels))
    occurrences = np.concatenate([batch.occurrences for batch in batches])
    if numbers is not None:
        labels, occurrences = labels[first], _sum_by(numbers, occurrences, len(first))
        del numbers
    codes = np.empty((len(n_codes), len(labels)), np.int32)
    for feature, own in enumerate(codes):
        own[:] = put_together(feature)[first]
    order = np.lexsort((labels, *codes[::-1]))
    for own in codes:
        own[:] = own[order]
    return CodedBatch(codes, labels[order], occurrences[order])


def _sum_by(
    numbers: NDArray[np.int64], occurrences: NDArray[np.int64], n_distinct: int
) -> NDArray[np.int64]:
    sums = np.zeros(n_distinct, np.int64)
    np.add.at(sums, numbers, occurrences)
    return sums
