"""Which engine to use, and why."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

import psutil

from picrules.engines.bitmap import BitmapEngine, bitmap_bytes
from picrules.engines.table import TableEngine, largest_table, table_bytes
from picrules.errors import NotEnoughMemory

if TYPE_CHECKING:
    from picrules.engines.base import Engine, Search, TrainingTable

ENGINES: dict[str, type[Engine]] = {"table": TableEngine, "bitmap": BitmapEngine}

# Share of the free memory that a search may take when the user sets no limit.
MEMORY_SHARE = 0.5

# A greedy search seldom goes past this length, whatever it may do.
USUAL_GREEDY_LENGTH = 4

# Nanoseconds for one row or cell of a table, and for one AND and popcount of a word with the
# share of rules that pruning leaves.
TABLE_STEP = 2.0
BITMAP_STEP = 0.3
BITMAP_RULE = 20.0


@dataclass(frozen=True, slots=True)
class Plan:
    """The engine that was chosen, and the reason.

    Attributes
    ----------
    engine : str
        "table" or "bitmap".
    reason : str
        Why, in a sentence.
    seconds : dict
        Estimated time of each engine to classify as many rows as were trained on.
    bytes : dict
        Estimated memory of each engine.
    """

    engine: str
    reason: str
    seconds: dict[str, float]
    bytes: dict[str, int]

    def __str__(self) -> str:
        return f"{self.engine} engine: {self.reason}"


def make_plan(
    table: TrainingTable,
    search: Search,
    engine: str = "auto",
    memory_limit: float | None = None,
    n_threads: int = 1,
) -> Plan:
    """Choose the faster engine among those that fit into memory.

    Parameters
    ----------
    table : TrainingTable
        The training rows.
    search : Search
        Which rules will be looked at.
    engine : str
        "auto", or the engine that must be used.
    memory_limit : float or None
        Bytes that an engine may take; None for half of the memory that is free now.
    n_threads : int
        How many threads will share the work.

    Returns
    -------
    Plan
        The engine and the reason for it.
    """
    needed = {
        "table": table_bytes(table, search.max_length, n_threads),
        "bitmap": bitmap_bytes(table),
    }
    seconds = {"table": _table_seconds(table, search), "bitmap": _bitmap_seconds(table, search)}
    limit = (
        psutil.virtual_memory().available * MEMORY_SHARE if memory_limit is None else memory_limit
    )
    wanted = list(ENGINES) if engine == "auto" else [engine]
    fitting = [name for name in wanted if needed[name] <= limit]
    if not fitting:
        raise _not_enough_memory(table, search, {name: needed[name] for name in wanted}, limit)
    chosen = min(fitting, key=lambda name: seconds[name])
    return Plan(chosen, _reason(engine, chosen, fitting, seconds, needed), seconds, needed)


def make_engine(name: str, table: TrainingTable) -> Engine:
    """Build the engine with that name."""
    return ENGINES[name](table)


def _reason(
    asked: str,
    chosen: str,
    fitting: list[str],
    seconds: dict[str, float],
    needed: dict[str, int],
) -> str:
    if asked != "auto":
        return "as asked"
    other = "bitmap" if chosen == "table" else "table"
    if other not in fitting:
        return f"the {other} engine would take {_readable(needed[other])} of memory"
    return (
        f"about {seconds[chosen]:.2g} s for as many rows as were trained on, "
        f"the {other} engine about {seconds[other]:.2g} s"
    )


def _table_seconds(table: TrainingTable, search: Search) -> float:
    """Every set of features reads all rows, clears its table and looks up all queries."""
    steps = 0.0
    for length, n_subsets in _subsets_by_length(table, search):
        steps += n_subsets * (2 * table.n_rows + largest_table(table.n_codes, length) ** 0.9)
    return steps * TABLE_STEP * 1e-9


def _bitmap_seconds(table: TrainingTable, search: Search) -> float:
    """Every query looks at every set of features and reads all words of its rows."""
    n_words = table.n_rows / 64 + table.n_classes
    n_rules = sum(n_subsets for _, n_subsets in _subsets_by_length(table, search))
    return table.n_rows * n_rules * (BITMAP_RULE + n_words * BITMAP_STEP) * 1e-9


def _subsets_by_length(table: TrainingTable, search: Search) -> list[tuple[int, int]]:
    longest = search.max_length
    if search.is_greedy:
        longest = min(longest, USUAL_GREEDY_LENGTH)
    return [(length, comb(table.n_features, length)) for length in range(1, longest + 1)]


def _not_enough_memory(
    table: TrainingTable, search: Search, needed: dict[str, int], limit: float
) -> NotEnoughMemory:
    needs = " and ".join(f"the {name} engine needs {_readable(n)}" for name, n in needed.items())
    widest = int(table.n_codes.argmax())
    return NotEnoughMemory(
        f"{needs}, and memory_limit allows {_readable(limit)}; lower max_length "
        f"(now {search.max_length}), lower bins or leave out columns with many values (column "
        f"{widest} has {table.n_codes[widest]}), or raise memory_limit"
    )


def _readable(n_bytes: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} PB"
