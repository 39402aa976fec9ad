"""Learn who is alike: how wide a box around a row is for each feature, by leave-one-out.

Widths are chosen once for all rows, so that a row's own class has no say in its own box; what is
chosen for one row because it looks pure flatters itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.alike import scale_of, to_positions
from picrules.engines.base import Alike
from picrules.engines.threads import Watch, run_blocks, split_evenly
from picrules.kernels.alike import FAR, Scales, judge, judge_steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from picrules.engines.training import Training

# Rows that a box must hold: what is tried.
LEASTS = np.array([1, 2, 3, 5, 8, 12, 20, 40])

# How far a step reaches: what is tried, by halves and doubles. A scale reaches to 32.
NARROWEST, WIDEST = 0.25, 4.0

# Boxes are made of at most so many features, those that say most by themselves.
MOST_FEATURES = 48

# Rows that are judged, and rows that they are compared with, while widths are chosen.
JUDGED, COMPARED = 1500, 4000

# Widths are changed as long as that gains this much per row, but no more often than this.
LEAST_GAIN, MOST_CHANGES = 1e-3, 20

# How long widths take to learn for a feature, with so many rows, in seconds on two cores; they are
# learned about four times, on parts of the rows and at last on all.
PER_FEATURE, N_TIMES = 0.06, 4

# Rows judged at once by a thread.
BLOCK = 32


@dataclass
class Likeness:
    """Training rows on the scales of their features, some of them to be judged by the others."""

    training: Training
    n_codes: NDArray[np.int64]
    is_ordered: NDArray[np.bool_]
    has_sides: NDArray[np.bool_]  # whether a box can have a side on each feature
    min_cover: int
    compared: NDArray[np.int64]  # pairs of row and class that others may be compared with
    n_threads: int
    deadline: float = inf  # when to change widths no further, in seconds of the monotonic clock

    def learn(self, judged: NDArray[np.int64]) -> Alike:
        """Choose the widths by some of the training rows, given as pairs of row and class."""
        compared = np.union1d(judged, some_of(self.compared, COMPARED))
        position_of = np.searchsorted(compared, judged)
        every = np.flatnonzero(self.has_sides)
        rows = _Rows.of(self, every, compared, position_of)
        single = rows.judge_changes(np.zeros(len(every)), np.ones((len(every), 1))).max(axis=(1, 2))
        chosen = np.sort(np.argsort(-single, kind="stable")[:MOST_FEATURES])
        rows = _Rows.of(self, every[chosen], compared, position_of)
        inverses, least = _climb(rows, self.deadline)
        if not inverses.any():  # nothing says anything: then by what says most of that
            inverses[single[chosen].argmax()] = 1.0
        widths = np.zeros(len(self.has_sides))
        widths[every[chosen]] = np.where(inverses > 0, 1 / np.maximum(inverses, 1e-9), 0)
        return Alike(tuple(widths.tolist()), tuple(self.is_ordered.tolist()), least)


def seconds_to_learn(n_features: int, n_rows: int) -> float:
    """Estimate how long it takes to learn who is alike, each part of the rows by the others."""
    share = min(n_rows / JUDGED, 1.0) * min(n_rows / COMPARED, 1.0)
    return N_TIMES * PER_FEATURE * min(n_features, MOST_FEATURES) * share


def some_of(values: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Take at most so many values, evenly over all."""
    count = min(most, len(values))
    chosen: NDArray[np.int64] = values[np.linspace(0, len(values) - 1, count).astype(np.int64)]
    return chosen


@dataclass
class _Rows:
    """Some training rows on the scales of some features, and which of them are judged."""

    scales: Scales
    asked: NDArray[np.float32]  # (n_features, n_judged)
    labels: NDArray[np.int64]  # (n_judged,)
    shares: NDArray[np.float64]
    leasts: NDArray[np.int64]
    n_threads: int

    @classmethod
    def of(
        cls,
        likeness: Likeness,
        features: NDArray[np.int64],
        compared: NDArray[np.int64],
        judged: NDArray[np.int64],
    ) -> _Rows:
        training, is_ordered = likeness.training, likeness.is_ordered[features]
        codes = training.codes[np.ix_(features, compared)]
        positions = to_positions(codes, scale_of(likeness.n_codes[features], is_ordered))
        asked = positions[:, judged]
        asked[codes[:, judged] < 0] = np.nan
        positions[codes < 0] = FAR
        labels = training.labels[compared]
        scales = Scales(positions, ~is_ordered, labels, training.occurrences[compared])
        shares = training.class_sizes / training.n_rows
        leasts = np.unique(np.maximum(LEASTS, likeness.min_cover))
        return cls(scales, asked, labels[judged], shares, leasts, likeness.n_threads)

    def judge(self, inverses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean log-likelihood for each least number of rows."""
        return self._add_up(judge, inverses, (), (len(self.leasts),))

    def judge_changes(
        self, inverses: NDArray[np.float64], tried: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the same for each feature and what is tried for it alone."""
        shape = (*tried.shape, len(self.leasts))
        return self._add_up(judge_steps, inverses, (tried.astype(np.float32),), shape)

    def _add_up(
        self,
        kernel: Callable[..., None],
        inverses: NDArray[np.float64],
        more: tuple[NDArray[np.float32], ...],
        shape: tuple[int, ...],
    ) -> NDArray[np.float64]:
        watch, n_judged = Watch(), len(self.labels)
        blocks = split_evenly(n_judged, -(-n_judged // BLOCK))
        # Added up block by block, so that the number of threads does not change how it is rounded.
        sums = {start: np.zeros(shape) for start, _ in blocks}

        def work(_: int, start: int, stop: int) -> None:
            rows = slice(start, stop)
            kernel(
                self.scales, np.ascontiguousarray(self.asked[:, rows]), self.labels[rows],
                self.shares, inverses.astype(np.float32), *more, self.leasts, watch.is_stopped,
                sums[start],
            )  # fmt: skip

        run_blocks(work, blocks, self.n_threads, watch)
        return np.asarray(sum(sums.values(), np.zeros(shape)) / n_judged)


def _climb(rows: _Rows, deadline: float) -> tuple[NDArray[np.float64], int]:
    """Change widths as long as rows become more likely; return steps per position, and least."""
    inverses = np.ones(len(rows.asked))
    now = rows.judge(inverses)
    for _ in range(MOST_CHANGES):
        if monotonic() > deadline:
            break
        start = np.where(inverses > 0, inverses, 1.0)
        tried = np.stack([
            np.zeros(len(start)),
            np.maximum(start / 2, 1 / WIDEST),
            np.where(inverses > 0, np.minimum(start * 2, 1 / NARROWEST), 1.0),
        ], axis=1)  # fmt: skip
        reached = rows.judge_changes(inverses, tried).max(axis=2)
        best = reached.argmax(axis=1)
        gains = reached.max(axis=1) - now.max()
        order = np.argsort(-gains, kind="stable")
        n_better = int((gains > 0).sum())
        best_now, best_inverses = now, inverses
        for count in sorted({n_better, n_better // 2, n_better // 4, n_better // 8, 1}):
            changed = inverses.copy()
            taken = order[:count]
            changed[taken] = tried[taken, best[taken]]
            after = rows.judge(changed)
            if after.max() > best_now.max():
                best_now, best_inverses = after, changed
        if best_now.max() < now.max() + LEAST_GAIN:
            break
        now, inverses = best_now, best_inverses
    return inverses, int(rows.leasts[now.argmax()])
