"""A condition: what a rule asks of one feature."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.errors import BadRule
from picrules.rules.text import Bound, Value, format_bound, format_name, format_value, is_open, show
from picrules.rules.values import EXACT_LIMIT, to_bound, to_microseconds, to_name, to_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Condition(ABC):
    """What a rule asks of one feature; a missing value never satisfies it.

    Parameters
    ----------
    feature : str
        The name of the column.
    """

    feature: str

    @abstractmethod
    def covers(self, column: ArrayLike) -> NDArray[np.bool_]:
        """Tell which cells of a column satisfy the condition.

        Parameters
        ----------
        column : array-like of shape (n_rows,)
            Categories, with None or NaN where missing; for an interval numbers, with NaN where
            missing, and microseconds since 1970 for dates.

        Returns
        -------
        bool array of shape (n_rows,)
            Whether each cell satisfies the condition.
        """


@dataclass(frozen=True, slots=True)
class Category(Condition):
    """`feature = value`, or `feature in {value, value}`.

    Parameters
    ----------
    feature : str
        The name of the column.
    values : tuple of str, bool, int or float
        The accepted values; they are kept in order, each once: numbers first, then texts.

    Examples
    --------
    >>> from picrules import Category
    >>> str(Category("odor", ("foul",)))
    'odor = foul'
    >>> Category("odor", ("foul",)).covers(["foul", "none", None])
    array([ True, False, False])
    """

    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "feature", to_name(self.feature))
        object.__setattr__(self, "values", _to_categories(self.values, self.feature))

    def covers(self, column: ArrayLike) -> NDArray[np.bool_]:
        """Tell which cells hold one of the values: see `Condition.covers`."""
        return _are_among(self.values, column)

    def __str__(self) -> str:
        if len(self.values) == 1:
            return f"{format_name(self.feature)} = {format_value(self.values[0])}"
        inside = ", ".join(format_value(value) for value in self.values)
        return f"{format_name(self.feature)} in {{{inside}}}"


@dataclass(frozen=True, slots=True)
class Exclusion(Condition):
    """`feature != value`: any other category.

    Parameters
    ----------
    feature : str
        The name of the column.
    value : str, bool, int or float
        The excluded value.

    Examples
    --------
    >>> from picrules import Exclusion
    >>> str(Exclusion("odor", "foul"))
    'odor != foul'
    >>> Exclusion("odor", "foul").covers(["foul", "none", None])
    array([False,  True, False])
    """

    value: Value

    def __post_init__(self) -> None:
        object.__setattr__(self, "feature", to_name(self.feature))
        role = f"the excluded value of {self.feature!r}"
        object.__setattr__(self, "value", to_value(self.value, role))

    def covers(self, column: ArrayLike) -> NDArray[np.bool_]:
        """Tell which cells hold another value: see `Condition.covers`."""
        # Missing cells are None, or NaN, which differs from itself.
        return np.fromiter(
            (
                cell is not None and cell == cell and cell != self.value  # noqa: PLR0124
                for cell in _to_cells(column)
            ),
            np.bool_,
        )

    def __str__(self) -> str:
        return f"{format_name(self.feature)} != {format_value(self.value)}"


@dataclass(frozen=True, slots=True)
class Interval(Condition):
    """`lower < feature <= upper`; an infinite end is open.

    Parameters
    ----------
    feature : str
        The name of the column.
    lower, upper : float, datetime or str
        The ends: numbers, or moments for a feature that holds dates, which keep their offset
        from UTC; those without a zone are in UTC. Texts are categories that have an order.
    order : tuple of str, int or float, optional
        All categories that are known, in their order, where a feature has such. It does not
        stand in the text of a rule, and intervals that differ in it alone are equal.

    Examples
    --------
    >>> from picrules import Interval
    >>> str(Interval("age", 17.5, 41.0))
    '17.5 < age <= 41'
    >>> Interval("age", 17.5, 41.0).covers([17.5, 41, float("nan")])
    array([False,  True, False])
    >>> small = Interval("size", -float("inf"), "medium", order=("small", "medium", "large"))
    >>> str(small), small.values
    ('size <= "medium"', ('small', 'medium'))
    """

    lower: Bound
    upper: Bound
    order: tuple[Value, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "feature", to_name(self.feature))
        object.__setattr__(self, "lower", to_bound(self.lower, self.feature))
        object.__setattr__(self, "upper", to_bound(self.upper, self.feature))
        _check_ends(self.feature, self.lower, self.upper)
        if self.order:
            object.__setattr__(self, "order", tuple(self.order))
            _check_order(self)

    @property
    def values(self) -> tuple[Value, ...]:
        """The categories that lie in the interval, where their order is known."""
        if has_texts(self) and not self.order:
            raise BadRule(
                f"'{self}' does not say in which order the categories of {self.feature!r} stand; "
                "a model, a table or known= does"
            )
        return self.order[_place(self.lower, self.order) : _place(self.upper, self.order)]

    def covers(self, column: ArrayLike) -> NDArray[np.bool_]:
        """Tell which cells lie in the interval: see `Condition.covers`."""
        if self.order or has_texts(self):
            return _are_among(self.values, column)
        numbers = np.asarray(column, np.float64)
        return (_to_number(self.lower) < numbers) & (numbers <= _to_number(self.upper))

    def __str__(self) -> str:
        # Equal moments may have different offsets, and then different texts.
        write = _interval_text.__wrapped__ if has_dates(self) else _interval_text
        return write(self.feature, self.lower, self.upper)


@lru_cache(maxsize=2**14)  # the same few thousand conditions stand in all rules of a model
def _interval_text(feature: str, lower: Bound, upper: Bound) -> str:
    name = format_name(feature)
    if is_open(lower) and is_open(upper):
        return f"{name} is known"
    if is_open(lower):
        return f"{name} <= {format_bound(upper)}"
    if is_open(upper):
        return f"{name} > {format_bound(lower)}"
    return f"{format_bound(lower)} < {name} <= {format_bound(upper)}"


def is_unbounded(interval: Interval) -> bool:
    """Whether both ends of an interval are open, so that any known value lies in it."""
    return is_open(interval.lower) and is_open(interval.upper)


def has_dates(interval: Interval) -> bool:
    """Whether an end of an interval is a moment."""
    return isinstance(interval.lower, datetime) or isinstance(interval.upper, datetime)


def has_texts(interval: Interval) -> bool:
    """Whether an end of an interval is a category."""
    return isinstance(interval.lower, str) or isinstance(interval.upper, str)


def can_be_ends(categories: Sequence[Value]) -> bool:
    """Whether categories in their order can be ends of intervals: texts, or rising numbers.

    Of numbers in another order `<=` would not mean what it says.
    """
    if any(isinstance(each, str) for each in categories):
        return all(isinstance(each, str) for each in categories)
    if any(isinstance(each, bool) or abs(each) > EXACT_LIMIT for each in categories):  # type: ignore[arg-type]
        return False
    return all(low < high for low, high in pairwise(categories))  # type: ignore[operator]


def value_order(value: Value) -> tuple[bool, Any, bool, bool]:
    """Sort key of categories: numbers first, then texts; of equals True, then 1, then 1.0."""
    return isinstance(value, str), value, not isinstance(value, bool), isinstance(value, float)


def _to_categories(values: object, feature: str) -> tuple[Value, ...]:
    # A text is iterable too, but its letters are never meant.
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise BadRule(
            f"the values of {feature!r} are {show(values)}, which is not a tuple; "
            f"write ({show(values)},) for one value"
        )
    role = f"a value of {feature!r}"
    plain = [to_value(value, role) for value in values]
    if not plain:
        raise BadRule(f"the values of {feature!r} are {show(values)}; at least one is accepted")
    # Sorted before equal values are dropped, so that their order does not decide which one stays.
    return tuple(dict.fromkeys(sorted(plain, key=value_order)))


def _are_among(values: tuple[Value, ...], column: ArrayLike) -> NDArray[np.bool_]:
    return np.fromiter((cell in values for cell in _to_cells(column)), np.bool_)


def _to_cells(column: ArrayLike) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)  # type: ignore[arg-type]


def _check_ends(feature: str, lower: Bound, upper: Bound) -> None:
    accepted = "a lower end below the upper end is accepted"
    if isinstance(lower, str) and isinstance(upper, str):
        is_right = lower != upper  # the order alone tells which is lower
    elif type(lower) is type(upper):
        is_right = _to_number(lower) < _to_number(upper)
    elif is_open(lower) or is_open(upper):
        is_right = lower == -inf or upper == inf
    else:
        is_right, accepted = False, "two numbers, two moments or two categories are accepted"
    if not is_right:
        raise BadRule(
            f"the ends of the interval of {feature!r} are {format_bound(lower)} and "
            f"{format_bound(upper)}; {accepted}"
        )


def _check_order(interval: Interval) -> None:
    order, role = interval.order, f"the order of {interval.feature!r}"
    for each in order:
        to_value(each, f"a category in {role}")
    if not can_be_ends(order) or len(set(order)) < len(order):
        raise BadRule(f"{role} is {show(order)}; different texts or rising numbers are accepted")
    ends = [end for end in (interval.lower, interval.upper) if not is_open(end)]
    for end in ends:
        if end not in order if isinstance(order[0], str) else not isinstance(end, float):
            raise BadRule(f"'{interval}' has the end {show(end)}; {role} is {show(order)}")
    if len(ends) == 2 and _place(ends[0], order) > _place(ends[1], order):
        raise BadRule(f"'{interval}' has its ends turned round; {role} is {show(order)}")


def _place(end: Bound, order: tuple[Value, ...]) -> int:
    """Count the categories up to an end."""
    if isinstance(end, str):
        return order.index(end) + 1
    if is_open(end):
        return len(order) if end == inf else 0
    return bisect_right(order, end)


def _to_number(bound: Bound) -> float:
    assert not isinstance(bound, str)
    return float(to_microseconds(bound)) if isinstance(bound, datetime) else bound
