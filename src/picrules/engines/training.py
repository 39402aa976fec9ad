"""The training rows as codes: distinct rows, and how often each occurs with each class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.memory import free_memory
from picrules.errors import NotEnoughMemory, NoTrainingRows
from picrules.kernels.counting import add_to_keys, number_distinct

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from picrules.engines.kept_counts import KeptCounts
    from picrules.engines.sample import Pairs


# Of more rows than the first number, the second number is tried; if at least this share of them is
# distinct, none are joined.
MANY_ROWS, SOME_ROWS, FEW_ALIKE = 2**16, 2**12, 0.98


@dataclass(frozen=True, eq=False)
class Training:
    """Distinct pairs of a coded row and a class, and how often each occurs.

    Everything that counts rows adds up `occurrences`. `rows` tells which pair each row of the
    training table is, so that rows can be shown; without it each pair is one row, in order. Where
    the order is not known, rows are listed by their codes, column by column, and then by class.
    """

    codes: NDArray[np.int32]  # (n_features, n_pairs); -1 is missing
    labels: NDArray[np.int64]  # (n_pairs,)
    occurrences: NDArray[np.int64]  # (n_pairs,)
    class_sizes: NDArray[np.int64]  # (n_classes,): rows of each class
    rows: NDArray[np.int64] | None = None  # (n_rows,): the pair that each row is
    # Where the rows are not kept: the class counts of their cells. The pairs are a sample then.
    counts: KeptCounts | None = None
    has_order: bool = True  # whether it is known where each row stood in the training table

    @classmethod
    def from_rows(
        cls,
        codes: NDArray[np.int32],
        labels: NDArray[np.int64],
        n_codes: NDArray[np.int64],
        n_classes: int,
    ) -> Training:
        """Join rows that are alike in all codes and in their class.

        Of large tables whose first rows nearly all differ few are, so none are looked for.
        """
        sizes = np.bincount(labels, minlength=n_classes).astype(np.int64)
        # The class first: then rows with different classes are told apart at once.
        keys = (labels.astype(np.int32), *codes)
        counts = [n_classes, *n_codes.tolist()]
        first, rows = np.arange(SOME_ROWS), None
        if len(labels) > MANY_ROWS:
            first, _ = find_distinct([each[:SOME_ROWS] for each in keys], counts, SOME_ROWS)
        if len(labels) <= MANY_ROWS or len(first) < FEW_ALIKE * SOME_ROWS:
            first, rows = find_distinct(keys, counts, len(labels))
        if rows is None:
            return cls.of_single_rows(codes, labels, sizes)
        return cls(np.take(codes, first, axis=1), labels[first], np.bincount(rows), sizes, rows)

    @classmethod
    def of_single_rows(
        cls, codes: NDArray[np.int32], labels: NDArray[np.int64], class_sizes: NDArray[np.int64]
    ) -> Training:
        """Take each row for a pair of its own, without a look at it."""
        return cls(codes, labels, np.broadcast_to(np.int64(1), labels.shape), class_sizes)

    @classmethod
    def of_counts(cls, counts: KeptCounts, pairs: Pairs) -> Training:
        """Take counts of all rows, and a sample of them."""
        own = (pairs.codes, pairs.labels, pairs.occurrences, counts.class_sizes)
        return cls(*own, counts=counts, has_order=False)

    def need_rows(self, what: str) -> None:
        """Say that something cannot be told where only counts of the rows are kept."""
        if self.counts is not None:
            raise NoTrainingRows(
                f"{what} cannot be told: this model keeps counts in place of its {self.n_rows:,} "
                "training rows; an estimator with keep_rows=True keeps the rows"
            )

    def about(self, features: Sequence[int]) -> Training:
        """Return the rows, or all that is known of them about some features: the others are -1."""
        if self.counts is None:
            return self
        features = sorted(set(features))
        if len(features) > self.counts.max_length:
            self.need_rows(f"what {len(features)} features say together")
        codes, labels, occurrences = self.counts.cells_of(features)
        every = np.full((self.n_features, len(labels)), -1, np.int32)
        every[features] = codes
        return Training(every, labels, occurrences, self.class_sizes)

    def of_classes(self, classes: Sequence[int]) -> Training:
        """Return the rows of some classes alone, numbered as they are listed."""
        self.need_rows("what parts some of the classes")
        number_of = np.full(self.n_classes, -1)
        number_of[list(classes)] = np.arange(len(classes))
        labels = number_of[self.labels]
        own = np.flatnonzero(labels >= 0)
        codes, sizes = np.take(self.codes, own, axis=1), self.class_sizes[list(classes)]
        return Training(codes, labels[own], self.occurrences[own], sizes, has_order=False)

    @property
    def n_features(self) -> int:
        """How many features there are."""
        return int(self.codes.shape[0])

    @property
    def n_rows(self) -> int:
        """How many rows there are, those that are alike included."""
        return int(self.class_sizes.sum())

    @property
    def n_pairs(self) -> int:
        """How many distinct pairs of row and class there are."""
        return len(self.labels)

    @property
    def n_walked(self) -> int:
        """How many pairs are walked through to count a set of features; none where counts are."""
        return self.n_pairs if self.counts is None else 0

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.class_sizes)

    @cached_property
    def pair_of_row(self) -> NDArray[np.int64]:
        """Which pair each row of the training table is, or each row of the listing."""
        if self.rows is not None:
            return self.rows
        if self.has_order:
            return np.arange(self.n_pairs)
        if 8 * self.n_rows > free_memory():  # a small file may have many rows that are alike
            raise NotEnoughMemory(
                f"a list of the {self.n_rows} training rows takes {self.n_rows / 2**27:.1f} GiB"
            )
        order = np.lexsort(_make_keys(self.codes, self.labels)[::-1])
        return np.repeat(order, self.occurrences[order])

    @property
    def row_codes(self) -> NDArray[np.int32]:
        """The codes of all rows, in the order of the training table or of the listing."""
        is_listed = self.rows is None and self.has_order
        return self.codes if is_listed else np.take(self.codes, self.pair_of_row, axis=1)

    @property
    def row_labels(self) -> NDArray[np.int64]:
        """The classes of all rows, in the order of the training table or of the listing."""
        is_listed = self.rows is None and self.has_order
        return self.labels if is_listed else self.labels[self.pair_of_row]

    def sorted(self) -> Training:
        """Return the same with the pairs sorted, each once, whatever the order of the rows."""
        keys = _make_keys(self.codes, self.labels)
        order = np.lexsort(keys[::-1])
        is_first = np.zeros(self.n_pairs, np.bool_)
        is_first[:1] = True
        for key in keys:
            own = key[order]
            is_first[1:] |= own[1:] != own[:-1]
        starts = np.flatnonzero(is_first)
        rows = None
        if self.has_order:
            place = np.empty(self.n_pairs, np.int64)
            place[order] = np.cumsum(is_first) - 1
            rows = place[self.pair_of_row]
        first = order[starts]
        occurrences = np.add.reduceat(self.occurrences[order], starts)
        codes, labels = np.take(self.codes, first, axis=1), self.labels[first]
        return replace(self, codes=codes, labels=labels, occurrences=occurrences, rows=rows)

    def take_evenly(self, order: NDArray[np.int64], most: int) -> NDArray[np.int64]:
        """Return the pairs of at most so many rows, evenly over all, listed pair after pair."""
        ends = np.cumsum(self.occurrences[order])
        n_rows = int(ends[-1])
        rows = np.linspace(0, n_rows - 1, min(most, n_rows)).astype(np.int64)
        return order[np.searchsorted(ends, rows, side="right")]

    def placed(self, codes: NDArray[np.int32], labels: NDArray[np.int64]) -> Training | None:
        """Return the same with the order of a table's rows; None if these are others."""
        if len(labels) != self.n_rows or self.counts is not None:
            return None
        own, n_classes = self.sorted(), self.n_classes
        n_codes = np.maximum(own.codes.max(axis=1), codes.max(axis=1, initial=-1)) + 1
        sizes = np.bincount(labels, minlength=n_classes)
        if not np.array_equal(sizes, self.class_sizes):
            return None
        other = Training.from_rows(codes, labels, n_codes, n_classes).sorted()
        is_same = all(
            np.array_equal(getattr(own, name), getattr(other, name))
            for name in ("occurrences", "labels", "codes")
        )
        return other if is_same else None


