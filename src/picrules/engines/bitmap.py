"""The bitmap engine: one bitmap per condition, rules searched depth first for each row."""

from __future__ import annotations

import threading
from dataclasses import replace
from math import inf, log2
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from picrules.encoding.conditions import ENDLESS, sums_of_products
from picrules.engines.counts import are_single
from picrules.engines.found import Found
from picrules.engines.threads import Watch, run_blocks, split_evenly
from picrules.kernels.best import Best, start_best
from picrules.kernels.bits import Bitmaps, count_both, pack_conditions
from picrules.kernels.boxes import ALL_BUT_ONE, Sets
from picrules.kernels.pairs import count_pairs, n_places
from picrules.kernels.search import FEW_WORDS, Limits, search_rows
from picrules.scoring.settings import part_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.engines.base import Question, Task
    from picrules.engines.training import Training

# Words in a line of the cache.
LINE = 8

# Words in a step of the counting loop.
STEP = 32

# Pairs of conditions are kept while all of them take at most that many bytes.
KEPT_BYTES = 2**28

# Blocks of rows that each thread takes, so that threads end together.
BLOCKS_PER_THREAD = 16

# Nanoseconds of the steps that searches consist of, fitted to `benchmarks/planner.py`.
CALL = 6e4  # begin a search by class
ASKED = 2500.0  # begin with a row
CONDITION = 25.0  # begin with a condition of a row
BLOCK = 250.0  # begin with a set of covers
COVER = 0.1  # judge a cover, for each class
EACH = 8.0  # begin with one cover, where covers have many words
WORD = 0.12  # AND and count a word
PAIR = 12.0  # begin with a pair of conditions that all rows share
PAIR_READ = 0.8  # look a pair up, for each class
BY_CLASS = 1.6  # times as long for each class, where the best rule of each is wanted
# Pairs are shared when that saves more than this: a kernel has to be loaded.
SHARING = 2e7


