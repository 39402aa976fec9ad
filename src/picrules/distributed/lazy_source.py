"""Training rows in a lazy frame: its own engine learns about them and counts them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from picrules.distributed.adapters import adapter_of
from picrules.distributed.arrow_classes import ClassCoder
from picrules.distributed.gathering import gather_parts
from picrules.encoding.lazy import (
    CodeColumns,
    LazyTable,
    count_alike,
    learn_lazy_schema,
    read_counts,
)
from picrules.encoding.tables import check_shape
from picrules.engines.batches import CodedBatch
from picrules.errors import BadTarget
from picrules.estimators.target import encode_known, encode_target, split_target
from picrules.rules.text import plural, show

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Schema
    from picrules.engines.holding import Holding
    from picrules.engines.training import Training


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

    def gather(self, conditions: Conditions, holding: Holding) -> Training:
        """Count all rows as codes of the features that have conditions, and hold what is wanted."""
        features = [conditions.schema.features[column] for column in conditions.features]
        reader = CodeColumns.of(self.table, features)
        read, coded = partial(_read, reader, self.classes), reader.select(self.table)
        shape, adapter = (conditions.sets.n_codes, len(self.classes)), adapter_of(self.table.native)
        is_kept = holding.keeps_all(self.n_rows, len(features))
        if hasattr(adapter, "run") and not is_kept:
            return gather_parts(partial(adapter.run, coded.to_native()), read, holding, shape)
        batches = adapter.batches(count_alike(coded).to_native())
        return holding.gather((read(each, read_counts(each)) for each in batches), *shape)

    def collect(self) -> tuple[Any, Any]:
        """Return all rows as a table in memory, and their classes."""
        return split_target(self.table.collect(), self.table.target)

    def sample(self, most: int, seed: int) -> tuple[Any, Any]:
        """Return about so many of the rows, of which there are more, and their classes."""
        native = self.table.native
        some = adapter_of(native).sample(native, most, self.n_rows, seed)
        return split_target(some, self.table.target)


def _read(
    reader: CodeColumns, classes: NDArray[Any], rows: Any, counts: NDArray[np.int64] | None = None
) -> CodedBatch:
    """Read rows of codes, each once or so often."""
    codes, named = reader.read(rows)
    if isinstance(named, pa.ChunkedArray):
        labels = ClassCoder(classes).encode(named.combine_chunks())
    else:
        labels = encode_known(named, codes.shape[1], classes)
    once = np.broadcast_to(np.int64(1), labels.shape)
    return CodedBatch(codes, labels, once if counts is None else counts)
