"""How often predictions are right where values are missing or were never seen in training.

A lead that is found without a feature is not a lead that is found with it. So training rows are
asked again, each left out, with features that say nothing. A feature that is silent alone has
curves of its own; where several are, all such rows have curves together, and each feature moves and
stretches them by as much as it is missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from picrules.kernels.counting import Asked
from picrules.model.calibration import Calibration, fit_calibration, is_covered
from picrules.model.curves import fit_line, from_odds, to_odds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from picrules.model.model import Model

# Training rows that are asked again with one feature silent, and with several; and how often one of
# them is, where they are few, each time without other features.
ALONE_ROWS, TOGETHER_ROWS, MOST_TIMES = 2000, 8000, 10

# The shares of features that are silent in rows where several are.
SHARES = (0.1, 0.2, 0.3, 0.5, 0.8)

# Features of wider tables do not move the curves one by one: none of them is missed much.
MOST_FEATURES = 100

# How firmly what a feature moves and stretches is held to nothing, in different rows.
HELD = 4.0


@dataclass(frozen=True)
class Judged:
    """Training rows that were asked again, each left out, and how often that was right."""

    silent: NDArray[np.bool_]  # (n_used, n_rows): of the features that rules may speak of
    scores: NDArray[np.float64]  # (n_rows, n_classes), with offsets
    predicted: NDArray[np.int64]
    labels: NDArray[np.int64]

    def calibrate(self, *, is_peaked: bool) -> Calibration:
        """Learn how often predictions are right.

        Settings were chosen on rows with all features, so nothing that is seen here is their luck.
        """
        return fit_calibration(
            self.scores, self.predicted, self.labels, is_peaked=is_peaked, is_chosen=False
        )


@dataclass(frozen=True)
class Several:
    """How often predictions are right where several features are silent."""

    calibration: Calibration
    moves: NDArray[np.float64]  # what each column of `describe` adds to log odds

    @classmethod
    def learn(cls, judged: Judged, n_times: int, *, is_peaked: bool) -> Several:
        """Learn the curves of all rows together, and then what each feature moves.

        Each row was asked `n_times`, and is one row all the same.
        """
        calibration = judged.calibrate(is_peaked=is_peaked)
        covered = is_covered(judged.scores)
        told, _ = calibration.read(judged.scores[covered], judged.predicted[covered])
        right = (judged.predicted == judged.labels)[covered].astype(np.float64)
        odds = to_odds(told)
        design = np.array([*cls.describe(judged.silent[:, covered], odds)]).T
        return cls(calibration, fit_line(design, right, odds, HELD * n_times))

    @staticmethod
    def describe(
        silent: NDArray[np.bool_], odds: NDArray[np.float64]
    ) -> Iterator[NDArray[np.float64]]:
        """Give what log odds may be moved by: silent features, their share, and both times odds."""
        yield np.ones(len(odds))
        own = silent if len(silent) <= MOST_FEATURES else silent[:0]
        for row in (*own, silent.mean(axis=0)):
            yield row.astype(np.float64)
            yield row * odds

    def read(
        self,
        silent: NDArray[np.bool_],
        scores: NDArray[np.float64],
        labels: NDArray[np.int64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how often predictions are right, and how many rows tell it."""
        right, sizes = self.calibration.read(scores, labels)
        odds = to_odds(right)
        moved = odds.copy()
        # One after the other, so that a row has the same sum alone and among others.
        for values, move in zip(self.describe(silent, odds), self.moves, strict=True):
            moved += values * move
        return from_odds(moved), sizes


