"""Choose rules that decide together, and what each weighs, by leave-one-out.

A voice says for each class how much a row looks like it: the score of the best rule of one search.
Voices are added one at a time, the one that explains most of what the others leave; then all are
weighed anew. Weights are those with which the judged rows' own classes are most likely.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions

# Weights and offsets are drawn to 0 as if by that many rows.
RIDGE, OFFSET_RIDGE = 1.0, 0.05

# Weights are kept to this, so that the same table gives the same model everywhere.
DIGITS = 4

# A further rule must gain this much, about as many times the likelihood of all rows, as logarithm.
LEAST_GAIN = 2.0

# What a rule's gain is divided by for each condition beyond the first it may have.
PER_FEATURE = 1.02

# Sets of features that are longer than two are tried this often for each rule that is added, and
# they have at most so many features.
EXTENSIONS, LONGEST_SET = 6, 4

# Where conditions have two ends, a set has no more features than leave it so many rules.
MOST_RULES = 1e6

# Of all sets of one or two features, those that are looked at more than once.
MOST_SETS = 64

# The features that supporting rules may speak of: those that say most by themselves.
MOST_FEATURES = 24

# What a supporting rule's score, or that of look-alikes, is not below, and a best short rule's.
FLOOR, SHORT_FLOOR = -4.0, -8.0

Set = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Weights:
    """What each voice weighs, and what is added for each class."""

    voices: NDArray[np.float64]
    offset: NDArray[np.float64]

    def add_up(self, voices: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the weighted sum of voices, (n_rows, n_classes) each, with the offset."""
        total = np.tile(self.offset, (len(voices[0]), 1))
        for weight, voice in zip(self.voices, voices, strict=True):
            total += weight * voice
        return total


