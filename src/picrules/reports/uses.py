"""How many rows each rule answers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from picrules.explain.explanations import Explanations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from picrules.explain.explanation import Explanation
    from picrules.rules.rule import Rule


def count_uses(explanations: Sequence[Explanation]) -> list[tuple[Rule, int]]:
    """Return the rules with the rows that each answers, the most used first, then by text.

    Parameters
    ----------
    explanations : sequence of Explanation
        One explanation a row.

    Returns
    -------
    list of tuple
        Rule and number of rows.
    """
    if isinstance(explanations, Explanations):
        distinct, places = explanations.distinct()
        counts = np.bincount(places, minlength=len(distinct)).tolist()
        uses = {one.rule: count for one, count in zip(distinct, counts, strict=True)}
    else:
        uses = Counter(explanation.rule for explanation in explanations)
    return sorted(uses.items(), key=lambda use: (-use[1], str(use[0])))
