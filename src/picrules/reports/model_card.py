"""What a model is and how good it is, as plain values."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.schema import CategoryFeature
from picrules.explain.performance import measure_performance
from picrules.reports.cells import is_missing
from picrules.rules.text import format_name, format_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.explain.explanations import Explanations


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


def judge_by_leave_one_out(clf: Any, n_classes: int) -> dict[str, Any] | None:
    """Judge a model on its training rows, each by what the others say; None where it cannot."""
    if not hasattr(clf, "leave_one_out") or clf.class_sizes_.sum() < 2:
        return None
    left_out = clf.leave_one_out()
    performance = measure_performance(
        left_out.cases.model.training.row_labels, left_out.labels, left_out.confidences, n_classes
    )
    return {"by": "leave-one-out", **performance.to_dict()}


def judge_on_table(
    explanations: Explanations, labels: NDArray[np.int64], n_classes: int
) -> dict[str, Any]:
    """Judge a model on the rows of a table, whose true classes are `labels`.

    `n_training_rows` of them cannot be told from training rows, and `is_training` says whether
    all of them are like that, in any order: that flatters.
    """
    performance = measure_performance(
        labels, explanations.labels, explanations.confidences, n_classes
    )
    training = explanations.cases.model.training
    known = _count_alike(training.row_codes, training.row_labels)
    n_shared = (known & _count_alike(explanations.cases.codes, labels)).total()
    return {
        "by": "this table",
        "is_training": n_shared == len(labels),
        "n_training_rows": n_shared,
        **performance.to_dict(),
    }


def _count_alike(codes: NDArray[np.int32], labels: NDArray[np.int64]) -> Counter[bytes]:
    """Count the rows that have the same codes and class."""
    rows = np.ascontiguousarray(np.vstack([codes, labels]).T, np.int32)
    return Counter(rows.view(f"V{rows.itemsize * rows.shape[1]}").reshape(-1).tolist())
