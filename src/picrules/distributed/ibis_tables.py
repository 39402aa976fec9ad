"""Ibis: tables of many databases. No model runs there: rows come here, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from picrules.distributed.row_samples import take_some

if TYPE_CHECKING:
    from collections.abc import Iterator

    from picrules.distributed.asker import Asker


def batches(table: Any) -> Iterator[pa.Table]:
    """Give the rows of a table in parts, as tables in memory."""
    backend = table.get_backend()
    if backend.name == "duckdb" and not hasattr(backend.con, "fetch_record_batch"):
        yield table.to_pyarrow()  # Ibis 12 asks DuckDB 2 for a method that it has not
        return
    for batch in table.to_pyarrow_batches():
        yield pa.Table.from_batches([batch])


def sample(table: Any, most: int, n_rows: int, seed: int) -> pa.Table:
    """Return so many of the rows as a table in memory."""
    return take_some(batches(table), most, n_rows, seed)


def answer(table: Any, asker: Asker) -> Any:
    """Return a table of the answers, which are in memory."""
    import ibis  # noqa: PLC0415

    kept, features = asker.split(table.columns), asker.features
    told = []
    for batch in batches(table):
        own = asker(batch.select(features))
        told.append(
            pa.Table.from_arrays(
                [*batch.select(kept).columns, *own.columns], [*kept, *own.column_names]
            )
        )
    return ibis.memtable(pa.concat_tables(told))
