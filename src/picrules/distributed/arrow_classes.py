"""The classes of rows that come as arrays of PyArrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from picrules.estimators.target import encode_target

if TYPE_CHECKING:
    from numpy.typing import NDArray


def encode_classes(cells: pa.Array) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the classes, each once, and which of them each row has; none may be missing.

    Only distinct ones are looked at: 8 ns a row, where texts one by one take 50. A dictionary may
    have values that no row has; they are no classes.
    """
    if not isinstance(cells, pa.DictionaryArray):
        cells = cells.dictionary_encode()
    numbers = cells.indices.to_numpy().astype(np.int64, copy=False)
    places = np.zeros(len(cells.dictionary), np.int64)
    used = np.flatnonzero(np.bincount(numbers, minlength=len(places)))
    values = cells.dictionary.take(pa.array(used))
    found, places[used] = encode_target(pa.chunked_array([values]), len(values))
    return found, places[numbers]
