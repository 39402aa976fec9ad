"""What Spark's workers hand back, by a stand-in for its frames: no Java is needed."""

from dataclasses import dataclass
from functools import reduce
from operator import add
from types import SimpleNamespace
from unittest.mock import patch

import pyarrow as pa
import pytest

from picrules.distributed import spark_frames
from picrules.errors import BadTarget, NotEnoughMemory


@dataclass
class Frame:
    """Partitions, worked on one after the other."""

    partitions: list  # of lists of batches
    sparkSession = SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=2))  # noqa: N815

    def mapInArrow(self, work, _):  # noqa: N802
        return Frame([list(work(iter(part))) for part in self.partitions])

    def repartition(self, count):
        batches = [batch for part in self.partitions for batch in part]
        return Frame([batches[at::count] for at in range(count)])

    def toArrow(self):  # noqa: N802
        return pa.Table.from_batches([batch for part in self.partitions for batch in part])


def make_frame(n_parts=5):
    def make(number):
        return pa.RecordBatch.from_pydict({"x": [number] * 3})

    return Frame([[], *([make(number), make(number)] for number in range(n_parts))])


def list_cells(tables):
    return [cell for table in tables for cell in table["x"].to_pylist()]


def merge(results):
    return reduce(add, results)


def test_results_of_all_partitions_are_merged():
    found = spark_frames.run(make_frame(), list_cells, merge)
    assert sorted(found) == sorted([0, 1, 2, 3, 4] * 6)


@pytest.mark.parametrize("times", [1, 30])
def test_a_result_that_is_too_large_for_spark_is_refused(times):
    """Of a partition, or of several that were merged: PyArrow told of an overflow."""
    with (
        patch.object(spark_frames, "_MOST_BYTES", 40),
        pytest.raises(
            NotEnoughMemory,
            match=r"takes .* and Spark passes on at most 40 bytes .*; lower max_length",
        ),
    ):
        spark_frames.run(make_frame(), lambda tables: list_cells(tables) * times, merge)


def test_an_error_of_a_partition_is_told_as_it_is():
    def fail(tables):
        if 3 in list_cells(tables):
            raise BadTarget("3 is no class")
        return []

    with pytest.raises(BadTarget, match=r"^3 is no class$"):
        spark_frames.run(make_frame(), fail, merge)


def test_an_error_of_a_merger_is_told_as_it_is():
    def fail(_):
        raise NotEnoughMemory("too many")

    with pytest.raises(NotEnoughMemory, match=r"^too many$"):
        spark_frames.run(make_frame(), list_cells, fail)
