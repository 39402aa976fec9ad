"""Does `engine="auto"` pick the faster engine, over a grid of shapes?

`python -m benchmarks.planner single` measures only conditions of single codes (PIC and fPIC), and
`python -m benchmarks.planner by_class` only thresholds and a rule for each class, as
`PersonalRuleClassifier` searches; nothing is written then. One line per shape goes to stderr: the
shape, the engine that auto picks, and for each engine the measured and, in brackets, the planned
seconds; `>` stands before the time of an engine that was stopped. The constants in
`engines/table_costs.py` and `engines/bitmap.py` are fitted to these lines.
"""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.data import coded_table, threshold_sets
from benchmarks.measure import Figure, at_least
from picrules.engines.base import Question, Search, Task
from picrules.engines.bitmap import BitmapEngine
from picrules.engines.plan import ENGINES, make_plan
from picrules.engines.threads import Watch
from picrules.model.searcher import LONG
from picrules.scoring.settings import Setting, make_scorer
from tests.tables import ask, paper_search, single_sets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from picrules.engines.plan import Plan

# Conditions of single codes.
N_ROWS = (100, 1_000, 10_000, 100_000, 1_000_000)
N_FEATURES = (4, 12, 40, 200, 1_500)
N_CODES = (2, 5, 20)
LENGTHS = (1, 2, 3, 5)
N_QUERIES = (1, 100, 10_000)

# Thresholds, and a rule for each class.
BY_CLASS_ROWS = (200, 2_000, 20_000)
BY_CLASS_FEATURES = (5, 20, 80, 300)
BY_CLASS_PARTS = (4, 8)
BY_CLASS_CLASSES = (2, 5)
BY_CLASS_LENGTHS = (1, 2, 3)
BY_CLASS_QUERIES = (1, 50, 2_000)
BY_CLASS_SETTING = Setting("evidence", 0.5, 10.0)
MIN_COVER = 3

# Shapes that the plan thinks take longer with the better engine are left out, in seconds.
TOO_LONG = 0.5
# An engine is stopped when it takes this many times as long as the other, and then has lost.
PATIENCE = 4.0
# The engine that should win is stopped after this many seconds.
FIRST_PATIENCE = 10.0

MEMORY_LIMIT = 8e9


@dataclass
class Line:
    """One shape: what was planned for it, and the seconds that each engine took."""

    shape: str
    plan: Plan
    taken: dict[str, float]
    stopped: set[str]  # engines that would have taken longer

    @property
    def loss(self) -> float:
        """How many times as long as the better engine the chosen one took."""
        return self.taken[self.plan.engine] / min(self.taken.values())

    @property
    def ratio(self) -> float:
        """The measured over the planned time of the chosen engine."""
        return self.taken[self.plan.engine] / self.plan.seconds[self.plan.engine]


def run(parts: tuple[str, ...] = ("single", "by_class")) -> list[Figure]:
    """Time both engines on every shape that ends soon enough."""
    _warm_up()
    figures = []
    if "single" in parts:
        figures += _figures("", list(_single()))
    if "by_class" in parts:
        figures += _figures("thresholds, by class: ", list(_by_class()))
    return figures


def _figures(what: str, lines: list[Line]) -> list[Figure]:
    losses, ratios = [line.loss for line in lines], [line.ratio for line in lines]
    good = sum(loss <= 1.5 for loss in losses) / len(losses)
    factors = np.exp(np.abs(np.log(ratios)))
    far = float(np.quantile(factors, 0.9))
    return [
        Figure(f"{what}shapes measured", len(lines), ""),
        at_least(
            f"{what}share of shapes where auto is within 1.5x of the better engine", good, "", 0.9
        ),
        Figure(f"{what}largest loss of auto", max(losses), "x (stopped at about 4)"),
        Figure(f"{what}measured over planned time, median", float(np.median(ratios)), "x"),
        Figure(f"{what}planned and measured differ by, median", float(np.median(factors)), "x"),
        Figure(f"{what}planned and measured differ by, 90th percentile", far, "x"),
    ]


def _single() -> Iterator[Line]:
    for n_rows, n_features, n_codes, n_queries in product(N_ROWS, N_FEATURES, N_CODES, N_QUERIES):
        if n_rows * n_features > 2e7:
            continue
        training, queries = coded_table(n_rows, n_features, n_codes, n_queries)
        sets = single_sets(np.full(n_features, n_codes))
        searches = [paper_search(0.9, length, is_greedy=False) for length in LENGTHS]
        names = f"{n_rows} rows, {n_features} features, {n_codes} codes, {n_queries} asked"
        yield from _lines(names, training, sets, queries, searches)