def _make_keys(codes: NDArray[np.int32], labels: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return numbers that order pairs by their codes, column by column, and then by class.

    Columns share a number as long as it can hold them.
    """
    keys, key, largest = [], np.zeros(len(labels), np.int64), 1
    for row in (*codes, labels.astype(np.int32)):
        count = int(row.max(initial=-1)) + 1
        if largest > 2**62 // (count + 1):
            keys.append(key)
            key, largest = np.zeros(len(labels), np.int64), 1
        add_to_keys(row, count, key)
        largest *= count + 1
    return [*keys, key]


def find_distinct(
    codes: Iterable[NDArray[np.int32]], n_codes: list[int], n_rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Find the distinct columns of a table of codes (-1 is missing), in the order they come.

    Returns the position of the first column of each kind, and for each column which kind it is;
    None when all differ.
    """
    first, numbers = np.arange(n_rows), np.zeros(n_rows, np.int64)
    if n_rows <= 1:
        return first, None
    keys, largest = np.zeros(n_rows, np.int64), 1
    for row, count in zip(codes, n_codes, strict=True):
        if largest > 2**62 // (count + 1):
            found = np.empty(n_rows, np.int64)
            largest = number_distinct(keys, found, numbers)
            if largest == n_rows:
                return first, None
            keys = numbers.copy()
        add_to_keys(row, count, keys)
        largest *= count + 1
    n_distinct = number_distinct(keys, first, numbers)
    if n_distinct == n_rows:
        return np.arange(n_rows), None
    return first[:n_distinct].copy(), numbers


def distinct_columns(
    codes: NDArray[np.int32], n_codes: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
    """Return the distinct columns of a table of codes, and which of them each column is.

    The second is None when all differ.
    """
    first, numbers = find_distinct(codes, n_codes.tolist(), codes.shape[1])
    return (codes, None) if numbers is None else (np.take(codes, first, axis=1), numbers)
