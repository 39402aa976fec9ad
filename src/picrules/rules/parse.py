"""From the text of a rule back to the rule."""

from __future__ import annotations

from itertools import groupby
from math import inf

from picrules.errors import BadRuleText
from picrules.rules.condition import Category, Condition, Interval
from picrules.rules.rule import EMPTY_RULE_TEXT, Rule
from picrules.rules.text import read_bound, read_name, read_value, tokenize

_EMPTY_RULE = tokenize(EMPTY_RULE_TEXT)


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
    tokens = tokenize(text)
    if tokens[: len(_EMPTY_RULE)] == _EMPTY_RULE:
        return Rule((), read_value(tokens[len(_EMPTY_RULE) :]))
    if not tokens or tokens[0] != "if" or tokens.count("then") != 1:
        raise BadRuleText(f"{text!r} is not a rule; write 'if CONDITION and CONDITION then CLASS'")
    then = tokens.index("then")
    groups = groupby(tokens[1:then], lambda token: token == "and")
    conditions = tuple(_parse_condition(list(group)) for is_and, group in groups if not is_and)
    names = [condition.feature for condition in conditions]
    if not names or tokens[1:then].count("and") != len(names) - 1:
        raise BadRuleText(f"{text!r} has an 'and' without a condition beside it")
    if len(set(names)) < len(names):
        raise BadRuleText(f"{text!r} has two conditions on one feature; one a feature is accepted")
    return Rule(conditions, read_value(tokens[then + 1 :]))


def _parse_condition(tokens: list[str]) -> Condition:
    if "=" in tokens:
        left, right = _split(tokens, "=")
        return Category(read_name(left), (read_value(right),))
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
        lower, name = _split(left, "<") if "<" in left else (["-inf"], left)
        return Interval(read_name(name), read_bound(lower), read_bound(right))
    raise BadRuleText(
        f"{' '.join(tokens)!r} is not a condition; write 'NAME = VALUE', "
        "'NAME in {VALUE, VALUE}', 'LOWER < NAME <= UPPER', 'NAME <= UPPER', 'NAME > LOWER' "
        "or 'NAME is known'"
    )


def _parse_values(tokens: list[str]) -> tuple[str | bool | int | float, ...]:
    if len(tokens) < 3 or tokens[0] != "{" or tokens[-1] != "}":
        raise BadRuleText(f"{' '.join(tokens)!r} is not a set of values; write {{VALUE, VALUE}}")
    groups = groupby(tokens[1:-1], lambda token: token == ",")
    return tuple(read_value(list(group)) for is_comma, group in groups if not is_comma)


def _split(tokens: list[str], operator: str) -> tuple[list[str], list[str]]:
    position = tokens.index(operator)
    return tokens[:position], tokens[position + 1 :]
