"""Polars: lazy frames, answered batch by batch when they are collected or sunk into files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from picrules.distributed.asker import Asker


def batches(frame: Any) -> Iterator[Any]:
    """Give the rows of a frame in parts, as tables in memory."""
    yield frame.collect(engine="streaming")


def answer(frame: Any, asker: Asker) -> Any:
    """Return a lazy frame of the answers."""
    import polars as pl  # noqa: PLC0415

    schema = frame.collect_schema()
    kept, features = asker.split(schema.names()), asker.features

    def answer_batch(batch: Any) -> Any:
        return batch.select(kept).hstack(pl.from_arrow(asker(batch.select(features))))

    added = pl.from_arrow(asker.schema.empty_table()).schema
    types = {name: schema[name] for name in kept} | dict(added)
    return frame.map_batches(answer_batch, schema=types, streamable=True)
