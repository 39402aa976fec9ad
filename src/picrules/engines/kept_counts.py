"""Class counts of all cells of small sets of features: what a model can keep in place of its rows.

What they take depends on the schema, not on the number of rows, and they add up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.conditions import ENDLESS, sums_of_products
from picrules.engines.counts import Counts
from picrules.kernels.blocks import sum_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class KeptCounts:
    """The class counts of the cells of every set of up to so many features.

    Those of the longest sets are all there is to know: the others are sums of them, since a cell of
    a set has a place for missing values.
    """

    longest: Counts
    n_classes: int

    @property
    def n_slots(self) -> NDArray[np.int64]:
        """Codes of each feature, and one for missing."""
        return self.longest.n_slots

    @property
    def max_length(self) -> int:
        """The length of the longest sets."""
        return self.longest.length

    @cached_property
    def by_length(self) -> dict[int, Counts]:
        """The counts of all sets of each length."""
        found = {self.max_length: self.longest}
        for length in range(self.max_length - 1, 0, -1):
            found[length] = _shorten(found[length + 1], self.n_classes)
        return found

    @cached_property
    def class_sizes(self) -> NDArray[np.int64]:
        """How many rows of each class were counted."""
        first = int(self.n_slots[: self.max_length].prod()) * self.n_classes
        cells = self.longest.cells[:first].reshape(-1, self.n_classes)
        sizes: NDArray[np.int64] = cells.sum(axis=0, dtype=np.int64)
        return sizes

    def cells(self, length: int, first: int = 0) -> NDArray[Any]:
        """Return the class counts of the sets of a length from one of them on, flat."""
        if first == 0:
            return self.by_length[length].cells
        return self.by_length[length].cells[self._starts(length)[first] :]

    def one(self, length: int, position: int) -> NDArray[Any]:
        """Return the class counts of one set, flat."""
        starts = self._starts(length)
        return self.by_length[length].cells[starts[position] : starts[position + 1]]

    def cells_of(
        self, features: Sequence[int]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        """Return the cells of some features that hold rows of a class.

        Returns their codes (n_features, n_pairs), -1 is missing; the classes; how many rows.
        """
        length, n_slots = len(features), self.n_slots[list(features)]
        if length == 0:
            labels = np.flatnonzero(self.class_sizes)
            return np.empty((0, len(labels)), np.int32), labels, self.class_sizes[labels]
        subsets = combinations(range(len(self.n_slots)), length)
        position = next(at for at, subset in enumerate(subsets) if subset == tuple(features))
        cells = self.one(length, position)
        occupied = np.flatnonzero(cells)
        *codes, labels = np.unravel_index(occupied, (*n_slots[::-1], self.n_classes))
        slots = np.array(codes[::-1], np.int32).reshape(length, -1)
        slots[slots == n_slots[:, np.newaxis] - 1] = -1
        return slots, labels, cells[occupied].astype(np.int64)

    def _starts(self, length: int) -> NDArray[np.int64]:
        if length not in self._known_starts:
            self._known_starts[length] = starts_of(self.n_slots, length, self.n_classes)
        return self._known_starts[length]

    @cached_property
    def _known_starts(self) -> dict[int, NDArray[np.int64]]:
        """Where each set begins, by length, as far as it was asked for."""
        return {}

    def moved(
        self,
        places: Sequence[NDArray[np.int64]],
        n_slots: NDArray[np.int64],
        labels: NDArray[np.int64],
        n_classes: int,
    ) -> KeptCounts:
        """Return the same with other slots and classes.

        `places` has the new slot of each slot of a feature, and `labels` the new class of each, -1
        for those that have no row.
        """
        kept, length = np.flatnonzero(labels >= 0), self.max_length
        starts, pieces = self._starts(length), []
        for at, subset in enumerate(combinations(range(len(n_slots)), length)):
            axes = list(reversed(subset))
            own = self.longest.cells[starts[at] : starts[at + 1]]
            own = own.reshape(*self.n_slots[axes], self.n_classes)[..., kept]
            moved = np.zeros((*n_slots[axes], n_classes), np.uint32)
            moved[np.ix_(*(places[axis] for axis in axes), labels[kept])] = own
            pieces.append(moved.reshape(-1))
        cells = np.concatenate(pieces)
        return KeptCounts(Counts(n_slots, length, 0, len(pieces), cells), n_classes)

    def __add__(self, other: KeptCounts) -> KeptCounts:
        return KeptCounts(self.longest + other.longest, self.n_classes)

    def __sub__(self, other: KeptCounts) -> KeptCounts:
        return KeptCounts(self.longest - other.longest, self.n_classes)


def starts_of(n_slots: NDArray[np.int64], length: int, n_classes: int) -> NDArray[np.int64]:
    """Return where each set of that many features begins, and where the last one ends."""
    subsets = list_subsets(len(n_slots), length)
    return np.append(0, np.cumsum(n_slots[subsets].prod(axis=1) * n_classes))


def list_subsets(n_features: int, length: int) -> NDArray[np.int64]:
    """Return all sets of that many features in lexicographic order, (n_subsets, length)."""
    every = list(combinations(range(n_features), length))
    return np.array(every, np.int64).reshape(len(every), length)


def kept_bytes(n_codes: Sequence[int], max_length: int, n_classes: int) -> int:
    """Return the memory that the counts of sets of up to so many features take."""
    sums = sums_of_products([count + 1 for count in n_codes], max_length, ENDLESS)
    return int(sum(sums[1:])) * n_classes * 4


def _shorten(counts: Counts, n_classes: int) -> Counts:
    """Return the counts of all sets with one feature less."""
    n_features, length = len(counts.n_slots), counts.length
    longer = list_subsets(n_features, length)
    position_of = {tuple(subset): at for at, subset in enumerate(longer.tolist())}
    starts = starts_of(counts.n_slots, length, n_classes)
    pieces = []
    for subset in combinations(range(n_features), length - 1):
        spare = next(feature for feature in range(n_features) if feature not in subset)
        whole = tuple(sorted((*subset, spare)))
        at = position_of[whole]
        cells = counts.cells[starts[at] : starts[at + 1]]
        pieces.append(sum_over(cells, counts.n_slots, whole, spare))
    return Counts(
        counts.n_slots, length - 1, 0, comb(n_features, length - 1), np.concatenate(pieces)
    )


def sum_over(
    cells: NDArray[np.uint32], n_slots: NDArray[np.int64], features: Sequence[int], spare: int
) -> NDArray[np.uint32]:
    """Add up the class counts of a set of features to those without one of them, flat.

    The first feature of a set changes fastest.
    """
    at = features.index(spare)
    n_summed, n_outer = int(n_slots[spare]), int(n_slots[list(features[at + 1 :])].prod())
    shaped = cells.reshape(n_outer, n_summed, -1)
    sums = np.empty((n_outer, shaped.shape[2]), np.uint32)
    sum_axis(shaped, sums)
    return sums.reshape(-1)
