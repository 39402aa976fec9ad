"""What is seen of the columns of files while they are read in parts, and their codes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from picrules.distributed.arrow_dictionaries import KnownValues, Unseen
from picrules.encoding.columns import CategoryColumn, Column, Kind, NumberColumn, read_columns
from picrules.encoding.cuts import even_cuts
from picrules.encoding.schema import NumberFeature, as_categories, count_below
from picrules.errors import BadTable
from picrules.kernels.cuts import widen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.schema import Feature


@dataclass(eq=False)
class Seen:
    """What was seen of a column so far: its categories, or the ends of each part of its range."""

    name: str
    is_category: bool
    values: dict[Any, None] = field(default_factory=dict)
    cuts: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    ends: NDArray[np.float64] = field(default_factory=lambda: np.empty((2, 0)))
    is_late: bool = False  # whether it is seen while rows are counted
    like: Column | None = None  # some of its cells, which tell its kind
    # Of ordered categories the order that each batch tells: a column has one where all agree.
    orders: set[tuple[Any, ...] | None] = field(default_factory=set)
    unseen: Unseen = field(default_factory=Unseen)

    def expect(self, extremes: tuple[float, float] | None, n_parts: int) -> None:
        """Cut the range that a column is said to have; without, its extremes are found first."""
        numbers = np.array(extremes or (), np.float64)
        self.cuts = even_cuts(numbers, n_parts, is_date=False)
        self.ends = _no_ends(self.cuts)

    def see(self, cells: pa.Array) -> None:
        """See some cells."""
        numbers = None if self.is_category else _to_numbers(cells)
        if isinstance(cells, pa.DictionaryArray):
            given, last = cells, self.unseen.dictionary
            cells = self.unseen.find(given)
            if self.unseen.dictionary is not last:
                self.orders.add(_order_of(given))
            if not len(cells) and self.like is not None:
                return
        if numbers is None:
            (column,) = read_columns(pa.table({self.name: cells}))
            self.like = column
            if self.is_category or isinstance(column, CategoryColumn):
                self.values |= dict.fromkeys(as_categories(column).values)
                return
            numbers = column.numbers
        codes = np.empty(len(numbers), np.int32)
        count_below(self.cuts, numbers, codes)
        widen(numbers, codes, self.ends)

    def copied(self) -> Seen:
        """Return the same, to see some of the rows by itself."""
        return replace(self, values={}, ends=_no_ends(self.cuts), orders=set(), unseen=Unseen())

    def absorb(self, other: Seen) -> None:
        """Take over what a copy has seen."""
        self.values |= other.values
        self.orders |= other.orders
        self.like = other.like if self.like is None else self.like  # one without cells is false
        self.ends[0] = np.minimum(self.ends[0], other.ends[0])
        self.ends[1] = np.maximum(self.ends[1], other.ends[1])

    def has_cuts(self, feature: Feature) -> bool:
        """Whether the cuts of a feature are those between which the ends are seen."""
        return isinstance(feature, NumberFeature) and feature.cuts == tuple(self.cuts.tolist())

    def is_settled(self, n_parts: int) -> bool:
        """Whether the cuts are those of the extremes that were seen; else these are cut now."""
        if self.values or self.is_category:
            return True
        is_date = self.like is not None and self.like.kind is Kind.DATE
        seen = self.numbers
        if np.isinf(seen).any():
            value = seen[np.isinf(seen)][0]
            raise BadTable(
                f"column {self.name!r} holds {value} (infinity); numbers must be finite or missing "
                "(NaN)"
            )
        cuts = even_cuts(seen, n_parts, is_date=is_date)
        if np.array_equal(cuts, self.cuts):
            return True
        self.cuts = cuts
        self.ends = _no_ends(cuts)
        return False

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The least and the largest number of each part that has any."""
        has_any = self.ends[0] <= self.ends[1]
        return self.ends[:, has_any].reshape(-1)

    @property
    def column(self) -> Column:
        """A column of few cells from which as much is learned as from all."""
        order = next(iter(self.orders)) if len(self.orders) == 1 else None
        if self.values or (self.is_category and self.like is not None):
            positions = np.arange(len(self.values), dtype=np.int32)
            return CategoryColumn(self.name, positions, tuple(self.values), order)
        numbers = self.numbers if len(self.numbers) else np.array([np.nan])
        if isinstance(self.like, NumberColumn):
            return NumberColumn(self.name, numbers, self.like.kind, zone=self.like.zone)
        if isinstance(self.like, CategoryColumn):
            return CategoryColumn(self.name, np.empty(0, np.int32), (), order)
        return NumberColumn(self.name, numbers)


@dataclass(eq=False)
class Coder:
    """Turns cells of a column into codes."""

    feature: Feature
    seen: Seen | None = None  # of a column that is seen late
    known: KnownValues[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        self.known = KnownValues(self._encode)

    def write(self, cells: pa.Array, codes: NDArray[np.int32]) -> None:
        """Write the codes of some cells."""
        feature, numbers = self.feature, _to_numbers(cells)
        if isinstance(feature, NumberFeature) and numbers is not None and not feature.is_empty:
            count_below(np.array(feature.cuts, np.float64), numbers, codes)
            if self.seen is not None:
                widen(numbers, codes, self.seen.ends)
            return
        if self.seen is not None:
            self.seen.see(cells)
        if isinstance(cells, pa.DictionaryArray):
            self.known.look_up(cells, codes)
        else:
            codes[:] = self._encode(cells)

    def _encode(self, cells: pa.Array) -> NDArray[np.int32]:
        (column,) = read_columns(pa.table({self.feature.name: cells}))
        return self.feature.encode(column)


def _order_of(cells: pa.DictionaryArray) -> tuple[Any, ...] | None:
    """Return the order of categories that a dictionary tells, as columns in memory have it."""
    (column,) = read_columns(pa.table({"cells": cells[:0]}))
    return column.order if isinstance(column, CategoryColumn) else None


def _no_ends(cuts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([[np.inf], [-np.inf]]).repeat(len(cuts) + 1, axis=1)


def _to_numbers(cells: pa.Array) -> NDArray[np.float64] | None:
    """Return cells that are plain numbers as they lie; None where they are something else."""
    if not pa.types.is_float64(cells.type) or cells.null_count:
        return None
    numbers: NDArray[np.float64] = cells.to_numpy()
    return numbers
