"""Run the study: all fits that are not in the store yet."""

from __future__ import annotations

import os
import random
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.datasets import NAMES
from experiments.fit import Outcome, Task, folds_of, run_fit
from experiments.methods import GROUPS, METHODS
from experiments.progress import FitBar
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
        store.take_over(study.store.with_name("fits.csv"))
        missing = tasks if study.again else store.missing(tasks, study.limit)
        bar = FitBar(len(tasks), len(tasks) - len(missing)) if study.is_shown else nullcontext()
        with bar as shown:
            for task, answer in do_all(run_fit, missing, study.n_workers, study.limit):
                outcome = to_outcome(answer)
                store.write(task, outcome, study.limit)
                done.append(task)
                if shown is not None:
                    shown.tick(task, outcome)
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
