"""Which engine to use for conditions that are sets of codes, and why."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.box_bitmap import BoxBitmap, box_bitmap_bytes
from picrules.engines.box_table import BoxTable, room_bytes
from picrules.engines.plan import Plan, choose

if TYPE_CHECKING:
    from picrules.engines.boxes import BoxEngine
    from picrules.kernels.boxes import Rows, Sets

# Nanoseconds of the steps that searches consist of.
TABLE_SUBSET = 2000.0  # begin with a set of features
TABLE_ROW = 2.0  # count a training row
TABLE_SCORE = 6.0  # score a box for one class by one setting, and pass it down
TABLE_QUERY = 3.0  # look up a row, for one class and setting
BITMAP_RULE = 40.0  # begin with a rule, for each class
BITMAP_WORD = 0.3  # AND and count a word

# rows, classes, rows that ask, settings times ways to leave a row out
Shape = tuple[int, int, int, int]


def make_box_engine(name: str, training: Rows, sets: Sets, n_classes: int) -> BoxEngine:
    """Build the engine with that name."""
    engine = BoxTable if name == "table" else BoxBitmap
    return engine(training, sets, n_classes)


def make_box_plan(
    sets: Sets, shape: Shape, max_length: int, engine: str, memory_limit: float
) -> Plan:
    """Choose the faster engine among those that fit into memory.

    Parameters
    ----------
    sets : Sets
        The conditions.
    shape : tuple of int
        How many training rows, classes, rows that ask, and settings times ways to leave a row
        out, there are.
    max_length : int
        The longest rules that are looked at.
    engine : str
        "auto", or the engine that must be used.
    memory_limit : float
        Bytes that an engine may take.

    Returns
    -------
    Plan
        The engine and the reason for it.
    """
    n_rows, n_classes, n_asked, n_settings = shape
    max_length = min(max_length, len(sets.n_codes))
    needed = {
        "table": 2 * room_bytes(sets, max_length, n_classes, n_settings),
        "bitmap": box_bitmap_bytes(sets, n_rows, n_classes),
    }
    seconds = {
        "table": table_seconds(sets, shape, max_length),
        "bitmap": _bitmap_seconds(sets, n_rows, n_asked, max_length) * n_settings * n_classes,
    }
    hint = f"lower max_length (now {max_length}), lower cuts, or leave out columns with many values"
    return choose(engine, needed, seconds, memory_limit, n_asked, hint)


def table_seconds(sets: Sets, shape: Shape, max_length: int) -> float:
    """Estimate the time of the table engine for all rules up to a length."""
    n_rows, n_classes, n_asked, n_settings = shape
    n_boxes = symmetric_sums(np.diff(sets.first).tolist(), max_length)
    total = 0.0
    for length in range(1, max_length + 1):
        n_subsets = min(comb(len(sets.n_codes), length), 2**62)
        total += n_subsets * (TABLE_SUBSET + n_rows * TABLE_ROW)
        total += (n_subsets * n_asked * TABLE_QUERY + n_boxes[length] * TABLE_SCORE) * (
            n_classes * n_settings
        )
    return total * 1e-9


def _bitmap_seconds(sets: Sets, n_rows: int, n_asked: int, max_length: int) -> float:
    """Estimate the time of the bitmap engine, for one class and setting."""
    # A code is in so many conditions of its feature, so a row satisfies so many of them.
    n_features = len(sets.n_codes)
    feature_of_code = np.repeat(np.arange(n_features), sets.n_codes)
    n_members = np.bincount(feature_of_code, np.diff(sets.first_member), n_features)
    satisfied = n_members / np.maximum(sets.n_codes, 1)
    n_rules = sum(symmetric_sums(satisfied.tolist(), max_length)[1:])
    a_rule = BITMAP_RULE + BITMAP_WORD * (n_rows / 64 + 1)
    return float(n_asked * n_rules * a_rule * 1e-9)


def symmetric_sums(counts: list[float], max_length: int) -> list[float]:
    """Return the sum of the products of 0, 1, ... different counts."""
    sums = [1.0] + [0.0] * max_length
    for count in counts:
        for length in range(max_length, 0, -1):
            sums[length] += sums[length - 1] * count
    return sums
