"""Everything that a report shows, as one plain dict; docs/report.md says what it holds."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.schema import CategoryFeature
from picrules.explain.performance import measure_performance
from picrules.explain.scorecard import LOOK_ALIKES, name_members, tell_members
from picrules.reports import cases
from picrules.reports.rule_list import RuleList
from picrules.rules.text import format_name, format_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.explain.explanations import Explanations
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
        listed.add(use.explanation, use)
    numbers = np.array([listed.add(explanation) for explanation in asked.distinct], np.int64)
    _count_right(asked, numbers, listed)
    is_weak = np.array([bool(listed.rules[number]["weak"]) for number in numbers.tolist()])
    is_unseen, unseen = cases.find_unseen(asked)
    flags = cases.flag_rows(asked, is_weak, is_unseen)
    # Listed are rows with a flag, then the first ones of the table; all in order.
    rows = np.sort(np.argsort(flags == 0, kind="stable")[:max_cases])
    n_unknown = 0 if asked.truth is None else int((asked.truth >= len(clf.classes_)).sum())
    classes = _describe_classes(clf, asked.unknown)
    return {
        "first_row": first_row,
        "rows": asked.n_rows,
        "model": _describe_model(clf),
        "classes": classes,
        "columns": _describe_columns(clf, asked.columns),
        "performance": _judge(asked, len(classes)),
        "conditions": listed.conditions,
        "rules": listed.rules,
        "mean_length": summary.mean_length,
        "flags": list(cases.FLAGS),
        "warnings": {
            "rows": [
                {"flag": flag, "rows": int((flags >> bit & 1).sum())}
                for bit, flag in enumerate(cases.FLAGS)
            ],
            "unseen": unseen,
            "unknown_class": n_unknown,
        },
        "cases": _list_cases(asked, rows, flags, numbers, listed),
    }


def _count_right(asked: Asked, numbers: NDArray[np.int64], listed: RuleList) -> None:
    """Tell of each rule in use how many of the rows that it decides are right, if y was given.

    `numbers` are those of the different rules in `listed`.
    """
    _, right = asked.count_by_rule()
    if right is None:
        return
    rights = np.bincount(numbers, right, len(listed.rules)).astype(np.int64)
    for number in np.unique(numbers).tolist():
        listed.judge(number, int(rights[number]))


def _describe_model(clf: Any) -> dict[str, Any]:
    """Return the settings of a fitted estimator as texts.

    `in_use` is None if none were tuned, or look-alikes decide, which use none of them.
    """
    tuning, names = getattr(clf, "tuning_", None), name_members(clf._model)  # noqa: SLF001
    return {
        "estimator": type(clf).__name__,
        "parameters": {name: str(value) for name, value in clf.get_params().items()},
        "in_use": _describe_choice(tuning) if tuning and names != [LOOK_ALIKES] else None,
        "decided_by": names,
        "decides": tell_members(names),
        "engine": clf.engine_,
        "engine_reason": clf.plan_.reason,
        "rows": int(clf.class_sizes_.sum()),
    }


def _describe_choice(tuning: Any) -> dict[str, str]:
    chosen = tuning.chosen.to_dict()
    del chosen["score"]  # stands under accuracy, where the scoring is accuracy
    texts = {
        name: f"{value:.6g}" if isinstance(value, float) else str(value)
        for name, value in chosen.items()
    }
    return {**texts, "settings tried": str(len(tuning.candidates)), "scoring": tuning.scoring}


def _describe_columns(clf: Any, columns: list[Column]) -> list[dict[str, Any]]:
    """Return the kind of each column, its known values or cuts, and how many cells are missing."""
    described = []
    for feature, column in zip(clf.schema_.features, columns, strict=True):
        is_category = isinstance(feature, CategoryFeature)
        known = {"values": feature.n_codes} if is_category else {"cuts": len(feature.cuts)}
        entry = {"name": format_name(feature.name), "kind": str(feature.kind), **known}
        described.append({**entry, "missing": int(cases.is_missing(column).sum())})
    return described


def _describe_classes(clf: Any, unknown: list[Any]) -> list[dict[str, Any]]:
    """Return the classes with their training rows; those that training never saw are last."""
    known = zip(clf.classes_.tolist(), clf.class_sizes_.tolist(), strict=True)
    return [
        *({"name": format_value(name), "rows": size} for name, size in known),
        *({"name": format_value(name), "rows": 0} for name in unknown),
    ]


def _judge(asked: Asked, n_classes: int) -> list[dict[str, Any]]:
    """Judge a model on its training rows by leave-one-out, and on the table if y was given.

    `n_training_rows` of the table cannot be told from training rows, and `is_training` says
    whether all of them are like that, in any order: that flatters.
    """
    judged, has_rows = [], asked.explanations.cases.model.training.counts is None
    if has_rows and hasattr(asked.clf, "leave_one_out") and len(asked.clf.classes_) > 1:
        left_out = asked.clf.leave_one_out()
        labels = left_out.cases.model.training.row_labels
        judged.append({"by": "leave-one-out", **_measure(left_out, labels, n_classes)})
    if asked.truth is not None:
        codes, training = asked.explanations.cases.codes, asked.explanations.cases.model.training
        known = _count_alike(training.row_codes, training.row_labels)
        n_shared = (known & _count_alike(codes, asked.truth)).total()
        like_training = {"is_training": n_shared == asked.n_rows, "n_training_rows": n_shared}
        measured = _measure(asked.explanations, asked.truth, n_classes)
        judged.append({"by": "this table", **like_training, **measured})
    return judged


def _measure(
    explanations: Explanations, labels: NDArray[np.int64], n_classes: int
) -> dict[str, Any]:
    return measure_performance(
        labels, explanations.labels, explanations.confidences, n_classes
    ).to_dict()


def _count_alike(codes: NDArray[np.int32], labels: NDArray[np.int64]) -> Counter[bytes]:
    """Count the rows that have the same codes and class."""
    rows = np.ascontiguousarray(np.vstack([codes, labels]).T, np.int32)
    return Counter(rows.view(f"V{rows.itemsize * rows.shape[1]}").reshape(-1).tolist())


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
        "confidence": cases.list_confidences(asked, rows),
        "flags": flags[rows].tolist(),
        "contrast": cases.list_others(explanations, rows, listed),
        "scorecard": cases.list_scorecards(asked, rows, listed),
        "nearest": cases.list_nearest(asked, rows),
        "cells": _list_cells(asked, rows, listed),
    }


def _list_cells(
    asked: Asked, rows: NDArray[np.int64], listed: RuleList
) -> list[dict[str, Any] | None]:
    """Return the cells of the cases; None for columns that would make the report too large."""
    used = dict.fromkeys(condition["column"] for condition in listed.conditions)
    order = [*used, *(index for index in range(len(asked.columns)) if index not in used)]
    kept = set(order[: max(MAX_CELLS // max(len(rows), 1), 1)])
    return [
        cases.list_cells(column, rows) if index in kept else None
        for index, column in enumerate(asked.columns)
    ]
