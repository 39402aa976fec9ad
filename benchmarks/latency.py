"""One prediction from a fitted model."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.data import adult
from benchmarks.measure import Figure, at_most
from picrules import FPICClassifier
from picrules.encoding.columns import read_columns


def run() -> list[Figure]:
    name, X, y, X_new = adult()
    clf = FPICClassifier().fit(X, y)
    searcher = clf._searcher
    codes = clf.schema_.encode(read_columns(X_new))
    queries = [np.ascontiguousarray(codes[:, row : row + 1]) for row in range(1000)]
    inside = _times(lambda row: searcher.best_rules(queries[row], 1))
    frames = [X_new.iloc[row : row + 1] for row in range(1000)]
    outside = _times(lambda row: clf.predict(frames[row]))
    return [
        at_most(f"{name}, internal call, median", np.median(inside) * 1e3, "ms", 1),
        Figure("internal call, 99th percentile", np.quantile(inside, 0.99) * 1e3, "ms"),
        at_most("predict on a one-row DataFrame, median", np.median(outside) * 1e3, "ms", 5),
        Figure("predict, 99th percentile", np.quantile(outside, 0.99) * 1e3, "ms"),
    ]


def _times(work) -> np.ndarray:
    work(0)
    taken = np.empty(1000)
    for row in range(1000):
        start = time.perf_counter()
        work(row)
        taken[row] = time.perf_counter() - start
    return taken
