"""Does `engine="auto"` pick the faster engine, over a grid of shapes?"""

from __future__ import annotations

import sys
import threading
import time
from itertools import product

import numpy as np

from benchmarks.data import coded_table
from benchmarks.measure import Figure, at_least
from picrules.engines.base import Search
from picrules.engines.bitmap import BitmapEngine
from picrules.engines.plan import ENGINES, make_engine, make_plan
from picrules.kernels.threads import Watch

N_ROWS = (100, 1_000, 10_000, 100_000, 1_000_000)
N_FEATURES = (4, 12, 40, 200, 1_500)
N_CODES = (2, 5, 20)
LENGTHS = (1, 2, 3, 5)
N_QUERIES = (1, 100, 10_000)

# Shapes that the plan thinks take longer with the better engine are left out, in seconds.
TOO_LONG = 0.5
# An engine is stopped when it takes this many times as long as the other, and then has lost.
PATIENCE = 4.0


def run() -> list[Figure]:
    """Time both engines on every shape that ends soon enough."""
    lines = []
    shapes = list(product(N_ROWS, N_FEATURES, N_CODES, N_QUERIES))
    for n_rows, n_features, n_codes, n_queries in shapes:
        if n_rows * n_features > 2e7:
            continue
        table, queries = coded_table(n_rows, n_features, n_codes, n_queries)
        engines = {name: make_engine(name, table) for name in ENGINES}
        for length, is_greedy in product(LENGTHS, (False,)):
            if length > n_features:
                continue
            search = Search(0.9, length, is_greedy)
            plan = make_plan(table, search, n_queries, memory_limit=8e9)
            if min(plan.seconds.values()) > TOO_LONG:
                continue
            taken = _race(engines, queries, search, plan)
            lines.append((n_rows, n_features, n_codes, length, n_queries, plan, taken))
            _print(lines[-1])
    ratios = [taken[plan.engine] / min(taken.values()) for *_, plan, taken in lines]
    good = sum(ratio <= 1.5 for ratio in ratios) / len(ratios)
    return [
        Figure("shapes measured", len(ratios), ""),
        at_least("share of shapes where auto is within 1.5x of the better engine", good, "", 0.9),
        Figure("largest loss of auto", max(ratios), "x (stopped at about 4)"),
    ]


def _race(engines, queries, search, plan) -> dict[str, float]:
    """Time the engine that should win, then the other with limited patience; best of two."""
    order = sorted(ENGINES, key=lambda name: plan.seconds[name])
    taken: dict[str, float] = {}
    for name in order:
        limit = PATIENCE * min(taken.values()) + 0.02 if taken else 10.0
        first = _timed(engines[name], queries, search, limit)
        again = _timed(engines[name], queries, search, limit) if first < 1 else first
        taken[name] = min(first, again)
    return taken


def _timed(engine, queries, search, limit: float) -> float:
    if isinstance(
        engine, BitmapEngine
    ):  # what was kept for an earlier shape is no part of the plan
        engine._pairs = np.empty((len(engine._pairs), 0), np.int32)
    watch = Watch()
    alarm = threading.Timer(limit, watch.stop)
    alarm.start()
    start = time.perf_counter()
    engine.best_rules(queries, search, 1, watch)
    alarm.cancel()
    return time.perf_counter() - start


def _print(line) -> None:
    *shape, plan, taken = line
    seconds = {name: f"{taken[name]:.4f} ({plan.seconds[name]:.4f})" for name in taken}
    mark = "" if taken[plan.engine] <= 1.5 * min(taken.values()) else "  <-- wrong"
    print(*shape, plan.engine, seconds, mark, file=sys.stderr, flush=True)
