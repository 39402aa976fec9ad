"""The files of a dataset: which they are, and which of them cannot be read."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.dataset as ds

from picrules.errors import BadTable
from picrules.rules.text import list_names, show

if TYPE_CHECKING:
    from collections.abc import Iterator

# What PyArrow raises about files; the second one also about damaged ones.
_UNREADABLE = (pa.ArrowException, OSError)

_LONGEST = 300


def find_fragments(dataset: ds.Dataset) -> list[Any]:
    """Return the files of a dataset, whether or not it is filtered; nothing where it has none."""
    if not is_filtered(dataset):
        return [each for each in dataset.get_fragments() if hasattr(each, "path")]
    make = getattr(getattr(dataset, "format", None), "make_fragment", None)
    return [] if make is None else [make(path, dataset.filesystem) for path in dataset.files]


def is_filtered(dataset: ds.Dataset) -> bool:
    """Whether some rows of the files are left out."""
    try:
        dataset.get_fragments()
    except ValueError:
        return True
    return False


def check_columns(dataset: ds.Dataset, fragments: list[Any]) -> None:
    """Refuse files that lack a column, which would be read as missing in all of their rows.

    A column may be told by the names of folders, and texts in JSON leave out what is missing.
    """
    folders = getattr(getattr(dataset, "partitioning", None), "schema", ())
    for each in fragments:
        if isinstance(each.format, ds.JsonFileFormat):
            continue
        with naming(each.path):
            own = each.physical_schema.names
        known = {*own, *(field.name for field in folders)}
        known |= set(ds.get_partition_keys(each.partition_expression))
        for name in dataset.schema.names:
            if name not in known:
                told = f"{each.path} lacks the column {show(name)}; it has {list_names(own)}"
                raise BadTable(told)


def find_plain_files(dataset: ds.Dataset, fragments: list[Any]) -> list[Any]:
    """Return the Parquet files of a dataset that are read as they are; nothing where any is not."""
    is_parquet = isinstance(getattr(dataset, "format", None), ds.ParquetFileFormat)
    if not is_parquet or is_filtered(dataset):
        return []
    return fragments if all(_is_plain(each, dataset.schema) for each in fragments) else []


def _is_plain(fragment: Any, schema: pa.Schema) -> bool:
    """Whether all rows of a file are read, and its cells as the file by itself would be.

    Folders may tell a column that the file has, too, and a format may read moments in its own way.
    """
    metadata = fragment.metadata
    return (
        fragment.physical_schema.equals(schema)
        and metadata.schema.to_arrow_schema().equals(schema)
        and len(fragment.row_groups) == metadata.num_row_groups
        and not ds.get_partition_keys(fragment.partition_expression)
    )


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Name the file in an error about it."""
    try:
        yield
    except _UNREADABLE as error:
        reason = " ".join((str(error) or type(error).__name__).split())
        raise BadTable(f"{path} cannot be read: {reason[:_LONGEST]}") from error


@contextmanager
def searching(dataset: ds.Dataset, fragments: list[Any]) -> Iterator[None]:
    """Name the file in an error about a dataset, by reading one file after the other again."""
    try:
        yield
    except _UNREADABLE:
        for each in fragments:
            with naming(each.path):
                for _ in each.to_batches(schema=dataset.schema, fragment_readahead=1):
                    pass
        raise
