"""The same awkward rows in every kind of frame that is accepted."""

import datetime as dt
import os
import sys
from contextlib import contextmanager

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest


def awkward(n_rows=240, seed=1):
    """NaN beside null, texts, booleans, dates, large whole numbers and many duplicates."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 70, n_rows).astype(float)
    dose = np.round(rng.exponential(3.0, n_rows), 2)
    town = rng.choice(["Bonn", "Köln", "a \"b\" 'c'", ""], n_rows)
    days = rng.integers(0, 90, n_rows).tolist()
    day = [dt.date(2024, 1, 1) + dt.timedelta(number) for number in days]
    parts = rng.integers(0, 10**6, n_rows).tolist()
    seen = [dt.datetime(2024, 3, 1, 1, 2, 3, part) for part in parts]
    smokes = rng.random(n_rows) < 0.4
    count = rng.integers(-5, 2**40, n_rows)
    state = np.where((age > 50) ^ (rng.random(n_rows) < 0.2), "ill", "well")

    def thin(cells):
        is_gone = (rng.random(n_rows) < 0.08).tolist()
        return [None if gone else cell for cell, gone in zip(cells, is_gone, strict=True)]

    age = np.where(rng.random(n_rows) < 0.1, np.nan, age)
    return pa.table({
        "age": pa.array(thin(age.tolist()), pa.float64()),
        "dose": pa.array(thin(dose.tolist()), pa.float64()),
        "town": pa.array(thin(town.tolist()), pa.string()),
        "day": pa.array(thin(day), pa.date32()),
        "seen": pa.array(thin(seen), pa.timestamp("us")),
        "smokes": pa.array(thin(smokes.tolist()), pa.bool_()),
        "count": pa.array(thin(count.tolist()), pa.int64()),
        "constant": pa.array([7] * n_rows, pa.int32()),
        "state": pa.array(state.tolist(), pa.string()),
    })  # fmt: skip


def to_pandas(table):
    frame = table.to_pandas(
        types_mapper={pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get
    )
    return frame.assign(day=pd.to_datetime(frame["day"])) if "day" in frame else frame


def open_kind(kind):
    """Give what turns rows into a lazy frame of a kind, as long as it is open."""
    return _OPENERS[kind]()


@contextmanager
def open_files(kind, folder):
    """Give a lazy frame of the Parquet files of a folder."""
    if kind == "duckdb":
        with duckdb.connect() as connection:
            yield connection.read_parquet(f"{folder}/*.parquet")
    elif kind == "ibis":
        yield pytest.importorskip("ibis").read_parquet(f"{folder}/*.parquet")
    else:
        with open_spark() as session:
            yield session.read.parquet(folder)


def to_arrow(frame):
    """Return what a lazy frame of any kind holds."""
    if isinstance(frame, pl.LazyFrame):
        return frame.collect().to_arrow()
    if hasattr(frame, "to_arrow_table"):  # DuckDB
        return frame.to_arrow_table()
    if hasattr(frame, "toArrow"):  # Spark
        return frame.toArrow()
    if hasattr(frame, "to_pyarrow"):  # Ibis
        return frame.to_pyarrow()
    return pa.Table.from_pandas(frame.compute(), preserve_index=False)


@contextmanager
def _open_polars():
    yield lambda table: pl.from_arrow(table).lazy()


@contextmanager
def _open_duckdb():
    with duckdb.connect() as connection:
        yield connection.from_arrow


@contextmanager
def _open_ibis():
    ibis = pytest.importorskip("ibis")
    yield ibis.memtable


@contextmanager
def _open_dask():
    dataframe = pytest.importorskip("dask.dataframe")
    yield lambda table: dataframe.from_pandas(to_pandas(table), npartitions=3, sort=False)


@contextmanager
def _open_spark():
    with open_spark() as session:
        yield session.createDataFrame


@contextmanager
def open_spark():
    """Give a session of two threads on this machine alone."""
    sql = pytest.importorskip("pyspark.sql")
    own = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.timestampType": "TIMESTAMP_NTZ",  # moments without a zone stay so
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else workers take the system's Python
    running = sql.SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    session = sql.SparkSession.builder.master("local[2]").config(map=own).getOrCreate()
    yield session
    session.stop()


_OPENERS = {
    "polars": _open_polars, "duckdb": _open_duckdb, "ibis": _open_ibis, "dask": _open_dask,
    "spark": _open_spark,
}  # fmt: skip
LAZY = list(_OPENERS)

# PySpark says so of the newest pandas, whatever is asked of it, and Ibis asks DuckDB the old way.
quiet = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning"),
]
