"""What a model says about rows, as columns and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from picrules.explain.explanation import Explanation

# Of a rule, and so of all rows that it decides.
RULE_COLUMNS = ("prediction", "rule", "length", "score", "precision", "recall", "cover_size")
COLUMNS = ("row", "prediction", "confidence", *RULE_COLUMNS[1:])


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
    known = [explanation.to_row() for explanation in explanations]
    taken = {
        name: pa.array([one[name] for one in known], kinds.get(name)).take(pa.array(places))
        for name in RULE_COLUMNS
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
