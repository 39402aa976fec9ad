"""Everything that a report shows, as one plain dict; docs/report.md says what it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.columns import read_columns
from picrules.encoding.tables import check_table
from picrules.errors import BadTarget
from picrules.estimators.target import encode_target
from picrules.explain.summary import summarize
from picrules.reports.cases import choose_rows, list_nearest, list_others, list_overruled
from picrules.reports.cells import list_cells
from picrules.reports.doubts import FLAGS, count_flags, find_doubts, find_unseen
from picrules.reports.model_card import (
    describe_classes,
    describe_columns,
    describe_model,
    judge_by_leave_one_out,
    judge_on_table,
)
from picrules.reports.rule_list import RuleList, find_weakness
from picrules.rules.text import show

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.explain.explanation import Explanation
    from picrules.explain.explanations import Explanations

# Cells of cases in one report; columns that no rule speaks of are left out first.
MAX_CELLS = 400_000
# Classes that an error names.
_CLASSES_NAMED = 10


@dataclass(frozen=True, slots=True)
class Truth:
    """The true classes of a table.

    Attributes
    ----------
    labels : int64 array of shape (n_rows,)
        Positions among the classes of the model, and then those of `unknown`.
    unknown : list
        Classes that training never saw.
    """

    labels: NDArray[np.int64]
    unknown: list[Any]


@dataclass(frozen=True, slots=True)
class Answered:
    """A table and what the model says about it.

    Attributes
    ----------
    clf : estimator
        The fitted estimator.
    columns : list of Column
        The columns of the table.
    explanations : Explanations
        One a row.
    distinct : list of Explanation
        One for each different rule.
    places : int64 array of shape (n_rows,)
        Which of them each row has.
    truth : Truth or None
        The true classes, where they are known.
    """

    clf: Any
    columns: list[Column]
    explanations: Explanations
    distinct: list[Explanation]
    places: NDArray[np.int64]
    truth: Truth | None


def answer(clf: Any, X: Any, y: Any) -> Answered:
    """Ask a model about a table."""
    explanations = clf.explain(X)
    truth = None if y is None else read_truth(clf, y, len(explanations))
    distinct, places = explanations.distinct()
    columns = read_columns(check_table(X))
    return Answered(clf, columns, explanations, distinct, places, truth)


def read_truth(clf: Any, y: Any, n_rows: int) -> Truth:
    """Read the true classes; some may be unknown to the model."""
    names, labels = encode_target(y, n_rows)
    known = clf.classes_.tolist()
    label_of = {name: label for label, name in enumerate(known)}
    unknown = [name for name in names.tolist() if name not in label_of]
    if len(unknown) == len(names):
        # Most likely other spellings: an accuracy of 0% would blame the model.
        raise BadTarget(
            f"y holds the classes {_name(unknown)}, none of which the model knows; "
            f"its classes are {_name(known)}"
        )
    for name in unknown:
        label_of[name] = len(label_of)
    return Truth(np.array([label_of[name] for name in names.tolist()])[labels], unknown)


def _name(classes: list[Any]) -> str:
    shown = ", ".join(map(show, classes[:_CLASSES_NAMED]))
    return shown if len(classes) <= _CLASSES_NAMED else f"{shown}, ..."


def collect(answered: Answered, max_cases: int, first_row: int) -> dict[str, Any]:
    """Return everything that a report shows.

    Parameters
    ----------
    answered : Answered
        A table and what the model says about it.
    max_cases : int
        The most rows that are listed.
    first_row : int
        The number of the first row.

    Returns
    -------
    dict
        Plain values, as docs/report.md describes them.
    """
    clf, truth = answered.clf, answered.truth
    unknown = [] if truth is None else truth.unknown
    classes = describe_classes(clf, unknown)
    names = [feature.name for feature in clf.schema_.features]
    listed = RuleList(clf.classes_.tolist(), names, len(answered.places))
    numbers = _list_rules_in_use(answered, listed)
    flags, unseen = _find_doubts(answered)
    rows = choose_rows(flags > 0, max_cases)
    cases = _list_cases(answered, rows, flags, numbers, listed)
    columns = describe_columns(clf, answered.columns)
    return {
        "first_row": first_row,
        "rows": len(answered.places),
        "model": describe_model(clf),
        "classes": classes,
        "columns": columns,
        "performance": _judge(answered, len(classes)),
        "conditions": listed.conditions,
        "rules": listed.rules,
        "mean_length": float(_lengths(answered).mean()),
        "flags": list(FLAGS),
        "warnings": {
            "rows": count_flags(flags),
            "unseen": unseen,
            "unknown_class": _count_unknown(answered),
        },
        "cases": {**cases, "cells": _list_cells(answered, rows, listed)},
    }


def _list_rules_in_use(answered: Answered, listed: RuleList) -> NDArray[np.int64]:
    """List the rules of the table, the most used first, and return each place's number."""
    for use in summarize(answered.explanations).uses:
        listed.add(use.explanation, use.n_rows)
    return np.array([listed.add(explanation) for explanation in answered.distinct], np.int64)


