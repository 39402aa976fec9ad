"""A rule as the text of a Polars expression."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from picrules.errors import BadRule
from picrules.rules.condition import Category, Exclusion, Interval
from picrules.rules.known import spell_out
from picrules.rules.text import is_open

if TYPE_CHECKING:
    from picrules.rules.condition import Condition
    from picrules.rules.known import Known
    from picrules.rules.rule import Rule
    from picrules.rules.text import Bound, Value

_EXACT_DOUBLE = 2**53


def to_polars(rule: Rule, known: Known | None = None) -> str:
    """Write a rule's conditions as a Polars expression: see `Rule.to_polars`."""
    claims = [_claim(condition) for condition in spell_out(rule, known)]
    return " & ".join(claims) or "pl.lit(True)"


def _claim(condition: Condition) -> str:
    column = f"pl.col({_pattern(condition.feature)!r})"
    if isinstance(condition, Interval):
        return _interval_claim(column, condition)
    if isinstance(condition, Exclusion):
        column, (value,) = _alike(column, (condition.value,), condition)
        return f"({column} != {value!r})"
    assert isinstance(condition, Category)
    column, values = _alike(column, condition.values, condition)
    return f"({column} == {values[0]!r})" if len(values) == 1 else f"{column}.is_in({values!r})"


def _pattern(name: str) -> str:
    # Polars takes these names for all columns, and for a pattern; a pattern names any column.
    if name == "*" or (name.startswith("^") and name.endswith("$")):
        return f"^{re.escape(name)}$"
    return name


def _interval_claim(column: str, interval: Interval) -> str:
    lower, upper = interval.lower, interval.upper
    if isinstance(lower, datetime) or isinstance(upper, datetime):
        column = f'{column}.cast(pl.Datetime("us"))'
    else:
        column = _as_doubles(column, may_be_nan=not is_open(upper))
    if is_open(lower) and is_open(upper):
        return f"{column}.is_not_null()"
    if is_open(lower):
        return f"({column} <= {_bound(upper)})"
    if is_open(upper):
        return f"({column} > {_bound(lower)})"
    return f'{column}.is_between({_bound(lower)}, {_bound(upper)}, closed="right")'


def _as_doubles(column: str, *, may_be_nan: bool = False) -> str:
    # Polars would hold a column of 32 bits against a cut of 32 bits, and NaN to be the greatest.
    return f"{column}.cast(pl.Float64){'' if may_be_nan else '.fill_nan(None)'}"


def _alike(column: str, values: tuple[Value, ...], condition: Condition) -> tuple[str, list[Value]]:
    """Return column and values of one type, without which Polars compares nothing."""
    if all(isinstance(value, str) for value in values) or all(
        isinstance(value, bool) for value in values
    ):
        return column, list(values)
    numbers = [value for value in values if not isinstance(value, str)]
    if len(numbers) < len(values):
        raise BadRule(
            f"'{condition}' has numbers beside texts; a column of Polars holds one of the two"
        )
    if all(isinstance(number, float) or abs(number) < _EXACT_DOUBLE for number in numbers):
        return _as_doubles(column), [float(number) for number in numbers]
    return column, list(numbers)


def _bound(bound: Bound) -> str:
    if isinstance(bound, datetime):
        return f'pl.lit("{bound.isoformat()}").str.to_datetime(time_unit="us")'
    return repr(bound)
