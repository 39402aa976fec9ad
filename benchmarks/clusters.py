"""The counting pass on a Dask cluster and on Spark: two workers against one, and one process.

Rows lie in Parquet files. What is timed is the second pass alone: from files to distinct coded rows
with their counts, by a schema that is known.
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

CODE = """
import hashlib, json, sys, time
from contextlib import contextmanager
from picrules import FPICClassifier
from picrules.distributed.fitting import source_of
from picrules.encoding.conditions import Conditions
from picrules.engines.batches import join

engine, n_workers, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]

@contextmanager
def open_frame():
    if engine == "dask":
        import dask.dataframe
        from distributed import Client, LocalCluster
        own = {"host": "127.0.0.1", "dashboard_address": None, "threads_per_worker": 1}
        with LocalCluster(n_workers=n_workers, **own) as cluster, Client(cluster):
            yield dask.dataframe.read_parquet(folder + "/*.parquet")
    elif engine == "spark":
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
    with open_frame() as frame:
        source = source_of(frame, "y")
        schema = source.learn_schema([5] * len(source.names), None)
        conditions = Conditions(schema, is_single=True)
        seconds = []
        for _ in range(3):  # the first may compile
            start = time.perf_counter()
            rows = join(source.count(conditions), conditions.sets.n_codes, len(source.classes))
            seconds.append(time.perf_counter() - start)
        parts = (rows.codes, rows.labels, rows.occurrences)
        digest = hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()
    print(json.dumps([min(seconds), digest, rows.n_pairs, rows.n_rows]))
"""


def run(n_rows: int = N_ROWS) -> list[Figure]:
    figures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder / "rows", n_rows)
        script = folder / "count.py"
        script.write_text(CODE)
        what = f"{n_rows:,} rows x 10 columns"
        alone, known, n_pairs, counted = count(script, "polars", 1)
        assert counted == n_rows
        figures.append(Figure(f"{what}: counting, Polars in one process", alone, "s"))
        figures.append(Figure(f"{what}: distinct coded rows", n_pairs, "rows"))
        for engine in ("dask", "spark"):
            (one, first, *_), (two, second, *_) = (count(script, engine, n) for n in (1, 2))
            is_same = first == second == known
            figures.append(Figure(f"{what}: counting, {engine}, 1 worker", one, "s"))
            figures.append(Figure(f"{what}: counting, {engine}, 2 workers", two, "s"))
            speed_up = f"{what}: {engine}, 2 workers over 1"
            figures.append(at_least(speed_up, one / two, "x", 1.6))
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


def count(script: Path, engine: str, n_workers: int) -> list:
    """Count the rows by an engine in a process of its own."""
    words = [sys.executable, str(script), engine, str(n_workers), str(script.parent / "rows")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
