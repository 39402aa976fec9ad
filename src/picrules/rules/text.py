"""Words of a rule's text: values, names and bounds, written so that they read back exactly.

A text stands bare when it reads back as itself (`odor = foul`, `mean radius <= 14.2`), and
in double quotes with JSON escapes otherwise (`sign = "<0"`, `code = "7"`).
"""

from __future__ import annotations

import json
import math
import re
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from picrules.errors import BadRuleText

if TYPE_CHECKING:
    from collections.abc import Collection

Value: TypeAlias = str | bool | int | float
Bound: TypeAlias = float | datetime | str

RESERVED = frozenset({"if", "and", "then", "in", "is"})
FOREIGN_OPERATORS = frozenset({">=", "=="})  # of other languages; known to be refused
OPERATORS = FOREIGN_OPERATORS | {"<", "<=", ">", "=", "!=", "{", "}", ","}

_TOKEN = re.compile(
    r"""\"(?:[^"\\]|\\.)*"         # a text in quotes
        |(?P<unclosed>(?s:".*))    # a quote without an end
        |[<>=!]=|[<>={},]          # an operator
        |(?:(?!!=)[^\s"<>={},])+   # a word; it ends before "!="
    """,
    re.VERBOSE,
)
# Only the digits 0 to 9, unlike `int` and `float`.
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
# 640 is the least that Python can be told to limit the digits of an integer to.
_WHOLE = re.compile(r"[+-]?\d{1,640}", re.ASCII)
_LONGEST_SHOWN = 200


def format_value(value: object) -> str:
    """Write a category or a class."""
    if isinstance(value, bool | int | float):
        return repr(value)
    return format_name(str(value))


@lru_cache(maxsize=4096)  # the same few names stand in every rule of a table
def format_name(name: str) -> str:
    """Write a text bare where it reads back as itself, else in quotes."""
    return name if _reads_back(name) else _quote(name)


def format_bound(bound: Bound) -> str:
    """Write the end of an interval: the shortest text that reads back to the same bits.

    A category stands in quotes, so that nobody takes it for a date or a number.
    """
    if isinstance(bound, str):
        return _quote(bound)
    if isinstance(bound, datetime):
        return _format_moment(bound)
    return repr(bound).removesuffix(".0")


def _format_moment(moment: datetime) -> str:
    if moment.tzinfo is None:
        return moment.isoformat().removesuffix("T00:00:00")
    return moment.isoformat(timespec="auto" if moment.second or moment.microsecond else "minutes")


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=not text.isprintable())


def is_open(bound: Bound) -> bool:
    """Whether the end of an interval is infinite."""
    return isinstance(bound, float) and math.isinf(bound)


def format_share(share: float) -> str:
    """Write a share in percent with one digit; only what is certain reads 0% or 100%.

    Halves are rounded up, by operations that `percent` in draw.js repeats: pages, texts and tables
    say the same.

    Examples
    --------
    >>> format_share(0.8333), format_share(0.9996), format_share(1.0), format_share(0.0001)
    ('83.3%', 'over 99.9%', '100%', 'under 0.1%')
    """
    if share in {0.0, 1.0}:
        return "100%" if share else "0%"
    thousandths = math.floor(1000 * share + 0.5)
    if thousandths in {0, 1000}:
        return "over 99.9%" if thousandths else "under 0.1%"
    return f"{thousandths // 10}.{thousandths % 10}%"


def format_difference(difference: float) -> str:
    """Write the difference of two shares in percent with two digits; it may be below 0."""
    return f"{difference:.2%}"


def plural(count: int, word: str) -> str:
    """Write a number of things."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def list_names(names: Collection[str], most: int = 10) -> str:
    """Write names for an error, at most the first 10 of them."""
    shown = ", ".join(list(names)[:most])
    return shown if len(names) <= most else f"{shown}, ..."


def show(value: object) -> str:
    """Write any value for an error, in a length that can be read."""
    try:
        text = repr(value)
    except ValueError:
        # Python refuses to write an integer of thousands of digits.
        return "a very long number"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def read_value(tokens: list[str]) -> Value:
    """Read a category, a class or a name from its tokens."""
    if not tokens:
        raise BadRuleText("a value is missing; write a number, a word or a quoted text")
    if len(tokens) == 1:
        return _read_word(tokens[0])
    for token in tokens:
        if token in OPERATORS or token in RESERVED or token.startswith('"'):
            raise BadRuleText(f"{show(' '.join(tokens))} is not one value; put it in double quotes")
    return " ".join(tokens)


def read_name(tokens: list[str]) -> str:
    """Read the name of a feature from its tokens."""
    name = read_value(tokens)
    if not isinstance(name, str):
        raise BadRuleText(
            f"{name!r} stands where the name of a feature is expected; a text is accepted"
        )
    return name


def read_bound(tokens: list[str]) -> Bound:
    """Read the end of an interval from its tokens."""
    text = " ".join(tokens)
    if len(tokens) == 1 and text.startswith('"'):
        return str(_read_word(text))
    number = _read_number(text)
    if number is not None:
        return float(number)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise BadRuleText(
            f"{show(text)} is not a bound; write a number, a date or a category in quotes"
        ) from None


def tokenize(text: str) -> list[str]:
    """Cut a text into quoted texts, operators and words."""
    tokens = []
    for match in _TOKEN.finditer(text):
        if match["unclosed"]:
            raise BadRuleText(f"{show(match[0])} opens a quote that is never closed")
        tokens.append(match[0])
    return tokens


def _read_word(word: str) -> Value:
    if word.startswith('"'):
        try:
            return str(json.loads(word))
        except ValueError:
            raise BadRuleText(f"{show(word)} is not a text in JSON quotes") from None
    if word in ("True", "False"):
        return word == "True"
    number = _read_number(word)
    if number is not None:
        return number
    if word in OPERATORS or word in RESERVED:
        raise BadRuleText(f"{word!r} stands where a value is expected; put it in double quotes")
    if _is_number_to_python(word):
        raise BadRuleText(
            f"{show(word)} could be a number or a text; write a finite number with the digits "
            "0 to 9, or a text in double quotes"
        )
    return word


def _read_number(word: str) -> int | float | None:
    """Read a number in plain digits; None where there is none."""
    if not _NUMBER.fullmatch(word):
        return None
    number = float(word)
    if math.isinf(number):
        raise BadRuleText(f"{show(word)} is too large a number; at most 1.79e308 is accepted")
    return int(word) if _WHOLE.fullmatch(word) else number


def _is_number_to_python(word: str) -> bool:
    """Whether a word is like `nan`, `inf`, `1_0` or digits of another script."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def _reads_back(text: str) -> bool:
    if not text.isprintable():
        return False
    try:
        return read_value(tokenize(text)) == text
    except BadRuleText:
        return False
