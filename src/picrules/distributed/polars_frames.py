"""Polars: lazy frames, answered batch by batch when they are collected or sunk into files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from picrules.distributed.asker import Asker


# The number of a row, while some are chosen.
_ROW = "row \u2063"


def batches(frame: Any) -> Iterator[Any]:
    """Give the rows of a frame in parts, as tables in memory."""
    yield frame.collect(engine="streaming")


def sample(frame: Any, most: int, n_rows: int, seed: int) -> Any:
    """Return so many of the rows as a table in memory."""
    import polars as pl  # noqa: PLC0415

    chosen = np.random.default_rng(seed).choice(n_rows, most, replace=False)
    rows = pl.LazyFrame({_ROW: chosen}, {_ROW: pl.get_index_type()})
    some = frame.with_row_index(_ROW).join(rows, on=_ROW, how="semi").drop(_ROW)
    return some.collect(engine="streaming")


def answer(frame: Any, asker: Asker) -> Any:
    """Return a lazy frame of the answers."""
    import polars as pl  # noqa: PLC0415

    schema = frame.collect_schema()
    kept, features = asker.split(schema.names()), asker.features

    def answer_batch(batch: Any) -> Any:
        answers = pl.from_arrow(asker(batch.select(features)))
        # No columns have no rows, so that nothing can be put beside them.
        return batch.select(kept).hstack(answers) if kept else answers

    added = pl.from_arrow(asker.schema.empty_table()).schema
    types = {name: schema[name] for name in kept} | dict(added)
    return frame.map_batches(answer_batch, schema=types, streamable=True)
