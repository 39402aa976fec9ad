"""A rule: conditions on different features, and the class they predict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from picrules.errors import BadRule
from picrules.rules.condition import Category, Condition, Exclusion, Interval, has_texts
from picrules.rules.english import to_english
from picrules.rules.expressions import to_pandas, to_polars
from picrules.rules.sql import to_sql
from picrules.rules.text import Value, format_value, show
from picrules.rules.values import to_value

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Known: TypeAlias = Mapping[str, Iterable[Value]]

EMPTY_RULE_TEXT = "no rule; the most frequent class is"


def write_rule(conditions: Sequence[str], label: str) -> str:
    """Write a rule, given the texts of its conditions and of its class."""
    if not conditions:
        return f"{EMPTY_RULE_TEXT} {label}"
    return f"if {' and '.join(conditions)} then {label}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A conjunction of conditions on different features, and the class it predicts.

    Rules are values: rules with the same class and the same conditions, in any order, are
    equal and hash alike. `str(rule)` reads like a sentence, with the conditions in the order
    given, and `parse_rule` turns it back into an equal rule. A row that no other rule covers
    gets the rule without conditions.

    Parameters
    ----------
    conditions : tuple of Condition
        At most one for each feature.
    label : str, bool, int or float
        The class that the rule predicts.

    Examples
    --------
    >>> from picrules import Category, Interval, Rule
    >>> foul, small = Category("odor", ("foul",)), Interval("height", -float("inf"), 4.5)
    >>> str(Rule((foul, small), "poisonous"))
    'if odor = foul and height <= 4.5 then poisonous'
    """

    conditions: tuple[Condition, ...]
    label: Value

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", _to_conditions(self.conditions))
        object.__setattr__(self, "label", to_value(self.label, "the class of a rule"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rule):
            return NotImplemented
        same_label = self.label == other.label
        return same_label and frozenset(self.conditions) == frozenset(other.conditions)

    def __hash__(self) -> int:
        return hash((frozenset(self.conditions), self.label))

    @property
    def length(self) -> int:
        """The number of conditions."""
        return len(self.conditions)

    def covers(self, columns: Mapping[str, ArrayLike], n_rows: int) -> NDArray[np.bool_]:
        """Tell which rows satisfy all conditions.

        Parameters
        ----------
        columns : mapping of str to array-like of shape (n_rows,)
            The cells of each feature by its name, as `Condition.covers` takes them.
        n_rows : int
            How many rows there are.

        Returns
        -------
        bool array of shape (n_rows,)
            Whether the rule covers each row.
        """
        covered = np.ones(n_rows, np.bool_)
        for condition in self.conditions:
            covered &= condition.covers(columns[condition.feature])
        return covered

    def __str__(self) -> str:
        return write_rule(list(map(str, self.conditions)), format_value(self.label))

    @property
    def reason(self) -> str:
        """The conditions as text, joined by `and`."""
        return " and ".join(str(condition) for condition in self.conditions)

    def to_sql(self, known: Known | None = None) -> str:
        """Write the conditions as the condition of a SQL `WHERE`, without that word.

        The text runs on DuckDB and SQLite and selects the rows that the rule covers. A column
        must have the type that the model saw: text for texts, numbers for numbers. Dates stand
        in SQLite as texts in UTC, `2020-01-31` or `2020-01-31 08:30:00`, with or without parts
        of a second. A missing value satisfies no condition; NaN is missing.

        Parameters
        ----------
        known : mapping of str to values, optional
            All values of a feature in training, by its name. A value that training never saw
            satisfies no condition, not even `!=`, but a database does not know which these
            are; features named here get them spelled out. Of categories with an order they
            stand in it; a rule that was read from a text knows no other.

        Returns
        -------
        str
            The condition; `1 = 1` for the rule without conditions.

        Examples
        --------
        >>> from picrules import parse_rule
        >>> print(parse_rule("if 17.5 < age <= 41 and odor != it's then ill").to_sql())
        "age" > 17.5e0 AND "age" <= 41e0 AND "odor" <> 'it''s'
        """
        return to_sql(self._spell_out(known))

    def to_pandas(self, known: Known | None = None) -> str:
        """Write the conditions as a pandas expression: a mask of the rows of `df`.

        Paste it where `df` is the table and `pd` is pandas. The mask is False where a value is
        missing.

        Parameters
        ----------
        known : mapping of str to values, optional
            As in `to_sql`.

        Returns
        -------
        str
            Python code.

        Examples
        --------
        >>> from picrules import parse_rule
        >>> print(parse_rule("if age > 41 and odor in {foul, pungent} then ill").to_pandas())
        (df['age'].astype("float64") > 41.0) & df['odor'].isin(['foul', 'pungent'])
        """
        return to_pandas(self._spell_out(known))

    def to_polars(self, known: Known | None = None) -> str:
        """Write the conditions as a Polars expression, for `df.filter(...)`.

        Paste it where `pl` is Polars. The expression is null or False where a value is missing;
        `filter` drops both.

        Parameters
        ----------
        known : mapping of str to values, optional
            As in `to_sql`.

        Returns
        -------
        str
            Python code.

        Examples
        --------
        >>> from picrules import parse_rule
        >>> print(parse_rule("if age <= 41 and odor = foul then ill").to_polars())
        (pl.col('age').cast(pl.Float64) <= 41.0) & (pl.col('odor') == 'foul')
        """
        return to_polars(self._spell_out(known))

    def to_english(self) -> str:
        """Write the rule as a sentence for people who read no formulas.

        A date without a time stands for its first moment. For a text that can be read back
        take `str(rule)`.

        Returns
        -------
        str
            The sentence.

        Examples
        --------
        >>> from picrules import parse_rule
        >>> parse_rule("if 41 < age <= 60 and odor in {foul, musty} then ill").to_english()
        'If age is over 41 and at most 60, and odor is foul or musty, then ill.'
        """
        return to_english(self)

    def _spell_out(self, known: Known | None) -> Iterator[Condition]:
        """Give the conditions, with the values that training knew.

        They stand beside each `!=`, and instead of intervals of categories: other languages
        neither know their order nor which of them training saw.
        """
        for condition in self.conditions:
            values = tuple((known or {}).get(condition.feature, ()))
            if isinstance(condition, Interval):
                order = condition.order or values
                is_listed = order or has_texts(condition)
                listed = replace(condition, order=order).values if is_listed else ()
                yield Category(condition.feature, listed) if is_listed else condition
                continue
            yield condition
            if isinstance(condition, Exclusion) and values:
                yield Category(condition.feature, values)


def _to_conditions(conditions: object) -> tuple[Condition, ...]:
    if not isinstance(conditions, Iterable):
        raise BadRule(
            f"the conditions of a rule are {show(conditions)}, which is not a tuple; "
            "write (CONDITION,) for one condition"
        )
    checked = tuple(conditions)
    for condition in checked:
        if not isinstance(condition, Condition):
            raise BadRule(
                f"a condition of a rule is {show(condition)} ({type(condition).__name__}); "
                "a Category, an Exclusion or an Interval is accepted"
            )
    features = [condition.feature for condition in checked]
    if len(set(features)) < len(features):
        twice = next(name for name in features if features.count(name) > 1)
        raise BadRule(f"a rule has two conditions on one feature, {twice!r}; one is accepted")
    return checked
