"""Cells of PyArrow that are positions in a dictionary: each of its values is looked at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)


@dataclass(eq=False)
class Unseen:
    """Which values of the last dictionary were not in any cell so far."""

    dictionary: pa.Array | None = None
    is_seen: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))

    def find(self, cells: pa.DictionaryArray) -> pa.DictionaryArray:
        """Return one cell of each value that was not in the cells with the last dictionary."""
        if self.dictionary is None or not cells.dictionary.equals(self.dictionary):
            self.dictionary = cells.dictionary
            self.is_seen = np.zeros(len(cells.dictionary), np.bool_)
        n_values = len(self.is_seen)
        if self.is_seen.all():
            return cells[:0]
        found = np.bincount(to_indices(cells) + np.int64(1), minlength=n_values + 1)[1:] > 0
        new = np.flatnonzero(found & ~self.is_seen)
        self.is_seen |= found
        return pa.DictionaryArray.from_arrays(
            pa.array(new, pa.int32()), cells.dictionary, ordered=cells.type.ordered
        )


@dataclass(eq=False)
class KnownValues(Generic[Number]):
    """A number for each value of the last dictionary, found once for all cells; -1 if missing."""

    find: Callable[[pa.Array], NDArray[Number]]
    dictionary: pa.Array | None = None
    numbers: NDArray[Number] | None = None  # those of the values, and -1

    def look_up(
        self, cells: pa.DictionaryArray, out: NDArray[Number] | None = None
    ) -> NDArray[Number]:
        """Return the number of each cell."""
        if self.numbers is None or not cells.dictionary.equals(self.dictionary):
            found = self.find(cells.dictionary)
            self.numbers = np.append(found, found.dtype.type(-1))
            self.dictionary = cells.dictionary
        # What is missing has the index -1, which is the last.
        return np.take(self.numbers, to_indices(cells), out=out, mode="wrap")


def to_indices(cells: pa.DictionaryArray) -> NDArray[np.int32]:
    """Return the positions of cells in their dictionary; -1 where missing."""
    indices = cells.indices.cast(pa.int32())  # some have no sign
    positions: NDArray[np.int32] = indices.fill_null(-1).to_numpy()
    return positions
