"""How close the table engine comes to a bare histogram loop."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numba import njit

from benchmarks.data import adult
from benchmarks.measure import Figure, at_least, race
from picrules import FPICClassifier
from picrules.encoding.columns import read_columns
from tests.tables import search_with


@njit(nogil=True)
def bare_loop(codes, labels, n_codes, subsets, table):
    """Increment one entry per row for every set of up to three features, and nothing else.

    Indices are unsigned, or each would be tested for being negative.
    """
    for position in range(subsets.shape[0]):
        first, second, third = subsets[position]
        firsts, seconds, thirds = codes[first], codes[second], codes[third]
        n_second, n_third = np.uint64(n_codes[second]), np.uint64(n_codes[third])
        table[: 2 * n_codes[first] * n_codes[second] * n_codes[third]] = 0
        for row in range(codes.shape[1]):
            cell = np.uint64(firsts[row]) * n_second + np.uint64(seconds[row])
            cell = cell * n_third + np.uint64(thirds[row])
            table[cell * np.uint64(2) + np.uint64(labels[row])] += 1


def run() -> list[Figure]:
    name, X, y, X_new = adult()
    clf = FPICClassifier(engine="table").fit(X, y)
    training, search = clf._model.training, clf._model.search
    n_codes = clf._model.source.searcher.sets.n_codes
    queries = clf.schema_.encode(read_columns(X_new))
    n_features = training.n_features
    sets = [s for length in (1, 2, 3) for s in combinations(range(n_features), length)]
    # One more feature, with one value, fills up the shorter sets.
    subsets = np.array([[*s, n_features, n_features][:3] for s in sets])
    # The bare loop counts every row; the engine joins rows that are alike, and does the same job.
    codes = np.vstack([training.row_codes, np.zeros(training.n_rows)]).astype(np.uint8)
    n_codes = np.append(n_codes, 1)
    room = np.zeros(2 * int(np.prod(np.sort(n_codes)[-3:])), np.uint16)
    arguments = (codes, training.row_labels.astype(np.uint8), n_codes, subsets, room)
    engine = clf._model.source.searcher.prepare("table")
    bare, ours = race(
        lambda: bare_loop(*arguments), lambda: search_with(engine, queries, search), n_rounds=50
    )
    n_increments = training.n_rows * len(sets)
    return [
        Figure(f"bare histogram loop on {name}", n_increments / bare / 1e9, "G increments/s"),
        Figure("table engine with 6,000 queries", n_increments / ours / 1e9, "G increments/s"),
        at_least("share of the bare loop", bare / ours, "", 0.5),
    ]
