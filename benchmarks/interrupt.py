"""How long Ctrl-C takes to stop a long prediction."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

from benchmarks.measure import Figure, at_most

CODE = """
import sys, time
from benchmarks.data import genes
from picrules import FPICClassifier
X, y, X_new = genes()
clf = FPICClassifier(bins=3, max_length=3, engine={engine!r}).fit(X, y)
FPICClassifier(bins=3, max_length=1, engine={engine!r}).fit(X, y).predict(X_new)
print("ready", flush=True)
try:
    clf.predict(X_new)
except KeyboardInterrupt:
    print("stopped", flush=True)
clf.set_params(max_length=1).fit(X, y).predict(X_new)
print("usable", flush=True)
"""


def run() -> list[Figure]:
    figures = []
    for engine in ("bitmap", "table"):
        process = subprocess.Popen(
            [sys.executable, "-c", CODE.format(engine=engine)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout.readline() == "ready\n"
        time.sleep(3)
        start = time.perf_counter()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "stopped\n"
        seconds = time.perf_counter() - start
        assert process.stdout.readline() == "usable\n"
        process.wait(60)
        figures.append(at_most(f"{engine} engine, gene-sized, length 3", seconds, "s", 1))
    return figures
