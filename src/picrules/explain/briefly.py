"""Explanations in half a sentence, for texts that hold several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from picrules.rules.text import format_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from picrules.explain.explanation import Explanation


def tell_briefly(explanation: Explanation) -> str:
    """Say what is predicted, why, and on how many training rows that rests.

    Parameters
    ----------
    explanation : Explanation
        The prediction.

    Returns
    -------
    str
        Without a full stop.

    Examples
    --------
    >>> from picrules.explain.explanation import Explanation
    >>> from picrules.rules.parse import parse_rule
    >>> rule = parse_rule("if age > 41 then yes")
    >>> tell_briefly(Explanation(rule, 0.8, {"no": 1, "yes": 8}, {"no": 20, "yes": 10}))
    'yes, because age > 41 (8 of 9 training rows like this)'
    """
    name = format_value(explanation.prediction)
    if explanation.rule.length == 0:
        return f"{name}, the most frequent class, because no rule covers this row"
    counts = f"{explanation.hits} of {explanation.cover_size} training rows like this"
    return f"{name}, because {explanation.rule.reason} ({counts})"


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Join words as in a sentence: `a`, `a and b`, `a, b and c`.

    Parameters
    ----------
    words : sequence of str
        At least one.
    last : str
        What stands before the last one.

    Returns
    -------
    str
        The words in one text.

    Examples
    --------
    >>> join_words(["one", "two", "three"], "or")
    'one, two or three'
    """
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end
