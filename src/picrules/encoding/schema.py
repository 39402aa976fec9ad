"""What is learned about the columns once: kinds, categories and cuts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from picrules.encoding.cells import format_date
from picrules.encoding.columns import CategoryColumn, Column, Kind, NumberColumn, to_categories
from picrules.encoding.cuts import cut_evenly
from picrules.encoding.tables import make_frame
from picrules.errors import BadCell, BadRule, BadTable
from picrules.kernels.cuts import count_cuts
from picrules.rules.condition import (
    Category,
    Condition,
    Exclusion,
    Interval,
    can_be_ends,
    has_dates,
    has_texts,
    is_unbounded,
    value_order,
)
from picrules.rules.rule import Rule
from picrules.rules.text import Value, format_name, format_value, list_names, plural
from picrules.rules.values import from_microseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray


# Features that the text of a schema lists.
N_TOLD = 10

# Up to that many cuts each number is compared with all of them.
FEW_CUTS = 256


@dataclass(frozen=True, slots=True)
class CategoryFeature:
    """A feature whose codes stand for categories."""

    name: str
    categories: tuple[Value, ...]  # of the training rows; a code is a position here
    is_ordered: bool = False  # whether the column itself says that they have an order

    kind = Kind.CATEGORY

    @property
    def n_codes(self) -> int:
        """How many codes there are."""
        return len(self.categories)

    def read(self, column: Column) -> list[Value | None]:
        """Return the cells as this feature's conditions compare them.

        A value never seen in training is missing here too: it satisfies no condition, not
        even `!=`.
        """
        values = (*self.categories, None)  # code -1 is the last
        return [values[code] for code in self.encode(column).tolist()]

    def encode(self, column: Column) -> NDArray[np.int32]:
        """Return the code of each cell; -1 where missing or never seen in training."""
        categories = as_categories(column)
        if list(categories.values) == list(self.categories):
            return categories.positions
        code_of: dict[Any, int] = {value: code for code, value in enumerate(self.categories)}
        codes = [*(code_of.get(value, -1) for value in categories.values), -1]
        return np.array(codes, np.int32).take(categories.positions)  # position -1 is the last

    def condition(self, *codes: int) -> Condition:
        """Return the condition that one code or several stand for.

        Several neighbours in an order are an interval.
        """
        first, last = min(codes), max(codes)
        if last == first or last - first >= len(codes) or not self.has_ends:
            return Category(self.name, tuple(self.categories[code] for code in codes))
        lower: Any = self.categories[first - 1] if first else -inf
        upper: Any = self.categories[last] if last + 1 < self.n_codes else inf
        return Interval(self.name, lower, upper, self.categories)

    def holds(self, condition: Condition) -> NDArray[np.bool_]:
        """Tell for each code whether it satisfies a condition."""
        return condition.covers(self.categories)

    def accepts(self, condition: Condition) -> bool:
        """Whether cells of this feature can be held against a condition."""
        return self.has_ends or isinstance(condition, Category | Exclusion)

    @property
    def has_ends(self) -> bool:
        """Whether the categories have an order in which they can be ends of intervals."""
        return self.is_ordered and can_be_ends(self.categories)


@dataclass(frozen=True, slots=True)
class NumberFeature:
    """A feature whose codes stand for intervals between cuts.

    Code i stands for `cuts[i - 1] < x <= cuts[i]`, the outer ends open.
    """

    name: str
    cuts: tuple[float, ...]  # increasing; of dates in microseconds since 1970
    kind: Kind = Kind.NUMBER
    is_empty: bool = False  # whether every training cell is missing: then there is no code
    zone: str = ""  # of dates: in which they are shown; "" where the column has none

    @property
    def n_codes(self) -> int:
        """How many codes there are."""
        return 0 if self.is_empty else len(self.cuts) + 1

    def read(self, column: Column) -> NDArray[np.float64]:
        """Return the cells as this feature's conditions compare them."""
        if self.is_empty:  # nothing was learned that a cell could be held against
            return np.full(len(column), np.nan)
        if isinstance(column, CategoryColumn) and self.kind is Kind.DATE and column.values:
            raise BadCell(
                f"column {self.name!r} holds {_least_like_a_date(column.values)!r}; "
                "a date or missing is expected"
            )
        numbers = column.numbers
        is_other = isinstance(column, NumberColumn) and column.kind is not self.kind
        if is_other and not np.isnan(numbers).all():
            raise BadTable(
                f"column {self.name!r} holds {column.kind}s; it held {self.kind}s in training"
            )
        return numbers

    def encode(self, column: Column) -> NDArray[np.int32]:
        """Return the code of each cell; -1 where missing."""
        numbers = self.read(column)
        codes = np.empty(len(numbers), np.int32)
        count_below(np.array(self.cuts, np.float64), numbers, codes)
        return codes

    def condition(self, *codes: int) -> Condition:
        """Return the condition that one code or several neighbours stand for."""
        ends = (-inf, *self.cuts, inf)
        return Interval(self.name, self._bound(ends[min(codes)]), self._bound(ends[max(codes) + 1]))

    def holds(self, condition: Condition) -> NDArray[np.bool_]:
        """Tell for each code whether it satisfies a condition whose ends are cuts."""
        # The upper cut of an interval lies in it.
        return condition.covers((*self.cuts, inf)[: self.n_codes])

    def accepts(self, condition: Condition) -> bool:
        """Whether cells of this feature can be held against a condition."""
        return isinstance(condition, Interval) and (
            is_unbounded(condition)
            or (has_dates(condition) is (self.kind is Kind.DATE) and not has_texts(condition))
        )

    def _bound(self, cut: float) -> Any:
        """Return a cut as the end of an interval: a moment where the feature holds dates."""
        is_moment = self.kind is Kind.DATE and np.isfinite(cut)
        return from_microseconds(cut, self.zone) if is_moment else float(cut)