class BitmapEngine:
    """Counts covers by AND and popcount; for many features or long rules.

    For many rows the counts of every two conditions are kept, and shared by all rows.
    """

    name: ClassVar[str] = "bitmap"
    kernels: ClassVar[tuple[Any, ...]] = (search_rows,)
    is_by_row: ClassVar[bool] = True

    def __init__(self, training: Training, sets: Sets, kept_bytes: float = KEPT_BYTES) -> None:
        self.training, self.sets = training, sets
        self.n_classes = training.n_classes
        self.bitmaps = make_bitmaps(training, sets)
        self.is_single = are_single(sets)
        self._kept_bytes = min(kept_bytes, KEPT_BYTES)
        self._pairs = np.empty((self.n_classes, 0), np.int32)
        self._lock = threading.Lock()

    @staticmethod
    def bytes_needed(task: Task) -> int:
        """Estimate the memory that a task takes."""
        n_words, n_conditions = _n_words(task.training), int(task.sets.first[-1])
        n_codes = 0 if are_single(task.sets) else int(task.sets.n_codes.sum())
        repeated = 3 * task.training.n_rows if task.training.n_pairs < task.training.n_rows else 0
        n_counts = task.training.n_classes * n_conditions
        return 8 * (n_words * (n_conditions + n_codes) + n_counts + repeated)

    @staticmethod
    def seconds(task: Task) -> float:
        """Estimate the time: every row counts the covers that pruning leaves, or reads pairs."""
        training, n_words = task.training, _n_words(task.training)
        n_classes = training.n_classes
        cover = _cover_cost(n_words, n_classes)
        shares = task.search.usual_length > 1 and pairs_pay(
            task.sets, n_words, n_classes, task.n_asked
        )
        n_present, shrink = _satisfied(task.sets)
        lengths = range(1, min(task.search.usual_length, task.max_length, 10) + 1)
        n_rules = sums_of_products(n_present.tolist(), max(lengths, default=0))
        # The rows identical to this one are looked for until none is left.
        n_looked = min(float(n_present.sum()), 2 + log2(training.n_rows) / log2(shrink + 1))
        total = ASKED + float(n_present.sum()) * CONDITION + n_looked * 2 * WORD * n_words
        for length in lengths[1:]:  # single conditions were counted when the engine was made
            left = _share_left(task, shrink, length, sum(n_rules[1 : length + 1]))
            each = PAIR_READ * n_classes if shares and length == 2 else cover
            total += left * (n_rules[length] * each + n_rules[length - 1] * BLOCK)
        pairs = _count_pairs_cost(task.sets, n_words) if shares else 0.0
        seconds = (task.n_asked * total + pairs) * 1e-9
        if task.search.is_by_class:
            seconds = (CALL + task.n_asked * total * BY_CLASS * n_classes + pairs) * 1e-9
        return float(seconds * task.n_settings)

    @staticmethod
    def row_bytes(task: Task) -> int:
        """Estimate the memory that the state of each row that asks takes, in all threads."""
        n_classes = task.training.n_classes
        n_slots = n_classes if task.search.is_by_class else 1
        return n_slots * (20 + 8 * task.search.max_length + 8 * n_classes)

    @staticmethod
    def keep_seconds(task: Task) -> float:
        """Nothing is kept but pairs, which searches keep by themselves."""
        del task
        return inf

    def keep(self, question: Question) -> bool:
        """Nothing is kept but pairs, which searches keep by themselves."""
        del question
        return False

    def search(self, question: Question) -> Found:
        """Find the best rules of rows by the only setting of the scorer."""
        search = question.search
        n_slots = self.n_classes if search.is_by_class else 1
        n_rows = len(question.asked.left_out)
        best = start_best(n_rows, n_slots, search.max_length, self.n_classes)
        self._search(question, (1, search.max_length, search.is_greedy), best)
        return Found.from_best(best)

    def raise_scores(self, question: Question, length: int, best: NDArray[np.float64]) -> None:
        """Raise the best scores of rows and classes over all rules of one length."""
        n_rows, n_classes, n_settings = best.shape
        for setting in range(n_settings):
            one = part_of(question.scorer, slice(setting, setting + 1))
            state = start_best(n_rows, n_classes, length, n_classes)
            state.scores[:] = best[:, :, setting]
            self._search(replace(question, scorer=one), (length, length, False), state)
            best[:, :, setting] = state.scores

    def _search(self, question: Question, lengths: tuple[int, int, bool], best: Best) -> None:
        """Search from the shortest to the longest length, greedily or not, and update `best`."""
        n_rows = len(question.asked.left_out)
        n_words = self.bitmaps.words.shape[1]
        if lengths[1] > 1 and pairs_pay(self.sets, n_words, self.n_classes, n_rows):
            self.keep_pairs(question.n_threads, question.watch)
        pairs, n_counted = self._pairs, np.zeros(n_rows, np.int64)
        is_strict = self.is_single and best.scores.shape[1] == 1
        limits = Limits(*lengths, is_strict, question.is_stopped)
        rows = (self.bitmaps, pairs, self.sets, question.scorer, limits, question.asked)

        def work(_: int, start: int, stop: int) -> None:
            search_rows(*rows, start, stop, best, n_counted)

        blocks = split_evenly(n_rows, question.n_threads * BLOCKS_PER_THREAD)
        run_blocks(work, blocks, question.n_threads, question.watch, 1 / max(n_rows, 1))

    def keep_pairs(self, n_threads: int = 1, watch: Watch | None = None) -> None:
        """Count and keep every two conditions, unless they take too much memory."""
        bitmaps = self.bitmaps
        n_conditions = len(bitmaps.words)
        n_pairs = n_places(n_conditions)
        with self._lock:
            if self.has_pairs or n_pairs * self.n_classes * 4 > self._kept_bytes:
                return
            pairs = np.zeros((self.n_classes, n_pairs), np.int32)
            later = np.repeat(bitmaps.first[1:], np.diff(bitmaps.first))

            is_stopped = np.zeros(1, np.uint8) if watch is None else watch.is_stopped

            def count_block(_: int, start: int, stop: int) -> None:
                starts = bitmaps.class_starts
                count_pairs(bitmaps.words, later, starts, start, stop, is_stopped, pairs)

            # The first conditions have the most pairs, so that small blocks end together.
            blocks = split_evenly(n_conditions, n_threads * BLOCKS_PER_THREAD)
            run_blocks(count_block, blocks, n_threads, watch)
            if not is_stopped[0]:
                self._pairs = pairs

    @property
    def has_pairs(self) -> bool:
        """Whether the counts of every two conditions are kept."""
        return self._pairs.size > 0

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _UNPICKLED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        words = new_bitmaps(*self.bitmaps.words.shape)
        words[:] = self.bitmaps.words
        self.bitmaps = self.bitmaps._replace(words=words)
        self._pairs = np.empty((self.n_classes, 0), np.int32)
        self._lock = threading.Lock()


_UNPICKLED = ("_pairs", "_lock")


def make_bitmaps(training: Training, sets: Sets) -> Bitmaps:
    """Pack the training rows, as often as each occurs, into one bitmap per condition."""
    starts = first_words(training.class_sizes)
    codes, labels = training.codes, training.labels
    is_repeated = training.n_pairs < training.n_rows
    if is_repeated:
        labels = np.repeat(labels, training.occurrences)
    first_code = np.concatenate(([0], np.cumsum(sets.n_codes)))
    words = new_bitmaps(first_code[-1], starts[-1])
    bits = row_bits(labels, training.class_sizes, starts)
    for feature in range(len(codes)):  # one at a time: rows repeated take much
        own = codes[feature : feature + 1]
        own = np.repeat(own, training.occurrences, axis=1) if is_repeated else own
        pack_conditions(own, bits, first_code[feature : feature + 2], words)
    if not are_single(sets):
        words = _join_codes(sets, first_code, words)
    counts = np.zeros((len(words), training.n_classes), np.int64)
    for condition in range(len(words)):
        count_both(words[condition], words[condition], starts, counts[condition])
    return Bitmaps(words, counts, sets.first, starts)


