"""From codes to the best rule of each row and class, when conditions are sets of codes."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.engines.box_plan import make_box_engine, make_box_plan
from picrules.engines.box_table import BoxTable, can_keep
from picrules.engines.boxes import BoxRules, Found
from picrules.engines.plan import default_memory_limit
from picrules.engines.searcher import distinct_columns, watch_if_long
from picrules.kernels.boxes import Rows
from picrules.kernels.compiling import tell_compiling
from picrules.scoring.settings import make_judge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from picrules.engines.boxes import BoxEngine
    from picrules.engines.plan import Plan
    from picrules.kernels.boxes import Sets
    from picrules.kernels.judge import Judge
    from picrules.scoring.settings import Setting

# Boxes that are scored in less than this, in seconds, are scored at the first prediction.
SOON = 0.5


@dataclass
class BoxSearcher:
    """The training rows, the conditions, and the engines that were needed so far.

    Attributes
    ----------
    training : Rows
        Codes of the features that have conditions, and classes.
    sets : Sets
        The conditions.
    class_sizes : int64 array of shape (n_classes,)
        Training rows of each class.
    class_weights : float64 array of shape (n_classes,)
        Weight of a row of each class.
    min_cover : int
        How many training rows a rule must cover.
    engine : str
        "auto", or the engine that must be used.
    memory_limit : float
        Bytes that an engine may take.
    check_rows : callable or None
        Called once, before the training rows are first looked at.
    is_reused : bool
        Whether more questions will follow; if not, nothing is kept for them.
    """

    training: Rows
    sets: Sets
    class_sizes: NDArray[np.int64]
    class_weights: NDArray[np.float64]
    min_cover: int
    engine: str = "auto"
    memory_limit: float = field(default_factory=default_memory_limit)
    check_rows: Callable[[], None] | None = None
    is_reused: bool = True

    def __post_init__(self) -> None:
        self._engines: dict[str, BoxEngine] = {}
        self._judges: dict[Setting, Judge] = {}
        self._spent = 0.0
        self._lock = threading.Lock()

    @property
    def n_ways(self) -> int:
        """How many ways there are to leave a row out: of its own class, or of each weight."""
        return 1 + len(np.unique(self.class_weights))

    def plan(self, max_length: int, n_asked: int, n_settings: int = 1) -> Plan:
        """Choose the engine for so many rows and scores by rule and class."""
        shape = (self.training.codes.shape[1], len(self.class_sizes), n_asked, n_settings)
        return make_box_plan(self.sets, shape, max_length, self.engine, self.memory_limit)

    def raise_scores(
        self,
        rows: NDArray[np.int64],
        settings: Sequence[Setting],
        length: int,
        best: NDArray[np.float64],
        n_threads: int,
    ) -> None:
        """Raise the leave-one-out scores of some training rows over the rules of one length."""
        asked = Rows(np.ascontiguousarray(self.training.codes[:, rows]), self.training.labels[rows])
        judge = self._make_judge(settings, is_leaving_out=True)
        plan = self.plan(length, len(rows), len(settings) * self.n_ways)
        engine = self.prepare(plan.engine)
        with tell_compiling(*engine.kernels):
            engine.raise_scores(asked, judge, length, best, n_threads, watch_if_long(plan))

    def search(
        self,
        codes: NDArray[np.int32],
        setting: Setting,
        max_length: int,
        n_threads: int,
        report: Callable[[float], None] | None = None,
    ) -> Found:
        """Find the best rule of each row for each class.

        Parameters
        ----------
        codes : int32 array of shape (n_features, n_rows)
            The rows; -1 is missing.
        setting : Setting
            How rules are scored.
        max_length : int
            The longest rules that are looked at.
        n_threads : int
            How many threads share the work.
        report : callable or None
            Called with the share of the work that was just done.

        Returns
        -------
        Found
            The best scores, and the rules on demand.
        """
        with self._lock:
            if setting not in self._judges:
                self._judges[setting] = self._make_judge([setting], is_leaving_out=False)
            judge = self._judges[setting]
        nobody = np.full(codes.shape[1], -1, np.int64)
        return self._search(Rows(codes, nobody), judge, max_length, n_threads, report)

    def leave_one_out(
        self,
        setting: Setting,
        max_length: int,
        n_threads: int,
        report: Callable[[float], None] | None = None,
    ) -> Found:
        """Find the best rule of each training row for each class, from all other rows."""
        judge = self._make_judge([setting], is_leaving_out=True)
        return self._search(self.training, judge, max_length, n_threads, report)

    def prepare(self, name: str) -> BoxEngine:
        """Build an engine, or return it if it was built before."""
        with self._lock:
            if name not in self._engines:
                self._check_rows_once()
                n_classes = len(self.class_sizes)
                self._engines[name] = make_box_engine(name, self.training, self.sets, n_classes)
            return self._engines[name]

    def _search(
        self,
        asked: Rows,
        judge: Judge,
        max_length: int,
        n_threads: int,
        report: Callable[[float], None] | None,
    ) -> Found:
        """Answer identical rows once."""
        keys = np.concatenate([asked.codes, asked.labels[np.newaxis].astype(np.int32)])
        n_codes = np.append(self.sets.n_codes, len(self.class_sizes))
        distinct, inverse = distinct_columns(keys, n_codes)
        if inverse is not None:
            asked = Rows(np.ascontiguousarray(distinct[:-1]), distinct[-1].astype(np.int64))
        plan = self.plan(max_length, asked.codes.shape[1])
        is_kept = self.is_reused and len(judge.left_groups) == 1
        engine = self.prepare("table" if is_kept and self._pays(plan, max_length) else plan.engine)
        with tell_compiling(*engine.kernels):
            if isinstance(engine, BoxTable) and is_kept:
                engine.keep(judge, max_length, n_threads)
            found = engine.search(asked, judge, max_length, n_threads, watch_if_long(plan, report))
        return found if inverse is None else FoundAgain(found, inverse)

    def _pays(self, plan: Plan, max_length: int) -> bool:
        """Tell whether it pays to score all boxes, so that later predictions look them up.

        It does once searches row by row have taken as long, together.
        """
        if self.engine == "bitmap" or plan.bytes["table"] > self.memory_limit:
            return False
        with self._lock:
            self._spent += plan.seconds[plan.engine]
            pays = max(self._spent, SOON) >= plan.seconds["table"]
        return pays and can_keep(self.sets, len(self.class_sizes), max_length)

    def _make_judge(self, settings: Sequence[Setting], *, is_leaving_out: bool) -> Judge:
        return make_judge(
            settings,
            self.class_sizes,
            self.class_weights,
            self.min_cover,
            is_leaving_out=is_leaving_out,
        )

    def _check_rows_once(self) -> None:
        if self.check_rows is not None:
            self.check_rows()
            self.check_rows = None

    def __getstate__(self) -> dict[str, Any]:
        self._check_rows_once()
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()


class FoundAgain(Found):
    """What was found for distinct rows, for rows of which some are alike."""

    def __init__(self, found: Found, inverse: NDArray[np.int64]) -> None:
        self._found, self._inverse = found, inverse
        self.scores = found.scores[inverse]

    def rules(self, rows: NDArray[np.int64], labels: NDArray[np.int64]) -> BoxRules:
        """Return the best rules of some rows for some classes (see `Found`)."""
        pairs = np.stack([self._inverse[rows], labels], axis=1)
        distinct, inverse = np.unique(pairs, axis=0, return_inverse=True)
        found = self._found.rules(distinct[:, 0], distinct[:, 1])
        return found.take(inverse.reshape(-1))
