"""Which engine to use, and why: each engine estimates itself, the plan compares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.bitmap import BitmapEngine
from picrules.engines.memory import free_memory
from picrules.engines.table import TableEngine
from picrules.errors import NotEnoughMemory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from picrules.engines.base import Engine, Task

# All engines; where two take equally long, the first is used.
ENGINES: dict[str, type[Engine]] = {engine.name: engine for engine in (TableEngine, BitmapEngine)}

# What the bitmap engine alone can do.
NEEDS_BITMAPS = "what bitmaps of the rows tell (top, trace, engine='bitmap')"

# Share of the free memory that a search may take when the user sets no limit.
MEMORY_SHARE = 0.5


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
    return free_memory() * MEMORY_SHARE


def make_plan(
    task: Task, engine: str = "auto", memory_limit: float | None = None, names: Sequence[str] = ()
) -> Plan:
    """Choose the fastest engine among those that fit into memory, or the one that was asked for.

    The names of the features are for the message where none fits.
    """
    limit = default_memory_limit() if memory_limit is None else memory_limit
    needed = {name: each.bytes_needed(task) for name, each in ENGINES.items()}
    seconds = {name: each.seconds(task) for name, each in ENGINES.items()}
    wanted = list(ENGINES) if engine == "auto" else [engine]
    counts = task.training.counts
    if counts is not None:
        if task.max_length > counts.max_length:
            task.training.need_rows(f"rules of more than {counts.max_length} conditions")
        if engine == BitmapEngine.name:
            task.training.need_rows(NEEDS_BITMAPS)
        wanted = [TableEngine.name]
    fitting = [name for name in wanted if needed[name] <= limit]
    if not fitting:
        needs = " and ".join(f"the {name} engine needs {readable(needed[name])}" for name in wanted)
        raise NotEnoughMemory(
            f"{needs}, and memory_limit allows {readable(limit)}; "
            f"{_tell_how_to_shrink(task, names)}, or raise memory_limit"
        )
    chosen = min(fitting, key=lambda name: seconds[name])
    is_asked_for = engine != "auto"
    if is_asked_for:
        reason = "as asked"
    elif counts is not None:
        reason = "counts are kept in place of the rows"
    else:
        reason = _reason(chosen, fitting, seconds, needed, task.n_asked)
    return Plan(chosen, reason, seconds, needed)


def _reason(
    chosen: str,
    fitting: list[str],
    seconds: dict[str, float],
    needed: dict[str, int],
    n_asked: int,
) -> str:
    others = [name for name in ENGINES if name != chosen]
    rows = "row" if n_asked == 1 else "rows"
    told = [
        f"the {other} engine about {_short(seconds[other])}"
        if other in fitting
        else f"the {other} engine would take {readable(needed[other])} of memory"
        for other in others
    ]
    if not set(others) & set(fitting):
        return ", ".join(told)
    return ", ".join([f"about {_short(seconds[chosen])} for {n_asked} {rows}", *told])


def _tell_how_to_shrink(task: Task, names: Sequence[str]) -> str:
    n_conditions = np.diff(task.sets.first)
    widest = int(n_conditions.argmax())
    name = repr(names[widest]) if len(names) else widest
    return (
        f"lower max_length (now {task.search.max_length}), lower bins or cuts, or leave out "
        f"columns with many values (column {name} has {n_conditions[widest]} conditions)"
    )


def readable(n_bytes: float) -> str:
    """Write a number of bytes in the unit that suits it."""
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
