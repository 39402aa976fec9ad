"""Columns and conditions that other languages easily get wrong."""

import math
from datetime import datetime, timedelta
from itertools import combinations

import hypothesis
import numpy as np

from picrules import Category, Exclusion, Interval, Rule
from picrules.rules.values import to_microseconds

# A table and a query for each example take their time.
FEWER = hypothesis.settings(max_examples=hypothesis.settings.default.max_examples // 5)

NAMES = [
    "a", "A b", "it's", 'say "hi"', "back\\slash", "new\nline", "naïve 日本 🍄", "select", "*",
    "^a$", "^.*$", "%s", "{a}", "'); drop table t; --", "x]", "/* x */", "$1", "?", ":a", "0",
]  # fmt: skip
TEXTS = [
    "foul", "Foul", "it's", "''", 'say "hi"', "back\\slash", "\\n", "new\nline", "tab\t",
    "naïve 日本 🍄", "naïve", "", " ", "foul ", "%", "_", "NULL", "None", "nan", "NaN", "1", "1.0",
    "true", "--", "/*", "{a}", "?", "$1", ":a", "'); drop table t; --", None,
]  # fmt: skip
EDGES = [
    0.0, 0.1, 0.3, 1 / 3, 0.30000000000000004, 17.5, 41.0, 12.34567, 123456.789012345, -2.5, 1e-5,
    1e22, 1e23, 1.2345678901234567e20, 1e300, 1.7976931348623157e308, 5e-324,
    2.2250738585072014e-308, 7.4131931241005465e-292, 4.926231038176392e-308, -1e-7, 2.0**53,
    2.0**63, 16777217.0,
]  # fmt: skip
NUMBERS = [
    *(math.nextafter(edge, to) for edge in EDGES for to in (-math.inf, math.inf)),
    *EDGES,
    *(-edge for edge in EDGES),
    math.nan,
    math.inf,
]
WHOLES = [
    0, 1, -1, 7, 2**24 + 1, 2**31, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**60, 2**60 + 1,
    -(2**53) - 1, 2**63 - 1, -(2**63), None,
]  # fmt: skip
# A float64 counts single microseconds from 1684 to 2255 only.
_DAYS = [datetime(1700, 1, 1), datetime(1969, 12, 31), datetime(2020, 3, 1), datetime(2200, 1, 1)]
_STEPS = [timedelta(0), timedelta(microseconds=1), timedelta(hours=14, minutes=3, microseconds=500)]
MOMENTS = [
    *(day + step for day in _DAYS for step in _STEPS),
    datetime(1, 1, 1),
    datetime(9999, 12, 31, 12),
    None,
]


def text_conditions(name):
    known = [text for text in TEXTS if text is not None]
    yield from (Category(name, (text,)) for text in known)
    yield from (Exclusion(name, text) for text in known)
    yield Category(name, known[::2])
    yield Exclusion(name, "never seen")


def intervals(name, ends):
    for end in ends:
        yield Interval(name, -math.inf, end)
        yield Interval(name, end, math.inf)
    yield from (Interval(name, *sorted(pair)) for pair in combinations(ends[:6], 2))
    yield Interval(name, -math.inf, math.inf)


def number_conditions(name):
    finite = [number for number in NUMBERS if math.isfinite(number)]
    yield from intervals(name, finite)
    yield from (Category(name, (number,)) for number in finite)
    yield from (Exclusion(name, number) for number in EDGES)
    yield Category(name, (1, 41, 0.1, 1e300))


def whole_conditions(name):
    known = [number for number in WHOLES if number is not None]
    yield from intervals(name, sorted({float(number) for number in known}))
    yield from (Category(name, (number,)) for number in known)
    yield from (Exclusion(name, number) for number in known)
    yield Category(name, (7.0, 1.5))
    yield Category(name, (2**60 + 1, 7))


def boolean_conditions(name):
    for value in (True, False):
        yield Category(name, (value,))
        yield Exclusion(name, value)
    yield Category(name, (True, False))


def moment_conditions(name):
    yield from intervals(name, MOMENTS[:-1])


def covered(condition, cells):
    """The rows that the rule of one condition covers, by `Rule.covers`."""
    if isinstance(condition, Interval):
        cells = [_to_number(cell) for cell in cells]
    column = np.array([cells], object)[0]  # a list would do, but NaN must stay NaN
    return np.flatnonzero(Rule((condition,), 1).covers({condition.feature: column}, len(cells)))


def _to_number(cell):
    if cell is None:
        return math.nan
    return float(to_microseconds(cell) if isinstance(cell, datetime) else cell)