class Silence:
    """What was learned about a model whose features are silent, as far as it was asked for."""

    def __init__(self) -> None:
        self._alone: dict[int, Calibration] = {}
        self._several: Several | None = None

    def read(
        self,
        model: Model,
        silent: NDArray[np.bool_],
        scores: NDArray[np.float64],
        labels: NDArray[np.int64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how often predictions are right, and how many rows tell it.

        `silent`, (n_features, n_rows), tells which features say nothing about each row: at least
        one. `scores` are those of the classes plus offsets, and `labels` the predictions.
        """
        right, sizes = np.empty(len(labels)), np.empty(len(labels))
        alone = np.where(silent.sum(axis=0) == 1, silent.argmax(axis=0), -1)
        self._learn_alone(model, np.unique(alone[alone >= 0]).tolist())
        for feature in np.unique(alone).tolist():
            rows = np.flatnonzero(alone == feature)
            if feature >= 0:
                right[rows], sizes[rows] = self._alone[feature].read(scores[rows], labels[rows])
            else:
                self._several = self._several or _learn_several(model)
                own = (silent[np.ix_(model.is_used, rows)], scores[rows], labels[rows])
                right[rows], sizes[rows] = self._several.read(*own)
        return right, sizes

    def _learn_alone(self, model: Model, features: list[int]) -> None:
        """Ask training rows again, with each of some features silent."""
        features = [each for each in features if each not in self._alone]
        if not features:
            return
        rows = _take(model, ALONE_ROWS)
        silent = np.zeros((model.training.n_features, len(features) * len(rows)), np.bool_)
        silent[np.repeat(features, len(rows)), np.arange(silent.shape[1])] = True
        judged = _ask(model, np.tile(rows, len(features)), silent)
        for at, feature in enumerate(features):
            own = slice(at * len(rows), (at + 1) * len(rows))
            alone = Judged(
                judged.silent[:, own], judged.scores[own], judged.predicted[own], judged.labels[own]
            )
            self._alone[feature] = alone.calibrate(is_peaked=_is_peaked(model))


def _learn_several(model: Model) -> Several:
    """Ask training rows again, with several of the features silent that rules may speak of."""
    rows, rng = _take(model, TOGETHER_ROWS), np.random.default_rng(0)
    n_times = min(max(TOGETHER_ROWS // len(rows), 1), MOST_TIMES)
    every, used = np.tile(rows, n_times), np.flatnonzero(model.is_used)
    silent = rng.random((len(used), len(every))) < rng.choice(SHARES, len(every))
    # At least two are, whatever the shares.
    first = rng.integers(0, len(used), len(every))
    other = (first + rng.integers(1, len(used), len(every))) % len(used)
    silent[first, np.arange(len(every))] = silent[other, np.arange(len(every))] = True
    masks = np.zeros((model.training.n_features, len(every)), np.bool_)
    masks[used] = silent
    return Several.learn(_ask(model, every, masks), n_times, is_peaked=_is_peaked(model))


def _is_peaked(model: Model) -> bool:
    return model.calibration is None or model.calibration.is_peaked


def _take(model: Model, most: int) -> NDArray[np.int64]:
    """Take some training rows, the same ones in whatever order they stand."""
    training = model.training
    order = np.argsort(_mix(training.codes, training.labels), kind="stable")
    return training.take_evenly(order, most)


def _ask(model: Model, pairs: NDArray[np.int64], silent: NDArray[np.bool_]) -> Judged:
    """Ask about training rows again, each left out, with features that say nothing."""
    training = model.training
    codes, labels = training.codes[:, pairs].copy(), training.labels[pairs]
    codes[silent] = -1
    # Costs decide by the probabilities that are learned here, so they have no say yet.
    plain = model.on_threads(model.n_threads)
    answer = plain.leave_out(Asked(codes, labels), np.arange(len(pairs)))
    scores = answer.found.scores + model.offset
    return Judged(codes[model.is_used] < 0, scores, answer.decisions.labels, labels)


def _mix(codes: NDArray[np.int32], labels: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return a number for each row that its codes and its class make, as if by chance."""
    mixed = labels.astype(np.uint64)
    for row in codes:
        mixed = (mixed ^ mixed >> np.uint64(29)) * np.uint64(0x9E3779B97F4A7C15)
        mixed += row.astype(np.uint64)
    return (mixed ^ mixed >> np.uint64(32)) * np.uint64(0x9E3779B97F4A7C15)
