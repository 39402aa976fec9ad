"""How long it takes to add rows to a fitted model, and to take rows away from it."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.measure import Figure, at_most
from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier

N_ROWS, N_COLUMNS, N_CHANGED, N_TIMES = 1_000_000, 10, 1000, 5


def _measure(clf, method, X, y):
    """Return the least processor time of some calls, each with other rows, and its wall time."""
    taken = []
    for start in range(0, N_TIMES * N_CHANGED, N_CHANGED):
        rows = slice(start, start + N_CHANGED)
        wall, used = time.perf_counter(), time.process_time()
        getattr(clf, method)(X[rows], y[rows])
        taken.append((time.process_time() - used, time.perf_counter() - wall))
    return min(taken)


def run() -> list[Figure]:
    """Forget rows of a large model, and add them again."""
    rng, figures = np.random.default_rng(0), []
    X = rng.random((N_ROWS, N_COLUMNS))
    y = (X[:, 0] + rng.random(N_ROWS) > 1).astype(int)
    for estimator in (FPICClassifier(), PICClassifier(max_length=3)):
        clf, name = estimator.fit(X, y), type(estimator).__name__
        for method in ("forget", "partial_fit"):
            what = f"{name}, {N_ROWS:,} rows x {N_COLUMNS}: {method} {N_CHANGED:,} rows"
            used, wall = _measure(clf, method, X, y)
            figures.append(at_most(f"{what}, processor", used, "s", 0.1))
            figures.append(Figure(f"{what}, wall clock", wall, "s"))
    few = 50_000
    clf = PersonalRuleClassifier(
        cuts=8, alpha=1, smoothing=2, max_length=2, subsets=False, class_offset=True,
        look_alikes=False,
    ).fit(X[:few], y[:few])  # fmt: skip
    clf.forget(X[:1], y[:1]).partial_fit(X[:1], y[:1])  # the first notes what tuning found
    used, wall = _measure(clf, "forget", X, y)
    what = f"PersonalRuleClassifier, {few:,} rows: forget {N_CHANGED:,} rows and settle"
    figures.append(Figure(f"{what}, processor", used, "s"))
    figures.append(Figure(f"{what}, wall clock", wall, "s"))
    return figures