def _by_class() -> Iterator[Line]:
    shapes = product(
        BY_CLASS_ROWS, BY_CLASS_FEATURES, BY_CLASS_PARTS, BY_CLASS_CLASSES, BY_CLASS_QUERIES
    )
    for n_rows, n_features, n_parts, n_classes, n_queries in shapes:
        training, queries = coded_table(n_rows, n_features, n_parts, n_queries, n_classes)
        sets = threshold_sets(n_features, n_parts)
        searches = [
            Search(BY_CLASS_SETTING, length, is_by_class=True) for length in BY_CLASS_LENGTHS
        ]
        names = (
            f"{n_rows} rows, {n_features} features, {n_parts} parts, {n_classes} classes, "
            f"{n_queries} asked"
        )
        yield from _lines(names, training, sets, queries, searches)


def _lines(names, training, sets, queries, searches) -> Iterator[Line]:
    """Race the engines on one table, at every length that ends soon enough."""
    engines = {name: engine(training, sets, MEMORY_LIMIT) for name, engine in ENGINES.items()}
    for search in searches:
        if search.max_length > training.n_features:
            continue
        task = Task(training, sets, search, queries.shape[1])
        plan = make_plan(task, memory_limit=MEMORY_LIMIT)
        if min(plan.seconds.values()) > TOO_LONG:
            continue
        shape = f"{names}, length {search.max_length}"
        line = Line(shape, plan, *_race(engines, queries, search, plan))
        _print(line)
        yield line


def _race(engines, queries, search, plan) -> tuple[dict[str, float], set[str]]:
    """Time the engine that should win, then the other with limited patience; best of two."""
    order = sorted(ENGINES, key=lambda name: plan.seconds[name])
    taken: dict[str, float] = {}
    stopped = set()
    for name in order:
        limit = PATIENCE * min(taken.values()) + 0.02 if taken else FIRST_PATIENCE
        # Short searches have no watch, which takes as long as they do; so it is in `predict`.
        limit = limit if plan.seconds[name] > LONG else None
        times = [_timed(engines[name], queries, search, limit)]
        if times[0][0] < 1:
            times.append(_timed(engines[name], queries, search, limit))
        taken[name], is_stopped = min(times, key=lambda each: (each[1], each[0]))
        if is_stopped:
            stopped.add(name)
    return taken, stopped


def _timed(engine: Any, queries, search, limit: float | None) -> tuple[float, bool]:
    """The seconds that a search took, and whether it was stopped at the limit, if there is one."""
    if isinstance(engine, BitmapEngine):
        # What was kept for an earlier shape is no part of the plan.
        engine._pairs = np.empty((len(engine._pairs), 0), np.int32)
    sizes = engine.training.class_sizes
    min_cover = MIN_COVER if search.is_by_class else 1
    scorer = make_scorer(
        [search.setting], sizes, np.ones(len(sizes)), min_cover, is_leaving_out=False
    )
    asked, watch = ask(queries), Watch()
    alarm = threading.Timer(limit or 0, watch.stop)
    if limit is not None:
        alarm.start()
    question = Question(asked, scorer, search, 1, None if limit is None else watch)
    start = time.perf_counter()
    engine.search(question)
    seconds = time.perf_counter() - start
    alarm.cancel()
    return seconds, bool(watch.is_stopped[0])


def _warm_up() -> None:
    """Compile, or load, what both engines call, also for tables of many rows."""
    by_class = Search(BY_CLASS_SETTING, 2, is_by_class=True)
    for n_rows, n_features in product((100, 70_000), (5, 20)):
        training, queries = coded_table(n_rows, n_features, 4, 100)
        for sets, search in (
            (single_sets(np.full(n_features, 4)), paper_search(0.9, 2, is_greedy=False)),
            (threshold_sets(n_features, 4), by_class),
        ):
            for engine in ENGINES.values():
                _timed(engine(training, sets, MEMORY_LIMIT), queries, search, None)


def _print(line: Line) -> None:
    seconds = [
        f"{name} {'>' * (name in line.stopped)}{line.taken[name]:.6f} "
        f"({line.plan.seconds[name]:.6f})"
        for name in sorted(ENGINES)
    ]
    mark = "" if line.loss <= 1.5 else "  <-- wrong"
    print(f"{line.shape}: {line.plan.engine}; {'; '.join(seconds)}{mark}", file=sys.stderr)
    sys.stderr.flush()


if __name__ == "__main__":
    chosen = tuple(sys.argv[1:]) or ("single", "by_class")
    if set(chosen) - {"single", "by_class"}:
        sys.exit(__doc__)
    for figure in run(chosen):
        print(f"{figure.what}: {figure.value:.4g} {figure.unit} {figure.target}")
