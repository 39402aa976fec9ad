"""Turn columns of cells into numbers, dates or texts; say which cell stands in the way."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from picrules.cli.tables.files import ORDERED_TEXT, TEXT
from picrules.encoding.columns import has_one_order
from picrules.errors import BadDataFile
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from picrules.cli.tables.source import Source


def combine(batches: Sequence[pa.RecordBatch]) -> pa.Table:
    """Make one table of batches, whose columns may have different types of numbers."""
    tables = [pa.Table.from_batches([batch]) for batch in batches]
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowTypeError as error:
        raise BadDataFile(f"a column has other types in other files ({error})") from None


def with_dictionary(column: pa.Array) -> pa.Array:
    """Bring all kinds of texts to one, which only keeps the distinct ones; an order is kept."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if column.type == TEXT or not (is_text or pa.types.is_string_view(kind)):
        return column
    if kind != column.type and column.type.ordered:
        codes, texts = column.indices.cast(pa.int32()), column.dictionary.cast(pa.string())
        return pa.DictionaryArray.from_arrays(codes, texts, ordered=True)
    return column.cast(kind).cast(pa.string()).dictionary_encode()


def is_text(column: pa.ChunkedArray) -> bool:
    """Whether the cells of a column are texts."""
    return column.type in (TEXT, ORDERED_TEXT)


def is_empty(column: pa.ChunkedArray) -> bool:
    """Whether every cell is missing."""
    return bool(column.null_count == len(column))


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the cells themselves where a column keeps numbers that stand for them."""
    is_coded = pa.types.is_dictionary(column.type)
    return column.cast(column.type.value_type) if is_coded else column


def to_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write each cell as text; whole numbers without a point, whatever their type."""
    return plain(column).cast(pa.string())


def encode(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write a column with one dictionary of its distinct cells.

    Parts that tell different orders tell none.
    """
    if column.type == ORDERED_TEXT and not has_one_order(column):
        column = plain(column)
    return column.dictionary_encode().unify_dictionaries()


def as_numbers(column: pa.ChunkedArray, decimal: str = ".") -> pa.ChunkedArray | None:
    """Read texts as numbers; None when one of them is not a number."""
    return _map(column, partial(_to_numbers, decimal=decimal))


def as_dates(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Read texts as dates, with or without a time and a zone; None when one of them is not."""
    read = (as_moments(column, zone) for zone in (None, "UTC"))
    return next((dates for dates in read if dates is not None), None)


def as_moments(column: pa.ChunkedArray, zone: str | None) -> pa.ChunkedArray | None:
    """Read texts as dates that all have a zone, or have none; None when one of them is not such."""
    return _map(column, partial(_try_cast, kind=pa.timestamp("us", zone)))


def _map(
    column: pa.ChunkedArray, read: Callable[[pa.Array], pa.Array | None]
) -> pa.ChunkedArray | None:
    """Read each distinct text of a column once; None when one of them cannot be read."""
    parts = []
    for chunk in column.chunks:
        is_coded = pa.types.is_dictionary(chunk.type)
        found = read(chunk.dictionary if is_coded else chunk)
        if found is None:
            return None
        parts.append(found.take(chunk.indices) if is_coded else found)
    return pa.chunked_array(parts)


def _to_numbers(texts: pa.Array, decimal: str) -> pa.Array | None:
    if decimal != ".":
        if pc.any(pc.match_substring(texts, ".")).as_py():
            return None
        texts = pc.replace_substring(texts, decimal, ".")
    return _try_cast(texts, pa.float64())


def _try_cast(texts: pa.Array, kind: pa.DataType) -> pa.Array | None:
    try:
        return pc.utf8_trim_whitespace(texts).cast(kind)
    except pa.ArrowInvalid:
        return None


def read_texts(
    name: str, column: pa.ChunkedArray, source: Source, first_row: int = 1, *, is_date: bool = False
) -> pa.ChunkedArray:
    """Read texts as numbers or dates, or name the first cell that is none."""
    wanted = "date such as 2020-01-31" if is_date else "number"
    read = as_dates if is_date else partial(as_numbers, decimal=source.decimal)
    found = read(column)
    if found is None:
        # A dictionary may hold texts of rows that come later.
        column = plain(column)
        found = read(column)
    if found is not None:
        return found
    row = next(find_unlike(column, read))
    cell = column[row].as_py()
    raise BadDataFile(
        f"the column {show(name)} holds {show(cell)} in {source.where(first_row + row)}, which is "
        f"not a {wanted}; mend the cell, or say --missing {show(cell)} if it stands for a missing "
        "value"
    )


def find_unlike(texts: pa.ChunkedArray, read: Callable[[Any], Any]) -> Iterator[int]:
    """Give the positions of the texts that cannot be read, which are found by halves."""
    if read(texts) is not None:
        return
    middle = len(texts) // 2
    if middle == 0:
        yield 0
        return
    yield from find_unlike(texts.slice(0, middle), read)
    yield from (middle + position for position in find_unlike(texts.slice(middle), read))
