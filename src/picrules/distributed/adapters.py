"""Which adapter serves a lazy frame."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from picrules.errors import BadTable

if TYPE_CHECKING:
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


def adapter_of(frame: Any) -> ModuleType:
    """Return the module that knows frames of this kind."""
    library = type(frame).__module__.partition(".")[0]
    if library not in _ADAPTERS:
        raise BadTable(
            f"X is a lazy {type(frame).__name__} of {library}; lazy frames of Polars, DuckDB, "
            "Ibis, Dask and PySpark are accepted"
        )
    return import_module(f"picrules.distributed.{_ADAPTERS[library]}")
