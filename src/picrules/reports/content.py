"""Everything that a report shows, as one plain dict; docs/report.md says what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.reports import cases, model_card
from picrules.reports.rule_list import RuleList

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.reports.asked import Asked

# Cells of cases in one report; columns that no rule speaks of are left out first.
MAX_CELLS = 400_000


def collect(asked: Asked, max_cases: int, first_row: int) -> dict[str, Any]:
    """Return everything that a report shows, as plain values.

    At most `max_cases` rows are listed one by one; `first_row` is the number of the first row.
    """
    clf, summary = asked.clf, asked.summary
    names = [feature.name for feature in clf.schema_.features]
    listed = RuleList(clf.classes_.tolist(), names, asked.n_rows)
    for use in summary.uses:
        listed.add(use.explanation, use.n_rows)
    numbers = np.array([listed.add(explanation) for explanation in asked.distinct], np.int64)
    is_weak = np.array([bool(listed.rules[number]["weak"]) for number in numbers.tolist()])
    is_unseen, unseen = cases.find_unseen(asked)
    flags = cases.flag_rows(asked, is_weak, is_unseen)
    rows = cases.choose_rows(flags > 0, max_cases)
    n_known = len(clf.classes_)
    n_unknown = 0 if asked.truth is None else int((asked.truth >= n_known).sum())
    classes = model_card.describe_classes(clf, asked.unknown)
    return {
        "first_row": first_row,
        "rows": asked.n_rows,
        "model": model_card.describe_model(clf),
        "classes": classes,
        "columns": model_card.describe_columns(clf, asked.columns),
        "performance": model_card.judge(asked, len(classes)),
        "conditions": listed.conditions,
        "rules": listed.rules,
        "mean_length": summary.mean_length,
        "flags": list(cases.FLAGS),
        "warnings": {
            "rows": cases.count_flags(flags),
            "unseen": unseen,
            "unknown_class": n_unknown,
        },
        "cases": {
            **_list_cases(asked, rows, flags, numbers, listed),
            "cells": _list_cells(asked, rows, listed),
        },
    }


def _list_cases(
    asked: Asked,
    rows: NDArray[np.int64],
    flags: NDArray[np.int64],
    numbers: NDArray[np.int64],
    listed: RuleList,
) -> dict[str, Any]:
    """List rows one by one; `numbers` are those of the different rules in `listed`."""
    explanations, truth = asked.explanations, asked.truth
    return {
        "row": rows.tolist(),
        "rule": numbers[asked.which[rows]].tolist(),
        "class": None if truth is None else truth[rows].tolist(),
        "confidence": [round(one, 4) for one in explanations.confidences[rows].tolist()],
        "flags": flags[rows].tolist(),
        "contrast": cases.list_others(explanations, rows, listed),
        "overruled": cases.list_overruled(explanations, rows),
        "nearest": cases.list_nearest(asked, rows),
    }


def _list_cells(
    asked: Asked, rows: NDArray[np.int64], listed: RuleList
) -> list[dict[str, Any] | None]:
    """Return the cells of the cases; None for columns that would make the report too large."""
    used = dict.fromkeys(condition["column"] for condition in listed.conditions)
    order = [*used, *(index for index in range(len(asked.columns)) if index not in used)]
    kept = set(order[: max(MAX_CELLS // len(rows), 1)])
    return [
        cases.list_cells(column, rows) if index in kept else None
        for index, column in enumerate(asked.columns)
    ]
