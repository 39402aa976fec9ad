"""Turn columns of cells into numbers, dates or texts; say which cell stands in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from picrules.errors import BadDataFile
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Sequence


def combine(batches: Sequence[pa.RecordBatch]) -> pa.Table:
    """Make one table of batches; a column whose type changes between them becomes text."""
    first = batches[0].schema
    if all(batch.schema.equals(first) for batch in batches):
        return pa.Table.from_batches(batches)
    columns = []
    for index in range(len(first)):
        parts = [batch.column(index) for batch in batches]
        kinds = {part.type for part in parts if part.null_count < len(part)}
        kind = kinds.pop() if len(kinds) == 1 else pa.string() if kinds else pa.null()
        cast = [to_texts(part) if kind == pa.string() else part.cast(kind) for part in parts]
        columns.append(pa.chunked_array(cast, kind))
    return pa.Table.from_arrays(columns, first.names)


def is_text(column: pa.ChunkedArray) -> bool:
    """Whether the cells of a plain column are texts."""
    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


def is_empty(column: pa.ChunkedArray) -> bool:
    """Whether every cell is missing."""
    return bool(column.null_count == len(column))


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the cells themselves where a column keeps numbers that stand for them."""
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    # Few functions of PyArrow take its third kind of text.
    return column.cast(pa.string()) if pa.types.is_string_view(column.type) else column


def to_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write each cell as text; whole numbers without a point, whatever their type."""
    return plain(column).cast(pa.string())


def as_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Read texts as numbers; None when one of them is not a number."""
    return _try_cast(column, pa.float64())


def as_dates(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Read texts as dates, with or without a time and a zone; None when one of them is not."""
    dates = _try_cast(column, pa.timestamp("us"))
    return dates if dates is not None else _try_cast(column, pa.timestamp("us", "UTC"))


def _try_cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray | None:
    try:
        return pc.utf8_trim_whitespace(column).cast(kind)
    except pa.ArrowInvalid:
        return None


def read_texts(
    name: str, column: pa.ChunkedArray, first_row: int = 1, *, is_date: bool = False
) -> pa.ChunkedArray:
    """Read texts as numbers or dates, or name the first cell that is none."""
    read, wanted = (as_dates, "date such as 2020-01-31") if is_date else (as_numbers, "number")
    cells = read(column)
    if cells is not None:
        return cells
    low, high = 0, len(column)  # the first cell that cannot be read is found by halves
    while high - low > 1:
        middle = (low + high) // 2
        is_bad = read(column.slice(low, middle - low)) is None
        low, high = (low, middle) if is_bad else (middle, high)
    cell = column[low].as_py()
    raise BadDataFile(
        f"the column {show(name)} holds {show(cell)} in row {first_row + low}, which is not a "
        f"{wanted}; mend the cell, or say --missing {show(cell)} if it stands for a missing value"
    )
