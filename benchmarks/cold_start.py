"""The first prediction ever, and the first of a later process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.measure import Figure, at_most, once

CODE = """
import numpy as np
from picrules import FPICClassifier
X = np.random.default_rng(0).random((500, 8))
FPICClassifier(engine={engine!r}).fit(X, [0, 1] * 250).predict(X[:{n_rows}])
"""


def run() -> list[Figure]:
    figures = []
    for engine, n_rows in (("table", 200), ("table", 1), ("bitmap", 200)):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
            command = [sys.executable, "-c", CODE.format(engine=engine, n_rows=n_rows)]

            def start(command=command, environment=environment):
                subprocess.run(command, env=environment, check=True)

            what = f"{engine} engine, {n_rows} rows"
            figures.append(at_most(f"first prediction ever, {what}", once(start), "s", 12))
            later = min(once(start) for _ in range(3))
            figures.append(
                at_most(f"start to prediction of a later process, {what}", later, "s", 3)
            )
    return figures
