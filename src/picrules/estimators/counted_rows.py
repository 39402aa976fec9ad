"""Add rows to the counts that a model keeps in their place, and take rows away from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.growth import extend_schema, find_unknown
from picrules.encoding.schema import CategoryFeature
from picrules.encoding.tables import MAX_ROWS
from picrules.engines.blocks import BlockCounter
from picrules.engines.sample import RowSample
from picrules.engines.training import Training
from picrules.errors import BadTable
from picrules.estimators.growing import Change, join_classes, not_among, place_classes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Feature, Schema
    from picrules.engines.kept_counts import KeptCounts
    from picrules.estimators.fitted import Fitted


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
        training = fitted.training
        assert training.counts is not None
        sample = RowSample.resume(training)
        return cls(fitted.conditions, fitted.classes, training.counts, sample)

    @property
    def training(self) -> Training:
        """The counts and the sample, as training rows."""
        return Training.of_counts(self.counts, self.sample.finish())

    def add(
        self,
        columns: Sequence[Column],
        classes: NDArray[Any],
        labels: NDArray[np.int64],
        extend: Callable[[Schema], Conditions],
    ) -> CountedRows:
        """Return the same with some more rows; categories and classes may be new.

        `extend` makes the conditions of a schema with more categories.
        """
        every, conditions = join_classes(self.classes, classes), self.conditions
        schema = extend_schema(conditions.schema, columns)
        if schema != conditions.schema:
            conditions = extend(schema)
        if not np.array_equal(conditions.features, self.conditions.features):
            raise BadTable(
                "a column that had no condition gets one by a value that is new; a model that "
                "keeps counts in place of rows takes that at fit alone"
            )
        own = self._in_codes_of(conditions, every)
        codes, given = conditions.encode(columns), np.searchsorted(every, classes)[labels]
        if int(own.counts.class_sizes.sum()) + len(given) > MAX_ROWS:
            raise BadTable(
                f"there would be more than {MAX_ROWS} training rows; so many are accepted"
            )
        counts = own.counts + own._count(codes, given)  # noqa: SLF001
        own.sample.add(codes, given)
        return replace(own, counts=counts, change=own._note(codes, given, is_added=True))  # noqa: SLF001

    def take_away(
        self, columns: Sequence[Column], classes: NDArray[Any], labels: NDArray[np.int64]
    ) -> CountedRows:
        """Return the same without some rows, each as often as it is told.

        A class that no row is left of is none any more; the schema stays.
        """
        own = place_classes(classes, self.classes)[labels]
        codes = self.conditions.encode(columns)
        is_unknown = find_unknown(self.conditions.schema, columns) | (own < 0)
        n_known = int(is_unknown.argmax()) if is_unknown.any() else len(own)
        row = self._find_first(codes, own, n_known)
        if row < len(own):
            raise not_among(row, classes.tolist()[labels[row]])
        counts = self.counts - self._count(codes, own)
        is_left = counts.class_sizes > 0
        if not is_left.any():
            raise BadTable("no training row would be left; at least one is needed")
        self.sample.take_away(codes, own)
        rest, change = replace(self, counts=counts), self._note(codes, own, is_added=False)
        left = rest._in_codes_of(self.conditions, self.classes[is_left])  # noqa: SLF001
        return replace(left, change=change)

    def _note(
        self, codes: NDArray[np.int32], labels: NDArray[np.int64], *, is_added: bool
    ) -> Change:
        rows = (codes, labels, np.ones(len(labels), np.int64))
        return Change(self.conditions, self.classes, rows, is_added)

    def _count(self, codes: NDArray[np.int32], labels: NDArray[np.int64]) -> KeptCounts:
        n_codes = self.conditions.sets.n_codes
        counter = BlockCounter(n_codes, len(self.classes), self.counts.max_length)
        counter.add(codes, labels)
        return counter.finish()

    def _find_first(self, codes: NDArray[np.int32], labels: NDArray[np.int64], n_known: int) -> int:
        """Find the first row that cannot be taken away after those before it, by halving."""
        low, high = 0, n_known + 1  # so many first rows can be taken away, and so many cannot
        while high - low > 1:
            middle = (low + high) // 2 if low else high - 1
            gone = self._count(codes[:, :middle], labels[:middle])
            if (gone.longest.cells > self.counts.longest.cells).any():
                high = middle
            else:
                low = middle
        return low

    def _in_codes_of(self, conditions: Conditions, classes: NDArray[Any]) -> CountedRows:
        """Return the same with codes of an extended schema, and with more or fewer classes."""
        schemas = (self.conditions.schema, conditions.schema)
        pairs = [[each.features[at] for each in schemas] for at in conditions.features]
        places = [_place(before, after) for before, after in pairs]
        labels = place_classes(self.classes, classes)
        counts = self.counts.moved(places, conditions.sets.n_codes + 1, labels, len(classes))
        self.sample.move(places, labels)
        return CountedRows(conditions, classes, counts, self.sample)


def _place(before: Feature, after: Feature) -> NDArray[np.int64]:
    """Return the new slot of each slot of a feature; the last stands for missing values."""
    codes = list(range(before.n_codes))
    if isinstance(before, CategoryFeature) and isinstance(after, CategoryFeature):
        codes = list(map(after.categories.index, before.categories))
    return np.array([*codes, after.n_codes], np.int64)
