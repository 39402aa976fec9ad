"""Run the study: all fits that are not in the store yet."""

from __future__ import annotations

import os
import random
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from experiments.datasets import NAMES
from experiments.fit import Outcome, Task, folds_of, run_fit
from experiments.methods import GROUPS, METHODS
from experiments.store import Store
from experiments.workers import Crashed, Late, do_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DATASETS = (*NAMES, "gene")
STORE = Path(__file__).parent / "results" / "fits.sqlite"
REPEATS = 5
ONCE = ("alpha", "length", "variants")  # groups for which one repetition tells enough
LIMIT, QUICK_LIMIT = 1800.0, 120.0
QUICK_GROUPS = ("ours", "paper", "more", "alpha", "length")


class UnknownName(LookupError):
    """A name after --only that is no data set, method or group."""


@dataclass(frozen=True)
class Study:
    """Which fits to run and how."""

    only: tuple[str, ...] = ()
    repeats: int = REPEATS
    limit: float = LIMIT
    n_workers: int = os.cpu_count() or 1
    store: Path = STORE
    again: bool = False
    is_shown: bool = True


def names_methods(only: Iterable[str]) -> bool:
    """Whether methods or groups are among the names."""
    return any(name in METHODS or name in GROUPS for name in only)


def plan(only: Iterable[str] = (), repeats: int = REPEATS) -> list[Task]:
    """The fits of a study; names of data sets, methods and groups narrow it down.

    The order is random but always the same, so that the time left is known early.
    """
    names = set(only)
    unknown = sorted(names - set(DATASETS) - set(METHODS) - set(GROUPS))
    if unknown:
        raise UnknownName(
            f"{unknown[0]!r} is no data set ({', '.join(DATASETS)}), method "
            f"({', '.join(METHODS)}) or group ({', '.join(GROUPS)})"
        )
    datasets = [name for name in DATASETS if name in names] or list(DATASETS)
    methods = [m for m in METHODS.values() if not names_methods(names) or {m.name, m.group} & names]
    tasks = [
        Task(dataset, method.name, repeat, fold)
        for dataset in datasets
        for method in methods
        if dataset != "gene" or method.group in ("ours", "paper", "more")
        for repeat in range(1 if method.group in ONCE else repeats)
        for fold in range(folds_of(dataset))
    ]
    random.Random(0).shuffle(tasks)
    return tasks


def run(
    study: Study, tasks: list[Task] | None = None, after_fit: Callable[[Task], None] | None = None
) -> list[Task]:
    """Run what is missing, store every result at once, and return what was run."""
    tasks = plan(study.only, study.repeats) if tasks is None else tasks
    study.store.parent.mkdir(parents=True, exist_ok=True)
    done = []
    with Store(study.store) as store:
        missing = tasks if study.again else store.missing(tasks, study.limit)
        with _bar(len(tasks), len(tasks) - len(missing), is_shown=study.is_shown) as tick:
            for task, answer in do_all(run_fit, missing, study.n_workers, study.limit):
                outcome = to_outcome(answer)
                store.write(task, outcome, study.limit)
                done.append(task)
                tick(task, outcome)
                if after_fit is not None:
                    after_fit(task)
    return done


def to_outcome(answer: Outcome | Late | Crashed) -> Outcome:
    """What to record of a fit, also where it never ended."""
    if isinstance(answer, Late):
        return Outcome("late", note=f"not done after {answer.limit:g} s")
    if isinstance(answer, Crashed):
        return Outcome("failed", note=f"its process ended with code {answer.exit_code}")
    return answer


def _bar(n_all: int, n_before: int, *, is_shown: bool) -> Any:
    if not is_shown:
        return nullcontext(lambda task, outcome: None)  # noqa: ARG005
    return _progress(n_all, n_before)


class _progress:  # noqa: N801  (used as a function)
    """A bar on stderr with the time left; fits that came to nothing are listed above it."""

    def __init__(self, n_all: int, n_before: int) -> None:
        self.progress = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(),
            console=Console(stderr=True), speed_estimate_period=600,
        )  # fmt: skip
        self.bar = self.progress.add_task("fits", total=n_all, completed=n_before)
        self.reported: set[tuple[str, str]] = set()

    def __enter__(self) -> Callable[[Task, Outcome], None]:
        self.progress.start()
        return self._tick

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def _tick(self, task: Task, outcome: Outcome) -> None:
        where = (task.dataset, task.method)
        if outcome.status != "done" and where not in self.reported:
            self.reported.add(where)
            self.progress.console.print(
                f"{task.method} on {task.dataset}: {outcome.status}: {outcome.note}", markup=False
            )
        self.progress.advance(self.bar)
