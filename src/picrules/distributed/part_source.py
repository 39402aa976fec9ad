"""Training rows in parts, each a table in memory for a while: partitions, or chunks of files.

Each part is turned into a little that counts, wherever it lies, and these are put together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from picrules.encoding.columns import Column, read_columns
from picrules.encoding.schema import learn_schema
from picrules.encoding.sketch import find_cuts, join_sketches, sketch
from picrules.encoding.tables import check_shape, join_rows, split_column, take_columns, take_rows
from picrules.engines.batches import CodedBatch, add_up
from picrules.estimators.growing import join_classes
from picrules.estimators.target import encode_target

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Schema

Result = TypeVar("Result")


class Parts(Protocol):
    """The parts of a table, which can be read more than once."""

    @property
    def names(self) -> list[str]:
        """The columns."""

    def run(
        self, work: Callable[[Any], Result], merge: Callable[[Sequence[Result]], Result]
    ) -> Iterator[Result]:
        """Do some work on each part; give the results, of which some may be merged already."""

    def collect(self) -> Any:
        """Return all parts as one table in memory."""


@dataclass(frozen=True)
class Look:
    """What is known about some rows."""

    columns: list[Column]  # their sketch
    classes: NDArray[Any]
    n_rows: int

    @classmethod
    def join(cls, looks: Sequence[Look]) -> Look:
        """Return what is known about the rows of all."""
        seen = [look for look in looks if look.n_rows] or list(looks[:1])
        classes = reduce(join_classes, [look.classes for look in seen])
        columns = join_sketches([look.columns for look in seen])
        return cls(columns, classes, sum(look.n_rows for look in seen))


@dataclass(frozen=True)
class PartSource:
    """The rows of several parts, as a `Source`; their classes are in the column `target`."""

    parts: Parts
    target: str

    @property
    def names(self) -> list[str]:
        """The columns without that of the classes."""
        return [name for name in self.parts.names if name != self.target]

    @cached_property
    def _first_look(self) -> Look:
        look = self._look((), {})
        check_shape(look.n_rows, len(self.names))
        return look

    @property
    def classes(self) -> NDArray[Any]:
        """The classes, sorted."""
        return self._first_look.classes

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self._first_look.n_rows

    def learn_schema(self, bins: Sequence[int], categorical: Collection[int] | None) -> Schema:
        """Learn categories and cuts of equal width, those that a table in memory would give."""
        look = self._first_look if not categorical else self._look(categorical, {})
        cuts = find_cuts(look.columns, bins)
        if cuts:
            look = self._look(categorical or (), cuts)
        return learn_schema(look.columns, bins, categorical)

    def settle(self, schema: Schema) -> Schema:
        """Return the schema as it is: it was learned from all rows."""
        return schema

    def count(self, conditions: Conditions) -> Iterator[CodedBatch]:
        """Give all rows as codes of the features that have conditions, in any order."""
        work = partial(_count, self.names, self.target, conditions, self.classes)
        merge = partial(add_up, n_codes=conditions.sets.n_codes, n_classes=len(self.classes))
        return self.parts.run(work, merge)

    def collect(self) -> tuple[Any, Any]:
        """Return all rows as a table in memory, and their classes."""
        return split_column(self.parts.collect(), self.target)

    def sample(self, most: int, seed: int) -> tuple[Any, Any]:
        """Return about so many of the rows, of which there are more, and their classes."""
        work = partial(_take_some, [*self.names, self.target], most / self.n_rows, seed)
        return split_column(join_rows(list(self.parts.run(work, join_rows))), self.target)

    def _look(
        self, categorical: Collection[int], cuts: dict[int, NDArray[np.float64] | None]
    ) -> Look:
        work = partial(_look, self.names, self.target, categorical, cuts)
        merge = partial(_merge_looks, categorical, cuts)
        return merge(list(self.parts.run(work, merge)))


def _read(names: list[str], target: str, part: Any) -> tuple[list[Column], Any]:
    X, y = split_column(take_columns(part, [*names, target]), target)
    return read_columns(X), y


def _take_some(names: list[str], share: float, seed: int, part: Any) -> Any:
    """Return a share of the rows of a part; what is drawn does not depend on other parts."""
    rows = take_columns(part, names)
    n_rows, rng = len(rows), np.random.default_rng([seed, len(rows)])
    n_chosen = int(share * n_rows + rng.random())
    return take_rows(rows, np.sort(rng.permutation(n_rows)[:n_chosen]))


def _look(
    names: list[str],
    target: str,
    categorical: Collection[int],
    cuts: dict[int, NDArray[np.float64] | None],
    part: Any,
) -> Look:
    columns, y = _read(names, target, part)
    n_rows = len(columns[0])
    classes = encode_target(y, n_rows)[0] if n_rows else np.empty(0)
    return Look(sketch(columns, categorical, cuts), classes, n_rows)


def _merge_looks(
    categorical: Collection[int],
    cuts: dict[int, NDArray[np.float64] | None],
    looks: Sequence[Look],
) -> Look:
    joined = Look.join(looks)
    return Look(sketch(joined.columns, categorical, cuts), joined.classes, joined.n_rows)


def _count(
    names: list[str], target: str, conditions: Conditions, classes: NDArray[Any], part: Any
) -> CodedBatch:
    columns, y = _read(names, target, part)
    n_rows = len(columns[0])
    codes, labels = conditions.encode(columns), np.empty(0, np.int64)
    if n_rows:
        found, own = encode_target(y, n_rows)
        labels = np.searchsorted(classes, found)[own]
    batch = CodedBatch(codes, labels, np.ones(n_rows, np.int64))
    return add_up([batch], conditions.sets.n_codes, len(classes))