def weigh(
    voices: list[NDArray[np.float64]],
    labels: NDArray[np.int64],
    worth: NDArray[np.float64],
    *,
    is_open: bool = True,
) -> Weights:
    """Find the weights, none below 0, with which the rows' own classes are most likely.

    Unless they are open, voices weigh 1, and only what is added for each class is found.
    """
    stacked, rows = np.stack(voices, axis=2), np.arange(len(labels))
    n_classes, n_voices = stacked.shape[1:]

    def loss(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, offset = point[:n_voices], point[n_voices:]
        shares, logs = soft(stacked @ weights + offset)
        ridges = RIDGE * weights @ weights + OFFSET_RIDGE * offset @ offset
        shares[rows, labels] -= 1
        shares *= worth[:, np.newaxis]
        slopes = np.einsum("rc,rcv->v", shares, stacked) + RIDGE * weights
        offset_slopes = shares.sum(axis=0) + OFFSET_RIDGE * offset
        lost = float(ridges / 2 - worth @ logs[rows, labels])
        return lost, np.concatenate([slopes, offset_slopes])

    first = 0.5 / np.sqrt(n_voices) if is_open else 1.0
    start = np.concatenate([np.full(n_voices, first), np.zeros(n_classes)])
    bounds = [(0, None) if is_open else (1, 1)] * n_voices + [(None, None)] * n_classes
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x.round(DIGITS)
    return Weights(found[:n_voices], found[n_voices:])


def soft(
    scores: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the shares that scores stand for, and their logarithms."""
    logs = scores - scores.max(axis=1, keepdims=True)
    shares = np.exp(logs)
    totals = shares.sum(axis=1, keepdims=True)
    return shares / totals, logs - np.log(totals)


@dataclass
class Pool:
    """The voices of sets of features on the judged rows, found when they are first asked for."""

    find: Callable[[Set], NDArray[np.float64]]  # the scores of a set of features
    features: list[int]
    longest: int = LONGEST_SET  # features of a set
    others: tuple[Set, ...] = ()  # voices that are no sets of features
    _known: dict[Set, NDArray[np.float64]] = field(default_factory=dict)

    def __getitem__(self, features: Set) -> NDArray[np.float64]:
        if features not in self._known:
            self._known[features] = np.maximum(self.find(features), FLOOR).astype(np.float32)
        return self._known[features]

    def add(self, features: Set, voice: NDArray[np.float64]) -> None:
        """Add a voice that is no set of features, under a name of its own."""
        self._known[features] = voice.astype(np.float32)
        self.others = (features,)

    def keep_best(self, labels: NDArray[np.int64], most: int = MOST_FEATURES) -> None:
        """Leave out the features that say least by themselves."""
        if len(self.features) <= most:
            return
        rows, n_classes = np.arange(len(labels)), self[(self.features[0],)].shape[1]
        base = np.bincount(labels, minlength=n_classes) / len(labels)
        gains = [_gain(self[(each,)], labels, base[np.newaxis], rows) for each in self.features]
        order = np.argsort([-each for each in gains], kind="stable")[:most]
        self.features = sorted(self.features[at] for at in order)

    @property
    def start(self) -> list[Set]:
        """All sets of one or two features."""
        singles = [(each,) for each in self.features]
        return [*self.others, *singles, *combinations(self.features, 2)]


def longest_set(conditions: Conditions) -> int:
    """Return how many features a set may have: intervals of many cuts make very many rules."""
    longest = LONGEST_SET
    while conditions.has_intervals and longest > 2:
        if float(conditions.n_conditions.max()) ** longest <= MOST_RULES:
            break
        longest -= 1
    return longest


def _gain(
    voice: NDArray[np.float64],
    labels: NDArray[np.int64],
    shares: NDArray[np.float64],
    rows: NDArray[np.int64],
) -> float:
    """Estimate what a voice adds to the likelihood of rows whose classes have these shares."""
    mean = (shares * voice).sum(axis=1)
    slope = (voice[rows, labels] - mean).sum()
    if slope <= 0:
        return 0.0
    spread = (shares * voice * voice).sum(axis=1) - mean**2
    return float(slope**2 / (spread.sum() + RIDGE))


def choose_sets(
    first: list[NDArray[np.float64]],
    pool: Pool,
    labels: NDArray[np.int64],
    worth: NDArray[np.float64],
    rows: NDArray[np.int64],
    most: int,
    is_late: Callable[[], bool] = lambda: False,
) -> list[Set]:
    """Choose up to so many sets of features whose best rules say what others leave, in order.

    `rows` are those of the judged rows that have a say; `first` has the voices that come first.
    None is added any more when it is late.
    """
    chosen: list[Set] = []
    voices, own = [voice[rows] for voice in first], labels[rows]
    numbers, tried = np.arange(len(rows)), pool.start
    while len(chosen) < most and pool.features and not is_late():
        weights = weigh(voices, own, worth[rows])
        shares, _ = soft(weights.add_up(voices))

        def gain(features: Set, shares: NDArray[np.float64] = shares) -> float:
            value = _gain(pool[features][rows], own, shares, numbers)
            return value * PER_FEATURE ** (1 - len(features))

        gains = {each: gain(each) for each in tried if each not in chosen}
        if not chosen:  # those that say little now will hardly say more beside others
            order = sorted(tried, key=lambda each: -gains[each])
            tried = [*pool.others, *(each for each in order if each not in pool.others)][:MOST_SETS]
        best = max(gains, key=lambda each: gains[each], default=())
        if gains.get(best, 0.0) < LEAST_GAIN:
            break
        longer = [tuple(sorted((*best, each))) for each in pool.features if each not in best]
        if len(best) < pool.longest and len(best) > 1:
            singles = sorted(longer, key=lambda each: -gains.get(tuple({*each} - {*best}), 0.0))
            for each in singles[:EXTENSIONS]:
                gains[each] = gain(each)
                if each not in tried:
                    tried.append(each)
            best = max((each for each in gains if each not in chosen), key=lambda each: gains[each])
        chosen.append(best)
        voices.append(pool[best][rows].astype(np.float64))
    return chosen