Feature: TypeAlias = CategoryFeature | NumberFeature


def is_ordered_feature(feature: Feature) -> bool:
    """Whether a feature's codes have an order."""
    return isinstance(feature, NumberFeature) or feature.is_ordered


@dataclass(frozen=True, slots=True)
class Schema:
    """The features of a table: what was learned about its columns.

    Parameters
    ----------
    features : tuple of CategoryFeature or NumberFeature
        One for each column, in their order.
    """

    features: tuple[Feature, ...]

    def __str__(self) -> str:
        told = [f"  {format_name(feature.name)}: {_tell(feature)}" for feature in self.features]
        more = [f"  ... and {len(told) - N_TOLD:,} more"] if len(told) > N_TOLD else []
        return "\n".join([plural(len(told), "feature"), *told[:N_TOLD], *more])

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a table with one row for each feature.

        Parameters
        ----------
        library : str
            "pandas", "polars" or "pyarrow"; it must be installed.

        Returns
        -------
        frame
            Name, kind, whether the codes have an order, and how many there are.
        """
        columns = {
            "feature": [feature.name for feature in self.features],
            "kind": [str(feature.kind) for feature in self.features],
            "is_ordered": [is_ordered_feature(feature) for feature in self.features],
            "n_codes": self.n_codes.tolist(),
        }
        return make_frame(columns, library)

    def _repr_html_(self) -> str:
        """Return the text as a view for notebooks."""
        # Pictures lie above what they draw: docs/decisions/layers.md
        from picrules.reports.view import draw_text  # noqa: PLC0415

        return draw_text(str(self))

    @property
    def n_codes(self) -> NDArray[np.int64]:
        """How many codes each feature has."""
        return np.array([feature.n_codes for feature in self.features], np.int64)

    def encode(self, columns: Sequence[Column]) -> NDArray[np.int32]:
        """Turn the cells of a table into codes.

        Parameters
        ----------
        columns : sequence of Column
            The columns of the table.

        Returns
        -------
        int32 array of shape (n_features, n_rows)
            The code of each cell; -1 where it is missing, or was never seen in training.
        """
        codes = np.empty((len(columns), len(columns[0])), np.int32)
        for own, feature, column in zip(codes, self.features, columns, strict=True):
            own[:] = feature.encode(column)
        return codes

    def check_rule(self, rule: Rule) -> Rule:
        """Return a rule as these features read it, or say why it does not fit them.

        Parameters
        ----------
        rule : Rule
            The rule.

        Returns
        -------
        Rule
            The same rule, whose intervals of categories know the order of these.
        """
        if not isinstance(rule, Rule):
            raise BadRule(f"{rule!r} is not a Rule; parse_rule makes one of a text")
        by_name = {feature.name: feature for feature in self.features}
        for condition in rule.conditions:
            name = condition.feature
            if name not in by_name:
                raise BadRule(
                    f"'{condition}' speaks of {name!r}; the table has {list_names(by_name)}"
                )
            if not by_name[name].accepts(condition):
                names = {"category": "categories", "number": "numbers", "date": "dates"}
                kind = names[by_name[name].kind]
                raise BadRule(f"'{condition}' does not fit the column {name!r}, which holds {kind}")
        ordered = (_set_in_order(each, by_name[each.feature]) for each in rule.conditions)
        return Rule(tuple(ordered), rule.label)

    def read(self, columns: Sequence[Column]) -> dict[str, Any]:
        """Read the cells of a table as `Rule.covers` compares them.

        Parameters
        ----------
        columns : sequence of Column
            The columns of the table.

        Returns
        -------
        dict of str to array-like of shape (n_rows,)
            The cells of each feature by its name.
        """
        return {
            feature.name: feature.read(column)
            for feature, column in zip(self.features, columns, strict=True)
        }


def learn_schema(
    columns: Sequence[Column],
    bins: Sequence[int],
    categorical: Collection[int] | None,
    cut: Callable[..., NDArray[np.float64]] = cut_evenly,
) -> Schema:
    """Learn categories and cuts from the training rows: one feature per column.

    `bins` has the number of parts that each column of numbers is cut into, by `cut_evenly` or
    `cut_at_quantiles`; `categorical` has the positions of the columns that are categories, None to
    go by their kind. Text is always a category.
    """
    features: list[Feature] = []
    for position, (column, n_parts) in enumerate(zip(columns, bins, strict=True)):
        is_category = column.kind is Kind.CATEGORY
        if categorical is not None:
            values = column.values if isinstance(column, CategoryColumn) else ()
            is_category = position in categorical or any(isinstance(one, str) for one in values)
        if is_category:
            features.append(_learn_categories(column))
            continue
        numbers, is_date = column.numbers, column.kind is Kind.DATE
        zone = column.zone if isinstance(column, NumberColumn) else ""
        cuts = tuple(cut(numbers, n_parts, is_date=is_date, zone=zone).tolist())
        kind, is_empty = Kind.DATE if is_date else Kind.NUMBER, bool(np.isnan(numbers).all())
        features.append(NumberFeature(column.name, cuts, kind, is_empty, zone))
    return Schema(tuple(features))


def count_below(
    cuts: NDArray[np.float64], numbers: NDArray[np.float64], codes: NDArray[np.int32]
) -> None:
    """Write how many cuts are below each number; -1 where it is missing."""
    if len(cuts) <= FEW_CUTS:
        count_cuts(numbers, cuts, codes)
    else:
        codes[:] = np.searchsorted(cuts, numbers, side="left")
        codes[np.isnan(numbers)] = -1


def _learn_categories(column: Column) -> CategoryFeature:
    categories = as_categories(column)
    seen = set(categories.values)
    if categories.order is not None:
        in_order = tuple(value for value in categories.order if value in seen)
        return CategoryFeature(column.name, in_order, is_ordered=True)
    return CategoryFeature(column.name, tuple(sorted(seen, key=value_order)))


def _set_in_order(condition: Condition, feature: Feature) -> Condition:
    """Tell an interval the order of the categories of its feature."""
    if isinstance(condition, Interval) and isinstance(feature, CategoryFeature):
        return replace(condition, order=feature.categories)
    return condition


def as_categories(column: Column) -> CategoryColumn:
    """Return any column as a column of categories."""
    if isinstance(column, CategoryColumn):
        return column
    if column.cells is not None:
        return to_categories(column.name, column.cells)
    distinct, positions = np.unique(column.numbers, return_inverse=True)
    cells: list[Any] = distinct.tolist()
    if column.kind is Kind.DATE:
        cells = [None if np.isnan(number) else format_date(number) for number in cells]
    categories = to_categories(column.name, cells)
    return replace(categories, positions=categories.positions[positions])


def _tell(feature: Feature) -> str:
    """Say what is known about a feature in a few words."""
    if isinstance(feature, NumberFeature):
        return f"{feature.kind}s, {plural(len(feature.cuts), 'cut')}"
    order = "ordered " if feature.is_ordered else ""
    values = list_names([format_value(value) for value in feature.categories], most=5)
    return f"{feature.n_codes:,} {order}categories: {values}"


def _least_like_a_date(values: tuple[Value, ...]) -> Value:
    """Find the category to complain about: dates beside text are categories, too."""
    for value in values:
        try:
            datetime.fromisoformat(str(value))
        except ValueError:
            return value
    return values[0]
