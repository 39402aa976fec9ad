"""Some of the rows that come batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterable


def take_some(batches: Iterable[pa.Table], most: int, n_rows: int, seed: int) -> pa.Table:
    """Return so many rows of batches that have `n_rows` together."""
    chosen = np.sort(np.random.default_rng(seed).choice(n_rows, most, replace=False))
    taken, start = [], 0
    for batch in batches:
        first, last = np.searchsorted(chosen, [start, start + len(batch)])
        taken.append(batch.take(chosen[first:last] - start))
        start += len(batch)
    return pa.concat_tables(taken)
