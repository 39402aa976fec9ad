"""PIC: plain-Python Algorithm 2 against `PICClassifier` on a table where the former ends."""

from __future__ import annotations

from benchmarks.data import coded_table
from benchmarks.measure import Figure, best_of, once
from picrules.engines.base import Search
from picrules.engines.searcher import Searcher
from tests import reference
from tests.tables import to_rows


def run() -> list[Figure]:
    table, queries = coded_table(900, 9, 3, 60)
    search = Search(0.9, 9, is_greedy=True)
    rows, labels = to_rows(table.codes), table.labels.tolist()
    scores = []

    def plain():
        found = [reference.pic(rows, labels, 2, x, 0.9, 9) for x in to_rows(queries)]
        scores.extend(rule.score for rule in found)

    seconds = once(plain)
    searcher = Searcher(table, search)
    ours = best_of(lambda: Searcher(table, search).best_rules(queries, 2))
    same = scores == searcher.best_rules(queries, 1).scores.tolist()
    return [
        Figure("plain-Python Algorithm 2, 900 x 9, 60 rows", seconds, "s"),
        Figure("picrules", ours, "s"),
        Figure("times faster", seconds / ours, "x"),
        Figure("same scores", float(same), ""),
    ]
