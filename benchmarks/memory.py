"""How much memory calls take beyond what the process had before, with a limit on it.

Each case runs in a process of its own. What the call has to compile or load was called before on
a table of other rows, and the memory that this left behind was given back to the system.
"""

from __future__ import annotations

import os
import subprocess
import sys

from benchmarks.measure import Figure, at_most

N_ROWS = 150_000
# Rules of that many rows for each class, with their counts, take more than the limit at once.
N_ASKED = 20_000
N_CLASSES = 30
LIMIT = 50e6
TARGET = 60.0  # megabytes

CODE = """
import ctypes
import numpy as np
import pandas as pd
from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier


def table(n_rows, seed):
    # Five columns of numbers and five of few values; half of the rows follow two of them.
    rng = np.random.default_rng(seed)
    columns = {{f"n{{i}}": rng.normal(size=n_rows).astype(np.float32) for i in range(5)}}
    for position, count in enumerate([3, 4, 5, 6, 8]):
        values = np.array([f"v{{value}}" for value in range(count)])
        columns[f"c{{position}}"] = pd.Categorical(values[rng.integers(0, count, n_rows)])
    X = pd.DataFrame(columns)
    follows = np.digitize(X["n0"], [-1, -0.3, 0.3, 1]) * 6 + X["c3"].cat.codes
    drawn = rng.integers(0, {n_classes}, n_rows)
    return X, np.where(rng.random(n_rows) < 0.5, follows % {n_classes}, drawn)


def memory(key):
    for line in open("/proc/self/status"):
        if line.startswith(key):
            return int(line.split()[1]) / 1000


def above(work):
    ctypes.CDLL(None).malloc_trim(0)
    open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
    before = memory("VmRSS")
    work()
    return memory("VmHWM") - before


def make():
    return {estimator}


X, y = table({n_rows}, 0)
# More rows than 16 bits can count, as in the table that is measured.
few = make().fit(*table(70_000, 1))
few.predict(X[:2_000])
del few
"""

PREDICT = """
clf = make().fit(X, y)
print(above(lambda: clf.predict(X[:{n_asked}])))
"""

FIT = """
clf = make()
print(above(lambda: clf.fit(X, y)))
"""

PERSONAL = "alpha=1, smoothing=2, cuts=8, max_length=2"
ESTIMATORS = {
    "PICClassifier": "max_length=3",
    "FPICClassifier": "",
    "PersonalRuleClassifier": PERSONAL,
}


def run(n_rows: int = N_ROWS) -> list[Figure]:
    figures = []
    table = f"{n_rows:,} x 10, {N_CLASSES} classes"
    for name, settings in ESTIMATORS.items():
        for engine in ("table", "bitmap"):
            what = f"{name}, {table}, {engine} engine: predict {N_ASKED:,} rows"
            figures.append(_measure(what, name, settings, engine, PREDICT, n_rows))
    for engine in ("table", "bitmap"):
        what = f"PersonalRuleClassifier, {table}, {engine} engine: fit"
        figures.append(_measure(what, "PersonalRuleClassifier", PERSONAL, engine, FIT, n_rows))
    return figures


def _measure(what, name, settings, engine, measured, n_rows) -> Figure:
    estimator = f"{name}({settings}{', ' * bool(settings)}memory_limit={LIMIT}, engine={engine!r})"
    code = (CODE + measured).format(
        estimator=estimator, n_rows=n_rows, n_classes=N_CLASSES, n_asked=N_ASKED
    )
    # Arrays are given back to the system as soon as they are freed, so that none of an earlier
    # call hides what this one takes.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    print(f"{what}: {float(done.stdout):.1f} MB", file=sys.stderr)
    return at_most(f"{what}, memory above that before", float(done.stdout), "MB", TARGET)
