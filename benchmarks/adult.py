"""fPIC on adult: plain Python, picrules, a tree and a forest, on the same split."""

from __future__ import annotations

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data import adult
from benchmarks.measure import Figure, at_least, best_of, race
from picrules import FPICClassifier
from picrules.encoding.columns import read_columns
from picrules.engines.training import Training
from picrules.model.searcher import Searcher
from tests import reference
from tests.tables import to_rows


def plain_fpic(rows, labels, queries, alpha=0.9, max_length=3):
    """Algorithm 3 in plain Python: one hash table of itemsets, then a look-up for each query."""
    sizes = reference.class_sizes(labels, 2)
    table = {}
    for row, label in zip(rows, labels, strict=True):
        for itemset in reference.all_combinations(row, max_length):
            table.setdefault(itemset, [0, 0])[label] += 1
    found = []
    for x in queries:
        best = (None, 0.0)
        for itemset in reference.all_combinations(x, max_length):
            label, score = reference.best_class(table.get(itemset, [0, 0]), sizes, alpha)
            if score > best[1]:
                best = (label, score)
        found.append(best[0])
    return found


def run() -> list[Figure]:
    name, X, y, X_new = adult()
    clf = FPICClassifier(n_jobs=-1)
    ours = best_of(lambda: clf.fit(X, y).predict(X_new), 20)

    codes = clf.schema_.encode(read_columns(X))
    new_codes = clf.schema_.encode(read_columns(X_new))
    labels = (y == clf.classes_[1]).astype(np.int64)
    rows, queries = to_rows(codes), to_rows(new_codes)
    plain = []
    seconds = race(lambda: plain.append(plain_fpic(rows, labels.tolist(), queries)), n_rounds=0)[0]
    sets, search = clf._model.source.searcher.sets, clf._model.search

    def both_steps():
        training = Training.from_rows(codes, labels, sets.n_codes, 2)
        Searcher(training, sets, np.ones(2)).search(new_codes, search, 2)

    core = best_of(both_steps, 40)
    same = (clf.classes_[plain[0]] == clf.predict(X_new)).all()

    def model(estimator):
        one_hot = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
            remainder="passthrough",
        )
        return make_pipeline(one_hot, estimator)

    tree = model(DecisionTreeClassifier(random_state=0))
    forest = model(RandomForestClassifier(100, n_jobs=-1, random_state=0))
    tree_seconds = best_of(lambda: tree.fit(X, y).predict(X_new), 3)
    forest_seconds = best_of(lambda: forest.fit(X, y).predict(X_new), 3)
    return [
        Figure(f"{name}, length 3, fit + predict", ours, "s"),
        Figure("plain-Python Algorithm 3 from coded rows", seconds, "s"),
        Figure("picrules from the same coded rows, both steps", core, "s"),
        at_least("times faster than plain Python, both from coded rows", seconds / core, "x", 300),
        Figure("times faster, picrules from the DataFrame", seconds / ours, "x"),
        Figure("same predictions", float(same), ""),
        Figure("one tree, fit + predict", tree_seconds, "s"),
        Figure("forest of 100 trees, fit + predict", forest_seconds, "s"),
        at_least("times faster than the forest", forest_seconds / ours, "x", 1),
    ]
