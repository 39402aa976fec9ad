"""Which rules other models have too: the paper's common and personalized rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from picrules.errors import BadParameter, BadRule
from picrules.explain.others.read import read_rules
from picrules.explain.tabular import Result, Tabular, take_head
from picrules.rules.rule import Rule
from picrules.rules.text import Value, plural, show

if TYPE_CHECKING:
    from picrules.explain.explanation import Explanation
    from picrules.rules.condition import Condition

    Rules = Iterable[Rule | Explanation]
    Index = defaultdict[tuple[Condition, Value], set[int]]

COLUMNS = ("rule", "class", "length", "is_common", "found_in")


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Result):
    """Rules that other rule sets have too, and rules that none of them has.

    Attributes
    ----------
    common : list of (Rule, list of str)
        The common rules, each with the names of the rule sets that have it.
    personalized : list of Rule
        The other rules.
    """

    common: list[tuple[Rule, list[str]]]
    personalized: list[Rule]

    @property
    def n_common(self) -> int:
        """How many rules are common."""
        return len(self.common)

    @property
    def n_personalized(self) -> int:
        """How many rules are personalized."""
        return len(self.personalized)

    def __str__(self) -> str:
        counts = ((self.n_common, "common rule"), (self.n_personalized, "personalized rule"))
        lines = [f"  common        {rule}  ({', '.join(names)})" for rule, names in self.common]
        lines += [f"  personalized  {rule}" for rule in self.personalized]
        opening = ", ".join(plural(*count) for count in counts)
        return "\n".join([opening, *take_head(lines, len(lines))])

    _repr_html_ = Tabular._repr_html_

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; `found_in` names the rule sets that have a rule."""
        return {**self._plain("n_common", "n_personalized"), "rules": self._to_records()[1]}

    def _to_records(self) -> tuple[Iterable[str], list[dict[str, Any]]]:
        holders = [*self.common, *((rule, list[str]()) for rule in self.personalized)]
        cells = (
            (str(rule), rule.label, rule.length, bool(names), names) for rule, names in holders
        )
        return COLUMNS, [dict(zip(COLUMNS, row, strict=True)) for row in cells]


def compare_rules(mine: Any, theirs: Any) -> Comparison:
    """Tell which rules are part of a rule of another model.

    A rule is common when some rule of another model has all its conditions and its class, and
    personalized when none has: the definition of the PIC paper. Conditions count as the same only
    if they are equal, to the last digit of a cut. The rule without conditions is left out.

    Parameters
    ----------
    mine : iterable of Rule or Explanation, str, or fitted model
        The rules to tell apart, for example `clf.explain(X)`; each is looked at once. A text
        and a model of another library are read by `read_rules`.
    theirs : the same, or mapping of str to the same
        The rules of another model, or of several by name.

    Returns
    -------
    Comparison
        The common rules with the names of the others, and the personalized rules.

    Examples
    --------
    >>> from picrules import compare_rules, parse_rule
    >>> mine = [parse_rule("if odor = foul then p"), parse_rule("if size = 3 then e")]
    >>> tree = [parse_rule("if odor = foul and ring = 1 then p")]
    >>> print(compare_rules(mine, {"tree": tree}))
    1 common rule, 1 personalized rule
      common        if odor = foul then p  (tree)
      personalized  if size = 3 then e
    """
    named = theirs if isinstance(theirs, Mapping) else {"theirs": theirs}
    indices = {name: _index_conditions(_rules_of(rules)) for name, rules in named.items()}
    holders = {
        rule: [
            name
            for name, index in indices.items()
            if set.intersection(*(index.get((each, rule.label), set()) for each in rule.conditions))
        ]
        for rule in _distinct_rules(_rules_of(mine))
        if rule.conditions
    }
    return Comparison(
        [(rule, names) for rule, names in holders.items() if names],
        [rule for rule, names in holders.items() if not names],
    )


def _rules_of(source: Any) -> Rules:
    """Return the rules or explanations that an argument of `compare_rules` stands for."""
    is_own = hasattr(source, "explain")  # our estimators have rules for rows, none of their own
    if isinstance(source, str) or (hasattr(source, "fit") and not is_own):
        return read_rules(source)
    if isinstance(source, Iterable):
        return source
    raise BadParameter(
        f"compare_rules got an object of type {type(source).__name__}; rules or explanations, "
        "such as clf.explain(X), a text, or a model that read_rules reads is accepted"
    )


def _distinct_rules(rules: Rules) -> list[Rule]:
    """List each rule once, in the order in which they come."""
    if hasattr(rules, "distinct"):  # the explanations of a table: no need to make all of them
        explanations, indices = rules.distinct()
        rules = [explanations[index] for index in dict.fromkeys(indices.tolist())]
    return list(dict.fromkeys(map(_to_rule, rules)))


def _index_conditions(rules: Rules) -> Index:
    """Return which rules have each condition, with their class; the rules are numbered."""
    index: Index = defaultdict(set)
    for number, rule in enumerate(_distinct_rules(rules)):
        for condition in rule.conditions:
            index[condition, rule.label].add(number)
    return index


def _to_rule(item: Any) -> Rule:
    rule = getattr(item, "rule", item)
    if isinstance(rule, Rule):
        return rule
    raise BadRule(
        f"compare_rules got {show(item)} ({type(item).__name__}) where a Rule or an Explanation "
        "is expected; read_rules reads texts and models"
    )
