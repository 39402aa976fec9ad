"""Read a table from one file or several, chunk by chunk: CSV, JSON, Parquet or Feather."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow.parquet import ParquetFile

from picrules.cli.options import FORMATS, STDIN, Reading, find_files
from picrules.cli.output import show_names
from picrules.cli.tables.cells import combine, with_dictionary
from picrules.cli.tables.csv_files import read_csv
from picrules.cli.tables.files import Content, Opener, check_text, hold
from picrules.cli.tables.json_files import read_json
from picrules.errors import BadDataFile
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROWS_AT_ONCE = 2**16

NO_ROWS = "it names columns and has no rows; at least one row is needed"


@dataclass(slots=True)
class Source:
    """The rows of files, read once from first to last."""

    files: dict[str, Content]
    decimal: str  # what stands before the decimals of a number that is a text
    may_be_empty: bool = False  # whether a table without rows is one, too: one chunk of none
    _n_before: dict[str, int] = field(default_factory=dict)  # rows in earlier files

    @property
    def first(self) -> Content:
        """The file that the others are like."""
        return next(iter(self.files.values()))

    @property
    def names(self) -> list[str]:
        """The columns."""
        return self.first.names

    def chunks(self, n_rows: int, n_first: int | None = None) -> Iterator[pa.Table]:
        """Give tables of `n_rows` rows, the last of fewer.

        With `n_first` the first has that many rows, and each one after it twice as many until they
        are `n_rows`: so the first rows can be answered while others are read.
        """
        held: list[pa.RecordBatch] = []
        n_held, n_wanted, is_empty = 0, n_first or n_rows, True
        for batch in self._batches():
            rest, is_empty = batch, is_empty and batch.num_rows == 0
            while n_held + rest.num_rows >= n_wanted:
                taken = n_wanted - n_held
                yield combine([*held, rest.slice(0, taken)])
                held, n_held, rest = [], 0, rest.slice(taken)
                n_wanted = min(2 * n_wanted, n_rows)
            if rest.num_rows:
                held.append(rest)
                n_held += rest.num_rows
        if held or is_empty:
            yield combine(held or [batch])

    def whole(self) -> pa.Table:
        """Read all rows at once."""
        return combine(list(self._batches()))

    def _batches(self) -> Iterator[pa.RecordBatch]:
        n_rows = 0
        for path, content in self.files.items():
            self._n_before[path] = n_rows
            with _told(path):
                for batch in content.batches:
                    batch.validate(full=True)  # PyArrow believes a damaged file
                    n_rows += batch.num_rows
                    columns = [with_dictionary(batch.column(name)) for name in self.names]
                    yield pa.RecordBatch.from_arrays(columns, self.names)
        if n_rows == 0 and self.may_be_empty:
            none = [pa.array([], pa.string()).dictionary_encode() for _ in self.names]
            yield pa.RecordBatch.from_arrays(none, self.names)
        elif n_rows == 0:
            raise BadDataFile(NO_ROWS)

    def where(self, row: int) -> str:
        """Say where a row stands, the first being 1: its number, and its line if it has one."""
        path = [path for path, n_before in self._n_before.items() if n_before < row][-1]
        line = self.files[path].find_line(row - self._n_before[path])
        inside = f" of {path}" if len(self.files) > 1 else ""
        return f"row {row}" if line is None else f"row {row} (line {line}{inside})"


@contextmanager
def open_source(
    data: str | list[str], reading: Reading, *, may_be_empty: bool = False
) -> Iterator[Source]:
    """Open files of rows, or standard input for `-`; a pattern such as `part-*.csv` is files."""
    paths = find_files([data] if isinstance(data, str) else data)
    with ExitStack() as stack:
        files: dict[str, Content] = {}
        for path in paths:
            with _told(path):
                files[path] = _read_file(path, stack.enter_context(hold(path)), reading)
                _check_alike(files[path], paths[0], files[paths[0]])
        with _told(paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"):
            yield Source(files, reading.decimal, may_be_empty)


def _check_alike(content: Content, path: str, first: Content) -> None:
    twice, count = Counter(content.names).most_common(1)[0]
    if count > 1:
        raise BadDataFile(
            f"two columns have the name {show(twice)}; the first line must name the columns, each "
            "by a name of its own"
        )
    if sorted(content.names) != sorted(first.names) or content.is_text != first.is_text:
        raise BadDataFile(
            f"it is {content.about} with the columns {show_names(content.names)}; {path} is "
            f"{first.about} with {show_names(first.names)}; files read together must be alike"
        )


class _Told(BadDataFile):
    """Names its file already."""


@contextmanager
def _told(path: str) -> Iterator[None]:
    """Name the file in every error about it."""
    name = "standard input" if path == STDIN else path
    try:
        yield
    except _Told:
        raise
    except BadDataFile as error:
        raise _Told(f"{name}: {error}") from None
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the system; PyArrow raises it without a number for damaged files
        reason = (str(error) or type(error).__name__).splitlines()[0][:300]
        raise _Told(f"{name} cannot be read: {reason}") from None


def _read_file(path: str, place: str, reading: Reading) -> Content:
    opener = Opener(place, reading.encoding)
    start = opener.head(is_raw=True)
    if not start:
        raise BadDataFile("it is empty; a table with at least one row is needed")
    form = reading.form or _guess_format(path, start)
    if form in ("csv", "jsonl"):
        check_text(opener.head())
        return (read_csv if form == "csv" else read_json)(opener, reading)
    return (_read_parquet if form == "parquet" else _read_feather)(opener.open_at_random())


def _guess_format(path: str, head: bytes) -> str:
    if head.startswith((b"PAR1", b"ARROW1")):
        return "parquet" if head.startswith(b"PAR1") else "feather"
    for suffix in reversed(Path(path).suffixes):
        for form, endings in FORMATS.items():
            if suffix.lower() in endings:
                return form
    return "jsonl" if head.lstrip().startswith((b"{", b"[")) else "csv"


def _read_parquet(file: pa.NativeFile) -> Content:
    schema = ParquetFile(file).schema_arrow
    texts = [one.name for one in schema if one.type == pa.string()]
    batches = ParquetFile(file, read_dictionary=texts).iter_batches(_ROWS_AT_ONCE)
    return Content("Parquet", schema.names, batches)


def _read_feather(file: pa.NativeFile) -> Content:
    reader = pa.ipc.open_file(file)
    batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
    return Content("Feather", reader.schema.names, batches)
