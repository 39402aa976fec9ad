"""Ibis: tables of many databases; DuckDB asks the model itself, rows of the others come here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from picrules.distributed import duckdb_relations
from picrules.distributed.row_samples import take_some

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from picrules.distributed.asker import Asker

_DUCKDB = "duckdb"

# The answers of a row, until each is a column.
_TOLD = "told \u2063"


def batches(table: Any) -> Iterator[pa.Table]:
    """Give the rows of a table in parts, as tables in memory."""
    backend = table.get_backend()
    if backend.name == _DUCKDB and not hasattr(backend.con, "fetch_record_batch"):
        # Ibis 12 asks DuckDB 2 for a method that it has not, so DuckDB is asked without it.
        import ibis  # noqa: PLC0415

        table.limit(0).to_pyarrow()  # makes tables in memory that it reads known to DuckDB
        yield from duckdb_relations.batches(backend.con.sql(str(ibis.to_sql(table))))
        return
    for batch in table.to_pyarrow_batches():
        yield pa.Table.from_batches([batch])


def sample(table: Any, most: int, n_rows: int, seed: int) -> pa.Table:
    """Return so many of the rows as a table in memory."""
    return take_some(batches(table), most, n_rows, seed)


def answer(table: Any, asker: Asker) -> Any:
    """Return a table of the answers: found when it is read where DuckDB reads, else in memory."""
    kept = asker.split(table.columns)
    is_lazy = table.get_backend().name == _DUCKDB
    return (_answer_lazily if is_lazy else _answer_at_once)(table, asker, kept)


def _answer_lazily(table: Any, asker: Asker, kept: list[str]) -> Any:
    """Return an expression that asks the model about each batch, whenever it is executed."""
    import ibis  # noqa: PLC0415
    from ibis.expr import datatypes  # noqa: PLC0415

    cells = [table[name] for name in asker.features]
    rows = ibis.struct(dict(zip(_fields(cells), cells, strict=True)))
    names, kinds = asker.schema.names, ibis.Schema.from_pyarrow(asker.schema).values()
    kind = datatypes.Struct(dict(zip(_fields(names), kinds, strict=True)))

    def picrules_answer(rows: Any) -> pa.StructArray:
        return _answer_batch(asker, rows)

    signature = ((rows.type(),), kind)
    ask = ibis.udf.scalar.pyarrow(picrules_answer, signature=signature, null_handling="special")
    told = table.select(*kept, ask(rows).name(_TOLD))
    answers = [told[_TOLD][at].name(name) for at, name in zip(_fields(names), names, strict=True)]
    return told.select(*kept, *answers)


def _answer_batch(asker: Asker, rows: Any) -> pa.StructArray:
    if isinstance(rows, pa.ChunkedArray):
        rows = rows.combine_chunks()
    told = asker(pa.Table.from_arrays(rows.flatten(), asker.features))
    arrays = [column.combine_chunks() for column in told.columns]
    return pa.StructArray.from_arrays(arrays, _fields(arrays))


def _fields(columns: Sequence[Any]) -> list[str]:
    """Name the fields of a struct by numbers: DuckDB takes `a` and `A` for the same name."""
    return [f"f{at}" for at in range(len(columns))]


def _answer_at_once(table: Any, asker: Asker, kept: list[str]) -> Any:
    import ibis  # noqa: PLC0415

    told = []
    for batch in batches(table):
        own = asker(batch.select(asker.features))
        told.append(
            pa.Table.from_arrays(
                [*batch.select(kept).columns, *own.columns], [*kept, *own.column_names]
            )
        )
    return ibis.memtable(pa.concat_tables(told))
