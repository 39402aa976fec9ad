"""Counting all itemsets up to length 3, next to libraries for frequent itemsets."""

from __future__ import annotations

import pandas as pd

from benchmarks.data import adult
from benchmarks.measure import Figure, best_of, once
from picrules import FPICClassifier
from picrules.engines.base import Question
from tests.tables import ask


def run() -> list[Figure]:
    name, X, y, _ = adult()
    clf = FPICClassifier().fit(X, y)
    searcher, search = clf._model.source.searcher, clf._model.search
    engine = searcher.prepare("table")
    scorer = searcher._scorer(search.setting)
    question = Question(ask(clf._model.training.codes), scorer, search)

    def count():
        engine._kept_counts.clear()
        assert engine.keep(question)

    ours = best_of(count)
    figures = [Figure(f"{name}: all tables up to length 3, by class", ours, "s")]
    codes = clf._model.training.row_codes
    items = [[f"{f}={c}" for f, c in enumerate(row)] for row in codes.T.tolist()]
    try:
        import fim

        seconds = once(lambda: fim.fpgrowth(items, supp=-1, zmin=1, zmax=3, report="a"))
        figures.append(Figure("pyfim fpgrowth, every itemset", seconds, "s"))
    except ImportError:
        print("pyfim is not installed")
    try:
        from mlxtend.frequent_patterns import fpgrowth
        from mlxtend.preprocessing import TransactionEncoder

        encoder = TransactionEncoder()
        frame = pd.DataFrame(encoder.fit_transform(items), columns=encoder.columns_)
        seconds = once(lambda: fpgrowth(frame, min_support=0.02, max_len=3))
        figures.append(
            Figure("mlxtend fpgrowth, itemsets of at least 2% of the rows", seconds, "s")
        )
    except ImportError:
        print("mlxtend is not installed")
    return figures
