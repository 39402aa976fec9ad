"""PyArrow datasets: files that are read batch by batch, so that they may be larger than memory."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from picrules.distributed.arrow_classes import encode_classes
from picrules.distributed.arrow_files import (
    check_columns,
    find_fragments,
    find_plain_files,
    naming,
    searching,
)
from picrules.encoding.columns import CategoryColumn, Column, Kind, NumberColumn, read_columns
from picrules.encoding.cuts import even_cuts
from picrules.encoding.schema import NumberFeature, Schema, as_categories, count_below, learn_schema
from picrules.encoding.tables import check_names, check_shape
from picrules.engines.batches import CodedBatch
from picrules.errors import BadTable, BadTarget
from picrules.estimators.target import encode_target, split_target
from picrules.kernels.cuts import widen
from picrules.rules.text import list_names, plural, show

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Feature
    from picrules.engines.holding import Holding
    from picrules.engines.training import Training

Batch = TypeVar("Batch")

# Rows that are read, coded and counted at once, and batches that are read and coded ahead.
BATCH_ROWS, READ_AHEAD = 2**17, 4

# A column of a Parquet file is read by so many bytes: much less memory changes hands.
BUFFER_BYTES = 2**20


@dataclass(frozen=True)
class ArrowSource:
    """The rows of a dataset, as a `Source`."""

    dataset: ds.Dataset
    target: str
    n_threads: int = 1
    # What was seen of each column so far, and into how many parts its range is cut.
    seen: dict[str, tuple[Seen, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, X: Any, y: Any, n_threads: int) -> ArrowSource:
        """Check that `y` names a column of a dataset."""
        if not isinstance(y, str):
            raise BadTarget(
                f"y is a {type(y).__name__}, and X a dataset of files; the name of the column with "
                "the class of each row is accepted"
            )
        every = X.schema.names
        check_names(every)
        if y not in every:
            raise BadTarget(f"X has 0 columns {show(y)}; its columns are {list_names(every)}")
        source = cls(X, y, n_threads)
        check_columns(X, source.fragments)
        check_shape(source.n_rows, len(every) - 1)
        return source

    @property
    def names(self) -> list[str]:
        """The columns without that of the classes."""
        return [name for name in self.dataset.schema.names if name != self.target]

    @cached_property
    def classes(self) -> NDArray[Any]:
        """The classes, sorted."""
        batches = self._ahead(self._read([self.target]))
        found = [self._read_classes(batch)[0] for batch in batches]
        values = [value for each in found for value in each.tolist()]
        kind = found[0].dtype
        return encode_target(np.array(values, kind), len(values))[0]

    @cached_property
    def files(self) -> list[Any]:
        """The Parquet files, if all rows are read from such."""
        return find_plain_files(self.dataset, self.fragments)

    @cached_property
    def fragments(self) -> list[Any]:
        """The files, if it is known which."""
        return find_fragments(self.dataset)

    @cached_property
    def n_rows(self) -> int:
        """How many rows there are."""
        with self._searching():
            return int(self.dataset.count_rows())

    def learn_schema(self, bins: Sequence[int], categorical: Collection[int] | None) -> Schema:
        """Learn categories and cuts of equal width, those that a table in memory would give."""
        if not self.seen:
            self._look(bins, categorical)
        schema = learn_schema([own.column for own, _ in self.seen.values()], bins, categorical)
        features = [
            NumberFeature(own.name, tuple(own.cuts.tolist())) if own.is_late else feature
            for feature, (own, _) in zip(schema.features, self.seen.values(), strict=True)
        ]
        return Schema(tuple(features))

    def _look(self, bins: Sequence[int], categorical: Collection[int] | None) -> None:
        """Look at all columns but those whose extremes the files state: these are seen late."""
        stated = stated_extremes(self.files, self.names)
        for position, (name, n_parts) in enumerate(zip(self.names, bins, strict=True)):
            own = Seen(name, position in (categorical or ()))
            own.expect(stated.get(name), n_parts)
            own.is_late = name in stated and not own.is_category
            self.seen[name] = own, n_parts
        waiting = [own for own, _ in self.seen.values() if not own.is_late]
        while waiting:
            for batch in self._ahead(self._read([own.name for own in waiting])):
                self._share(Seen.see, waiting, batch.columns)
            waiting = [own for own in waiting if not own.is_settled(self.seen[own.name][1])]

    def settle(self, schema: Schema) -> Schema | None:
        """Return the schema with the cuts that follow from all numbers, once all were counted.

        The codes are the same: a cut is moved between its neighbours. None where the files stated
        wrong extremes; then it begins again with the right ones.
        """
        late = [(own, n_parts) for own, n_parts in self.seen.values() if own.is_late]
        are_settled = [own.is_settled(n_parts) for own, n_parts in late]
        if not all(are_settled):
            return None
        settled = learn_schema([own.column for own, _ in late], [each for _, each in late], None)
        features = {feature.name: feature for feature in settled.features}
        return Schema(tuple(features.get(each.name, each) for each in schema.features))

    def gather(self, conditions: Conditions, holding: Holding) -> Training:
        """Count all rows as codes of the features that have conditions, and hold what is wanted."""
        batches = self._ahead(self._code(conditions))
        return holding.gather(batches, conditions.sets.n_codes, len(self.classes))

    def _code(self, conditions: Conditions) -> Generator[CodedBatch, None, None]:
        features = [conditions.schema.features[column] for column in conditions.features]
        names = [feature.name for feature in features]
        seen = (self.seen[name][0] for name in names)
        coders = [
            Coder(feature, own if own.is_late and own.has_cuts(feature) else None)
            for feature, own in zip(features, seen, strict=True)
        ]
        for batch in self._ahead(self._read([*names, self.target])):
            codes = np.empty((len(features), len(batch)), np.int32)
            self._share(Coder.write, coders, batch.columns[:-1], codes)
            found, own = self._read_classes(batch)
            labels = np.searchsorted(self.classes, found)[own]
            once = np.broadcast_to(np.int64(1), labels.shape)
            yield CodedBatch(codes, labels, once)

    def collect(self) -> tuple[Any, Any]:
        """Return all rows as a table in memory, and their classes."""
        with self._searching():
            rows = self.dataset.to_table()
        return split_target(rows, self.target)

    def sample(self, most: int, seed: int) -> tuple[Any, Any]:
        """Return so many of the rows, of which there are more, and their classes."""
        chosen = np.random.default_rng(seed).choice(self.n_rows, most, replace=False)
        with self._searching():
            rows = self.dataset.take(pa.array(np.sort(chosen)))
        return split_target(rows, self.target)

    def _read(self, columns: list[str]) -> Generator[pa.RecordBatch, None, None]:
        """Read some columns, in this order, batch by batch."""
        return self._read_files(columns) if self.files else self._scan(columns)

    def _ahead(self, batches: Generator[Batch, None, None]) -> Generator[Batch, None, None]:
        """Make batches ahead where there are several threads."""
        return read_ahead(batches) if self.n_threads > 1 else batches

    def _scan(self, columns: list[str]) -> Generator[pa.RecordBatch, None, None]:
        with self._searching():
            for batch in self.dataset.to_batches(
                columns=columns,
                batch_size=BATCH_ROWS,
                batch_readahead=READ_AHEAD,
                fragment_readahead=1,
            ):
                if len(batch):
                    yield batch

    def _searching(self) -> AbstractContextManager[None]:
        """Name the file that cannot be read."""
        return searching(self.dataset, self.fragments)

    def _read_files(self, columns: list[str]) -> Generator[pa.RecordBatch, None, None]:
        """Read Parquet files one by one: a third of the work and of the memory of a scan.

        Texts are read as codes, as most files hold them.
        """
        schema = self.dataset.schema
        texts = [each.name for each in schema if pa.types.is_string(each.type)]
        for each in self.files:
            with (
                naming(each.path),
                each.filesystem.open_input_file(each.path) as opened,
                pq.ParquetFile(opened, read_dictionary=texts, buffer_size=BUFFER_BYTES) as file,
            ):
                for batch in file.iter_batches(BATCH_ROWS, columns=columns, use_threads=False):
                    yield batch.select(columns)

    def _share(self, work: Any, *every: Any) -> None:
        """Do something with each column, in all threads but those that read and count."""
        if self.n_threads <= 2:
            list(map(work, *every))
            return
        with ThreadPoolExecutor(self.n_threads - 1) as pool:
            list(pool.map(work, *every))

    def _read_classes(self, batch: pa.RecordBatch) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the classes of a batch, each once, and which of them each row has."""
        cells = batch.column(batch.num_columns - 1)
        if cells.null_count:
            raise BadTarget(
                f"the column {show(self.target)} is missing in {plural(cells.null_count, 'row')} "
                f"of {len(cells)} that were read at once; every row must have a class"
            )
        return encode_classes(cells)


