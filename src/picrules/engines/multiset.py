"""Add rows to training rows, or take rows away: what is left of all others stays where it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.draws import Draws
from picrules.engines.training import FEW_ALIKE, MANY_ROWS, Training, find_distinct
from picrules.kernels.multiset import match_columns, take_last

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Batch:
    """Some coded rows with their classes, and which of them are alike."""

    codes: NDArray[np.int32]  # (n_features, n_distinct)
    labels: NDArray[np.int64]  # (n_distinct,)
    numbers: NDArray[np.int64]  # (n_rows,): which of the distinct ones each row is

    @classmethod
    def of(cls, codes: NDArray[np.int32], labels: NDArray[np.int64]) -> Batch:
        """Join rows that are alike in all codes and in their class."""
        keys = (labels.astype(np.int32), *codes)
        n_codes = [int(key.max(initial=0)) + 1 for key in keys]
        first, numbers = find_distinct(keys, n_codes, len(labels))
        if numbers is None:
            numbers = np.arange(len(labels))
        return cls(np.ascontiguousarray(codes[:, first]), labels[first], numbers)

    @property
    def times(self) -> NDArray[np.int64]:
        """How often each distinct row occurs."""
        return np.bincount(self.numbers, minlength=len(self.labels)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Match:
    """Training rows, and which of their pairs some rows are."""

    training: Training
    batch: Batch
    found: NDArray[np.int64]  # (n_pairs,): which of the distinct rows each pair is, -1 for none

    @classmethod
    def of(cls, training: Training, codes: NDArray[np.int32], labels: NDArray[np.int64]) -> Match:
        """Look for rows among the training rows; those with the class -1 are none of them."""
        training.need_rows("which rows partial_fit and forget start from")
        batch = Batch.of(codes, labels)
        found = np.empty(training.n_pairs, np.int64)
        own = np.ascontiguousarray(training.codes), training.labels
        wanted = batch.codes, batch.labels
        most = [each.max(axis=1, initial=-1) for each in (own[0], wanted[0])]
        draws = Draws.by_position(np.maximum(*most) + 1, training.n_classes)
        match_columns(draws.draw(*own), *own, draws.draw(*wanted), *wanted, found)
        return cls(training, batch, found)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which of the rows are not among the training rows, or not as often."""
        batch, known = self.batch, np.flatnonzero(self.found >= 0)
        counts = np.zeros(len(batch.labels), np.int64)
        np.add.at(counts, self.found[known], self.training.occurrences[known])
        order = np.argsort(batch.numbers, kind="stable")
        own = batch.numbers[order]
        starts = np.flatnonzero(np.diff(own, prepend=-1))
        ranks = np.arange(len(own)) - np.repeat(starts, np.diff(np.append(starts, len(own))))
        is_missing = np.empty(len(own), np.bool_)
        is_missing[order] = ranks >= counts[own]
        return is_missing

    def added(self) -> Training:
        """Return the training rows and these."""
        training, batch = self.training, self.batch
        sizes = training.class_sizes + self._class_sizes
        pair_of, known = np.full(len(batch.labels), -1), np.flatnonzero(self.found >= 0)
        pair_of[self.found[known]] = known
        new = np.flatnonzero(pair_of < 0)
        if training.rows is None and training.has_order:
            n_rows = training.n_rows + len(batch.numbers)
            if n_rows > MANY_ROWS and len(new) >= FEW_ALIKE * len(batch.numbers):
                codes = [training.codes, batch.codes[:, batch.numbers]]
                labels = _join(training.labels, batch.labels[batch.numbers])
                return Training.of_single_rows(np.concatenate(codes, axis=1), labels, sizes)
            training = replace(training, rows=np.arange(training.n_pairs))
        pair_of[new] = training.n_pairs + np.arange(len(new))
        occurrences = _join(training.occurrences, np.zeros(len(new), np.int64))
        occurrences[pair_of] += batch.times
        rows = None if training.rows is None else _join(training.rows, pair_of[batch.numbers])
        codes = [training.codes, batch.codes[:, new]]
        labels = _join(training.labels, batch.labels[new])
        return Training(
            np.concatenate(codes, axis=1), labels, occurrences, sizes, rows,
            has_order=training.has_order,
        )  # fmt: skip

    def taken(self) -> Training:
        """Return the training rows without these, all of which are there; the last ones go."""
        training = self.training
        occurrences, rows = np.array(training.occurrences), training.rows
        take_last(self.found, self.batch.times, occurrences)
        is_left, kept = occurrences > 0, slice(None)
        if rows is not None:
            left = np.ones(len(rows), np.int64)
            take_last(rows, training.occurrences - occurrences, left)
            rows = rows[left > 0]
        if not is_left.all():
            kept = np.flatnonzero(is_left)  # type: ignore[assignment]
            rows = None if rows is None else (np.cumsum(is_left) - 1)[rows]
        codes, labels = np.ascontiguousarray(training.codes[:, kept]), training.labels[kept]
        sizes = training.class_sizes - self._class_sizes
        if rows is None and training.has_order:
            return Training.of_single_rows(codes, labels, sizes)
        own = codes, labels, occurrences[kept], sizes, rows
        return Training(*own, has_order=training.has_order)

    @property
    def _class_sizes(self) -> NDArray[np.int64]:
        batch, n_classes = self.batch, self.training.n_classes
        return np.bincount(batch.labels[batch.numbers], minlength=n_classes)


def _join(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([first, second])
