"""DuckDB: relations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator


def batches(relation: Any) -> Iterator[pa.Table]:
    """Give the rows of a relation in parts, as tables in memory."""
    for batch in pa.RecordBatchReader.from_stream(relation):
        yield pa.Table.from_batches([batch])
