"""Rows that are read and counted in parts."""

import numpy as np
import pytest

from picrules.distributed.gathering import gather_parts
from picrules.engines.batches import CodedBatch
from picrules.engines.holding import Holding
from picrules.errors import NotEnoughMemory


def test_a_part_stops_where_neither_rows_nor_counts_fit(rng):
    """It held all of its rows, however many, until those of all parts were put together."""
    n_codes, read = np.full(6, 50), []

    def batches():
        for number in range(100):
            read.append(number)
            codes = rng.integers(0, 50, (6, 100)).astype(np.int32)
            yield CodedBatch(codes, np.zeros(100, np.int64), np.ones(100, np.int64))

    def run(work, merge):
        return merge([work(batches())])

    with pytest.raises(NotEnoughMemory, match=r"^the counts of all sets of up to 3 features need"):
        gather_parts(run, lambda batch: batch, Holding("auto", 3, 10_000), (n_codes, 1))
    assert len(read) < 10
