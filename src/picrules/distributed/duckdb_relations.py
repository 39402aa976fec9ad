"""DuckDB: relations, answered batch by batch when they are read."""

from __future__ import annotations

from threading import local
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from picrules.distributed.row_samples import take_some
from picrules.errors import MissingPackage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from picrules.distributed.asker import Asker

# The first version that keeps what a function returned until it has read it.
_FIRST = 2

# Names of types: the default connection of DuckDB 2 does not take them as texts.
_TYPES = {"string": "VARCHAR", "int64": "BIGINT", "double": "DOUBLE", "bool": "BOOLEAN"}


def batches(relation: Any) -> Iterator[pa.Table]:
    """Give the rows of a relation in parts, as tables in memory."""
    for batch in pa.RecordBatchReader.from_stream(relation):
        yield pa.Table.from_batches([batch])


def sample(relation: Any, most: int, n_rows: int, seed: int) -> pa.Table:
    """Return so many of the rows as a table in memory."""
    return take_some(batches(relation), most, n_rows, seed)


def answer(relation: Any, asker: Asker) -> Any:
    """Return a relation of the answers."""
    import duckdb  # noqa: PLC0415

    if int(duckdb.__version__.partition(".")[0]) < _FIRST:
        raise MissingPackage(
            f"DuckDB {duckdb.__version__} is installed, which loses answers before it reads them; "
            f"lazy answers need version {_FIRST}"
        )
    kept, features = asker.split(relation.columns), asker.features

    held = local()

    def answer_batch(batch: Any) -> Any:
        # Held until the next batch of the thread, which is when it has been read for sure.
        held.answers = batch[kept].assign(**asker(batch[features]).to_pandas())
        return held.answers

    own = dict(zip(relation.columns, relation.types, strict=True))
    types = {name: own[name] for name in kept}
    types |= {
        field.name: getattr(duckdb.sqltypes, _TYPES[str(field.type)]) for field in asker.schema
    }
    return relation.map(answer_batch, schema=types)
