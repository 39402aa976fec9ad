"""Training rows in a lazy frame: its own engine learns about them and counts them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.distributed.adapters import adapter_of
from picrules.encoding.lazy import (
    LazyTable,
    count_codes,
    learn_lazy_schema,
    read_codes,
)
from picrules.encoding.tables import check_shape
from picrules.engines.batches import CodedBatch
from picrules.errors import BadTarget
from picrules.estimators.target import encode_target, split_target
from picrules.rules.text import plural, show

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Schema


@dataclass(frozen=True)
class LazySource:
    """The rows of a lazy frame, as a `Source`."""

    table: LazyTable

    @property
    def names(self) -> list[str]:
        """The columns without that of the classes."""
        return self.table.names

    @cached_property
    def _counted_classes(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        values = self.table.count_values(self.table.target)
        counts = values.counts
        check_shape(int(counts.sum()), len(self.names))
        n_missing = int(counts[values.is_missing].sum())
        if n_missing:
            raise BadTarget(
                f"the column {show(self.table.target)} is missing in {plural(n_missing, 'row')}; "
                "every row must have a class"
            )
        return encode_target(values.series.to_native(), len(counts))[0], counts

    @property
    def classes(self) -> NDArray[Any]:
        """The classes, sorted."""
        return self._counted_classes[0]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self._counted_classes[1].sum())

    def learn_schema(self, bins: Sequence[int], categorical: Collection[int] | None) -> Schema:
        """Learn categories and cuts of equal width, those that a table in memory would give."""
        return learn_lazy_schema(self.table, bins, categorical)

    def settle(self, schema: Schema) -> Schema:
        """Return the schema as it is: it was learned from all rows."""
        return schema

    def count(self, conditions: Conditions) -> Iterator[CodedBatch]:
        """Give all rows as codes of the features that have conditions, in any order."""
        columns = conditions.features.tolist()
        counted = count_codes(self.table, conditions.schema, columns)
        native = counted.to_native()
        for frame in adapter_of(native).batches(native):
            codes, named, occurrences = read_codes(self.table, conditions.schema, columns, frame)
            names, own = encode_target(named, len(occurrences))
            labels = np.searchsorted(self.classes, names)[own]
            yield CodedBatch(codes, labels, occurrences)

    def collect(self) -> tuple[Any, Any]:
        """Return all rows as a table in memory, and their classes."""
        return split_target(self.table.collect(), self.table.target)

    def sample(self, most: int, seed: int) -> tuple[Any, Any]:
        """Return about so many of the rows, of which there are more, and their classes."""
        native = self.table.native
        some = adapter_of(native).sample(native, most, self.n_rows, seed)
        return split_target(some, self.table.target)
