"""The values that a model knows, for languages that know only the cell in front of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from picrules.rules.condition import Category, Exclusion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from picrules.rules.condition import Condition
    from picrules.rules.rule import Rule
    from picrules.rules.text import Value

    Known: TypeAlias = Mapping[str, Iterable[Value]]


def spell_out(rule: Rule, known: Known | None) -> Iterator[Condition]:
    """Give the conditions of a rule, and beside each `!=` the values that training knew.

    Parameters
    ----------
    rule : Rule
        The rule.
    known : mapping of str to values, or None
        Feature name to all its values in training; a feature that is not named keeps its `!=`
        alone.

    Yields
    ------
    Condition
        A condition that covered rows satisfy.
    """
    for condition in rule.conditions:
        yield condition
        if isinstance(condition, Exclusion) and known and condition.feature in known:
            yield Category(condition.feature, tuple(known[condition.feature]))
