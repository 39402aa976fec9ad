"""What a model is and how good it is, as plain values."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.schema import CategoryFeature
from picrules.explain.performance import measure_performance
from picrules.reports.cases import is_missing
from picrules.rules.text import format_name, format_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.explain.explanations import Explanations
    from picrules.reports.asked import Asked


def describe_model(clf: Any) -> dict[str, Any]:
    """Return the settings of a fitted estimator as texts; `in_use` is None if none were tuned."""
    tuning = getattr(clf, "tuning_", None)
    return {
        "estimator": type(clf).__name__,
        "parameters": {name: str(value) for name, value in clf.get_params().items()},
        "in_use": None if tuning is None else _describe_choice(tuning),
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


def describe_columns(clf: Any, columns: list[Column]) -> list[dict[str, Any]]:
    """Return the kind of each column, its known values or cuts, and how many cells are missing."""
    described = []
    for feature, column in zip(clf.schema_.features, columns, strict=True):
        is_category = isinstance(feature, CategoryFeature)
        known = {"values": feature.n_codes} if is_category else {"cuts": len(feature.cuts)}
        entry = {"name": format_name(feature.name), "kind": str(feature.kind), **known}
        described.append({**entry, "missing": int(is_missing(column).sum())})
    return described


def describe_classes(clf: Any, unknown: list[Any]) -> list[dict[str, Any]]:
    """Return the classes with their training rows; those that training never saw are last."""
    known = zip(clf.classes_.tolist(), clf.class_sizes_.tolist(), strict=True)
    return [
        *({"name": format_value(name), "rows": size} for name, size in known),
        *({"name": format_value(name), "rows": 0} for name in unknown),
    ]


def judge(asked: Asked, n_classes: int) -> list[dict[str, Any]]:
    """Judge a model on its training rows by leave-one-out, and on the table if y was given.

    `n_training_rows` of the table cannot be told from training rows, and `is_training` says
    whether all of them are like that, in any order: that flatters.
    """
    judged = []
    if hasattr(asked.clf, "leave_one_out") and asked.clf.class_sizes_.sum() > 1:
        left_out = asked.clf.leave_one_out()
        labels = left_out.cases.model.training.row_labels
        judged.append({"by": "leave-one-out", **_measure(left_out, labels, n_classes)})
    if asked.truth is not None:
        cases = asked.explanations.cases
        known = _count_alike(cases.model.training.row_codes, cases.model.training.row_labels)
        n_shared = (known & _count_alike(cases.codes, asked.truth)).total()
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
