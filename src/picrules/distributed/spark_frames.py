"""Spark: data frames, counted and answered by its workers partition by partition."""

from __future__ import annotations

import pickle
from functools import partial, reduce
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from picrules.engines.plan import readable
from picrules.errors import NotEnoughMemory, PicrulesError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from picrules.distributed.asker import Asker

Result = TypeVar("Result")

# Rows that are worked on at once, and tasks that merge the results of all partitions.
_ROWS_AT_ONCE, _MOST_MERGERS = 2**17, 8

_RESULT = "result binary"

# Arrow, Java and the rows of Spark count bytes in 31 bits; the rest is for what stands around them.
_MOST_BYTES = 2**31 - 2**12

_TYPES = {
    "string": "StringType", "int64": "LongType", "double": "DoubleType", "bool": "BooleanType",
}  # fmt: skip


def batches(frame: Any) -> Iterator[pa.Table]:
    """Give the rows of a frame in parts, as tables in memory."""
    yield frame.toArrow()


def run(
    frame: Any,
    work: Callable[[Iterable[pa.Table]], Result],
    merge: Callable[[Sequence[Result]], Result],
) -> Result:
    """Do some work on the rows of each partition where they lie, and return the merged results."""

    def work_on(parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tables = _together(parts)
        first = next(tables, None)
        if first is not None:  # an empty partition has none
            yield _pack(_try(work, chain([first], tables)))

    def merge_all(parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        results = (result for part in parts for result in _unpack(part))
        for first in results:
            yield _pack(reduce(partial(_merge_two, merge), results, first))

    worked = frame.mapInArrow(work_on, _RESULT)
    merged = worked.repartition(_count_mergers(frame)).mapInArrow(merge_all, _RESULT)
    results = [*_unpack(merged.toArrow())]
    for result in results:
        if isinstance(result, PicrulesError):
            raise result
    return merge(results)


def _try(work: Callable[..., Result], *given: Any) -> Result | PicrulesError:
    """Return an error as a result: Spark would try again, and tell it as one of its own."""
    try:
        return work(*given)
    except PicrulesError as error:
        return error


def _merge_two(merge: Callable[[Sequence[Result]], Result], some: Any, other: Any) -> Any:
    errors = (each for each in (some, other) if isinstance(each, PicrulesError))
    return next(errors, None) or _try(merge, [some, other])


def _count_mergers(frame: Any) -> int:
    """Return how many tasks merge results: few have enough of them, so that the driver has little.

    Spark Connect does not tell how many tasks run at once.
    """
    context = getattr(frame.sparkSession, "sparkContext", None)
    return _MOST_MERGERS if context is None else min(_MOST_MERGERS, context.defaultParallelism)


def _together(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Give rows in larger tables than Spark does."""
    held: list[pa.RecordBatch] = []
    for part in parts:
        held.append(part)
        if sum(map(len, held)) >= _ROWS_AT_ONCE:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def _pack(result: Any) -> pa.RecordBatch:
    """Make a row of a result, or of an error where it is too large for one."""
    cell = pickle.dumps(result)
    if len(cell) > _MOST_BYTES:
        cell = pickle.dumps(_too_large(len(cell)))
    return pa.RecordBatch.from_arrays([pa.array([cell])], ["result"])


def _too_large(n_bytes: int) -> NotEnoughMemory:
    return NotEnoughMemory(
        f"what some partitions hold takes {readable(n_bytes)}, and Spark passes on at most "
        f"{readable(_MOST_BYTES)} at once; lower max_length, bins or cuts, or leave out columns "
        "with many values; where rows are kept, keep_rows=False is accepted"
    )


def _unpack(rows: pa.RecordBatch | pa.Table) -> Iterator[Any]:
    for each in rows["result"]:
        yield pickle.loads(each.as_buffer())  # noqa: S301  (written by `_pack`)


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
