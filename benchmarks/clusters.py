"""The counting pass on a Dask cluster and on Spark: two workers against one, and one process.

Rows lie in Parquet files. What is timed is the last pass alone, by a schema that is known: from
files to distinct coded rows with how often each occurs, or to the counts of all sets of up to three
features and a sample, which the workers count where the rows lie. The first passes are not timed,
since kernels and Spark's queries are compiled then; of the others the median is told.

One worker of Spark is a thread of Java beside a process of Python and the threads that compile and
collect garbage, so that it keeps two cores busy where there are two. What a second worker brings is
therefore measured with a core for each, too: all that belongs to one worker shares one core then.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.measure import Figure, at_least

N_ROWS = int(os.environ.get("CLUSTER_ROWS", "5000000"))
N_FILES = 16
ALL_CORES = "all cores"

CODE = """
import hashlib, json, os, statistics, sys, time
from contextlib import contextmanager
from picrules import FPICClassifier
from picrules.distributed.fitting import source_of
from picrules.encoding.conditions import Conditions
from picrules.engines.holding import Holding

engine, n_workers, folder, held, cores = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
N_WARM, N_TIMED = 3, 5

@contextmanager
def open_frame():
    if engine == "dask":
        import dask.dataframe
        from distributed import Client, LocalCluster
        own = {"host": "127.0.0.1", "dashboard_address": None, "threads_per_worker": 1}
        with LocalCluster(n_workers=n_workers, **own) as cluster, Client(cluster):
            yield dask.dataframe.read_parquet(folder + "/*.parquet")
    elif engine == "spark":
        os.environ["PYSPARK_PYTHON"] = sys.executable  # else workers take the system's Python
        from pyspark.sql import SparkSession
        own = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1",
               "spark.driver.bindAddress": "127.0.0.1", "spark.sql.shuffle.partitions": "4",
               "spark.driver.memory": "4g", "spark.log.level": "ERROR"}
        builder = SparkSession.builder.master(f"local[{n_workers}]").config(map=own)
        session = builder.getOrCreate()
        yield session.read.parquet(folder)
        session.stop()
    else:
        import polars
        yield polars.scan_parquet(folder + "/*.parquet")

if __name__ == "__main__":
    if cores == "a core each":
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:n_workers])
    with open_frame() as frame:
        source = source_of(frame, "y")
        schema = source.learn_schema([5] * len(source.names), None)
        conditions = Conditions(schema, is_single=True)
        holding = Holding(held == "rows", 3, 2**32)
        source.n_rows
        seconds = []
        for _ in range(N_WARM + N_TIMED):
            start = time.perf_counter()
            rows = source.gather(conditions, holding)
            seconds.append(time.perf_counter() - start)
        parts = [rows.codes, rows.labels, rows.occurrences]
        if rows.counts is not None:
            parts.append(rows.counts.longest.cells)
        digest = hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()
    print(json.dumps([statistics.median(seconds[N_WARM:]), digest, rows.n_pairs, rows.n_rows]))
"""


def run(n_rows: int = N_ROWS) -> list[Figure]:
    figures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder / "rows", n_rows)
        script = folder / "count.py"
        script.write_text(CODE)
        for held in ("rows", "counts"):
            figures += compare(script, f"{n_rows:,} rows x 10 columns, {held}", held, n_rows)
    return figures


def compare(script: Path, what: str, held: str, n_rows: int) -> list[Figure]:
    """Compare one worker and two of each engine, and both with one process."""
    alone, known, n_pairs, counted = count(script, "polars", 1, held, ALL_CORES)
    assert counted == n_rows
    figures = [Figure(f"{what}: counting, Polars in one process", alone, "s")]
    if held == "rows":
        figures.append(Figure(f"{what}: distinct coded rows", n_pairs, "rows"))
    for engine in ("dask", "spark"):
        is_same = True
        for cores in (ALL_CORES, "a core each"):
            runs = [count(script, engine, n_workers, held, cores) for n_workers in (1, 2)]
            (one, first, *_), (two, second, *_) = runs
            is_same &= first == second == known
            name = f"{engine}, {cores}"
            figures.append(Figure(f"{what}: counting, {name}, 1 worker", one, "s"))
            figures.append(Figure(f"{what}: counting, {name}, 2 workers", two, "s"))
            figures.append(at_least(f"{what}: {name}, 2 workers over 1", one / two, "x", 1.6))
        equal = f"{what}: {engine}, counts equal to one process to the bit"
        figures.append(at_least(equal, float(is_same), "", 1))
    return figures


def write_files(folder: Path, n_rows: int) -> None:
    """Write six columns of numbers and four of categories, in several files."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    size = -(-n_rows // N_FILES)
    for number in range(N_FILES):
        n_own = min(size, n_rows - number * size)
        numbers = {f"n{at}": rng.normal(size=n_own).round(3) for at in range(6)}
        texts = {f"c{at}": rng.choice(list("abcd")[: at + 1], n_own) for at in range(4)}
        y = np.where(numbers["n0"] + rng.normal(size=n_own) > 0, "yes", "no")
        pl.DataFrame(numbers | texts | {"y": y}).write_parquet(folder / f"{number:02}.parquet")


def count(script: Path, engine: str, n_workers: int, held: str, cores: str) -> list:
    """Count the rows by an engine in a process of its own."""
    folder = str(script.parent / "rows")
    words = [sys.executable, str(script), engine, str(n_workers), folder, held, cores]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
