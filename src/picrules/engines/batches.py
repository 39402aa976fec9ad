"""Coded rows that come in batches, wherever they were counted, joined into training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.training import Training, find_distinct

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

# Batches are joined when they hold that many rows, or twice as many as were distinct before.
FEW_ROWS = 2**18


@dataclass(frozen=True, slots=True, eq=False)
class CodedBatch:
    """Some coded rows with their classes, and how often each occurs; some may be alike."""

    codes: NDArray[np.int32]  # (n_features, n): features that have conditions; -1 is missing
    labels: NDArray[np.int64]  # (n,): positions among the sorted classes
    occurrences: NDArray[np.int64]  # (n,)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def n_bytes(self) -> int:
        """The memory that it takes."""
        return self.codes.nbytes + 16 * len(self)

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
    pairs = add_up(held, n_codes, n_classes)
    sizes = np.zeros(n_classes, np.int64)
    np.add.at(sizes, pairs.labels, pairs.occurrences)
    return Training(pairs.codes, pairs.labels, pairs.occurrences, sizes, has_order=False)


def add_up(batches: list[CodedBatch], n_codes: NDArray[np.int64], n_classes: int) -> CodedBatch:
    """Return the distinct pairs of coded row and class of some batches, in canonical order."""
    codes = np.concatenate([batch.codes for batch in batches], axis=1)
    labels = np.concatenate([batch.labels for batch in batches])
    occurrences = np.concatenate([batch.occurrences for batch in batches])
    keys = (labels.astype(np.int32), *codes)
    first, numbers = find_distinct(keys, [n_classes, *n_codes.tolist()], len(labels))
    if numbers is not None:
        sums = np.zeros(len(first), np.int64)
        np.add.at(sums, numbers, occurrences)
        codes, labels, occurrences = codes[:, first], labels[first], sums
    order = np.lexsort((labels, *codes[::-1]))
    return CodedBatch(np.ascontiguousarray(codes[:, order]), labels[order], occurrences[order])
