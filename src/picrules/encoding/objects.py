"""Read the cells of a column that are Python objects, each distinct one once."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.cells import (
    EXACT_LIMIT,
    bad_cell,
    is_boolean,
    is_missing,
    to_utc,
    to_value,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from picrules.rules.text import Value


class Objects:
    """The cells of one column as Python objects.

    Parameters
    ----------
    name : str
        The column's name, for errors.
    cells : sequence
        The cells, of any types.

    Attributes
    ----------
    known : list
        The distinct cells that are not missing.
    has_booleans : bool
        Whether any cell is a boolean.
    """

    def __init__(self, name: str, cells: Sequence[Any]) -> None:
        types = set(map(type, cells))
        if any(issubclass(kind, datetime) for kind in types):
            # Two moments of one zone that differ in `fold` alone are equal, but not in UTC.
            cells = [to_utc(name, cell) if _has_zone(cell) else cell for cell in cells]
        self._name, self._cells = name, cells
        self.has_booleans = any(issubclass(kind, bool | np.bool_) for kind in types)
        has_equals = sum(issubclass(kind, Real | Decimal | np.bool_) for kind in types) > 1
        self._distinct = _distinct(name, cells, has_equals)
        self.known = [cell for cell in self._distinct if not is_missing(cell)]

    def to_floats(self, function: Callable[[str, Any], float]) -> NDArray[np.float64]:
        """Return what a function makes of the column's name and each cell, NaN where missing."""
        numbers = {cell: function(self._name, cell) for cell in self.known}
        return np.fromiter(self._look_up(numbers, np.nan), np.float64, len(self._cells))

    def to_categories(self) -> tuple[NDArray[np.int32], tuple[Value, ...]]:
        """Return each cell's position among the categories, -1 where missing, and these."""
        value_of = {cell: to_value(self._name, cell) for cell in self.known}
        place = {value: position for position, value in enumerate(dict.fromkeys(value_of.values()))}
        position_of = {cell: place[value] for cell, value in value_of.items()}
        positions = np.fromiter(self._look_up(position_of, -1), np.int32, len(self._cells))
        return positions, tuple(place)

    def _look_up(self, results: dict[Any, Any], missing: float) -> Iterator[Any]:
        everywhere = dict.fromkeys(self._distinct, missing) | results
        return map(everywhere.__getitem__, self._cells)


def _distinct(name: str, cells: Sequence[Any], has_equals: bool) -> list[Any]:
    """List the distinct cells; of equal ones, the same whatever the order of the cells."""
    try:
        distinct = dict.fromkeys(cells)
    except TypeError:
        raise bad_cell(name, next(cell for cell in cells if not _is_hashable(cell))) from None
    if has_equals and any(map(_gives_way, distinct)):
        distinct = dict.fromkeys(sorted(cells, key=_gives_way))
    return list(distinct)


def _gives_way(cell: Any) -> bool:
    """Whether an equal number is written instead: 1 for True, 2**60 for 1.152921504606847e+18."""
    return is_boolean(cell) or (isinstance(cell, float) and abs(cell) >= EXACT_LIMIT)


def _is_hashable(cell: Any) -> bool:
    try:
        hash(cell)
    except TypeError:
        return False
    return True


def _has_zone(cell: Any) -> bool:
    return isinstance(cell, datetime) and cell.tzinfo is not None
