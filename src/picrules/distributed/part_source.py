"""Training rows in parts: partitions, or files, each read as one table or one after the other.

Each part is turned into a little that counts, wherever it lies, and these are put together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from zlib import crc32

import numpy as np

from picrules.distributed.gathering import gather_parts
from picrules.encoding.columns import Column, read_columns
from picrules.encoding.schema import learn_schema
from picrules.encoding.sketch import find_cuts, join_sketches, sketch
from picrules.encoding.tables import (
    check_shape,
    join_rows,
    list_cells,
    split_column,
    take_columns,
    take_rows,
)
from picrules.engines.batches import CodedBatch
from picrules.estimators.growing import join_classes
from picrules.estimators.target import encode_known, encode_target

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Schema
    from picrules.engines.holding import Holding
    from picrules.engines.training import Training

Result = TypeVar("Result")

# Rows of a part, evenly over all, by which it is told apart from others of the same length.
_MARKING_ROWS = 256


class Parts(Protocol):
    """The parts of a table, which can be read more than once."""

    @property
    def names(self) -> list[str]:
        """The columns."""

    def run(
        self,
        work: Callable[[Iterable[Any]], Result],
        merge: Callable[[Sequence[Result]], Result],
    ) -> Result:
        """Do some work on the tables of each part, and return the merged results."""

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


def fold(
    work: Callable[[Any], Result],
    merge: Callable[[Sequence[Result]], Result],
    tables: Iterable[Any],
) -> Result:
    """Do some work on each table, and merge the results one by one."""
    return reduce(lambda some, other: merge([some, other]), map(work, tables))


def do_each(work: Callable[[Any], Result], tables: Iterable[Any]) -> list[Result]:
    """Do some work on each table, and list the results."""
    return [*map(work, tables)]


def join_lists(lists: Sequence[list[Any]]) -> list[Any]:
    """Put lists one after the other."""
    return [result for own in lists for result in own]


@dataclass(frozen=True)
class PartSource:
    """The rows of several parts, as a `Source`; their classes are in the column `target`."""

    parts: Parts
    target: str
    n_threads: int = 1  # that work on a part

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

    def gather(self, conditions: Conditions, holding: Holding) -> Training:
        """Count all rows as codes of the features that have conditions, and hold what is wanted."""
        shape = conditions.sets.n_codes, len(self.classes)
        read = partial(_code, self.names, self.target, conditions, self.classes)
        return gather_parts(self.parts.run, read, holding, shape, self.n_threads)

    def collect(self) -> tuple[Any, Any]:
        """Return all rows as a table in memory, and their classes."""
        return split_column(self.parts.collect(), self.target)

    def sample(self, most: int, seed: int) -> tuple[Any, Any]:
        """Return about so many of the rows, of which there are more, and their classes."""
        work = partial(_take_some, [*self.names, self.target], most / self.n_rows, seed)
        tables: list[Any] = self.parts.run(partial(do_each, work), join_lists)
        return split_column(join_rows(tables), self.target)

    def _look(
        self, categorical: Collection[int], cuts: dict[int, NDArray[np.float64] | None]
    ) -> Look:
        work = partial(_look, self.names, self.target, categorical, cuts)
        merge = partial(_merge_looks, categorical, cuts)
        look: Look = self.parts.run(partial(fold, work, merge), merge)
        return look


def _read(names: list[str], target: str, part: Any) -> tuple[list[Column], Any]:
    X, y = split_column(take_columns(part, [*names, target]), target)
    return read_columns(X), y


def _take_some(names: list[str], share: float, seed: int, part: Any) -> Any:
    """Return a share of the rows of a part; what is drawn does not depend on other parts."""
    rows = take_columns(part, names)
    n_rows = len(rows)
    if not n_rows:
        return rows
    rng = np.random.default_rng([seed, n_rows, _mark(rows)])
    n_chosen = int(share * n_rows + rng.random())
    return take_rows(rows, np.sort(rng.permutation(n_rows)[:n_chosen]))


def _mark(rows: Any) -> int:
    """Return a number that some rows of a part tell: parts of one length draw other positions."""
    some = np.linspace(0, len(rows) - 1, min(len(rows), _MARKING_ROWS)).astype(np.int64)
    # Not Python's own hash, which is another one in each process.
    return crc32(repr(list_cells(rows, some)).encode(errors="backslashreplace"))


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


def _code(
    names: list[str], target: str, conditions: Conditions, classes: NDArray[Any], table: Any
) -> CodedBatch:
    columns, y = _read(names, target, table)
    n_rows = len(columns[0])
    codes, labels = conditions.encode(columns), np.empty(0, np.int64)
    if n_rows:
        labels = encode_known(y, n_rows, classes)
    return CodedBatch(codes, labels, np.broadcast_to(np.int64(1), labels.shape))
