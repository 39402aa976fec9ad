"""A rule's conditions as the condition of a SQL query, for DuckDB and SQLite alike.

The two sometimes read the same text differently; each form below is one that they agree on:

- DuckDB takes `0.1` for a decimal and `0.1e0` for a double.
- SQLite 3.40 reads one decimal number in some thousands as the neighbouring double. It reads
  whole numbers below 2**53 well, and division rounds once, so that `12345e0 / 1e5` is exact.
- DuckDB holds NaN to be greater than all numbers; SQLite stores it as NULL.
- DuckDB compares whole numbers with doubles as doubles, as picrules does; SQLite exactly.
- SQLite has no dates but texts; DuckDB turns a text beside a date into a date.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from picrules.errors import BadRule
from picrules.rules.condition import Category, Condition, Exclusion, Interval, is_unbounded
from picrules.rules.text import Value, is_open, show
from picrules.rules.values import EXACT_LIMIT, to_moment

if TYPE_CHECKING:
    from collections.abc import Iterable

_EXACT_SINGLE = 2**24  # up to here every whole number is a float of 32 bits
_EXACT_DECIMAL = 10**15  # doubles tell decimal numbers of 15 digits apart
_LONGEST_WHOLE = 2**127  # of DuckDB
_MOST_DECIMALS = 4  # a long double rounds m / 10**k to the right side for k up to 4
_MOST_ZEROS = 22  # 10**22 is the last power of ten that is a double
_LARGEST_STEP = 60  # 2**60 is written in digits
_REFUSED = re.compile("[\0\ud800-\udfff]")


def to_sql(conditions: Iterable[Condition]) -> str:
    """Write conditions as the condition of a `WHERE`: see `Rule.to_sql`."""
    claims = [claim for condition in conditions for claim in _claims(condition)]
    return " AND ".join(claims) or "1 = 1"


def to_case(branches: Iterable[tuple[str, Value]], default: Value) -> str:
    """Write conditions and what each stands for as a `CASE`: the first that holds decides."""
    lines = [f"  WHEN {condition} THEN {_literal(value)}" for condition, value in branches]
    return "\n".join(["CASE", *lines, f"  ELSE {_literal(default)}", "END"])


def _claims(condition: Condition) -> list[str]:
    column = _name(condition.feature)
    if isinstance(condition, Interval):
        return _interval_claims(column, condition)
    if isinstance(condition, Exclusion):
        is_number = not isinstance(condition.value, str | bool)
        claim = f"{column} <> {_literal(condition.value)}"
        return [claim, _is_not_nan(column)] if is_number else [claim]
    assert isinstance(condition, Category)
    values = ", ".join(map(_literal, condition.values))
    return [f"{column} = {values}" if len(condition.values) == 1 else f"{column} IN ({values})"]


def _interval_claims(column: str, interval: Interval) -> list[str]:
    lower, upper = interval.lower, interval.upper
    assert not isinstance(lower, str)  # `Rule` lists the categories that lie in an interval
    assert not isinstance(upper, str)
    if is_unbounded(interval):
        # Text, because numbers and dates can both be known.
        return [f"CAST({column} AS VARCHAR) NOT IN ('nan', '-nan')"]
    if not (_is_in_reach(lower) and _is_in_reach(upper)):
        column = f"CAST({column} AS DOUBLE)"
    claims = [] if is_open(lower) else [f"{column} > {_bound(lower)}"]
    if not is_open(upper):
        claims.append(f"{column} <= {_bound(upper)}")
    elif not isinstance(lower, datetime):
        claims.append(_is_not_nan(column))
    return claims


def _is_in_reach(bound: float | datetime) -> bool:
    """Whether whole numbers lie on the same side of the bound after they become doubles."""
    return isinstance(bound, datetime) or is_open(bound) or abs(bound) < EXACT_LIMIT


def _is_not_nan(column: str) -> str:
    cast = column if column.startswith("CAST") else f"CAST({column} AS DOUBLE)"
    return f"{cast} <> 'NaN'"


def _bound(bound: float | datetime) -> str:
    if isinstance(bound, datetime):
        # All six digits: '2020-01-01 00:00:00.000000' must not sort behind a shorter text. The
        # zone is for DuckDB's moments with a zone; a text without it sorts right before.
        return f"'{to_moment(bound).isoformat(sep=' ', timespec='microseconds')}+00:00'"
    return _double(bound)


def _literal(value: Value) -> str:
    if isinstance(value, str):
        return _quote(value, "'")
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    # DuckDB would round digits to the type of a column of floats of 32 bits; doubles it does not.
    is_exact = abs(value) <= _EXACT_SINGLE or EXACT_LIMIT <= abs(value) < _LONGEST_WHOLE
    return str(int(value)) if is_exact and int(value) == value else _double(float(value))


def _double(number: float) -> str:
    """Write a number so that both databases read the same double."""
    # The shortest text of the number is that of `whole / 10**decimals`.
    mantissa, _, exponent = repr(number).partition("e")
    before, _, after = mantissa.removesuffix(".0").partition(".")
    whole, decimals = abs(int(before + after)), len(after) - int(exponent or 0)
    sign = "-" if number < 0 else ""
    if 0 <= decimals <= _MOST_DECIMALS and whole < _EXACT_DECIMAL:
        return f"{repr(number).removesuffix('.0')}e0"
    if 0 < decimals <= _MOST_ZEROS and whole < EXACT_LIMIT:
        return f"{sign}{whole}e0 / 1e{decimals}"
    if decimals <= 0 and whole * 5**-decimals < EXACT_LIMIT:
        return f"{sign}{whole}e{-decimals}"
    return _binary(number)


def _binary(number: float) -> str:
    """Write a whole number times or divided by powers of two, none of which is rounded."""
    numerator, denominator = number.as_integer_ratio()
    twos = (numerator & -numerator).bit_length() - 1
    operator, power = ("*", twos) if twos else ("/", denominator.bit_length() - 1)
    steps = [_LARGEST_STEP] * (power // _LARGEST_STEP) + [power % _LARGEST_STEP]
    factors = "".join(f" {operator} {2**step}e0" for step in steps if step)
    return f"{numerator >> twos}e0{factors}"


def _name(feature: str) -> str:
    if not feature:  # SQLite reads "", DuckDB does not
        raise BadRule("a condition is on the column ''; SQL takes names of one character or more")
    return _quote(feature, '"')


def _quote(text: str, quote: str) -> str:
    if _REFUSED.search(text):
        raise BadRule(
            f"{show(text)} has a NUL character or half a surrogate pair; "
            "SQL takes names and texts without them"
        )
    return f"{quote}{text.replace(quote, quote * 2)}{quote}"
