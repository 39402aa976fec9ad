"""A sample of rows that come batch by batch: the same one however they are split and ordered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from picrules.engines.draws import Draws
    from picrules.engines.training import Training

# Distinct pairs of row and class that are sampled, with all their rows.
SAMPLED_PAIRS = 20_000

_HIGHEST = np.uint64(2**64 - 1)


@dataclass
class Pairs:
    """Pairs of a coded row and a class, and how often each occurs."""

    keys: NDArray[np.uint64]  # (n_pairs,): what each draws
    codes: NDArray[np.int32]  # (n_features, n_pairs)
    labels: NDArray[np.int64]
    occurrences: NDArray[np.int64]

    def take(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Pairs:
        """Return some of them."""
        codes = np.ascontiguousarray(self.codes[:, chosen])
        return Pairs(self.keys[chosen], codes, self.labels[chosen], self.occurrences[chosen])

    @classmethod
    def together(cls, parts: Sequence[Pairs]) -> Pairs:
        """Put some of them one after the other."""
        keys, labels, times = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("keys", "labels", "occurrences")
        )
        return cls(keys, np.concatenate([part.codes for part in parts], axis=1), labels, times)

    def joined(self) -> Pairs:
        """Return each once, in the order of what they draw."""
        every = self.take(np.argsort(self.keys, kind="stable"))
        is_new = _are_new(every)
        if (is_new[1:] & (every.keys[1:] == every.keys[:-1])).any():
            # Almost never: different pairs draw the same number, and may stand in any order.
            every = self.take(np.lexsort((*self.codes, self.labels, self.keys)))
            is_new = _are_new(every)
        first = np.flatnonzero(is_new)
        joined = every.take(first)
        joined.occurrences = np.add.reduceat(every.occurrences, first) if len(first) else first
        return joined


def _are_new(pairs: Pairs) -> NDArray[np.bool_]:
    """Whether each pair is another one than the pair before it."""
    is_new = np.ones(len(pairs.keys), np.bool_)
    is_new[1:] = (
        (pairs.keys[1:] != pairs.keys[:-1])
        | (pairs.labels[1:] != pairs.labels[:-1])
        | (pairs.codes[:, 1:] != pairs.codes[:, :-1]).any(axis=0)
    )
    return is_new


class RowSample:
    """The pairs of a coded row and a class that draw the lowest numbers, with all their rows.

    What a pair draws follows from what it holds.
    """

    def __init__(self, draws: Draws, most: int = SAMPLED_PAIRS) -> None:
        self._draws, self._most, self._bound = draws, most, _HIGHEST
        none, n_features = np.empty(0, np.int64), len(draws.starts)
        self._parts = [
            Pairs(none.astype(np.uint64), np.empty((n_features, 0), np.int32), none, none)
        ]
        self._n_waiting, self._n_left_out = 0, 0

    @classmethod
    def resume(cls, training: Training, draws: Draws) -> RowSample:
        """Go on with the sample of a model that keeps counts."""
        sample = cls(draws)
        sample.add(training.codes, training.labels, training.occurrences)
        sample._n_left_out = training.n_rows - int(training.occurrences.sum())
        if sample._n_left_out:  # by those that draw more than the ones that are in it
            sample._bound = sample.finish().keys.max(initial=np.uint64(0))
        return sample

    def merge(self, other: RowSample) -> RowSample:
        """Add the sample of other rows, and return it: it is then that of the rows of both."""
        pairs = [self.finish(), other.finish()]
        # Pairs that draw more may have been left out of one of them.
        self._bound = min(self._bound, other._bound)
        self._n_left_out += other._n_left_out
        self._parts = [pairs[0].take(np.empty(0, np.int64))]
        for each in pairs:
            self.add(each.codes, each.labels, each.occurrences)
        return self

    def move(
        self, places: Sequence[NDArray[np.int64]], labels: NDArray[np.int64], draws: Draws
    ) -> None:
        """Take over other slots and classes, as `KeptCounts.moved` does; what pairs drew stays."""
        pairs, self._draws = self.finish(), draws
        codes = np.empty_like(pairs.codes)
        for own, before, place in zip(codes, pairs.codes, places, strict=True):
            own[:] = np.append(place[:-1], -1)[before]  # -1 is the last
        self._parts = [replace(pairs, codes=codes, labels=labels[pairs.labels])]

    def holds(self, codes: NDArray[np.int32], labels: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which rows are in it, if they were added at all."""
        if not self._n_left_out:
            return np.ones(len(labels), np.bool_)
        is_low: NDArray[np.bool_] = self._draws.draw(codes, labels) <= self._bound
        return is_low

    def take_away(self, codes: NDArray[np.int32], labels: NDArray[np.int64]) -> None:
        """Take rows away that were added; of those not in it there are fewer elsewhere."""
        is_own, before = self.holds(codes, labels), self.finish()
        codes, labels = np.ascontiguousarray(codes[:, is_own]), labels[is_own]
        gone = Pairs(self._draws.draw(codes, labels), codes, labels, np.full(len(labels), -1))
        every = Pairs.together([before, gone]).joined()
        self._n_left_out -= int(np.count_nonzero(~is_own))
        self._parts = [every.take(every.occurrences > 0)]

    def add(
        self,
        codes: NDArray[np.int32],
        labels: NDArray[np.int64],
        occurrences: NDArray[np.int64] | None = None,
    ) -> None:
        """Add rows, each once or so often."""
        keys = self._draws.draw(codes, labels)
        chosen = np.flatnonzero(keys <= self._bound)
        if occurrences is None:
            times = np.broadcast_to(np.int64(1), labels.shape)
            self._n_left_out += len(labels) - len(chosen)
        else:
            times = occurrences
            self._n_left_out += int(times.sum() - times[chosen].sum())
        self._parts.append(Pairs(keys, codes, labels, times).take(chosen))
        self._n_waiting += len(chosen)
        if self._n_waiting > 2 * self._most:
            self._join()

    def finish(self) -> Pairs:
        """Return the pairs of the sample, in the order of what they draw."""
        self._join()
        return self._parts[0]

    def _join(self) -> None:
        if len(self._parts) > 1:
            pairs = Pairs.together(self._parts)
            keys, times = pairs.keys, pairs.occurrences
            bound = self._find_bound(keys)
            if bound is not None:
                self._bound = bound
                is_low = keys <= self._bound
                self._n_left_out += int(times[~is_low].sum())
                pairs = pairs.take(is_low)
            self._parts = [pairs.joined()]
        self._n_waiting = 0

    def _find_bound(self, keys: NDArray[np.uint64]) -> np.uint64 | None:
        """Return the highest of the lowest distinct keys; None where there are not enough."""
        few = 2 * self._most
        if len(keys) > few:  # sorting some is quicker than all, and mostly enough
            distinct = np.unique(np.partition(keys, few)[:few])
            if len(distinct) >= self._most:
                return distinct[self._most - 1]  # type: ignore[no-any-return]
        distinct = np.unique(keys)
        return distinct[self._most - 1] if len(distinct) > self._most else None
