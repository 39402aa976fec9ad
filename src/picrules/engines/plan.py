"""Which engine to use, and why."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, log2
from typing import TYPE_CHECKING

import psutil

from picrules.engines.bitmap import BitmapEngine, bitmap_bytes, first_words
from picrules.engines.costs import COSTS, count_pairs_cost, cover_cost, pairs_pay
from picrules.engines.table import TableEngine, all_cells, largest_table, max_cells, table_bytes
from picrules.errors import NotEnoughMemory

if TYPE_CHECKING:
    from picrules.engines.base import Engine, Search, TrainingTable

ENGINES = ("table", "bitmap")

# Share of the free memory that a search may take when the user sets no limit.
MEMORY_SHARE = 0.5

# A greedy search seldom goes past this length, whatever it may do.
USUAL_GREEDY_LENGTH = 4


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
        Estimated time of each engine, with one thread.
    bytes : dict
        Estimated memory of each engine.
    """

    engine: str
    reason: str
    seconds: dict[str, float]
    bytes: dict[str, int]

    def __str__(self) -> str:
        return f"{self.engine} engine: {self.reason}"


def default_memory_limit() -> float:
    """Return how many bytes a search may take when the user sets no limit."""
    return psutil.virtual_memory().available * MEMORY_SHARE


def make_plan(
    table: TrainingTable,
    search: Search,
    n_queries: int,
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
    n_queries : int
        How many rows will be classified.
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
    seconds = {
        "table": _table_seconds(table, search, n_queries),
        "bitmap": _bitmap_seconds(table, search, n_queries),
    }
    limit = default_memory_limit() if memory_limit is None else memory_limit
    return choose(engine, needed, seconds, limit, n_queries, _memory_hint(table, search))


def choose(
    engine: str,
    needed: dict[str, int],
    seconds: dict[str, float],
    memory_limit: float,
    n_queries: int,
    hint: str,
) -> Plan:
    """Choose the faster engine among those that fit into memory, or the one that was asked for.

    Parameters
    ----------
    engine : str
        "auto", or the engine that must be used.
    needed : dict
        Estimated memory of each engine.
    seconds : dict
        Estimated time of each engine.
    memory_limit : float
        Bytes that an engine may take.
    n_queries : int
        How many rows will be classified.
    hint : str
        What the user can do when no engine fits.

    Returns
    -------
    Plan
        The engine and the reason for it.
    """
    wanted = list(ENGINES) if engine == "auto" else [engine]
    fitting = [name for name in wanted if needed[name] <= memory_limit]
    if not fitting:
        needs = " and ".join(
            f"the {name} engine needs {_readable(needed[name])}" for name in wanted
        )
        raise NotEnoughMemory(
            f"{needs}, and memory_limit allows {_readable(memory_limit)}; {hint}, or raise "
            "memory_limit"
        )
    chosen = min(fitting, key=lambda name: seconds[name])
    reason = (
        "as asked" if engine != "auto" else _reason(chosen, fitting, seconds, needed, n_queries)
    )
    return Plan(chosen, reason, seconds, needed)


def make_engine(name: str, table: TrainingTable, memory_limit: float | None = None) -> Engine:
    """Build the engine with that name."""
    limit = default_memory_limit() if memory_limit is None else memory_limit
    if name == "bitmap":
        return BitmapEngine(table, kept_bytes=(limit - bitmap_bytes(table)) / 2)
    # Kept tables stand beside the one that is being counted and the state of the queries.
    return TableEngine(table, kept_bytes=(limit - table_bytes(table, 1, 1)) / 2)


def _reason(
    chosen: str,
    fitting: list[str],
    seconds: dict[str, float],
    needed: dict[str, int],
    n_queries: int,
) -> str:
    other = "bitmap" if chosen == "table" else "table"
    if other not in fitting:
        return f"the {other} engine would take {_readable(needed[other])} of memory"
    rows = "row" if n_queries == 1 else "rows"
    return (
        f"about {_short(seconds[chosen])} for {n_queries} {rows}, "
        f"the {other} engine about {_short(seconds[other])}"
    )


def keep_seconds(table: TrainingTable, search: Search) -> float:
    """Estimate how long it takes to count all tables, so that they can be kept."""
    n_subsets = sum(count for _, count in _subsets_by_length(table, search))
    return n_subsets * (COSTS.table_subset + table.n_rows * COSTS.table_row) * 1e-9


def _table_seconds(table: TrainingTable, search: Search, n_queries: int) -> float:
    """Every set of features counts all rows, scores its table and looks up all queries."""
    n_slots = table.n_codes + 1
    limit = max_cells(table.n_rows)
    total = COSTS.table_call
    prefixes = 1.0
    for length, n_subsets in _subsets_by_length(table, search):
        cells = min(all_cells(n_slots, length) / n_subsets, float(limit))
        scored = min(cells, n_queries) * table.n_classes
        row = COSTS.table_row
        if largest_table(n_slots, length) > limit:
            row += COSTS.table_sort * log2(table.n_rows + 1)
        total += prefixes * length * (table.n_rows + n_queries) + n_subsets * (
            COSTS.table_subset
            + table.n_rows * row
            + scored * COSTS.table_entry
            + n_queries * COSTS.table_query
        )
        prefixes = float(n_subsets)
    return total * 1e-9


def _bitmap_seconds(table: TrainingTable, search: Search, n_queries: int) -> float:
    """Every query counts the covers that pruning leaves, or reads those that all share."""
    n_words = int(first_words(table.class_sizes)[-1])
    cover = cover_cost(n_words, table.n_classes)
    shares = usual_length(search) > 1 and pairs_pay(
        table.n_codes, n_words, table.n_classes, n_queries
    )
    # The rows identical to a query are looked for until none is left.
    n_looked = min(table.n_features, 2 + log2(table.n_rows) / log2(_mean_codes(table) + 1))
    total = COSTS.bitmap_query + table.n_features * COSTS.bitmap_condition
    total += n_looked * 2 * COSTS.bitmap_word * n_words
    prefixes, n_seen = 1.0, 0
    for length, n_subsets in _subsets_by_length(table, search):
        n_seen += n_subsets
        if length > 1:  # single conditions were counted when the engine was made
            left = _share_left(table, length, n_seen)
            each = COSTS.pair_read * table.n_classes if shares and length == 2 else cover
            total += left * (n_subsets * each + prefixes * COSTS.bitmap_block)
        prefixes = float(n_subsets)
    pairs = count_pairs_cost(table.n_codes, n_words) if shares else 0.0
    return (n_queries * total + pairs) * 1e-9


def _share_left(table: TrainingTable, length: int, n_rules: int) -> float:
    """Guess the share of covers, one condition shorter, that can still hold a better rule.

    Among many rules the best is right for some number of rows by luck alone, which grows with
    the logarithm of their number; covers with fewer rows of a class than that are pruned.
    """
    by_luck = 0.3 * log2(2.0 * n_rules + 1)
    hits = table.n_rows / table.n_classes / _mean_codes(table) ** min(length - 1, 100)
    return 1 / (1 + (by_luck / max(hits, 1e-9)) ** 4)


def _mean_codes(table: TrainingTable) -> float:
    return max(1.0, float(table.n_codes.mean()))


def usual_length(search: Search) -> int:
    """Return the length that a search usually reaches."""
    return min(search.max_length, USUAL_GREEDY_LENGTH) if search.is_greedy else search.max_length


def _subsets_by_length(table: TrainingTable, search: Search) -> list[tuple[int, int]]:
    # Past a length of ten, or so many sets, no estimate matters and the numbers stay floats.
    lengths = range(1, min(usual_length(search), 10) + 1)
    return [(length, min(comb(table.n_features, length), 2**62)) for length in lengths]


def _memory_hint(table: TrainingTable, search: Search) -> str:
    widest = int(table.n_codes.argmax())
    name = repr(table.names[widest]) if table.names else widest
    return (
        f"lower max_length (now {search.max_length}), lower bins or leave out columns with many "
        f"values (column {name} has {table.n_codes[widest]})"
    )


def _readable(n_bytes: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"


def _short(seconds: float) -> str:
    if seconds >= 3600:
        return "more than an hour"
    number, unit = (seconds * 1000, "ms") if seconds < 1 else (seconds, "s")
    return f"{number:.2g} {unit}" if number < 10 else f"{number:.0f} {unit}"
