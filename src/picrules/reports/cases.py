"""The cases of a report: rows with their rule, flags, cells, other rules and the nearest rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.cells import format_date
from picrules.encoding.columns import CategoryColumn, Column, Kind
from picrules.explain.evidence import find_nearest
from picrules.explain.explanation import NEAREST_SHOWN
from picrules.rules.text import format_name, format_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.explain.explanations import Explanations
    from picrules.explain.scorecard import Scorecard
    from picrules.reports.asked import Asked
    from picrules.reports.rule_list import RuleList

# In `flags` of the cases, bit i stands for the i-th of these.
FLAGS = (
    "wrong prediction",
    "weak rule",
    "no rule",
    "value never seen in training",
    "another class scores higher",
)
_VALUES_SHOWN = 5
# Whole numbers up to here are the same in Python and in a browser.
_LARGEST_WHOLE = 2**53
# Rules for other classes that are listed with a case.
N_OTHERS = 3
# Beyond this number of cells, cases are not compared with the training rows of their covers.
MAX_COMPARED = 1_000_000_000
# Rows whose rules are made at once.
_BLOCK = 1024


def flag_rows(
    asked: Asked, is_weak: NDArray[np.bool_], is_unseen: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Write the flags of each row as one number: the sum of 2 ** i for the i-th of `FLAGS`.

    `is_weak` tells which of the different rules are weak, `is_unseen` which rows hold a value
    that training never saw.
    """
    labels = asked.explanations.labels
    is_wrong = np.zeros(asked.n_rows, np.bool_) if asked.truth is None else asked.truth != labels
    is_bare = np.array([explanation.rule.length == 0 for explanation in asked.distinct])
    claims = (
        is_wrong,
        is_weak[asked.which],
        is_bare[asked.which],
        is_unseen,
        asked.explanations.is_overruled,
    )
    return 2 ** np.arange(len(claims)) @ np.array(claims, np.int64)


def find_unseen(asked: Asked) -> tuple[NDArray[np.bool_], list[dict[str, Any]]]:
    """Tell which rows hold values that training never saw; and for each column, some of these."""
    found = []
    is_any = np.zeros(asked.n_rows, np.bool_)
    features = asked.clf.schema_.features
    for feature, column, codes in zip(features, asked.columns, asked.codes, strict=True):
        is_unseen = (codes < 0) & ~is_missing(column)
        rows = np.flatnonzero(is_unseen)
        if len(rows):
            is_any |= is_unseen
            cells = list_cells(column, rows)
            texts = cells["texts"] if "texts" in cells else map(str, cells["numbers"])
            values = list(dict.fromkeys(texts))[:_VALUES_SHOWN]
            name = format_name(feature.name)
            found.append({"column": name, "rows": len(rows), "values": values})
    return is_any, found


def list_others(
    explanations: Explanations, rows: NDArray[np.int64], listed: RuleList
) -> list[list[int]]:
    """List the rules that `Explanation.contrast` begins with, and return their numbers per row."""
    numbers: dict[Any, int] = {}
    others = []
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        rules, scores = explanations.cases.rules_by_class(explanations.cases.numbers[block])
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


def list_scorecards(asked: Asked, rows: NDArray[np.int64], listed: RuleList) -> list[Any] | None:
    """Return the points of each row and list the rules they belong to; None where one rule decides.

    A list has one entry per row, and is None where there is nothing about any row.
    """
    cases = asked.explanations.cases
    if cases.model.is_plain:
        return None
    told: list[Any] = [None] * len(rows)
    # Cases that follow each other are looked at together.
    for place in np.argsort(cases.numbers[rows], kind="stable").tolist():
        card = asked.explanations[int(rows[place])].scorecard
        if card is not None:
            told[place] = _list_points(card, listed)
    return told if any(told) else None


def _list_points(card: Scorecard, listed: RuleList) -> dict[str, Any]:
    """List the rules of a scorecard, and return its points and their numbers."""
    return {
        "points": [round(line.points, 2) for line in card.lines],
        "rules": [None if line.rule is None else listed.add(line.rule) for line in card.lines],
        "between": [
            None if line.between is None else [listed.label_of[name] for name in line.between]
            for line in card.lines
        ],
        "offset": round(card.offset_points, 2),
        "total": round(card.total, 2),
        "rival": listed.label_of[card.rival],
    }


def list_confidences(asked: Asked, rows: NDArray[np.int64]) -> list[float] | None:
    """Return the confidence of each row; None where the estimator does not know it."""
    if not asked.explanations.cases.model.has_confidence:
        return None
    confidences: list[float] = asked.explanations.confidences[rows].tolist()
    return confidences


def list_nearest(asked: Asked, rows: NDArray[np.int64]) -> list[list[Any]] | None:
    """Return the nearest covered training rows of each row: number, label and distance.

    None where that would take too long, or where the model keeps no rows. Where the table is the
    training table, no row is near to itself.
    """
    model, codes = asked.explanations.cases.model, asked.explanations.cases.codes
    which = asked.which[rows]
    sizes = np.array([explanation.cover_size for explanation in asked.distinct])
    if model.training.counts is not None or sizes[which].sum() * len(codes) > MAX_COMPARED:
        return None
    nearest: dict[int, list[Any]] = {}
    training, labels = model.training, model.training.row_labels
    is_training = training.has_order and np.array_equal(training.row_codes, codes)
    has_itself = not training.has_order and _are_same(training.row_codes, codes)
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
            if has_itself:  # one of those alike is the row
                listed.remove(next((each for each in listed if each[2] == 0), listed[-1]))
            nearest[row] = listed[:NEAREST_SHOWN]
    return [nearest[row] for row in rows.tolist()]


def _are_same(codes: NDArray[np.int32], others: NDArray[np.int32]) -> bool:
    """Whether two tables have the same rows, in whatever order."""
    if codes.shape != others.shape or not len(codes):
        return False
    first, second = (each[:, np.lexsort(each)] for each in (codes, others))
    return np.array_equal(first, second)


def is_missing(column: Column) -> NDArray[np.bool_]:
    """Tell which cells of a column are missing."""
    if isinstance(column, CategoryColumn):
        return column.positions < 0
    missing: NDArray[np.bool_] = np.isnan(column.numbers)
    return missing


def list_cells(column: Column, rows: NDArray[np.int64]) -> dict[str, Any]:
    """Return the cells of a column in some rows.

    Numbers as `numbers`, None where missing; all else as `texts`, each once, and `codes` that
    are positions there, -1 where missing.
    """
    if isinstance(column, CategoryColumn):
        values = [*map(format_value, column.values), None]  # position -1 is the last
        return _to_codes([values[position] for position in column.positions[rows].tolist()])
    if column.cells is not None:
        cells = [column.cells[row] for row in rows.tolist()]
        return _to_codes([None if cell is None else str(cell) for cell in cells])
    numbers = column.numbers[rows].tolist()
    if column.kind is Kind.DATE:
        zone = column.zone
        return _to_codes([None if np.isnan(one) else format_date(one, zone) for one in numbers])
    return {"numbers": [_shorten(number) for number in numbers]}


def _to_codes(texts: list[str | None]) -> dict[str, Any]:
    code_of: dict[str, int] = {}
    codes = [-1 if text is None else code_of.setdefault(text, len(code_of)) for text in texts]
    return {"texts": list(code_of), "codes": codes}


def _shorten(number: float) -> float | int | None:
    """Return a number that JSON writes as short as it can be."""
    if np.isnan(number):
        return None
    is_whole = number.is_integer() and abs(number) < _LARGEST_WHOLE
    return int(number) if is_whole else number
