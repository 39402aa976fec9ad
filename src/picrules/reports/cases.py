"""The cases of a report: rows with their rule, what speaks against it, and the nearest rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.explain.explanation import NEAREST_SHOWN
from picrules.explain.nearest import find_nearest
from picrules.reports.rule_list import DIGITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.explain.explanation import Explanation
    from picrules.explain.explanations import Explanations
    from picrules.reports.rule_list import RuleList

# Rules for other classes that are listed with a case.
N_OTHERS = 3
# Comparing each case with each training row of its cover is left out beyond so many cells.
MAX_COMPARED = 1_000_000_000
# Rows whose rules are made at once.
_BLOCK = 1024


def choose_rows(is_doubtful: NDArray[np.bool_], max_cases: int) -> NDArray[np.int64]:
    """Choose the rows to list: all, or the doubtful ones first and then the first of the table.

    Parameters
    ----------
    is_doubtful : bool array of shape (n_rows,)
        Whether a row should be looked at.
    max_cases : int
        The most rows that are listed.

    Returns
    -------
    int64 array of shape (n_cases,)
        Positions of the chosen rows, increasing.
    """
    by_doubt = np.argsort(~is_doubtful, kind="stable")
    return np.sort(by_doubt[:max_cases])


def list_others(
    explanations: Explanations, rows: NDArray[np.int64], listed: RuleList
) -> list[list[int]]:
    """Return the numbers of the best rules for other classes, best first.

    Parameters
    ----------
    explanations : Explanations
        All rows.
    rows : int64 array of shape (n_cases,)
        The rows that are asked about.
    listed : RuleList
        Gets the rules.

    Returns
    -------
    list of list of int
        At most `N_OTHERS` rules a case; what `Explanation.contrast` begins with.
    """
    numbers: dict[Any, int] = {}
    others = []
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        rules, scores = explanations.rules_by_class(block)
        for place, row in enumerate(block.tolist()):
            own = []
            for label in explanations.order_others(scores[place], row)[:N_OTHERS]:
                at = place * scores.shape[1] + label
                key = (label, rules.features[at].tobytes(), rules.positions[at].tobytes())
                if key not in numbers:
                    other = explanations.score_box(rules, at, label, scores[place, label], row)
                    numbers[key] = listed.add(other)
                own.append(numbers[key])
            others.append(own)
    return others


def list_overruled(explanations: Explanations, rows: NDArray[np.int64]) -> list[Any]:
    """Return for each case the rule that scores higher but lost, and the offset that decided.

    Parameters
    ----------
    explanations : Explanations
        All rows.
    rows : int64 array of shape (n_cases,)
        The rows that are asked about.

    Returns
    -------
    list
        The texts and numbers of `Overruled.to_dict` for each case, or None.
    """
    is_overruled = explanations.is_overruled
    found: list[Any] = []
    for row in rows.tolist():
        other = explanations[row].overruled if is_overruled[row] else None
        found.append(None if other is None else _round(other.to_dict()))
    return found


def _round(content: dict[str, Any]) -> dict[str, Any]:
    return {
        name: round(value, DIGITS) if isinstance(value, float) else value
        for name, value in content.items()
    }


def list_nearest(
    explanations: Explanations,
    rows: NDArray[np.int64],
    distinct: list[Explanation],
    places: NDArray[np.int64],
) -> list[list[Any]] | None:
    """Return the nearest covered training rows of each case: row, class and distance.

    Parameters
    ----------
    explanations : Explanations
        All rows.
    rows : int64 array of shape (n_cases,)
        The rows that are asked about.
    distinct : list of Explanation
        One explanation for each different rule.
    places : int64 array of shape (n_rows,)
        Which of them each row has.

    Returns
    -------
    list or None
        None where it would take too long. Where the table is the training table, no row is
        near to itself.
    """
    model, codes = explanations.model, explanations.asked.codes
    sizes = np.array([explanation.cover_size for explanation in distinct])
    if sizes[places[rows]].sum() * len(codes) > MAX_COMPARED:
        return None
    nearest: dict[int, list[Any]] = {}
    labels = model.training.labels
    is_training = np.array_equal(model.training.codes, codes)
    for place in np.unique(places[rows]).tolist():
        own = rows[places[rows] == place]
        # One more than shown: one of them may be the row itself.
        found = find_nearest(model, distinct[place].rule, codes[:, own], NEAREST_SHOWN + 1)
        for row, near, apart in zip(own.tolist(), *found, strict=True):
            listed = [
                [one, int(labels[one]), round(distance, 3)]
                for one, distance in zip(near.tolist(), apart.tolist(), strict=True)
                if not (is_training and one == row)
            ]
            nearest[row] = listed[:NEAREST_SHOWN]
    return [nearest[row] for row in rows.tolist()]