def _join_codes(
    sets: Sets, first_code: NDArray[np.int64], code_words: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Make the bitmap of each condition from those of its codes."""
    words = new_bitmaps(sets.first[-1], code_words.shape[1])
    for feature in range(len(sets.n_codes)):
        first = sets.first[feature]
        own = code_words[first_code[feature] : first_code[feature + 1]]
        for condition in range(first, sets.first[feature + 1]):
            parent, code = sets.parents[condition], sets.codes[condition]
            if parent == ALL_BUT_ONE:
                words[condition] = np.bitwise_or.reduce(np.delete(own, code, axis=0), axis=0)
            else:
                words[condition] = own[code]
                if parent >= 0:
                    words[condition] |= words[first + parent]
    return words


def new_bitmaps(n_bitmaps: int, n_words: int) -> NDArray[np.uint64]:
    """Make empty bitmaps, the first of which begins with a line of the cache.

    A loop over words that straddle two lines counts 8 instead of 13 G words a second.
    """
    space = np.zeros(n_bitmaps * n_words + LINE, np.uint64)
    start = -(space.ctypes.data // 8) % LINE
    return space[start : start + n_bitmaps * n_words].reshape(n_bitmaps, n_words)


def first_words(class_sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """First word of each class, and the number of words.

    Large classes are whole lines of the cache; so are all words together, if a class is large.
    """
    starts = [0]
    for n_words in ((class_sizes + 63) // 64).tolist():
        step = STEP if n_words >= 4 * STEP else LINE if n_words >= 4 * LINE else 1
        start = _round_up(starts[-1], min(step, LINE))
        starts[-1:] = [start, start + _round_up(n_words, step)]
    starts[-1] = _round_up(starts[-1], LINE if starts[-1] >= 4 * LINE else 1)
    return np.array(starts, np.int64)


def _round_up(number: int, step: int) -> int:
    return -(-number // step) * step


def row_bits(
    labels: NDArray[np.int64], class_sizes: NDArray[np.int64], class_starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Bit of each training row: its class's first word, then its place within the class."""
    order = np.argsort(labels, kind="stable")
    sorted_labels = labels[order]
    class_firsts = np.concatenate(([0], np.cumsum(class_sizes)[:-1]))
    bits = np.empty(len(labels), np.int64)
    bits[order] = (
        class_starts[sorted_labels] * 64 + np.arange(len(labels)) - class_firsts[sorted_labels]
    )
    return bits


def pairs_pay(sets: Sets, n_words: int, n_classes: int, n_asked: int) -> bool:
    """Tell whether to count every two conditions once, instead of for each row."""
    n_present, _ = _satisfied(sets)
    n_pairs = sums_of_products(n_present.tolist(), 2)[2]
    saved = n_asked * n_pairs * (_cover_cost(n_words, n_classes) - PAIR_READ * n_classes)
    return bool(saved > _count_pairs_cost(sets, n_words) + SHARING)


def _n_words(training: Training) -> int:
    return int(first_words(training.class_sizes)[-1])


def _cover_cost(n_words: int, n_classes: int) -> float:
    """Estimate how long a cover of that many words takes to count and judge."""
    cost = COVER * n_classes + WORD * n_words
    return cost + EACH if n_words > FEW_WORDS else cost


def _count_pairs_cost(sets: Sets, n_words: int) -> float:
    """Estimate how long it takes to count every two conditions of different features."""
    n_pairs = sums_of_products(np.diff(sets.first).tolist(), 2, ENDLESS)[2]
    return float(n_pairs * (PAIR + WORD * n_words))


def _satisfied(sets: Sets) -> tuple[NDArray[np.float64], float]:
    """Guess how many conditions of each feature a row satisfies, and by what each divides rows.

    A code is in some of the conditions of its feature, and conditions of many codes divide little.
    """
    n_features, n_codes = len(sets.n_codes), np.maximum(sets.n_codes, 1)
    feature_of_code = np.repeat(np.arange(n_features), sets.n_codes)
    n_members = np.bincount(feature_of_code, sets.n_members, n_features)
    n_conditions = np.maximum(np.diff(sets.first), 1)
    shares = np.maximum(n_members, 1) / (n_conditions * n_codes)
    return n_members / n_codes, max(1.0, float((1 / shares).mean()) if n_features else 1.0)


def _share_left(task: Task, shrink: float, length: int, n_rules: float) -> float:
    """Guess the share of covers, one condition shorter, that can still hold a better rule.

    Among many rules the best is right for some number of rows by luck alone, which grows with
    the logarithm of their number; covers with fewer rows of a class than that are pruned.
    """
    by_luck = 0.3 * log2(2.0 * n_rules + 1)
    hits = task.training.n_rows / task.training.n_classes / shrink ** min(length - 1, 100)
    return float(1 / (1 + (by_luck / max(hits, 1e-9)) ** 4))
