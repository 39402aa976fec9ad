"""PIC: plain-Python Algorithm 2 against `PICClassifier` on a table where the former ends."""

from __future__ import annotations

import numpy as np

from benchmarks.data import coded_table
from benchmarks.measure import Figure, best_of, once
from picrules.model.searcher import Searcher
from tests import reference
from tests.tables import paper_search, single_sets, to_rows


def run() -> list[Figure]:
    training, queries = coded_table(900, 9, 3, 60)
    sets = single_sets(np.full(9, 3))
    search = paper_search(0.9, 9, is_greedy=True)
    rows, labels = to_rows(training.row_codes), training.row_labels.tolist()
    scores = []

    def plain():
        found = [reference.pic(rows, labels, 2, x, 0.9, 9) for x in to_rows(queries)]
        scores.extend(rule.score for rule in found)

    seconds = once(plain)
    ours = best_of(lambda: Searcher(training, sets, np.ones(2)).search(queries, search, 2))
    found = Searcher(training, sets, np.ones(2)).search(queries, search, 1)
    same = scores == found.scores[:, 0].tolist()
    return [
        Figure("plain-Python Algorithm 2, 900 x 9, 60 rows", seconds, "s"),
        Figure("picrules", ours, "s"),
        Figure("times faster", seconds / ours, "x"),
        Figure("same scores", float(same), ""),
    ]
