"""The flags of rows: what a reader of a report should look at twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.reports.cells import is_missing, list_cells
from picrules.rules.text import format_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.reports.asked import Asked

# In `flags` of the cases, bit i stands for the i-th of these.
FLAGS = (
    "wrong prediction",
    "weak rule",
    "no rule",
    "value never seen in training",
    "class offset decided",
)
_VALUES_SHOWN = 5


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
    flags = np.zeros(asked.n_rows, np.int64)
    for bit, claim in enumerate(claims):
        flags |= claim.astype(np.int64) << bit
    return flags


def count_flags(flags: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Return how many rows have each flag."""
    return [{"flag": flag, "rows": int((flags >> bit & 1).sum())} for bit, flag in enumerate(FLAGS)]


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
            name, values = format_name(feature.name), _some_values(column, rows)
            found.append({"column": name, "rows": len(rows), "values": values})
    return is_any, found


def _some_values(column: Column, rows: NDArray[np.int64]) -> list[str]:
    cells = list_cells(column, rows)
    values = cells["texts"] if "texts" in cells else dict.fromkeys(map(str, cells["numbers"]))
    return list(values)[:_VALUES_SHOWN]
