"""What the table engine takes: seconds, and the sizes of what it needs."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import numpy as np

from picrules.encoding.conditions import ENDLESS, sums_of_products
from picrules.engines.subsets import largest_product, n_subsets_of
from picrules.kernels.boxes import FEW_BOXES, Sets

if TYPE_CHECKING:
    from picrules.engines.base import Task

# Nanoseconds of the steps that searches consist of, fitted to `benchmarks/planner.py`.
CALL = 1e5  # begin a search
SUBSET = 300.0  # begin with a set of features
ROW = 0.6  # count a training row in a table
SORT = 8.0  # number an occupied cell, times the binary logarithm of the rows
CELL = 2.0  # score one class of a cell
ASKED = 1.2  # look a row up
BOX_SUBSET = 2200.0  # begin with a set of features whose boxes are scored
BOX = 8.0  # add up a box and test it, for each class
BOX_SCORE = 16.0  # score it for one class by one setting, and pass it down
BOX_ASKED = 3.0  # look a row up, for each class and setting


def max_cells(n_pairs: int) -> int:
    """Return the largest number of cells that is worth numbering one by one."""
    return 4 * n_pairs + 2**14


def kept_score_bytes(task: Task) -> int:
    """Return the memory that the best scores of all cells take."""
    n_cells = sum(sums_of_products(task.sets.n_codes.tolist(), task.max_length, ENDLESS)[1:])
    return int(n_cells) * task.training.n_classes * 8


def cell_seconds(task: Task) -> float:
    """Every set of features counts all rows, scores its table and looks up all that ask."""
    training, n_slots = task.training, (task.sets.n_codes + 1).tolist()
    limit, n_pairs = max_cells(training.n_walked), training.n_walked
    total = CALL
    prefixes = 1.0
    for length, n_subsets in subsets_by_length(task):
        cells = sums_of_products(n_slots, length, ENDLESS)[length] / n_subsets
        scored = min(cells, float(limit), task.n_asked) * training.n_classes
        row = ROW
        if largest_product(n_slots, length) > limit:
            row += SORT * log2(n_pairs + 1)
        total += prefixes * length * (n_pairs + task.n_asked) + n_subsets * (
            SUBSET + n_pairs * row + scored * CELL + task.n_asked * ASKED
        )
        prefixes = float(n_subsets)
    return total * 1e-9


def box_seconds(task: Task) -> float:
    """Every set of features counts all rows, scores its boxes and looks up all that ask."""
    n_classes, n_scores = task.training.n_classes, task.n_omissions * task.n_settings
    n_boxes = sums_of_products(np.diff(task.sets.first).tolist(), task.max_length, ENDLESS)
    total = 2 * CALL
    for length, n_subsets in subsets_by_length(task):
        total += n_subsets * (BOX_SUBSET + task.training.n_walked * ROW + task.n_asked * ASKED)
        total += n_boxes[length] * n_classes * (BOX + n_scores * BOX_SCORE)
        total += n_subsets * task.n_asked * n_classes * task.n_settings * BOX_ASKED
    return total * 1e-9


def subsets_by_length(task: Task) -> list[tuple[int, int]]:
    """Return how many sets of features there are of each length that a search usually reaches."""
    # Past a length of ten, or that many sets, no estimate matters and the numbers stay floats.
    lengths = range(1, min(task.search.usual_length, task.max_length, 10) + 1)
    return [(length, n_subsets_of(task.training.n_features, length)) for length in lengths]


def buffer_sizes(sets: Sets, length: int, n_classes: int, n_omissions: int) -> list[int]:
    """Return the sizes of the parts of `Buffers`: counts, boxes, and four of scores per setting."""
    n_conditions, n_codes = np.diff(sets.first).tolist(), sets.n_codes.tolist()
    n_boxes = largest_product(n_conditions, length)
    slab = max(largest_product(n_conditions, max(1, length - 1)), min(n_boxes, FEW_BOXES))
    n_cells = largest_product(n_codes, length)
    most = max((many / few for many, few in zip(n_conditions, n_codes, strict=True)), default=1)
    # On the way some axes are conditions already and others still slots: codes and missing.
    widths = np.maximum(n_conditions, sets.n_codes + 1).tolist()
    counts = largest_product(widths, length) * n_classes
    return [counts, n_boxes, slab, slab, int(most * n_cells) + 1, n_cells * n_omissions]


def count_seconds(task: Task) -> float:
    """Every set of features counts all rows once."""
    n_subsets = sum(count for _, count in subsets_by_length(task))
    return n_subsets * (SUBSET + task.training.n_walked * ROW) * 1e-9
