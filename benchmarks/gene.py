"""Gene-sized tables: the paper needed 64,188 s for PIC of length 2 and 30 patients."""

from __future__ import annotations

from benchmarks.data import genes
from benchmarks.measure import Figure, at_most, best_of, memory_now, once
from experiments.datasets import folder, load_dataset
from picrules import FPICClassifier, PICClassifier


def run() -> list[Figure]:
    figures = []
    X, y, X_new = genes()
    for estimator in (PICClassifier, FPICClassifier):
        for alpha in (0.7, 0.9):
            for length in (2, 3):
                clf = estimator(alpha=alpha, bins=3, max_length=length, n_jobs=-1).fit(X, y)
                measure = best_of if length == 2 else once
                seconds = measure(lambda clf=clf: clf.predict(X_new))
                what = f"{estimator.__name__}, 551 x 1,522, 30 rows, alpha {alpha}, length {length}"
                figures.append(at_most(what, seconds, "s", 1 if length == 2 else 90))
    if folder() is not None:
        data = load_dataset("gene")
        for alpha in (0.7, 0.9):
            clf = PICClassifier(alpha=alpha, bins=3, max_length=2, n_jobs=-1)
            clf.fit(data.X[:-30], data.y[:-30])
            seconds = best_of(lambda clf=clf: clf.predict(data.X[-30:]))
            what = f"PICClassifier, the NKI gene table, 30 rows, alpha {alpha}, length 2"
            figures.append(Figure(what, seconds, "s"))
    return [*figures, at_most("peak memory of all of this", memory_now(), "MiB", 1024)]
