"""Add rows to the counts that a model keeps in their place, and take rows away from them."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.schema import CategoryFeature
from picrules.encoding.tables import MAX_ROWS
from picrules.engines.blocks import BlockCounter
from picrules.engines.draws import Draws
from picrules.engines.multiset import Match
from picrules.engines.sample import RowSample
from picrules.engines.training import Training
from picrules.errors import BadTable
from picrules.estimators.growing import Change
from picrules.estimators.target import place_classes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Feature, Schema
    from picrules.engines.kept_counts import KeptCounts
    from picrules.estimators.fitted import Fitted
    from picrules.estimators.growing import Given


@dataclass(frozen=True, slots=True)
class CountedRows:
    """Counts in place of rows, with what their codes and classes stand for."""

    conditions: Conditions
    classes: NDArray[Any]  # sorted
    counts: KeptCounts
    sample: RowSample
    change: Change | None = None  # what came or went last

    @classmethod
    def of(cls, fitted: Fitted) -> CountedRows:
        """Return what a model keeps in place of its rows."""
        return cls.hold(fitted.training, fitted.conditions, fitted.classes)

    @classmethod
    def hold(cls, training: Training, conditions: Conditions, classes: NDArray[Any]) -> CountedRows:
        """Return the counts and the sample of training rows."""
        assert training.counts is not None
        sample = RowSample.resume(training, Draws.of(conditions, classes))
        return cls(conditions, classes, training.counts, sample)

    @property
    def training(self) -> Training:
        """The counts and the sample, as training rows."""
        return Training.of_counts(self.counts, self.sample.finish())

    def add(self, given: Given, extend: Callable[[Schema], Conditions]) -> CountedRows:
        """Return the same with some more rows; categories and classes may be new."""
        conditions, classes = given.widen(self, extend)
        if not np.array_equal(conditions.features, self.conditions.features):
            raise BadTable(
                "a column that had no condition gets one by a value that is new; a model that "
                "keeps counts in place of rows takes that at fit alone"
            )
        own = self._in_codes_of(conditions, classes)
        rows = given.encode(own)
        if int(own.counts.class_sizes.sum()) + len(given.labels) > MAX_ROWS:
            raise BadTable(
                f"there would be more than {MAX_ROWS} training rows; so many are accepted"
            )
        counts = own.counts + own._count(*rows)  # noqa: SLF001
        own.sample.add(*rows)
        return replace(own, counts=counts, change=own._note(*rows, is_added=True))  # noqa: SLF001

    def take_away(self, given: Given) -> CountedRows:
        """Return the same without some rows, each as often as it is told.

        A class that no row is left of is none any more; the schema stays.
        """
        codes, labels = given.encode(self)
        row = self._find_first(codes, labels)
        if row < len(labels):
            raise given.not_among(row)
        counts = self.counts - self._count(codes, labels)
        is_left = counts.class_sizes > 0
        if not is_left.any():
            raise BadTable("no training row would be left; at least one is needed")
        self.sample.take_away(codes, labels)
        if not self.training.n_pairs:
            raise BadTable(
                "no row of the sample would be left that a model with counts in place of rows "
                "keeps; fit again"
            )
        rest, change = replace(self, counts=counts), self._note(codes, labels, is_added=False)
        left = rest._in_codes_of(self.conditions, self.classes[is_left])  # noqa: SLF001
        return replace(left, change=change)

    def _note(
        self, codes: NDArray[np.int32], labels: NDArray[np.int64], *, is_added: bool
    ) -> Change:
        rows = (codes, labels, np.ones(len(labels), np.int64))
        return Change(self.conditions, self.classes, rows, is_added)

    def _count(
        self,
        codes: NDArray[np.int32],
        labels: NDArray[np.int64],
        occurrences: NDArray[np.int64] | None = None,
    ) -> KeptCounts:
        n_codes = self.conditions.sets.n_codes
        counter = BlockCounter(n_codes, len(self.classes), self.counts.max_length)
        counter.add(codes, labels, occurrences)
        return counter.finish()

    def _find_first(self, codes: NDArray[np.int32], labels: NDArray[np.int64]) -> int:
        """Find the first row that was never added, or not as often, as far as that can be told.

        What the sample holds is known. Of all other rows some cell would hold fewer than none.
        """
        is_known = labels >= 0
        own = np.flatnonzero(is_known)
        own = own[self.sample.holds(codes[:, own], labels[own])]
        pairs = self.training
        sampled = replace(pairs, counts=None)
        is_known[own] = ~Match.of(sampled, codes[:, own], labels[own]).missing
        n_known = int(np.append(~is_known, True).argmax())  # all, or up to the first unknown
        others = np.setdiff1d(np.arange(n_known), own)
        if not len(others):
            return n_known
        rest = self.counts - self._count(pairs.codes, pairs.labels, pairs.occurrences)

        def is_too_many(n_first: int) -> bool:
            gone = self._count(codes[:, others[:n_first]], labels[others[:n_first]])
            return bool((gone.longest.cells > rest.longest.cells).any())

        if not is_too_many(len(others)):  # as it should be
            return n_known
        return int(others[bisect_left(range(1, len(others)), True, key=is_too_many)])

    def _in_codes_of(self, conditions: Conditions, classes: NDArray[Any]) -> CountedRows:
        """Return the same with codes of an extended schema, and with more or fewer classes."""
        if conditions is self.conditions and np.array_equal(classes, self.classes):
            return self
        schemas = (self.conditions.schema, conditions.schema)
        pairs = [[each.features[at] for each in schemas] for at in conditions.features]
        places = [_place(before, after) for before, after in pairs]
        labels = place_classes(self.classes, classes)
        counts = self.counts.moved(places, conditions.sets.n_codes + 1, labels, len(classes))
        self.sample.move(places, labels, Draws.of(conditions, classes))
        return CountedRows(conditions, classes, counts, self.sample)


def _place(before: Feature, after: Feature) -> NDArray[np.int64]:
    """Return the new slot of each slot of a feature; the last stands for missing values."""
    codes = list(range(before.n_codes))
    if isinstance(before, CategoryFeature) and isinstance(after, CategoryFeature):
        place = {category: code for code, category in enumerate(after.categories)}
        codes = [place[category] for category in before.categories]
    return np.array([*codes, after.n_codes], np.int64)
