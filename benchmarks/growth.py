"""How time and memory grow with rows, rows to classify and features."""

from __future__ import annotations

import json

from benchmarks.measure import Figure, at_most, peak_memory

CODE = """
import json, time
import numpy as np
from picrules import FPICClassifier
rng = np.random.default_rng(0)
n_rows, n_columns, n_new = {shape}
X = rng.random((n_rows + n_new, n_columns))
y = (X[:, 0] + rng.random(len(X)) > 1).astype(int)
for _ in range(3):  # the first may compile; the last is printed
    start = time.perf_counter()
    clf = FPICClassifier(max_length=3, n_jobs=-1).fit(X[:n_rows], y[:n_rows])
    fitted = time.perf_counter()
    clf.predict(X[n_rows:])
    end = time.perf_counter()
print(json.dumps({{"fit": fitted - start, "predict": end - fitted, "engine": clf.engine_}}))
"""


def measure(n_rows, n_columns, n_new):
    """Run one shape in a process of its own."""
    peak, printed = peak_memory(CODE.format(shape=(n_rows, n_columns, n_new)))
    return json.loads(printed.splitlines()[-1]), peak


def run() -> list[Figure]:
    figures, totals = [], {}
    for n_rows in (10_000, 100_000, 1_000_000):
        taken, peak = measure(n_rows, 10, 1_000)
        totals[n_rows] = taken["fit"] + taken["predict"]
        what = f"{n_rows:,} rows x 10 columns, length 3, 1,000 new rows"
        figures.append(Figure(f"{what}: fit", taken["fit"], "s"))
        figures.append(Figure(f"{what}: predict ({taken['engine']})", taken["predict"], "s"))
        figures.append(Figure(f"{what}: peak memory", peak, "MiB"))
    figures.append(at_most("1,000,000 rows: fit and predict", totals[1_000_000], "s", 30))
    figures.append(at_most("1,000,000 rows: peak memory", peak, "MiB", 1536))
    growth = totals[1_000_000] / totals[100_000] / 10
    figures.append(at_most("time from 100,000 to 1,000,000 rows, over rows", growth, "x", 1.2))
    base, _ = measure(100_000, 10, 1_000)
    more, peak = measure(100_000, 10, 10_000)
    figures.append(Figure("predict, 10 times the new rows", more["predict"] / base["predict"], "x"))
    more, peak = measure(100_000, 20, 1_000)
    figures.append(Figure("predict, twice the columns", more["predict"] / base["predict"], "x"))
    figures.append(Figure("peak memory with twice the columns", peak, "MiB"))
    return figures
