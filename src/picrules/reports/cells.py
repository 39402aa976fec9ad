"""The cells of a report's cases, each different text once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.cells import format_date
from picrules.encoding.columns import CategoryColumn, Kind
from picrules.rules.text import format_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column

# Whole numbers up to here are the same in Python and in a browser.
_LARGEST_WHOLE = 2**53


def is_missing(column: Column) -> NDArray[np.bool_]:
    """Tell which cells of a column are missing."""
    if isinstance(column, CategoryColumn):
        return column.positions < 0
    missing: NDArray[np.bool_] = np.isnan(column.numbers)
    return missing


def list_cells(column: Column, rows: NDArray[np.int64]) -> dict[str, Any]:
    """Return the cells of a column in some rows.

    Numbers as `numbers`, None where missing; all else as `texts`, each once, and `codes` that
    are positions there, -1 where missing.
    """
    if isinstance(column, CategoryColumn):
        values = [*map(format_value, column.values), None]  # position -1 is the last
        return _to_codes([values[position] for position in column.positions[rows].tolist()])
    if column.cells is not None:
        cells = [column.cells[row] for row in rows.tolist()]
        return _to_codes([None if cell is None else str(cell) for cell in cells])
    numbers = column.numbers[rows].tolist()
    if column.kind is Kind.DATE:
        return _to_codes([None if np.isnan(number) else format_date(number) for number in numbers])
    return {"numbers": [_shorten(number) for number in numbers]}


def _to_codes(texts: list[str | None]) -> dict[str, Any]:
    code_of: dict[str, int] = {}
    codes = [-1 if text is None else code_of.setdefault(text, len(code_of)) for text in texts]
    return {"texts": list(code_of), "codes": codes}


def _shorten(number: float) -> float | int | None:
    """Return a number that JSON writes as short as it can be."""
    if np.isnan(number):
        return None
    is_whole = number.is_integer() and abs(number) < _LARGEST_WHOLE
    return int(number) if is_whole else number
