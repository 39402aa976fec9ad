"""How close the table engine comes to a bare histogram loop."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numba import njit

from benchmarks.data import adult
from benchmarks.measure import Figure, at_least, best_of
from picrules import FPICClassifier
from picrules.encoding.columns import read_columns


@njit(nogil=True)
def bare_loop(codes, labels, n_codes, subsets, lengths, table):
    """Increment one entry a row for every set of up to three features, and nothing else."""
    for position in range(subsets.shape[0]):
        table[:] = 0
        first = codes[subsets[position, 0]]
        second, n_second = codes[subsets[position, 1]], n_codes[subsets[position, 1]]
        third, n_third = codes[subsets[position, 2]], n_codes[subsets[position, 2]]
        for row in range(codes.shape[1]):
            cell = first[row]
            if lengths[position] > 1:
                cell = cell * n_second + second[row]
            if lengths[position] > 2:
                cell = cell * n_third + third[row]
            table[cell * 2 + labels[row]] += 1


def run() -> list[Figure]:
    name, X, y, X_new = adult()
    clf = FPICClassifier(engine="table").fit(X, y)
    table, search = clf._searcher.table, clf._searcher.search
    queries = clf.schema_.encode(read_columns(X_new))
    sets = [s for length in (1, 2, 3) for s in combinations(range(table.n_features), length)]
    subsets = np.array([[*s, 0, 0][:3] for s in sets])
    lengths = np.array([len(s) for s in sets])
    sizes = sorted(table.n_codes.tolist())[-3:]
    room = np.zeros(int(np.prod(sizes)) * 2, np.int32)
    arguments = (table.codes, table.labels, table.n_codes, subsets, lengths, room)
    bare = best_of(lambda: bare_loop(*arguments))
    engine = clf._searcher.prepare("table")
    ours = best_of(lambda: engine.best_rules(queries, search, 1))
    n_increments = table.n_rows * len(sets)
    return [
        Figure(f"bare histogram loop on {name}", n_increments / bare / 1e9, "G increments/s"),
        Figure("table engine with 6,000 queries", n_increments / ours / 1e9, "G increments/s"),
        at_least("share of the bare loop", bare / ours, "", 0.5),
    ]
