"""The classes of rows that come as arrays of PyArrow.

Only distinct ones are looked at: texts one by one take 50 ns a row. A dictionary may have values
that no row has; they are no classes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from picrules.distributed.arrow_dictionaries import KnownValues, Unseen
from picrules.estimators.target import came_later, encode_target

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


def find_classes(arrays: Iterable[pa.Array]) -> list[NDArray[Any]]:
    """Return the classes in some arrays, some of them more than once; none may be missing."""
    unseen = Unseen()
    new = [unseen.find(_encoded(cells)) for cells in arrays]
    return [encode_target(pa.chunked_array([each]), len(each))[0] for each in new if len(each)]


def join_classes(found: Iterable[list[NDArray[Any]]]) -> NDArray[Any]:
    """Return the classes that `find_classes` has found in all arrays, each once and sorted."""
    classes = list(chain.from_iterable(found))
    values = [value for each in classes for value in each.tolist()]
    return encode_target(np.array(values, classes[0].dtype), len(values))[0]


@dataclass(eq=False)
class ClassCoder:
    """Turns classes that are known into their positions among these."""

    classes: NDArray[Any]
    known: KnownValues[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        label_of = {value: label for label, value in enumerate(self.classes.tolist())}

        def find(values: pa.Array) -> NDArray[np.int64]:
            labels = (label_of.get(value, -1) for value in values.to_pylist())
            return np.fromiter(labels, np.int64, len(values))

        self.known = KnownValues(find)

    def encode(self, cells: pa.Array) -> NDArray[np.int64]:
        """Return the label of each cell."""
        labels = self.known.look_up(_encoded(cells))
        if len(labels) and labels.min() < 0:
            raise came_later(cells[int(labels.argmin())].as_py())
        return labels


def _encoded(cells: pa.Array) -> pa.DictionaryArray:
    return cells if isinstance(cells, pa.DictionaryArray) else cells.dictionary_encode()
