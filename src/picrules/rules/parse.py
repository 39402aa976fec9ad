"""From the text of a rule back to the rule."""

from __future__ import annotations

from math import inf

from picrules.errors import BadRule, BadRuleText
from picrules.rules.condition import Category, Condition, Exclusion, Interval
from picrules.rules.rule import EMPTY_RULE_TEXT, Rule
from picrules.rules.text import (
    FOREIGN_OPERATORS,
    Value,
    read_bound,
    read_name,
    read_value,
    show,
    tokenize,
)

_EMPTY_RULE = tokenize(EMPTY_RULE_TEXT)
_FORMS = (
    "write 'NAME = VALUE', 'NAME != VALUE', 'NAME in {VALUE, VALUE}', "
    "'LOWER < NAME <= UPPER', 'NAME <= UPPER', 'NAME > LOWER' or 'NAME is known'"
)


def parse_rule(text: str) -> Rule:
    """Turn the text of a rule back into the rule.

    Parameters
    ----------
    text : str
        A rule as `str(rule)` writes it.

    Returns
    -------
    Rule
        A rule equal to the one that was written.

    Examples
    --------
    >>> from picrules import parse_rule
    >>> parse_rule("if 17.5 < age <= 41 and smoker = True then ill").conditions[0]
    Interval(feature='age', lower=17.5, upper=41.0)
    """
    if not isinstance(text, str):
        raise BadRuleText(
            f"{show(text)} ({type(text).__name__}) is not a text; "
            "a rule as str(rule) writes it is accepted"
        )
    try:
        return _parse(text)
    except BadRule as error:
        raise BadRuleText(f"{show(text)} is not a rule: {error}") from error


def _parse(text: str) -> Rule:
    tokens = tokenize(text)
    if tokens[: len(_EMPTY_RULE)] == _EMPTY_RULE:
        return Rule((), read_value(tokens[len(_EMPTY_RULE) :]))
    if not tokens or tokens[0] != "if" or tokens.count("then") != 1:
        raise BadRuleText(
            f"{show(text)} is not a rule; write 'if CONDITION and CONDITION then CLASS'"
        )
    then = tokens.index("then")
    parts = _split_all(tokens[1:then], "and")
    if [] in parts:
        raise BadRuleText(
            f"{show(text)} has an 'if' or 'and' without a condition beside it; "
            "write 'if CONDITION and CONDITION then CLASS'"
        )
    conditions = tuple(_parse_condition(part) for part in parts)
    return Rule(conditions, read_value(tokens[then + 1 :]))


def _parse_condition(tokens: list[str]) -> Condition:
    condition = show(" ".join(tokens))
    for token in tokens:
        if token in FOREIGN_OPERATORS:
            raise BadRuleText(f"{condition} uses {token!r}; {_FORMS}")
    if "=" in tokens:
        left, right = _split(tokens, "=")
        return Category(read_name(left), (read_value(right),))
    if "!=" in tokens:
        left, right = _split(tokens, "!=")
        return Exclusion(read_name(left), read_value(right))
    if "in" in tokens:
        left, right = _split(tokens, "in")
        return Category(read_name(left), _parse_values(right))
    if tokens[-2:] == ["is", "known"]:
        return Interval(read_name(tokens[:-2]), -inf, inf)
    if ">" in tokens:
        left, right = _split(tokens, ">")
        return Interval(read_name(left), read_bound(right), inf)
    if "<=" in tokens:
        left, right = _split(tokens, "<=")
        if "<" not in left:
            return Interval(read_name(left), -inf, read_bound(right))
        lower, name = _split(left, "<")
        return Interval(read_name(name), read_bound(lower), read_bound(right))
    wrong = "uses '<' without '<='" if "<" in tokens else "is not a condition"
    raise BadRuleText(f"{condition} {wrong}; {_FORMS}")


def _parse_values(tokens: list[str]) -> tuple[Value, ...]:
    values = show(" ".join(tokens))
    if len(tokens) < 3 or tokens[0] != "{" or tokens[-1] != "}":
        raise BadRuleText(f"{values} is not a set of values; write {{VALUE, VALUE}}")
    parts = _split_all(tokens[1:-1], ",")
    if [] in parts:
        raise BadRuleText(f"{values} has a comma without a value beside it; write {{VALUE, VALUE}}")
    return tuple(read_value(part) for part in parts)


def _split(tokens: list[str], operator: str) -> tuple[list[str], list[str]]:
    position = tokens.index(operator)
    return tokens[:position], tokens[position + 1 :]


def _split_all(tokens: list[str], separator: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
