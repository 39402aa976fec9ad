"""What a reader of a report should look at twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.reports.cells import is_missing, list_cells
from picrules.rules.text import format_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.encoding.schema import Schema

# In `flags` of the cases, bit i stands for the i-th of these.
FLAGS = (
    "wrong prediction",
    "weak rule",
    "no rule",
    "value never seen in training",
    "class offset decided",
)
_VALUES_SHOWN = 5


def find_doubts(claims: tuple[NDArray[np.bool_], ...]) -> NDArray[np.int64]:
    """Write what is doubtful about each row as one number.

    Parameters
    ----------
    claims : tuple of bool arrays of shape (n_rows,)
        For each of `FLAGS`, whether a row has it.

    Returns
    -------
    int64 array of shape (n_rows,)
        The sum of 2 ** i for the i-th of `FLAGS`.
    """
    total = np.zeros(len(claims[0]), np.int64)
    for bit in range(len(FLAGS)):
        total += claims[bit].astype(np.int64) << bit
    return total


def count_flags(flags: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Return how many rows have each flag."""
    return [{"flag": flag, "rows": int((flags >> bit & 1).sum())} for bit, flag in enumerate(FLAGS)]


def find_unseen(
    schema: Schema, columns: list[Column]
) -> tuple[NDArray[np.bool_], list[dict[str, Any]]]:
    """Find the values that training never saw.

    Parameters
    ----------
    schema : Schema
        What training saw.
    columns : list of Column
        The columns of the table.

    Returns
    -------
    is_unseen : bool array of shape (n_rows,)
        Whether a row has such a value.
    unseen : list of dict
        For each column with such values: the `column`, how many `rows`, and some `values`.
    """
    found = []
    is_any = np.zeros(len(columns[0]), np.bool_)
    for feature, column in zip(schema.features, columns, strict=True):
        is_unseen = (feature.encode(column) < 0) & ~is_missing(column)
        rows = np.flatnonzero(is_unseen)
        if not len(rows):
            continue
        is_any |= is_unseen
        found.append(
            {
                "column": format_name(feature.name),
                "rows": len(rows),
                "values": _some_values(column, rows),
            }
        )
    return is_any, found


def _some_values(column: Column, rows: NDArray[np.int64]) -> list[str]:
    cells = list_cells(column, rows)
    values = cells["texts"] if "texts" in cells else dict.fromkeys(map(str, cells["numbers"]))
    return list(values)[:_VALUES_SHOWN]
