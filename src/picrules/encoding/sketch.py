"""What a schema is learned from, of tables that come in parts: a few cells of each column.

Of a column of categories these are the distinct ones; of numbers the least, the largest, and the
two neighbours of each cut. The sketch of several sketches is that of all their rows.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from picrules.encoding.columns import CategoryColumn, Column, Kind, NumberColumn
from picrules.encoding.cuts import even_cuts
from picrules.encoding.schema import FEW_CUTS, as_categories
from picrules.errors import BadTable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray


def sketch(
    columns: Sequence[Column],
    categorical: Collection[int],
    cuts: Mapping[int, NDArray[np.float64] | None],
) -> list[Column]:
    """Return the cells of a table that count; `cuts` by position, None to keep all numbers."""
    return [
        _sketch_categories(as_categories(column))
        if isinstance(column, CategoryColumn) or position in categorical
        else _sketch_numbers(column, cuts.get(position, np.empty(0)))
        for position, column in enumerate(columns)
    ]


def join_sketches(sketches: Sequence[Sequence[Column]]) -> list[Column]:
    """Put the cells of several sketches together."""
    return [_join(columns) for columns in zip(*sketches, strict=True)]


def find_cuts(
    columns: Sequence[Column], bins: Sequence[int]
) -> dict[int, NDArray[np.float64] | None]:
    """Return the cuts of equal width, before they are moved, of columns with known extremes."""
    found: dict[int, NDArray[np.float64] | None] = {}
    for position, (column, n_parts) in enumerate(zip(columns, bins, strict=True)):
        if isinstance(column, NumberColumn):
            is_date = column.kind is Kind.DATE
            cuts = even_cuts(column.numbers, n_parts, is_date=is_date)
            if len(cuts):
                found[position] = cuts if len(cuts) <= FEW_CUTS else None
    return found


def _sketch_categories(column: CategoryColumn) -> CategoryColumn:
    return replace(column, positions=np.arange(len(column.values), dtype=np.int32))


def _sketch_numbers(column: NumberColumn, cuts: NDArray[np.float64] | None) -> NumberColumn:
    known = np.unique(column.numbers[~np.isnan(column.numbers)])
    if cuts is not None and len(known):
        above = np.searchsorted(known, cuts, side="right")
        kept = np.concatenate([[0, len(known) - 1], above - 1, above])
        known = known[np.unique(kept.clip(0, len(known) - 1))]
    return replace(column, numbers=known, cells=None)


def _join(columns: Sequence[Column]) -> Column:
    """Join the parts of a column; a part without any value has no kind of its own."""
    known = [column for column in columns if len(column)] or columns[:1]
    first = known[0]
    for other in known[1:]:
        if other.kind is not first.kind:
            raise BadTable(
                f"column {first.name!r} holds {first.kind} cells in one part of the table and "
                f"{other.kind} cells in another; parts must be alike"
            )
    if isinstance(first, NumberColumn):
        numbers = [column.numbers for column in known if isinstance(column, NumberColumn)]
        zones = {column.zone for column in known if isinstance(column, NumberColumn)}
        zone = zones.pop() if len(zones) == 1 else "UTC"
        return replace(first, numbers=np.concatenate(numbers), zone=zone)
    parts = [column for column in known if isinstance(column, CategoryColumn)]
    values = tuple(dict.fromkeys(chain.from_iterable(part.values for part in parts)))
    orders = {part.order for part in parts}
    order = orders.pop() if len(orders) == 1 else None
    return CategoryColumn(first.name, np.arange(len(values), dtype=np.int32), values, order)
