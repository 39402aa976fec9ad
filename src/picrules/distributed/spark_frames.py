"""Spark: data frames, answered by its workers partition by partition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator

    from picrules.distributed.asker import Asker

_TYPES = {
    "string": "StringType", "int64": "LongType", "double": "DoubleType", "bool": "BooleanType",
}  # fmt: skip


def batches(frame: Any) -> Iterator[pa.Table]:
    """Give the rows of a frame in parts, as tables in memory."""
    yield frame.toArrow()


def sample(frame: Any, most: int, n_rows: int, seed: int) -> pa.Table:
    """Return about so many of the rows as a table in memory."""
    return frame.sample(fraction=most / n_rows, seed=seed).toArrow()


def answer(frame: Any, asker: Asker) -> Any:
    """Return a data frame of the answers; a large model travels once to each worker."""
    from pyspark.sql import types  # noqa: PLC0415

    kept, features = asker.split(frame.columns), asker.features

    def answer_batches(parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part in parts:
            told = asker(pa.Table.from_batches([part.select(features)]))
            own = [*part.select(kept).columns, *(each.combine_chunks() for each in told.columns)]
            yield pa.RecordBatch.from_arrays(own, [*kept, *told.column_names])

    fields = [frame.schema[name] for name in kept]
    for field in asker.schema:
        kind = getattr(types, _TYPES[str(field.type)])()
        fields.append(types.StructField(field.name, kind))
    return frame.mapInArrow(answer_batches, types.StructType(fields))
