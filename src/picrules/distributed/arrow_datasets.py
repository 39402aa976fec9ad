"""PyArrow datasets: files that are read batch by batch, so that they may be larger than memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from math import isfinite
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from picrules.distributed.arrow_classes import ClassCoder, find_classes, join_classes
from picrules.distributed.arrow_columns import Coder, Seen
from picrules.distributed.arrow_files import (
    check_columns,
    find_fragments,
    find_plain_files,
    naming,
    searching,
)
from picrules.encoding.schema import NumberFeature, Schema, learn_schema
from picrules.encoding.tables import check_names, check_shape, check_target
from picrules.engines.batches import CodedBatch
from picrules.engines.shared import READ_AHEAD, Shared, run_streams
from picrules.errors import BadTarget
from picrules.estimators.target import split_target
from picrules.rules.text import plural, show

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Feature
    from picrules.engines.holding import Holding
    from picrules.engines.training import Training

Item = TypeVar("Item")
Result = TypeVar("Result")

# Types of columns whose extremes are asked for.
_NUMBERS = (pa.float64(), pa.float32())

# Rows that are read, coded and counted at once, and those that a thread takes from a file.
BATCH_ROWS, PIECE_ROWS = 2**17, 2**19

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
    _lock: Any = field(default_factory=Lock)

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
        check_target(y, every)
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
        return join_classes(self._run(find_classes, [self.target], self._each_classes))

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
            for found in self._run(partial(_see, waiting), [own.name for own in waiting]):
                for own, more in zip(waiting, found, strict=True):
                    own.absorb(more)
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
        features = [conditions.schema.features[column] for column in conditions.features]
        columns = [*(feature.name for feature in features), self.target]
        batches = self._share(columns, partial(self._code, features))
        return holding.gather(batches, conditions.sets.n_codes, len(self.classes))

    def _code(
        self, features: list[Feature], batches: Iterable[pa.RecordBatch]
    ) -> Generator[CodedBatch, None, None]:
        seen = [self.seen[feature.name][0] for feature in features]
        late = [
            own.copied() if own.is_late and own.has_cuts(feature) else None
            for feature, own in zip(features, seen, strict=True)
        ]
        coders = list(map(Coder, features, late))
        classes = ClassCoder(self.classes)
        for batch in batches:
            codes = np.empty((len(features), len(batch)), np.int32)
            for coder, cells, own in zip(coders, batch.columns[:-1], codes, strict=True):
                coder.write(cells, own)
            labels = classes.encode(batch.column(len(features)))
            yield CodedBatch(codes, labels, np.broadcast_to(np.int64(1), labels.shape))
        with self._lock:
            for whole, more in zip(seen, late, strict=True):
                if more is not None:
                    whole.absorb(more)

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

    def _run(
        self,
        work: Callable[[Iterable[Any]], Result],
        columns: list[str],
        make: Callable[[Iterable[pa.RecordBatch]], Generator[Any, None, None]] | None = None,
    ) -> list[Result]:
        """Let each thread work on some of the batches; return what each has found."""
        batches = self._share(columns, make or _as_they_are)
        return run_streams(work, batches.split(self.n_threads))

    def _share(
        self,
        columns: list[str],
        make: Callable[[Iterable[pa.RecordBatch]], Generator[Item, None, None]],
    ) -> Shared[pa.RecordBatch, Item]:
        """Give batches of some columns, in this order, to several threads."""
        if not self.files:
            return Shared(([batch] for batch in self._scan(columns)), make, self.n_threads)
        runs = [(each, run) for each in self.files for run in runs_of_groups(each.row_groups)]
        pieces = (self._read(each, run, columns) for each, run in runs)
        return Shared(pieces, make, len(runs))

    def _scan(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
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

    def _read(self, file: Any, groups: list[int], columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Read row groups of a Parquet file: a third of the work and of the memory of a scan.

        Texts are read as codes, as most files hold them.
        """
        schema = self.dataset.schema
        texts = [each.name for each in schema if pa.types.is_string(each.type)]
        with (
            naming(file.path),
            file.filesystem.open_input_file(file.path) as opened,
            pq.ParquetFile(
                opened, metadata=file.metadata, read_dictionary=texts, buffer_size=BUFFER_BYTES
            ) as reader,
        ):
            for batch in reader.iter_batches(
                BATCH_ROWS, row_groups=groups, columns=columns, use_threads=False
            ):
                yield batch.select(columns)

    def _each_classes(self, batches: Iterable[pa.RecordBatch]) -> Generator[pa.Array, None, None]:
        """Give the classes of each batch; none may be missing."""
        for batch in batches:
            cells = batch.column(0)
            if cells.null_count:
                raise BadTarget(
                    f"the column {show(self.target)} is missing in "
                    f"{plural(cells.null_count, 'row')} of {len(cells)} that were read at once; "
                    "every row must have a class"
                )
            yield cells


def _as_they_are(batches: Iterable[Item]) -> Generator[Item, None, None]:
    yield from batches


def _see(waiting: list[Seen], batches: Iterable[pa.RecordBatch]) -> list[Seen]:
    """See some rows of columns, and return what was seen."""
    seen = [own.copied() for own in waiting]
    for batch in batches:
        for own, cells in zip(seen, batch.columns, strict=True):
            own.see(cells)
    return seen


def runs_of_groups(groups: Sequence[Any]) -> list[list[int]]:
    """Cut the row groups of a file into runs of not too few rows."""
    runs: list[list[int]] = []
    n_rows = PIECE_ROWS
    for position, group in enumerate(groups):
        if n_rows >= PIECE_ROWS:
            runs.append([])
            n_rows = 0
        runs[-1].append(position)
        n_rows += group.num_rows
    return runs


def stated_extremes(files: list[Any], names: list[str]) -> dict[str, tuple[float, float]]:
    """Return the extremes that Parquet files state of columns of numbers, where all state them.

    They only tell where to cut first: what is seen decides.
    """
    found: dict[str, list[Any]] = {name: [] for name in names}
    for file in files:
        metadata = file.metadata
        place = {metadata.schema.column(at).path: at for at in range(metadata.num_columns)}
        # Of other types PyArrow cannot always read what is stated.
        numbers = [name for name in names if file.physical_schema.field(name).type in _NUMBERS]
        for group in map(metadata.row_group, range(metadata.num_row_groups)):
            for name in numbers:
                found[name].append(group.column(place[name]).statistics)
    return {
        name: (min(each.min for each in stated), max(each.max for each in stated))
        for name, stated in found.items()
        if stated and all(each and each.has_min_max and _is_finite(each) for each in stated)
    }


def _is_finite(stated: Any) -> bool:
    return isfinite(stated.min) and isfinite(stated.max)
