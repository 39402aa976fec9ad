"""Values of a row that could not speak: they are missing, or were never seen in training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from picrules.encoding.columns import CategoryColumn, NumberColumn
from picrules.encoding.row import Cell, format_cell, plain_cell, read_cell
from picrules.explain.tabular import Result
from picrules.rules.text import format_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.model.model import Model

# The cells of rows: columns, or rows by column name.
Cells: TypeAlias = "Sequence[Column] | Sequence[Mapping[str, Any]]"

# So many are named; of more, how many they are.
MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Silent(Result):
    """A value that satisfies no condition of any rule.

    Attributes
    ----------
    feature : str
        The name of the column.
    value : object
        The value, which was never seen in training; None where it is missing.
    """

    feature: str
    value: Cell

    def to_dict(self) -> dict[str, Any]:
        """Return the column and the value as plain values."""
        return self._plain("feature", "value")

    def __str__(self) -> str:
        return tell_silent([self.to_dict()])


def find_silent(
    model: Model, features: Iterable[int], cells: Cells | None, row: int
) -> tuple[Silent, ...]:
    """Name the values of a row's features that could not speak; missing ones without cells."""
    found = []
    for number in features:
        feature, value = model.features[number], None
        if cells is not None:
            value = plain_cell(feature, take_cell(model, number, cells, row))
        found.append(Silent(feature.name, value))
    return tuple(found)


def take_cell(model: Model, number: int, cells: Cells, row: int) -> Column:
    """Return one row of one of the model's features; the only one if all rows were made from it."""
    if isinstance(cells[0], Mapping):
        by_name, name = cells[row], model.features[number].name
        assert isinstance(by_name, Mapping)
        return read_cell(name, by_name[name])
    column = cells[int(model.conditions.features[number])]
    rows = slice(row, row + 1) if len(column) > 1 else slice(0, 1)
    if isinstance(column, CategoryColumn):
        return replace(column, positions=column.positions[rows])
    assert isinstance(column, NumberColumn)
    given = None if column.cells is None else column.cells[rows]
    return replace(column, numbers=column.numbers[rows], cells=given)


def name_silent(model: Model, codes: NDArray[np.int32]) -> tuple[list[str], NDArray[np.int64]]:
    """Name the features of rows that could not speak, in few texts; which of them each row has.

    The first text is empty: all could speak.
    """
    is_silent = (codes < 0) & model.is_used[:, np.newaxis]
    which = np.zeros(codes.shape[1], np.int64)
    some = np.flatnonzero(is_silent.any(axis=0))
    if not some.size:
        return [""], which
    packed = np.ascontiguousarray(np.packbits(is_silent[:, some], axis=0).T)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    which[some] = numbers.ravel() + 1
    names = [feature.name for feature in model.features]
    patterns = is_silent[:, some[first]].T
    told = (list_silent([names[at] for at in np.flatnonzero(pattern)]) for pattern in patterns)
    return ["", *told], which


def list_silent(names: Iterable[str]) -> str:
    """Name features that could not speak: one text for all; empty if all could."""
    listed = list(map(format_name, names))
    return _list(listed) if listed else ""


def tell_silent(silent: Sequence[dict[str, Any]]) -> str:
    """Say which values could not speak, from their `to_dict`; empty if all could."""
    unseen = [
        f"{format_name(one['feature'])} = {format_cell(one['value'])}"
        for one in silent
        if one["value"] is not None
    ]
    missing = [format_name(one["feature"]) for one in silent if one["value"] is None]
    parts = []
    if unseen:
        were = "was" if len(unseen) == 1 else "were"
        parts.append(f"{_list(unseen)} {were} never seen in training")
    if missing:
        parts.append(f"{_list(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    return f"{'; '.join(parts)}; no rule could speak of that." if parts else ""


def _list(names: list[str]) -> str:
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} more"]
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
