"""What is learned about the columns once: kinds, categories and cuts."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.columns import Column, Kind, to_numbers, to_values
from picrules.encoding.cuts import equal_width_cuts, shorten_cuts
from picrules.errors import BadTable
from picrules.rules.condition import Category, Interval, from_microseconds, value_order

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from picrules.rules.condition import Condition
    from picrules.rules.text import Value


@dataclass(frozen=True, slots=True)
class CategoryFeature:
    """A feature whose codes stand for categories.

    Attributes
    ----------
    name : str
        The column's name.
    categories : tuple
        The categories of the training rows; a code is a position here.
    is_ordered : bool
        Whether the column itself says that its categories have an order.
    """

    name: str
    categories: tuple[Value, ...]
    is_ordered: bool = False

    kind = Kind.CATEGORY

    @property
    def n_codes(self) -> int:
        """How many codes there are."""
        return len(self.categories)

    def read(self, column: Column) -> list[Value | None]:
        """Return the cells as this feature's conditions compare them."""
        if column.kind is Kind.CATEGORY:
            return column.cells  # type: ignore[return-value]
        return _numbers_to_values(column)

    def encode(self, column: Column) -> NDArray[np.int32]:
        """Return the code of each cell; -1 where missing or never seen in training."""
        code_of: dict[Any, int] = {value: code for code, value in enumerate(self.categories)}
        cells = self.read(column)
        return np.fromiter((code_of.get(cell, -1) for cell in cells), np.int32, len(cells))

    def condition(self, code: int) -> Condition:
        """Return the condition that a code stands for."""
        return Category(self.name, (self.categories[code],))


@dataclass(frozen=True, slots=True)
class NumberFeature:
    """A feature whose codes stand for intervals between cuts.

    Attributes
    ----------
    name : str
        The column's name.
    cuts : tuple of float
        Increasing; code i stands for `cuts[i - 1] < x <= cuts[i]`, the outer ends open.
    kind : Kind
        Numbers, or dates (the cuts then count microseconds since 1970).
    is_empty : bool
        Whether every training cell is missing, so that there is no code at all.
    """

    name: str
    cuts: tuple[float, ...]
    kind: Kind = Kind.NUMBER
    is_empty: bool = False

    @property
    def n_codes(self) -> int:
        """How many codes there are."""
        return 0 if self.is_empty else len(self.cuts) + 1

    def read(self, column: Column) -> NDArray[np.float64]:
        """Return the cells as this feature's conditions compare them."""
        if column.kind is Kind.CATEGORY:
            return to_numbers(column.name, column.cells)
        if column.kind is not self.kind and not np.isnan(column.cells).all():  # type: ignore[arg-type]
            raise BadTable(
                f"column {self.name!r} holds {column.kind}s; it held {self.kind}s in training"
            )
        return column.cells  # type: ignore[return-value]

    def encode(self, column: Column) -> NDArray[np.int32]:
        """Return the code of each cell; -1 where missing."""
        numbers = self.read(column)
        codes = np.searchsorted(self.cuts, numbers, side="left").astype(np.int32)
        codes[np.isnan(numbers)] = -1
        if self.is_empty:
            codes[:] = -1
        return codes

    def condition(self, code: int) -> Condition:
        """Return the condition that a code stands for."""
        ends = (-inf, *self.cuts, inf)
        lower, upper = (self._bound(end) for end in ends[code : code + 2])
        return Interval(self.name, lower, upper)

    def _bound(self, cut: float) -> Any:
        return from_microseconds(cut) if self.kind is Kind.DATE and np.isfinite(cut) else float(cut)


@dataclass(frozen=True, slots=True)
class Schema:
    """The features of a table, in column order."""

    features: tuple[CategoryFeature | NumberFeature, ...]

    @property
    def n_codes(self) -> NDArray[np.int64]:
        """How many codes each feature has."""
        return np.array([feature.n_codes for feature in self.features], np.int64)

    def encode(self, columns: Sequence[Column]) -> NDArray[np.int32]:
        """Return the codes of a table, one row a feature.

        Parameters
        ----------
        columns : sequence of Column
            The columns, in the order of the features.

        Returns
        -------
        array of shape (n_features, n_rows)
            Codes; -1 is missing or unseen.
        """
        codes = np.empty((len(columns), len(columns[0])), np.int32)
        for position, (feature, column) in enumerate(zip(self.features, columns, strict=True)):
            codes[position] = feature.encode(column)
        return codes

    def read(self, columns: Sequence[Column]) -> dict[str, Any]:
        """Return the cells by feature name, as `Rule.covers` compares them."""
        return {
            feature.name: feature.read(column)
            for feature, column in zip(self.features, columns, strict=True)
        }


def learn_schema(
    columns: Sequence[Column], bins: Sequence[int], categorical: Collection[int] | None
) -> Schema:
    """Learn categories and cuts from the training rows.

    Parameters
    ----------
    columns : sequence of Column
        The columns of the training table.
    bins : sequence of int
        Into how many parts of equal width each column of numbers is cut.
    categorical : collection of int or None
        Positions of the columns that are categories, None to go by their kind. Text is
        always a category.

    Returns
    -------
    Schema
        One feature a column.
    """
    return Schema(
        tuple(
            _learn_feature(column, bins[position], categorical, position)
            for position, column in enumerate(columns)
        )
    )


def _learn_feature(
    column: Column, n_parts: int, categorical: Collection[int] | None, position: int
) -> CategoryFeature | NumberFeature:
    if categorical is None:
        as_category = column.kind is Kind.CATEGORY
    else:
        as_category = position in categorical or _holds_text(column)
    if as_category:
        return _learn_categories(column)
    numbers = (
        to_numbers(column.name, column.cells) if column.kind is Kind.CATEGORY else column.cells
    )
    cuts = equal_width_cuts(numbers, n_parts)  # type: ignore[arg-type]
    if column.kind is Kind.DATE:
        kind = Kind.DATE
        cuts = np.unique(np.floor(cuts))  # cells are whole microseconds: no cell changes sides
    else:
        kind = Kind.NUMBER
        cuts = shorten_cuts(cuts, numbers)  # type: ignore[arg-type]
    is_empty = bool(np.isnan(numbers).all())  # type: ignore[arg-type]
    return NumberFeature(column.name, tuple(cuts.tolist()), kind, is_empty)


def _learn_categories(column: Column) -> CategoryFeature:
    cells = column.cells if column.kind is Kind.CATEGORY else _numbers_to_values(column)
    seen = {cell for cell in cells if cell is not None}
    if column.order is not None:
        in_order = tuple(value for value in column.order if value is not None and value in seen)
        return CategoryFeature(column.name, in_order, is_ordered=True)
    return CategoryFeature(column.name, tuple(sorted(seen, key=value_order)))


def _numbers_to_values(column: Column) -> list[Value | None]:
    numbers = np.asarray(column.cells, np.float64)
    if column.kind is Kind.DATE:
        moments = [None if np.isnan(cell) else from_microseconds(cell) for cell in numbers]
        return to_values(column.name, moments)
    return to_values(column.name, numbers.tolist())


def _holds_text(column: Column) -> bool:
    return column.kind is Kind.CATEGORY and any(isinstance(cell, str) for cell in column.cells)
