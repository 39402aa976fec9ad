"""From codes to the best rules of each row: the engine that suits each call."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from picrules.engines.alike import AlikeRows
from picrules.engines.base import Alike, Engine, Question, Search, Task
from picrules.engines.compiling import tell_compiling
from picrules.engines.found import Found, Rules
from picrules.engines.plan import ENGINES, NEEDS_BITMAPS, Plan, default_memory_limit, make_plan
from picrules.engines.subsets import take_features
from picrules.engines.table import TableEngine
from picrules.engines.threads import Watch
from picrules.kernels.counting import Asked
from picrules.scoring import settings as scoring
from picrules.scoring.settings import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from picrules.engines.training import Training
    from picrules.kernels.boxes import Sets
    from picrules.kernels.scorer import Scorer

# Is told the share of the work that was just done.
Report: TypeAlias = "Callable[[float], None]"

# From this estimate on, in seconds, a search can be interrupted and its progress shown.
LONG = 0.02

# And from this many pairs of a row and a training row on, one for look-alikes.
LONG_ALIKE = 2**22

# Rows that are answered at once, however much memory there is.
MAX_CHUNK = 2**31

# And rows whose look-alikes are found at once: none of the work is shared by more.
ALIKE_CHUNK = 2**16

# Plans for that many kinds of questions are not made again.
PLANS_KEPT = 100

# A greedy search that goes past its usual length usually ends after that many more conditions.
FURTHER = 2

# What takes less than this to keep, in seconds, is kept at the first call: counts, and scores.
SOON_COUNTED, SOON_SCORED = 0.05, 0.5


@dataclass
class Searcher:
    """The training rows, the conditions, and the engines that were needed so far."""

    training: Training
    sets: Sets
    class_weights: NDArray[np.float64]  # weight of a row of each class
    min_cover: int = 1  # how many training rows a rule must cover
    engine: str = "auto"  # or the engine that must be used
    memory_limit: float = field(default_factory=default_memory_limit)
    names: Sequence[str] = ()  # of the features, for messages
    is_reused: bool = True  # if no more questions follow, nothing is kept for them

    def __post_init__(self) -> None:
        self._engines: dict[str, Engine] = {}
        self._scorers: dict[Setting, Scorer] = {}
        self._plans: dict[tuple[Any, ...], Plan] = {}
        self._keepers: dict[tuple[Any, ...], tuple[str, float]] = {}
        self._others: dict[tuple[int, ...], Searcher] = {}  # by features
        self._between: dict[tuple[int, int], Searcher] = {}  # by classes
        self._alike: AlikeRows | None = None
        self._spent = 0.0  # seconds that searches have taken so far which kept work would save
        self._lock = threading.Lock()

    @property
    def n_omissions(self) -> int:
        """How many ways there are to leave a row out: of its own class, or of each weight."""
        return 1 + len(np.unique(self.class_weights))

    def plan(
        self,
        search: Search,
        n_asked: int,
        n_threads: int = 1,
        n_omissions: int = 1,
        n_settings: int = 1,
        engine: str | None = None,
    ) -> Plan:
        """Choose the engine for that many rows."""
        key = (search, n_asked, n_threads, n_omissions, n_settings, engine or self.engine)
        plan = self._plans.get(key)
        if plan is None:
            task = Task(self.training, self.sets, *key[:-1])
            plan = make_plan(task, engine or self.engine, self.memory_limit, self.names)
            if len(self._plans) >= PLANS_KEPT:
                self._plans.clear()
            self._plans[key] = plan
        return plan

    def prepare(self, name: str) -> Engine:
        """Build an engine, or return it if it was built before."""
        if name != TableEngine.name:
            self.training.need_rows(NEEDS_BITMAPS)
        with self._lock:
            if name not in self._engines:
                one = Search(Setting("precision", 1.0, 0.0), 1)
                taken = ENGINES[name].bytes_needed(Task(self.training, self.sets, one, 1))
                # What is kept stands beside what is being counted and the state of the rows.
                kept_bytes = (self.memory_limit - taken) / 2
                self._engines[name] = ENGINES[name](self.training, self.sets, kept_bytes)
            return self._engines[name]

    def search(
        self, codes: NDArray[np.int32], search: Search, n_threads: int, report: Report | None = None
    ) -> Found:
        """Find the best rules of rows, given as codes (n_features, n_rows); -1 is missing."""
        return Found.join([found for _, found in self.parts(codes, search, n_threads, report)])

    def parts(
        self, codes: NDArray[np.int32], search: Search, n_threads: int, report: Report | None = None
    ) -> Iterator[tuple[slice, Found]]:
        """Find the best rules of rows, in chunks whose state fits into memory."""
        scorer = self.find_scorer(search.setting)
        return self.parts_of(ask_about(codes), scorer, search, n_threads, report)

    def leave_one_out(
        self,
        search: Search,
        n_threads: int,
        report: Report | None = None,
        asked: Asked | None = None,
    ) -> Found:
        """Find the best rules of each pair of training row and class, from all other rows.

        `asked` has some pairs only, or pairs of which less is known.
        """
        asked = asked or Asked(self.training.codes, self.training.labels)
        scorer = self.make_scorer([search.setting], is_leaving_out=True)
        parts = self.parts_of(asked, scorer, search, n_threads, report)
        return Found.join([found for _, found in parts])

    def raise_scores(
        self,
        pairs: NDArray[np.int64],
        settings: Sequence[Setting],
        length: int,
        best: NDArray[np.float64],
        n_threads: int,
    ) -> None:
        """Raise the leave-one-out scores of some training rows over the rules of one length.

        `pairs` are positions among the pairs of row and class of the training rows, and `best` has
        the shape (n_pairs, n_classes, n_settings).
        """
        asked = Asked(self.training.codes, self.training.labels)
        scorer = self.make_scorer(settings, is_leaving_out=True)
        search = Search(settings[0], length, is_by_class=True)
        numbers = (len(pairs), n_threads, self.n_omissions, len(settings))
        plan = self.plan(search, *numbers)
        engine = self.prepare(plan.engine)
        step = self._chunk_size(engine, Task(self.training, self.sets, search, *numbers))
        with tell_compiling(*engine.kernels):
            for start in range(0, len(pairs), step):
                chunk, watch = _take(asked, pairs[start : start + step]), watch_if_long(plan)
                question = Question(chunk, scorer, search, n_threads, watch)
                engine.raise_scores(question, length, best[start : start + step])

    def parts_of(
        self, asked: Asked, scorer: Scorer, search: Search, n_threads: int, report: Report | None
    ) -> Iterator[tuple[slice, Found]]:
        """Find the best rules of rows that are asked about, in chunks."""
        n_asked, n_omissions = len(asked.left_out), len(scorer.omitted)
        if search.features is not None:
            own = _take_features(asked, search.features)
            inner = replace(search, features=None)
            parts = self._kept_on(search.features).parts_of(own, scorer, inner, n_threads, report)
            for rows, found in parts:
                yield rows, _with_features(found, search.features)
            return
        if search.alike is not None:
            alike, is_long = self.find_alike(search.alike), report is not None
            is_long |= n_asked * self.training.n_pairs > LONG_ALIKE
            for rows, chunk, told in _chunks(asked, ALIKE_CHUNK, report):
                watch = Watch(told) if is_long else None
                yield rows, alike.search(Question(chunk, scorer, search, n_threads, watch))
            return
        plan = self.plan(search, n_asked, n_threads, n_omissions)
        task = Task(self.training, self.sets, search, n_asked, n_threads, n_omissions)
        engine = self._engine_for(plan, task, Question(asked, scorer, search, n_threads))
        for rows, chunk, told in _chunks(asked, self._chunk_size(engine, task), report):
            watch = watch_if_long(plan, told)
            yield rows, self._search(engine, Question(chunk, scorer, search, n_threads, watch))

    def on(self, features: tuple[int, ...]) -> Searcher:
        """Return a searcher for rules that speak of some features only."""
        own = replace(self.training, codes=self.training.codes[list(features)])
        names = [self.names[each] for each in features] if self.names else ()
        sets = take_features(self.sets, features)
        return replace(self, training=own, sets=sets, names=names)

    def _kept_on(self, features: tuple[int, ...]) -> Searcher:
        with self._lock:
            if features not in self._others:
                self._others[features] = self.on(features)
            return self._others[features]

    def between(self, classes: tuple[int, int]) -> Searcher:
        """Return the searcher among the rows of two classes alone, numbered 0 and 1."""
        with self._lock:
            if classes not in self._between:
                own, weights = self.training.of_classes(classes), self.class_weights[[*classes]]
                # There may be many pairs of classes, so none of them keeps much.
                self._between[classes] = replace(
                    self, training=own, class_weights=weights, is_reused=False
                )
            return self._between[classes]

    def find_alike(self, alike: Alike) -> AlikeRows:
        """Return what finds look-alikes, made once."""
        self.training.need_rows("who the look-alikes of a row are")
        with self._lock:
            if self._alike is None or self._alike.alike != alike:
                self._alike = AlikeRows(self.training, self.sets, alike)
            return self._alike

    def _search(self, engine: Engine, question: Question) -> Found:
        """Search with an engine; greedy searches that go on for long may change to another.

        Tables of long rules take as long for one row as for all, so rows that are not done at
        the usual length are planned anew.
        """
        search, n_threads = question.search, question.n_threads
        usual = search.usual_length
        if self.engine != "auto" or engine.is_by_row:
            usual = search.max_length
        with tell_compiling(*engine.kernels):
            found = engine.search(replace(question, search=replace(search, max_length=usual)))
        if usual == search.max_length:
            return found
        slots = np.zeros(len(found.scores), np.int64)
        rows = np.flatnonzero(found.rules(np.arange(len(slots)), slots).lengths == usual)
        if not rows.size:
            return found
        longest = min(usual + FURTHER, search.max_length)
        plan = self.plan(replace(search, max_length=longest, is_greedy=False), rows.size, n_threads)
        engine, asked = self.prepare(plan.engine), _take(question.asked, rows)
        with tell_compiling(*engine.kernels):
            again = engine.search(replace(question, asked=asked, watch=watch_if_long(plan)))
        return found.replaced(rows, again)

    def _engine_for(self, plan: Plan, task: Task, question: Question) -> Engine:
        """Return the planned engine, or one that keeps work for later questions once that pays.

        It does when few rows at a time have taken as long, together, as it takes to keep
        everything: then no more than twice the least possible time was spent.
        """
        name, seconds = self._find_keeper(task) if self.is_reused else (plan.engine, np.inf)
        if seconds < np.inf and plan.bytes[name] <= self.memory_limit:
            with self._lock:
                self._spent += plan.seconds[plan.engine]
                soon = SOON_SCORED if task.search.is_by_class else SOON_COUNTED
                pays = max(self._spent, soon) >= seconds
            if pays:
                engine = self.prepare(name)
                watch = Watch() if seconds > LONG else None
                with tell_compiling(*engine.kernels):
                    if engine.keep(replace(question, watch=watch)):
                        return engine
        return self.prepare(plan.engine)

    def _find_keeper(self, task: Task) -> tuple[str, float]:
        """Return the engine that takes least time to keep everything, and this time."""
        key = (task.search, task.n_asked, task.n_omissions)
        keeper = self._keepers.get(key)
        if keeper is None:
            wanted = [name for name in ENGINES if self.engine in ("auto", name)]
            keeper = min(
                ((name, ENGINES[name].keep_seconds(task)) for name in wanted), key=itemgetter(1)
            )
            if len(self._keepers) >= PLANS_KEPT:
                self._keepers.clear()
            self._keepers[key] = keeper
        return keeper

    def _chunk_size(self, engine: Engine, task: Task) -> int:
        """Rows whose state takes at most a quarter of the memory limit."""
        n_rows = self.memory_limit / 4 / engine.row_bytes(task)
        return max(1, int(min(n_rows, MAX_CHUNK)))

    def find_scorer(self, setting: Setting) -> Scorer:
        """Return what scores rules for new rows; always the same, since scores are kept for it."""
        with self._lock:
            if setting not in self._scorers:
                self._scorers[setting] = self.make_scorer([setting], is_leaving_out=False)
            return self._scorers[setting]

    def make_scorer(self, settings: Sequence[Setting], *, is_leaving_out: bool) -> Scorer:
        """Return what scores rules by some settings."""
        sizes, weights = self.training.class_sizes, self.class_weights
        return scoring.make_scorer(
            settings, sizes, weights, self.min_cover, is_leaving_out=is_leaving_out
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()


def ask_about(codes: NDArray[np.int32]) -> Asked:
    """Ask about rows that are not training rows."""
    return Asked(codes, np.full(codes.shape[1], -1, np.int64))


def _chunks(
    asked: Asked, step: int, report: Report | None
) -> Iterator[tuple[slice, Asked, Report | None]]:
    """Cut rows that are asked about into chunks, each with what is told its share of the work."""
    n_asked = len(asked.left_out)
    for start in range(0, max(n_asked, 1), step):
        rows = slice(start, min(start + step, n_asked))
        part = (rows.stop - start) / max(n_asked, 1)
        told = None if report is None else lambda share, part=part: report(share * part)
        yield rows, _take(asked, rows) if step < n_asked else asked, told


def watch_if_long(plan: Plan, report: Report | None = None) -> Watch | None:
    """Return a watch for a search that takes long, or whose progress is shown."""
    is_long = plan.seconds[plan.engine] > LONG or report is not None
    return Watch(report) if is_long else None


def _take_features(asked: Asked, features: tuple[int, ...]) -> Asked:
    return Asked(np.ascontiguousarray(asked.codes[list(features)]), asked.left_out)


def _with_features(found: Found, features: tuple[int, ...]) -> Found:
    """Give the features of rules the numbers that they have among all features."""
    find = partial(_renumbered, found.rules, np.array([*features, -1]))
    return Found(found.scores, found.labels, find)


def _renumbered(
    find: Callable[[NDArray[np.int64], NDArray[np.int64]], Rules],
    numbers: NDArray[np.int64],
    rows: NDArray[np.int64],
    slots: NDArray[np.int64],
) -> Rules:
    rules = find(rows, slots)
    return Rules(rules.lengths, numbers[rules.features], rules.positions, rules.counts)


def _take(asked: Asked, rows: slice | NDArray[np.int64]) -> Asked:
    return Asked(np.ascontiguousarray(asked.codes[:, rows]), asked.left_out[rows])
