"""Files to learn from that are read in parts, more than once: memory holds one part at a time."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from picrules.cli import output
from picrules.cli.tables import cells
from picrules.cli.tables.source import NO_ROWS, open_source
from picrules.cli.training import check_classes, find_kind, names_to_learn, read_classes
from picrules.distributed.part_source import PartSource, fold, join_lists
from picrules.errors import BadDataFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from picrules.cli.options import Learning, Reading
    from picrules.cli.tables.source import Source

Result = TypeVar("Result")

_ROWS_AT_ONCE = 2**17

# Of texts whose kind has yet to be found: what they may be, the first that all rows agree with.
_KINDS: dict[str, Callable[[pa.ChunkedArray, Source], pa.ChunkedArray | None]] = {
    "number": lambda column, source: cells.as_numbers(column, source.decimal),
    "date": lambda column, _: cells.as_moments(column, None),
    "date in UTC": lambda column, _: cells.as_moments(column, "UTC"),
    "category": lambda column, _: cells.encode(column),
}


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows of files, as they are."""

    table: pa.Table
    first_row: int
    source: Source


Kinds = dict[str, tuple[str, ...]]  # what each column may be


@dataclass
class FileParts:
    """The rows of files as `Parts`: the columns to learn from, and the target."""

    data: list[str]
    reading: Reading
    learning: Learning
    names: list[str] = field(init=False)
    about: str = field(init=False)  # how the files are written, in words
    kinds: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Find the columns, and their kinds from all rows."""
        with open_source(self.data, self.reading) as source:
            self.about = source.first.about
            features = names_to_learn(source.names, self.learning)
        self.names = [*features, self.learning.target]
        work = partial(_find_kinds, features, self.learning)
        found = self.run_raw(partial(fold, work, _agree), _agree)
        self.kinds = {name: kinds[0] for name, kinds in found.items()}

    def run(
        self,
        work: Callable[[Iterable[Any]], Result],
        merge: Callable[[Sequence[Result]], Result],
    ) -> Result:
        """Do some work on all parts, one after the other."""
        return self.run_raw(partial(_read_and, work, self.learning, self.kinds), merge)

    def run_raw(
        self,
        work: Callable[[Iterable[Part]], Result],
        merge: Callable[[Sequence[Result]], Result],  # noqa: ARG002  (it is one result)
    ) -> Result:
        """Do some work on all parts as they stand in the files."""
        with output.show_bar("rows", None) as report:
            return work(_watch(read_parts(self.data, self.reading), report))

    def collect(self) -> Any:
        """Return all parts as one table in memory."""
        return pa.concat_tables(self.run(list, join_lists))


def _watch(parts: Iterable[Part], report: Callable[[int], None]) -> Iterator[Part]:
    for part in parts:
        yield part
        report(len(part.table))


def read_parts(data: list[str], reading: Reading, *, may_be_empty: bool = False) -> Iterator[Part]:
    """Read files part by part; one part without rows, if they may have none."""
    with open_source(data, reading, may_be_empty=may_be_empty) as source:
        first_row = 1
        for table in source.chunks(_ROWS_AT_ONCE):
            yield Part(table, first_row, source)
            first_row += len(table)


def _find_kinds(names: list[str], learning: Learning, part: Part) -> Kinds:
    """Return what each column may be, by one part of the rows."""
    return {name: _may_be(name, learning, part) for name in names}


def _may_be(name: str, learning: Learning, part: Part) -> tuple[str, ...]:
    column = part.table.column(name)
    if not _is_open(name, column, learning, part.source):
        return (find_kind(name, column, learning, part.source, part.first_row)[1],)
    return tuple(kind for kind, read in _KINDS.items() if read(column, part.source) is not None)


def _is_open(name: str, column: pa.ChunkedArray, learning: Learning, source: Source) -> bool:
    """Whether the kind of a column has yet to be found in its texts."""
    is_told = name in learning.categorical or name in learning.numeric
    return source.first.is_text and cells.is_text(column) and not is_told


def _agree(found: Sequence[Kinds]) -> Kinds:
    """Return what each column may be by all parts."""

    def both(some: Kinds, other: Kinds) -> Kinds:
        return {
            name: tuple(kind for kind in kinds if kind in other[name]) or kinds[:1]
            for name, kinds in some.items()
        }

    return reduce(both, found)


def _read_and(
    work: Callable[[Iterable[Any]], Result],
    learning: Learning,
    kinds: dict[str, str],
    parts: Iterable[Part],
) -> Result:
    """Do some work on parts whose cells are read by the kinds of their columns."""
    return work(_read(learning, kinds, part) for part in parts)


def _read(learning: Learning, kinds: dict[str, str], part: Part) -> pa.Table:
    columns = []
    for name, kind in kinds.items():
        column = part.table.column(name)
        if _is_open(name, column, learning, part.source):
            columns.append(_KINDS[kind](column, part.source))
        else:
            columns.append(find_kind(name, column, learning, part.source, part.first_row)[0])
    target = part.table.column(learning.target)
    classes = pa.array(read_classes(learning.target, target, part.first_row).tolist())
    return pa.Table.from_arrays([*columns, classes], [*kinds, learning.target])


@dataclass
class ClusterParts(FileParts):
    """The same, each file read by a worker of a cluster that sees it under the same path."""

    def run_raw(
        self,
        work: Callable[[Iterable[Part]], Result],
        merge: Callable[[Sequence[Result]], Result],
    ) -> Result:
        """Do some work on each file where a worker reads it, and return the merged results."""
        from picrules.distributed.dask_tasks import run_tasks

        paths = [str(Path(path).resolve()) for path in self.data]
        read, join = partial(_read_file_and, work, self.reading), partial(_merge_found, merge)
        found: list[Result] = run_tasks(paths, read, join)
        if not found:
            raise BadDataFile(f"{self.data[0]}: {NO_ROWS}")
        (result,) = found
        return result


def _read_file_and(
    work: Callable[[Iterable[Part]], Result], reading: Reading, path: str
) -> list[Result]:
    """Do some work on the parts of a file; without rows it has no result."""
    parts = read_parts([path], reading, may_be_empty=True)
    first = next(parts)
    return [work(chain([first], parts))] if len(first.table) else []


def _merge_found(
    merge: Callable[[Sequence[Result]], Result], results: Sequence[list[Result]]
) -> list[Result]:
    """Merge the results of the files that have any."""
    found = join_lists(results)
    return [merge(found)] if found else []


def fit_parts(
    clf: Any,
    files: list[str],
    learning: Learning,
    reading: Reading,
    cluster: str | None,
    prepare: Callable[[Iterable[Any]], None],
) -> FileParts:
    """Learn from files that are read part by part, here or by the workers of a cluster.

    `prepare` is told the classes before rows are learned from.
    """
    from picrules.distributed.dask_tasks import connect
    from picrules.distributed.fitting import fit_source
    from picrules.estimators.parameters import check_n_jobs

    n_threads = check_n_jobs(clf.n_jobs) if cluster is None else 1
    with nullcontext() if cluster is None else connect(cluster):
        parts = (FileParts if cluster is None else ClusterParts)(files, reading, learning)
        source = PartSource(parts, learning.target, n_threads)
        classes = pa.array(source.classes.tolist())
        is_text = pa.types.is_string(classes.type)
        column = pa.chunked_array([classes.dictionary_encode() if is_text else classes])
        check_classes(learning.target, column, source.n_rows)
        prepare(source.classes.tolist())
        fit_source(clf, source)
    return parts
