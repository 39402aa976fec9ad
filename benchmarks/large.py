"""Rows that no memory holds: fit from Parquet files, beside a bare scan of them by DuckDB.

Files are made in a temporary folder. A fit runs in a process of its own, so that the peak of its
memory is its own; the scan before and after it, in the same way, with as many threads.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import Figure, at_least, at_most, peak_memory
from picrules.engines.blocks import BlockCounter
from picrules.engines.kept_counts import kept_bytes

N_ROWS = (1_000_000, 5_000_000, 20_000_000)
N_NUMBERS, N_CATEGORIES, N_VALUES = 8, 4, 10
SHAPES = ((12, 2), (12, 3), (12, 4), (24, 2), (24, 3), (48, 2))
ROWS_IN_FILE = 1_000_000
SCANS, FITS = 3, 2

FIT = """
import json, resource, time
import numpy as np, pyarrow.dataset as ds
from picrules import FPICClassifier

def fit(path):
    clf = FPICClassifier(max_length=3, bins={n_values}, keep_rows=False, n_jobs=2)
    return clf.fit(ds.dataset(path), "y")

fit({small!r})  # may compile
times = []
for _ in range({fits}):
    start, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    clf = fit({folder!r})
    now = resource.getrusage(resource.RUSAGE_SELF)
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    times.append((time.perf_counter() - start, cpu))
sizes, training = clf.class_sizes_, clf._fitted.training
print(json.dumps({{
    "wall": min(each for each, _ in times), "cpu": min(each for _, each in times),
    "rows": int(sizes.sum()),
    "counts": sum(each.cells.nbytes for each in training.counts.by_length.values()),
    "rule": str(clf.explain(ds.dataset({small!r}).head(1).drop(["y"]))[0].rule),
}}))
"""

SCAN = """
import json, resource, time
import duckdb
with duckdb.connect() as connection:
    connection.execute("set threads = 2; set enable_progress_bar = false")
    times = []
    for _ in range({scans}):
        start, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
        connection.execute({query!r}).fetchall()
        now = resource.getrusage(resource.RUSAGE_SELF)
        cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
        times.append((time.perf_counter() - start, cpu))
print(json.dumps({{"wall": min(each for each, _ in times), "cpu": min(each for _, each in times)}}))
"""


def write_rows(folder: Path, n_rows: int) -> None:
    """Write numbers and categories; the class follows two of them, with noise."""
    values = np.array([f"value {number}" for number in range(N_VALUES)])
    for number in range(-(-n_rows // ROWS_IN_FILE)):
        rng = np.random.default_rng(number)
        count = min(ROWS_IN_FILE, n_rows - number * ROWS_IN_FILE)
        columns = {f"n{each}": rng.normal(size=count) for each in range(N_NUMBERS)}
        drawn = rng.integers(0, N_VALUES, (N_CATEGORIES, count))
        for each, own in enumerate(drawn):
            columns[f"c{each}"] = values[own]
        is_yes = (columns["n0"] > 0.5) ^ (drawn[0] < 3) ^ (rng.random(count) < 0.2)
        columns["y"] = np.where(is_yes, "yes", "no")
        pq.write_table(pa.table(columns), folder / f"part-{number:03}.parquet")


def query_of(folder: Path) -> str:
    """Read every cell: sums of numbers, and of the lengths of texts."""
    texts = [*(f"c{each}" for each in range(N_CATEGORIES)), "y"]
    sums = [f"sum(n{each})" for each in range(N_NUMBERS)]
    sums += [f"sum(length({each}))" for each in texts]
    return f"select {', '.join(sums)} from '{folder}/*.parquet'"


def measure(folder: Path, small: Path) -> tuple[dict, dict, float]:
    """Return what the quickest fit and scan took, and the peak of the fits in MiB."""
    scan = SCAN.format(query=query_of(folder), scans=SCANS)
    before = json.loads(peak_memory(scan)[1])
    names = {"folder": str(folder), "small": str(small), "n_values": N_VALUES}
    peak, printed = peak_memory(FIT.format(**names, fits=FITS))
    after = json.loads(peak_memory(scan)[1])
    fastest = {key: min(before[key], after[key]) for key in before}
    return json.loads(printed), fastest, peak


def count_rows() -> list[Figure]:
    """How long a row takes to count, by features and length, and what the counts take."""
    figures, rng, n_rows = [], np.random.default_rng(0), 2**19
    for n_features, max_length in SHAPES:
        codes = rng.integers(0, N_VALUES, (n_features, n_rows)).astype(np.int32)
        labels, n_codes = rng.integers(0, 2, n_rows), np.full(n_features, N_VALUES)
        times = []
        for _ in range(3):
            counter = BlockCounter(n_codes, 2, max_length)
            start = time.process_time()
            counter.add(codes, labels)
            times.append(time.process_time() - start)
        what = f"{n_features} features of {N_VALUES} values, length {max_length}"
        nanoseconds = min(times) / n_rows * 1e9
        figures.append(Figure(f"{what}: count a row, one thread", nanoseconds, "ns"))
        kept = kept_bytes(n_codes.tolist(), max_length, 2) / 2**20
        figures.append(Figure(f"{what}: counts that are kept", kept, "MiB"))
    return figures


def run(all_rows: tuple[int, ...] = N_ROWS) -> list[Figure]:
    figures = count_rows()
    for n_rows in all_rows:
        with tempfile.TemporaryDirectory() as name:
            folder, small = Path(name) / "rows", Path(name) / "few"
            for path, count in ((folder, n_rows), (small, 10_000)):
                path.mkdir()
                write_rows(path, count)
            fit, scan, peak = measure(folder, small)
        what = f"{n_rows:,} rows x {N_NUMBERS + N_CATEGORIES}, length 3, Parquet"
        figures += [
            Figure(f"{what}: fit", fit["wall"], "s"),
            Figure(f"{what}: fit, processor time", fit["cpu"], "s"),
            Figure(f"{what}: bare scan by DuckDB", scan["wall"], "s"),
            Figure(f"{what}: bare scan by DuckDB, processor time", scan["cpu"], "s"),
            Figure(f"{what}: counts that are kept", fit["counts"] / 2**20, "MiB"),
        ]
        is_last = n_rows == max(N_ROWS)
        memory, share = f"{what}: peak memory", f"{what}: rows per second, of the scan's"
        by_cpu = f"{what}: rows per second of processor time, of the scan's"
        shares = scan["wall"] / fit["wall"], scan["cpu"] / fit["cpu"]
        figures += [
            at_most(memory, peak, "MiB", 2048) if is_last else Figure(memory, peak, "MiB"),
            at_least(share, shares[0], "x", 0.25) if is_last else Figure(share, shares[0], "x"),
            Figure(by_cpu, shares[1], "x"),
        ]
    return figures
