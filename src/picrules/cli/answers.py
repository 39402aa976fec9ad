"""What a model says about rows, as columns and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from picrules.explain.explanation import Explanation

NUMBERS = ("length", "score", "precision", "recall", "cover_size")
COLUMNS = ("row", "prediction", "confidence", "rule", *NUMBERS)


def numbers_of(explanation: Explanation) -> dict[str, Any]:
    """Return the numbers of a rule."""
    return {
        "length": explanation.rule.length,
        "score": explanation.score,
        "precision": explanation.precision,
        "recall": explanation.recall,
        "cover_size": explanation.cover_size,
    }


def to_columns(clf: Any, X: Any, first_row: int) -> pa.Table:
    """Predict a chunk: class, confidence, rule as text and its numbers, one line a row.

    Parameters
    ----------
    clf : estimator
        The fitted model.
    X : Table or array
        The rows, aligned to the model.
    first_row : int
        The number of the first row.

    Returns
    -------
    Table
        One row for each row of X, in the same order.
    """
    explanations, places = clf.explain(X).distinct()
    rows = pa.array(np.arange(first_row, first_row + len(places)))
    confidence = pa.array(clf.predict_proba(X).max(axis=1))
    classes = pa.array(clf.classes_.tolist())
    kinds: dict[str, Any] = {"prediction": classes.type, "rule": pa.string()}
    columns = {
        "prediction": [explanation.prediction for explanation in explanations],
        "rule": [str(explanation.rule) for explanation in explanations],
        **{
            name: [numbers_of(explanation)[name] for explanation in explanations]
            for name in NUMBERS
        },
    }
    taken = {
        name: pa.array(values, kinds.get(name)).take(pa.array(places))
        for name, values in columns.items()
    }
    table = pa.table({"row": rows, "confidence": confidence, **taken})
    return table.select(list(COLUMNS))


def _overruled(explanation: Explanation) -> dict[str, Any] | None:
    """Return the rule that scores higher but lost by the class offset."""
    other = explanation.overruled
    if other is None:
        return None
    return {"rule": str(other.rule), "score": other.score, "offset": other.offset}


def to_content(
    explanation: Explanation, probabilities: Sequence[float], row: int, cells: dict[str, Any]
) -> dict[str, Any]:
    """Return all that is known about one prediction as JSON.

    Parameters
    ----------
    explanation : Explanation
        The prediction and its rule.
    probabilities : sequence of float
        The probability of each class.
    row : int
        The number of the row.
    cells : dict
        The row's cell for each feature.

    Returns
    -------
    dict
        Plain values.
    """
    return {
        "row": row,
        "prediction": explanation.prediction,
        "confidence": max(probabilities),
        "rule": str(explanation.rule),
        "conditions": [
            {"text": str(condition), "feature": condition.feature, "cell": cells[condition.feature]}
            for condition in explanation.rule.conditions
        ],
        **numbers_of(explanation),
        "overruled": _overruled(explanation),
        "classes": [
            {"class": name, "count": count, "probability": probability}
            for (name, count), probability in zip(
                explanation.class_counts.items(), probabilities, strict=True
            )
        ],
        "cells": cells,
    }