def _lengths(answered: Answered) -> NDArray[np.int64]:
    lengths = [explanation.rule.length for explanation in answered.distinct]
    return np.array(lengths, np.int64)[answered.places]


def _find_doubts(answered: Answered) -> tuple[NDArray[np.int64], list[dict[str, Any]]]:
    explanations, truth = answered.explanations, answered.truth
    is_unseen, unseen = find_unseen(answered.clf.schema_, answered.columns)
    is_wrong = np.zeros(len(is_unseen), np.bool_)
    if truth is not None:
        is_wrong = truth.labels != explanations.labels
    is_weak = np.array([bool(find_weakness(one)) for one in answered.distinct])[answered.places]
    is_bare = _lengths(answered) == 0
    return find_doubts((is_wrong, is_weak, is_bare, is_unseen, explanations.is_overruled)), unseen


def _count_unknown(answered: Answered) -> int:
    """Count the rows whose class training never saw."""
    if answered.truth is None:
        return 0
    return int((answered.truth.labels >= len(answered.clf.classes_)).sum())


def _judge(answered: Answered, n_classes: int) -> list[dict[str, Any]]:
    truth = answered.truth
    judged = [judge_by_leave_one_out(answered.clf, n_classes)]
    if truth is not None:
        judged.append(judge_on_table(answered.explanations, truth.labels, n_classes))
    return [entry for entry in judged if entry is not None]


def _list_cases(
    answered: Answered,
    rows: NDArray[np.int64],
    flags: NDArray[np.int64],
    numbers: NDArray[np.int64],
    listed: RuleList,
) -> dict[str, Any]:
    explanations, truth = answered.explanations, answered.truth
    return {
        "row": rows.tolist(),
        "rule": numbers[answered.places[rows]].tolist(),
        "class": None if truth is None else truth.labels[rows].tolist(),
        "confidence": [round(one, 4) for one in explanations.confidences[rows].tolist()],
        "flags": flags[rows].tolist(),
        "contrast": list_others(explanations, rows, listed),
        "overruled": list_overruled(explanations, rows),
        "nearest": list_nearest(explanations, rows, answered.distinct, answered.places),
    }


def _list_cells(
    answered: Answered, rows: NDArray[np.int64], listed: RuleList
) -> list[dict[str, Any] | None]:
    """Return the cells of the cases; None for columns that would make the report too large."""
    used = dict.fromkeys(condition["column"] for condition in listed.conditions)
    order = [*used, *(place for place in range(len(answered.columns)) if place not in used)]
    kept = set(order[: max(MAX_CELLS // len(rows), 1)])
    return [
        list_cells(column, rows) if place in kept else None
        for place, column in enumerate(answered.columns)
    ]
