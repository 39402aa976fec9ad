"""A bar on stderr with the time left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from experiments.fit import Outcome, Task

PERIOD = 600  # seconds over which the speed is averaged: fits take from milliseconds to minutes


class FitBar:
    """Counts fits; those that came to nothing are named above the bar, once a method and table."""

    def __init__(self, n_all: int, n_before: int) -> None:
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            speed_estimate_period=PERIOD,
        )
        self.bar = self.progress.add_task("fits", total=n_all, completed=n_before)
        self.named: set[tuple[str, str]] = set()

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def tick(self, task: Task, outcome: Outcome) -> None:
        """Count a fit."""
        where = (task.dataset, task.method)
        if outcome.status != "done" and where not in self.named:
            self.named.add(where)
            text = f"{task.method} on {task.dataset}: {outcome.status}: {outcome.note}"
            self.progress.console.print(text, markup=False, highlight=False)
        self.progress.advance(self.bar)
