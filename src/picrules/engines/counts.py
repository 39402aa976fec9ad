"""Class counts of the cells of sets of features: a value that can be added and subtracted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.conditions import sums_of_products
from picrules.engines.subsets import n_subsets_of, nth_subset
from picrules.kernels.counting import SlotRows, count_subsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.engines.kept_counts import KeptCounts
    from picrules.engines.training import Training
    from picrules.kernels.boxes import Sets

_NOT_COUNTED = np.empty(0, np.uint32)


@dataclass(frozen=True, eq=False)
class Counts:
    """How many rows of each class are in each cell of some sets of features.

    The sets are those of one length from `first` on, in lexicographic order. Rows may lie
    anywhere: counts of parts of them add up to the counts of all.
    """

    n_slots: NDArray[np.int64]  # (n_features,): codes of each feature, and one for missing
    length: int
    first: int
    n_subsets: int
    cells: NDArray[Any]  # flat, unsigned: one set after the other, each (n_cells, n_classes)

    @classmethod
    def of(
        cls,
        rows: SlotRows,
        length: int,
        first: int = 0,
        n_subsets: int | None = None,
        is_stopped: NDArray[np.uint8] | None = None,
    ) -> Counts:
        """Count rows for that many sets of features from `first` on, or for all."""
        n_features = len(rows.n_slots)
        if n_subsets is None:
            n_subsets = n_subsets_of(n_features, length) - first
        subset = nth_subset(n_features, length, first) if n_subsets else np.arange(length)
        if n_subsets == n_subsets_of(n_features, length):
            n_cells = sums_of_products(rows.n_slots.tolist(), length)[length]
        else:
            n_cells = sum(
                int(np.prod(rows.n_slots[nth_subset(n_features, length, first + step)]))
                for step in range(n_subsets)
            )
        cells = np.empty(n_cells * rows.n_classes, count_type(rows))
        stopped = np.zeros(1, np.uint8) if is_stopped is None else is_stopped
        count_subsets(rows, subset, n_subsets, stopped, cells)
        return cls(rows.n_slots, length, first, n_subsets, cells)

    def __add__(self, other: Counts) -> Counts:
        self._check_alike(other)
        cells = self.cells.astype(np.uint32) + other.cells
        return replace(self, cells=cells)

    def __sub__(self, other: Counts) -> Counts:
        self._check_alike(other)
        if (other.cells > self.cells).any():
            raise ValueError("more rows would be taken from a cell than are in it")
        return replace(self, cells=self.cells - other.cells)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Counts)
            and self._sets_of_features == other._sets_of_features
            and np.array_equal(self.cells, other.cells)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def _sets_of_features(self) -> tuple[Any, ...]:
        return (self.n_slots.tolist(), self.length, self.first, self.n_subsets, len(self.cells))

    def _check_alike(self, other: Counts) -> None:
        if self._sets_of_features != other._sets_of_features:
            raise ValueError(
                f"counts of {other.n_subsets} sets of {other.length} features from the "
                f"{other.first}th on do not go with {self.n_subsets} of {self.length} from the "
                f"{self.first}th on, or their features have other codes"
            )


def to_slot_rows(training: Training, n_codes: NDArray[np.int64], max_cells: int) -> SlotRows:
    """Give missing values a slot of their own, so that counting needs no test for them."""
    codes = training.codes
    if training.counts is not None:
        return _stand_in(training.counts, max_cells)
    n_slots = n_codes + (codes < 0).any(axis=1)
    slots = np.where(codes < 0, n_codes[:, np.newaxis].astype(np.int32), codes)
    slot_type = np.uint8 if n_slots.max(initial=0) <= 256 else np.int32
    is_single = training.n_pairs == training.n_rows
    return SlotRows(
        slots.astype(slot_type, copy=False),
        training.labels,
        np.empty(0, np.int64) if is_single else training.occurrences,
        np.maximum(n_slots, 1),
        training.n_classes,
        max_cells,
        _NOT_COUNTED,
    )


def _stand_in(counts: KeptCounts, max_cells: int) -> SlotRows:
    """Take what was counted in place of rows."""
    none = np.empty(0, np.int64)
    slots = np.empty((len(counts.n_slots), 0), np.uint8)
    cells = counts.longest.cells
    return SlotRows(slots, none, none, counts.n_slots, counts.n_classes, max_cells, cells)


def count_type(rows: SlotRows) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type of count that can hold all rows."""
    if len(rows.counted):
        return np.uint32
    n_rows = rows.occurrences.sum() if len(rows.occurrences) else len(rows.labels)
    return np.uint16 if n_rows < 2**16 else np.uint32


def are_single(sets: Sets) -> bool:
    """Tell whether each condition is one code, and each code a condition."""
    return bool((sets.parents == -1).all() and len(sets.codes) == sets.n_codes.sum())
