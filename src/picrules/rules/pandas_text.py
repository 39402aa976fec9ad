"""A rule as the text of a pandas expression."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from picrules.rules.condition import Category, Exclusion, Interval
from picrules.rules.known import spell_out
from picrules.rules.text import is_open

if TYPE_CHECKING:
    from picrules.rules.condition import Condition
    from picrules.rules.known import Known
    from picrules.rules.rule import Rule
    from picrules.rules.text import Bound


def to_pandas(rule: Rule, known: Known | None = None) -> str:
    """Write a rule's conditions as a mask of the rows of `df`: see `Rule.to_pandas`."""
    claims = [_claim(condition) for condition in spell_out(rule, known)]
    return " & ".join(claims) or "pd.Series(True, index=df.index)"


def _claim(condition: Condition) -> str:
    column = f"df[{condition.feature!r}]"
    if isinstance(condition, Interval):
        return _interval_claim(column, condition)
    if isinstance(condition, Exclusion):
        return f"{column}.notna() & ~{column}.isin([{condition.value!r}])"
    assert isinstance(condition, Category)
    return f"{column}.isin({list(condition.values)!r})"


def _interval_claim(column: str, interval: Interval) -> str:
    lower, upper = interval.lower, interval.upper
    if is_open(lower) and is_open(upper):
        return f"{column}.notna()"
    if isinstance(lower, datetime) or isinstance(upper, datetime):
        column = f'pd.to_datetime({column}, utc=True).dt.as_unit("us")'
    else:
        # As in picrules; pandas would hold a column of 32 bits against a cut of 32 bits.
        column = f'{column}.astype("float64")'
    if is_open(lower):
        return f"({column} <= {_bound(upper)})"
    if is_open(upper):
        return f"({column} > {_bound(lower)})"
    return f'{column}.between({_bound(lower)}, {_bound(upper)}, inclusive="right")'


def _bound(bound: Bound) -> str:
    if isinstance(bound, datetime):
        return f'pd.Timestamp("{bound.isoformat()}", tz="UTC")'
    return repr(bound)
