"""Which adapter serves a lazy frame."""

from __future__ import annotations

import re
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from picrules.errors import BadTable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

# By the library that the frame's class is of.
_ADAPTERS = {
    "polars": "polars_frames",
    "duckdb": "duckdb_relations",
    "_duckdb": "duckdb_relations",
    "ibis": "ibis_tables",
    "dask": "dask_frames",
    "pyspark": "spark_frames",
}

# Whose errors tell what is wrong with rows; of others' we know nothing.
_ENGINES = {*_ADAPTERS, "narwhals", "py4j", "pyarrow"}

# The line of a long error of Spark that names a file.
_ABOUT_FILE = re.compile(r"Encountered error while reading file .*")
_LONGEST = 500


def adapter_of(frame: Any) -> ModuleType:
    """Return the module that knows frames of this kind."""
    library = type(frame).__module__.partition(".")[0]
    if library not in _ADAPTERS:
        raise BadTable(
            f"X is a lazy {type(frame).__name__} of {library}; lazy frames of Polars, DuckDB, "
            "Ibis, Dask and PySpark are accepted"
        )
    return import_module(f"picrules.distributed.{_ADAPTERS[library]}")


@contextmanager
def told(frame: Any) -> Iterator[None]:
    """Say in one sentence why an engine could not read rows, and in which file if it tells."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in _ENGINES:
            raise
        text = str(error) or type(error).__name__
        found = _ABOUT_FILE.search(text)
        reason = found.group() if found else " ".join(text.split())
        raise BadTable(
            f"the rows of the {type(frame).__name__} cannot be read: {reason[:_LONGEST]}"
        ) from error
