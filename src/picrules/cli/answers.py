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
    told = clf.explain(X)
    explanations, places = told.distinct()
    rows = pa.array(np.arange(first_row, first_row + len(places)))
    confidence = pa.array(told.confidences)
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
    content = explanation.to_dict()
    conditions = [{**one, "cell": cells[one["feature"]]} for one in content["conditions"]]
    classes = [
        {**one, "probability": probability}
        for one, probability in zip(content["classes"], probabilities, strict=True)
    ]
    known = {"confidence": max(probabilities), "conditions": conditions, "classes": classes}
    return {"row": row, **content, **known, "cells": cells}