@dataclass(eq=False)
class Seen:
    """What was seen of a column so far: its categories, or the ends of each part of its range."""

    name: str
    is_category: bool
    values: dict[Any, None] = field(default_factory=dict)
    cuts: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    ends: NDArray[np.float64] = field(default_factory=lambda: np.empty((2, 0)))
    is_late: bool = False  # whether it is seen while rows are counted
    like: Column | None = None  # some of its cells, which tell its kind
    dictionary: pa.Array | None = None  # the last one
    is_known: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))

    def expect(self, extremes: tuple[float, float] | None, n_parts: int) -> None:
        """Cut the range that a column is said to have; without, its extremes are found first."""
        numbers = np.array(extremes or (), np.float64)
        self.cuts = even_cuts(numbers, n_parts, is_date=False)
        self.ends = np.array([[np.inf], [-np.inf]]).repeat(len(self.cuts) + 1, axis=1)

    def see(self, cells: pa.Array) -> None:
        """See some cells."""
        numbers = None if self.is_category else _to_numbers(cells)
        if isinstance(cells, pa.DictionaryArray):
            cells = self._find_new(cells)
            if not len(cells) and self.like is not None:
                return
        if numbers is None:
            (column,) = read_columns(pa.table({self.name: cells}))
            self.like = column
            if self.is_category or isinstance(column, CategoryColumn):
                self.values |= dict.fromkeys(as_categories(column).values)
                return
            numbers = column.numbers
        codes = np.empty(len(numbers), np.int32)
        count_below(self.cuts, numbers, codes)
        widen(numbers, codes, self.ends)

    def _find_new(self, cells: pa.DictionaryArray) -> pa.DictionaryArray:
        """Return one cell of each value that was not in the cells with the last dictionary."""
        if self.dictionary is None or not cells.dictionary.equals(self.dictionary):
            self.dictionary = cells.dictionary
            self.is_known = np.zeros(len(cells.dictionary), np.bool_)
        n_values = len(self.is_known)
        if self.is_known.all():
            return cells[:0]
        found = np.bincount(_to_indices(cells) + np.int64(1), minlength=n_values + 1)[1:] > 0
        new = np.flatnonzero(found & ~self.is_known)
        self.is_known |= found
        return pa.DictionaryArray.from_arrays(
            pa.array(new, pa.int32()), cells.dictionary, ordered=cells.type.ordered
        )

    def has_cuts(self, feature: Feature) -> bool:
        """Whether the cuts of a feature are those between which the ends are seen."""
        return isinstance(feature, NumberFeature) and feature.cuts == tuple(self.cuts.tolist())

    def is_settled(self, n_parts: int) -> bool:
        """Whether the cuts are those of the extremes that were seen; else these are cut now."""
        if self.values or self.is_category:
            return True
        is_date = self.like is not None and self.like.kind is Kind.DATE
        seen = self.numbers
        if np.isinf(seen).any():
            value = seen[np.isinf(seen)][0]
            raise BadTable(
                f"column {self.name!r} holds {value} (infinity); numbers must be finite or missing "
                "(NaN)"
            )
        cuts = even_cuts(seen, n_parts, is_date=is_date)
        if np.array_equal(cuts, self.cuts):
            return True
        self.cuts = cuts
        self.ends = np.array([[np.inf], [-np.inf]]).repeat(len(cuts) + 1, axis=1)
        return False

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The least and the largest number of each part that has any."""
        has_any = self.ends[0] <= self.ends[1]
        return self.ends[:, has_any].reshape(-1)

    @property
    def column(self) -> Column:
        """A column of few cells from which as much is learned as from all."""
        if self.values or (self.is_category and self.like is not None):
            order = self.like.order if isinstance(self.like, CategoryColumn) else None
            positions = np.arange(len(self.values), dtype=np.int32)
            return CategoryColumn(self.name, positions, tuple(self.values), order)
        numbers = self.numbers if len(self.numbers) else np.array([np.nan])
        if isinstance(self.like, NumberColumn):
            return NumberColumn(self.name, numbers, self.like.kind, zone=self.like.zone)
        if isinstance(self.like, CategoryColumn):
            return CategoryColumn(self.name, np.empty(0, np.int32), (), self.like.order)
        return NumberColumn(self.name, numbers)


@dataclass(eq=False)
class Coder:
    """Turns cells of a column into codes; those of the last dictionary are known."""

    feature: Feature
    seen: Seen | None = None  # of a column that is seen late
    dictionary: pa.Array | None = None
    known: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))

    def write(self, cells: pa.Array, codes: NDArray[np.int32]) -> None:
        """Write the codes of some cells."""
        feature, numbers = self.feature, _to_numbers(cells)
        if isinstance(feature, NumberFeature) and numbers is not None and not feature.is_empty:
            count_below(np.array(feature.cuts, np.float64), numbers, codes)
            if self.seen is not None:
                widen(numbers, codes, self.seen.ends)
            return
        if self.seen is not None:
            self.seen.see(cells)
        if isinstance(cells, pa.DictionaryArray):
            self._learn(cells.dictionary)
            np.take(self.known, _to_indices(cells), out=codes, mode="wrap")
        else:
            (column,) = read_columns(pa.table({feature.name: cells}))
            codes[:] = feature.encode(column)

    def _learn(self, dictionary: pa.Array) -> None:
        if self.dictionary is None or not dictionary.equals(self.dictionary):
            (values,) = read_columns(pa.table({self.feature.name: dictionary}))
            self.known = np.append(self.feature.encode(values), np.int32(-1))  # -1 is the last
            self.dictionary = dictionary


def _to_indices(cells: pa.DictionaryArray) -> NDArray[np.int32]:
    """Return the positions of cells in their dictionary; -1 where missing."""
    indices = cells.indices.fill_null(-1) if cells.indices.null_count else cells.indices
    positions: NDArray[np.int32] = indices.to_numpy()
    return positions


def _to_numbers(cells: pa.Array) -> NDArray[np.float64] | None:
    """Return cells that are plain numbers as they lie; None where they are something else."""
    if not pa.types.is_float64(cells.type) or cells.null_count:
        return None
    numbers: NDArray[np.float64] = cells.to_numpy()
    return numbers


def read_ahead(batches: Generator[Batch, None, None]) -> Generator[Batch, None, None]:
    """Give batches, of which the next ones are made by another thread while one is worked on."""
    with closing(batches), ThreadPoolExecutor(1) as pool:
        waiting = deque(pool.submit(next, batches, None) for _ in range(READ_AHEAD))
        try:
            while (batch := waiting.popleft().result()) is not None:
                waiting.append(pool.submit(next, batches, None))
                yield batch
        finally:
            pool.shutdown(cancel_futures=True)


def stated_extremes(files: list[Any], names: list[str]) -> dict[str, tuple[float, float]]:
    """Return the extremes that Parquet files state of columns of numbers, where all state them.

    They only tell where to cut first: what is seen decides.
    """
    found: dict[str, list[Any]] = {name: [] for name in names}
    for file in files:
        for group in file.row_groups:
            for name in names:
                found[name].append((group.statistics or {}).get(name))
    return {
        name: (min(each["min"] for each in stated), max(each["max"] for each in stated))
        for name, stated in found.items()
        if stated and all(each and _are_finite(each["min"], each["max"]) for each in stated)
    }


def _are_finite(*numbers: Any) -> bool:
    return all(isinstance(each, float) and isfinite(each) for each in numbers)
