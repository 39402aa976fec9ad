"""From codes to the best rule of each row: the engine that suits each call."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.engines.base import Search
from picrules.engines.plan import (
    default_memory_limit,
    keep_seconds,
    make_engine,
    make_plan,
    usual_length,
)
from picrules.engines.table import FEW, TableEngine
from picrules.kernels.best import Best, start_best
from picrules.kernels.compiling import tell_compiling
from picrules.kernels.threads import Watch
from picrules.scoring.measures import score

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from picrules.engines.base import Engine, TrainingTable
    from picrules.engines.plan import Plan

# From this estimate on, in seconds, a search can be interrupted and its progress shown.
LONG = 0.2

# Rows that are answered at once, however much memory there is.
MAX_CHUNK = 2**31

# A greedy search that goes past its usual length usually ends after so many more conditions.
FURTHER = 2

# Tables that are counted in less than this, in seconds, are kept at the first call.
SOON = 0.05


@dataclass
class Searcher:
    """The training rows, what to look for in them, and the engines that were needed so far.

    Attributes
    ----------
    table : TrainingTable
        The training rows.
    search : Search
        Which rules are looked at.
    engine : str
        "auto", or the engine that must be used.
    memory_limit : float
        Bytes that an engine may take.
    check_rows : callable or None
        Called once, before the training rows are first looked at: a model file that is used
        where it lies is checked then.
    is_reused : bool
        Whether more questions will follow; if not, nothing is kept for them.
    """

    table: TrainingTable
    search: Search
    engine: str = "auto"
    memory_limit: float = field(default_factory=default_memory_limit)
    check_rows: Callable[[], None] | None = None
    is_reused: bool = True

    def __post_init__(self) -> None:
        self._engines: dict[str, Engine] = {}
        self._spent = 0.0  # seconds that few rows at a time have taken so far
        self._lock = threading.Lock()

    def plan(self, n_queries: int, n_threads: int = 1) -> Plan:
        """Choose the engine for so many rows."""
        return make_plan(
            self.table, self.search, n_queries, self.engine, self.memory_limit, n_threads
        )

    def prepare(self, name: str) -> Engine:
        """Build an engine, or return it if it was built before."""
        with self._lock:
            self._check_rows_once()
            if name not in self._engines:
                self._engines[name] = make_engine(name, self.table, self.memory_limit)
            return self._engines[name]

    def best_rules(
        self,
        queries: NDArray[np.int32],
        n_threads: int,
        report: Callable[[float], None] | None = None,
    ) -> Best:
        """Find the best rule of each row; the empty rule where none covers it.

        Identical rows are answered once, and many rows in chunks that fit into memory.

        Parameters
        ----------
        queries : int32 array of shape (n_features, n_rows)
            Codes of the rows to classify; -1 is missing.
        n_threads : int
            How many threads share the work.
        report : callable or None
            Called with the share of the rows that was just done.

        Returns
        -------
        kernels.best.Best
            Arrays with one entry a row.
        """
        distinct, inverse = distinct_columns(queries, self.table.n_codes)
        n_distinct = distinct.shape[1]
        plan = self.plan(n_distinct, n_threads)
        engine = self._engine_for(plan, n_distinct)
        best = start_best(n_distinct, self.search.max_length, self.table.n_classes)
        step = self._chunk_size(n_threads)
        for start in range(0, n_distinct, step):
            chunk = np.ascontiguousarray(distinct[:, start : start + step])
            part = chunk.shape[1] / n_distinct
            watch = watch_if_long(plan, _scale(report, part))
            found = self._search(engine, chunk, n_threads, watch)
            for target, source in zip(best, found, strict=True):
                target[start : start + step] = source
        self._give_empty_rule(best)
        return best if inverse is None else Best(*(array[inverse] for array in best))

    def _search(
        self, engine: Engine, queries: NDArray[np.int32], n_threads: int, watch: Watch | None
    ) -> Best:
        """Search with an engine; greedy searches that go on for long may change to another.

        Tables of long rules take as long for one row as for all, so rows that are not done at
        the usual length are planned anew.
        """
        search, usual = self.search, usual_length(self.search)
        if self.engine == "table" or not isinstance(engine, TableEngine):
            usual = search.max_length
        with tell_compiling(*engine.kernels):
            found = engine.best_rules(queries, replace(search, max_length=usual), n_threads, watch)
        if usual == search.max_length:
            return found
        best = start_best(queries.shape[1], search.max_length, self.table.n_classes)
        _put(best, slice(None), found)
        rows = np.flatnonzero(found.lengths == usual)
        if rows.size:
            further = Search(search.alpha, min(usual + FURTHER, search.max_length), is_greedy=False)
            plan = make_plan(
                self.table, further, rows.size, self.engine, self.memory_limit, n_threads
            )
            engine = self.prepare(plan.engine)
            with tell_compiling(*engine.kernels):
                rest = np.ascontiguousarray(queries[:, rows])
                _put(best, rows, engine.best_rules(rest, search, n_threads, watch_if_long(plan)))
        return best

    def _engine_for(self, plan: Plan, n_queries: int) -> Engine:
        """Return the planned engine, or kept tables once they pay.

        Tables are kept when few rows at a time have taken as long, together, as it takes to
        count all tables: then no more than twice the least possible time was spent.
        """
        is_few = n_queries * FEW <= self.table.n_rows and self.is_reused
        if not is_few or self.engine == "bitmap" or plan.bytes["table"] > self.memory_limit:
            return self.prepare(plan.engine)
        with self._lock:
            self._spent += plan.seconds[plan.engine]
            pays = max(self._spent, SOON) >= keep_seconds(self.table, self.search)
        engine = self.prepare("table" if pays else plan.engine)
        if isinstance(engine, TableEngine) and pays:
            engine.keep(usual_length(self.search))
            if not engine.has_kept(usual_length(self.search)):
                return self.prepare(plan.engine)
        return engine

    def _chunk_size(self, n_threads: int) -> int:
        """Rows whose state takes at most a quarter of the memory limit, in all threads."""
        a_row = 28 + 4 * self.search.max_length + 8 * self.table.n_classes + 24
        n_rows = self.memory_limit / 4 / (a_row * (n_threads + 1))
        return max(1, int(min(n_rows, MAX_CHUNK)))

    def _give_empty_rule(self, best: Best) -> None:
        """Give the rows that no rule covers the rule without conditions."""
        rows = np.flatnonzero(best.lengths == 0)
        sizes = self.table.class_sizes
        label = self.table.class_order[0]
        best.labels[rows] = label
        best.counts[rows] = sizes
        best.scores[rows] = score(sizes[label], sizes.sum(), sizes[label], self.search.alpha)

    def _check_rows_once(self) -> None:
        if self.check_rows is not None:
            self.check_rows()
            self.check_rows = None

    def __getstate__(self) -> dict[str, Any]:
        self._check_rows_once()
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()


def distinct_columns(
    codes: NDArray[np.int32], n_codes: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
    """Return the distinct columns of a table of codes, and the place of each column among them.

    Parameters
    ----------
    codes : int32 array of shape (n_features, n_rows)
        Codes; -1 is missing.
    n_codes : int64 array of shape (n_features,)
        How many codes each feature has.

    Returns
    -------
    tuple
        The distinct columns, and their place for each column; None when all differ.
    """
    n_rows = codes.shape[1]
    if n_rows == 1:
        return codes, None
    keys = np.zeros(n_rows, np.int64)
    largest = 1
    for feature in range(codes.shape[0]):
        base = int(n_codes[feature]) + 1
        if largest > 2**62 // base:
            values, keys = np.unique(keys, return_inverse=True)
            largest = len(values)
            if largest == n_rows:
                return codes, None
        keys = keys * base + (codes[feature] + 1)
        largest *= base
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    if len(first) == n_rows:
        return codes, None
    return np.ascontiguousarray(codes[:, first]), inverse


def _put(best: Best, rows: Any, found: Best) -> None:
    """Write what was found for some rows, with rules that may be shorter."""
    width = found.features.shape[1]
    best.features[rows, :width] = found.features
    for target, source in zip(best, found, strict=True):
        if target is not best.features:
            target[rows] = source


def watch_if_long(plan: Plan, report: Callable[[float], None] | None = None) -> Watch | None:
    """Return a watch for a search that takes long, or whose progress is shown."""
    is_long = plan.seconds[plan.engine] > LONG or report is not None
    return Watch(report) if is_long else None


def _scale(report: Callable[[float], None] | None, part: float) -> Callable[[float], None] | None:
    if report is None:
        return None
    return lambda share: report(share * part)
