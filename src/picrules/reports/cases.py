"""The cases of a report: rows with their rule, what speaks against it, and the nearest rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.explain.evidence import find_nearest
from picrules.explain.explanation import NEAREST_SHOWN
from picrules.reports.rule_list import DIGITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.explain.explanations import Explanations
    from picrules.reports.asked import Asked
    from picrules.reports.rule_list import RuleList

# Rules for other classes that are listed with a case.
N_OTHERS = 3
# Beyond this number of cells, cases are not compared with the training rows of their covers.
MAX_COMPARED = 1_000_000_000
# Rows whose rules are made at once.
_BLOCK = 1024


def choose_rows(is_flagged: NDArray[np.bool_], max_cases: int) -> NDArray[np.int64]:
    """Choose the rows to list, in order: those with a flag, then the first ones of the table."""
    flagged_first = np.argsort(~is_flagged, kind="stable")
    return np.sort(flagged_first[:max_cases])


def list_others(
    explanations: Explanations, rows: NDArray[np.int64], listed: RuleList
) -> list[list[int]]:
    """List the rules that `Explanation.contrast` begins with, and return their numbers per row."""
    numbers: dict[Any, int] = {}
    others = []
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        rules, scores = explanations.cases.rules_by_class(block)
        for position, row in enumerate(block.tolist()):
            own = []
            for label in explanations.cases.order_others(scores[position], row)[:N_OTHERS]:
                index = position * scores.shape[1] + label
                key = (label, rules.features[index].tobytes(), rules.positions[index].tobytes())
                if key not in numbers:
                    score = scores[position, label]
                    numbers[key] = listed.add(
                        explanations.cases.score_rule(rules, index, label, score, row)
                    )
                own.append(numbers[key])
            others.append(own)
    return others


def list_overruled(explanations: Explanations, rows: NDArray[np.int64]) -> list[Any]:
    """Return what `Overruled.to_dict` says about each row; None where no offset decided."""
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


def list_nearest(asked: Asked, rows: NDArray[np.int64]) -> list[list[Any]] | None:
    """Return the nearest covered training rows of each row: number, label and distance.

    None where that would take too long. Where the table is the training table, no row is near
    to itself.
    """
    model, codes = asked.explanations.cases.model, asked.explanations.cases.codes
    which = asked.which[rows]
    sizes = np.array([explanation.cover_size for explanation in asked.distinct])
    if sizes[which].sum() * len(codes) > MAX_COMPARED:
        return None
    nearest: dict[int, list[Any]] = {}
    labels = model.training.row_labels
    is_training = np.array_equal(model.training.row_codes, codes)
    for index in np.unique(which).tolist():
        own = rows[which == index]
        # One more than shown: one of them may be the row itself.
        found = find_nearest(model, asked.distinct[index].rule, codes[:, own], NEAREST_SHOWN + 1)
        for row, near, distances in zip(own.tolist(), *found, strict=True):
            listed = [
                [other, int(labels[other]), round(distance, 3)]
                for other, distance in zip(near.tolist(), distances.tolist(), strict=True)
                if not (is_training and other == row)
            ]
            nearest[row] = listed[:NEAREST_SHOWN]
    return [nearest[row] for row in rows.tolist()]
