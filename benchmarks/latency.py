"""One prediction from a fitted model."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.data import adult
from benchmarks.measure import Figure, at_most
from picrules import FPICClassifier, PersonalRuleClassifier
from picrules.encoding.columns import read_columns

N_ROWS = 1000


def run() -> list[Figure]:
    name, X, y, X_new = adult()
    paper = FPICClassifier().fit(X, y)
    personal = PersonalRuleClassifier(cuts=16, max_length=3, alpha=0.5, smoothing=10).fit(X, y)
    inside, outside = _measure(paper, X_new)
    inside_2, outside_2 = _measure(personal, X_new)
    what = "PersonalRuleClassifier, length 3"
    return [
        at_most(f"{name}, internal call, median", np.median(inside) * 1e3, "ms", 1),
        Figure("internal call, 99th percentile", np.quantile(inside, 0.99) * 1e3, "ms"),
        at_most("predict on a one-row DataFrame, median", np.median(outside) * 1e3, "ms", 5),
        Figure("predict, 99th percentile", np.quantile(outside, 0.99) * 1e3, "ms"),
        Figure(f"{what}: internal call, median", np.median(inside_2) * 1e3, "ms"),
        Figure(f"{what}: internal call, 99th percentile", np.quantile(inside_2, 0.99) * 1e3, "ms"),
        Figure(f"{what}: predict on a one-row DataFrame, median", np.median(outside_2) * 1e3, "ms"),
        Figure(f"{what}: predict, 99th percentile", np.quantile(outside_2, 0.99) * 1e3, "ms"),
    ]


def _measure(clf, X_new) -> tuple[np.ndarray, np.ndarray]:
    """The times of one search of coded rows, and of `predict`, for one row after the other."""
    model = clf._model
    codes = model.encode(read_columns(X_new[:N_ROWS]))
    queries = [np.ascontiguousarray(codes[:, row : row + 1]) for row in range(N_ROWS)]
    inside = _times(lambda row: model.source.searcher.search(queries[row], model.search, 1))
    frames = [X_new.iloc[row : row + 1] for row in range(N_ROWS)]
    return inside, _times(lambda row: clf.predict(frames[row]))


def _times(work) -> np.ndarray:
    work(0)
    taken = np.empty(N_ROWS)
    for row in range(N_ROWS):
        start = time.perf_counter()
        work(row)
        taken[row] = time.perf_counter() - start
    return taken
