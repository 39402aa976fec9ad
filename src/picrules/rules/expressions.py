"""A rule's conditions as the text of a pandas or a Polars expression."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from picrules.errors import BadRule
from picrules.rules.condition import (
    Category,
    Condition,
    Exclusion,
    Interval,
    has_dates,
    is_unbounded,
)
from picrules.rules.text import Value, is_open
from picrules.rules.values import EXACT_LIMIT, to_moment

if TYPE_CHECKING:
    from collections.abc import Iterable


def to_pandas(conditions: Iterable[Condition]) -> str:
    """Write conditions as a mask of the rows of `df`: see `Rule.to_pandas`."""
    return " & ".join(map(_pandas_claim, conditions)) or "pd.Series(True, index=df.index)"


def to_polars(conditions: Iterable[Condition]) -> str:
    """Write conditions as a Polars expression: see `Rule.to_polars`."""
    return " & ".join(map(_polars_claim, conditions)) or "pl.lit(True)"


def _pandas_claim(condition: Condition) -> str:
    column = f"df[{condition.feature!r}]"
    if isinstance(condition, Category):
        return f"{column}.isin({list(condition.values)!r})"
    if isinstance(condition, Exclusion):
        return f"{column}.notna() & ~{column}.isin([{condition.value!r}])"
    assert isinstance(condition, Interval)
    if is_unbounded(condition):
        return f"{column}.notna()"
    if has_dates(condition):
        column = f'pd.to_datetime({column}, utc=True).dt.as_unit("us")'
    else:
        # As in picrules; pandas would hold a column of 32 bits against a cut of 32 bits.
        column = f'{column}.astype("float64")'
    moment, between = 'pd.Timestamp("{}", tz="UTC")', 'between({}, {}, inclusive="right")'
    return _comparison(column, condition, moment, between)


def _polars_claim(condition: Condition) -> str:
    name = condition.feature
    # Polars takes these names for all columns, and for a pattern; a pattern names any column.
    if name == "*" or (name.startswith("^") and name.endswith("$")):
        name = f"^{re.escape(name)}$"
    column = f"pl.col({name!r})"
    if isinstance(condition, Category):
        column, values = _alike(column, condition.values, condition)
        return f"({column} == {values[0]!r})" if len(values) == 1 else f"{column}.is_in({values!r})"
    if isinstance(condition, Exclusion):
        column, (value,) = _alike(column, (condition.value,), condition)
        return f"({column} != {value!r})"
    assert isinstance(condition, Interval)
    if has_dates(condition):
        column = f'{column}.cast(pl.Datetime("us"))'
    else:
        column = _as_doubles(column, may_be_nan=not is_open(condition.upper))
    if is_unbounded(condition):
        return f"{column}.is_not_null()"
    moment = 'pl.lit("{}").str.to_datetime(time_unit="us")'
    return _comparison(column, condition, moment, 'is_between({}, {}, closed="right")')


def _as_doubles(column: str, *, may_be_nan: bool = False) -> str:
    # Polars would hold a column of 32 bits against a cut of 32 bits, and NaN to be the greatest.
    return f"{column}.cast(pl.Float64){'' if may_be_nan else '.fill_nan(None)'}"


def _alike(column: str, values: tuple[Value, ...], condition: Condition) -> tuple[str, list[Value]]:
    """Return column and values of one type, without which Polars compares nothing."""
    if any(all(isinstance(value, kind) for value in values) for kind in (str, bool)):
        return column, list(values)
    numbers = [value for value in values if not isinstance(value, str)]
    if len(numbers) < len(values):
        raise BadRule(
            f"'{condition}' has numbers beside texts; a column of Polars holds one of the two"
        )
    if all(isinstance(number, float) or abs(number) < EXACT_LIMIT for number in numbers):
        return _as_doubles(column), [float(number) for number in numbers]
    return column, list(numbers)


def _comparison(column: str, interval: Interval, moment: str, between: str) -> str:
    """Write the comparison with an interval that has at least one finite end.

    `moment` and `between` are the library's forms of a moment and of two finite ends.
    """
    lower, upper = (
        moment.format(to_moment(end).isoformat()) if isinstance(end, datetime) else repr(end)
        for end in (interval.lower, interval.upper)
    )
    if is_open(interval.lower):
        return f"({column} <= {upper})"
    if is_open(interval.upper):
        return f"({column} > {lower})"
    return f"{column}.{between.format(lower, upper)}"
