"""DuckDB: relations, answered batch by batch when they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator

    from picrules.distributed.asker import Asker

_TYPES = {"string": "VARCHAR", "int64": "BIGINT", "double": "DOUBLE", "bool": "BOOLEAN"}


def batches(relation: Any) -> Iterator[pa.Table]:
    """Give the rows of a relation in parts, as tables in memory."""
    for batch in pa.RecordBatchReader.from_stream(relation):
        yield pa.Table.from_batches([batch])


def answer(relation: Any, asker: Asker) -> Any:
    """Return a relation of the answers."""
    kept, features = asker.split(relation.columns), asker.features

    def answer_batch(batch: Any) -> Any:
        return batch[kept].assign(**asker(batch[features]).to_pandas())

    own = dict(zip(relation.columns, relation.types, strict=True))
    types = {name: own[name] for name in kept}
    types |= {field.name: _TYPES[str(field.type)] for field in asker.schema}
    return relation.map(answer_batch, schema=types)
