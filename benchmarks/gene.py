"""Gene-sized tables: the paper needed 64,188 s for PIC of length 2 and 30 patients."""

from __future__ import annotations

from benchmarks.data import genes
from benchmarks.measure import Figure, at_most, best_of, memory_now, once
from experiments.datasets import folder, load_dataset
from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier

N_ASKED = 72


def run() -> list[Figure]:
    figures = [*paper(), at_most("peak memory of all of this", memory_now(), "MiB", 1024)]
    figures += personal()
    return [*figures, Figure("peak memory with PersonalRuleClassifier", memory_now(), "MiB")]


def paper() -> list[Figure]:
    """PIC and fPIC, on a table like the paper's and on the paper's."""
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
    return figures


def personal() -> list[Figure]:
    """PersonalRuleClassifier with default settings, and with one setting on fewer columns."""
    X, y, X_new = genes(200, 300, N_ASKED)
    few = PersonalRuleClassifier(cuts=8, max_length=2, alpha=1, smoothing=2, n_jobs=-1).fit(X, y)
    name, table = "PersonalRuleClassifier", "200 x 300, cuts 8, length 2"
    figures = [
        at_most(f"{name}, {table}: predict 72 rows", best_of(lambda: few.predict(X_new)), "s", 0.3)
    ]
    if folder() is not None:
        data = load_dataset("gene")
        X, y, X_new = data.X[:-N_ASKED], data.y[:-N_ASKED], data.X[-N_ASKED:]
        clf = PersonalRuleClassifier(n_jobs=-1)
        fit, predict = once(lambda: clf.fit(X, y)), once(lambda: clf.predict(X_new))
        table = "the NKI gene table, default settings"
        figures += [
            at_most(f"{name}, {table}: fit to 200 rows", fit, "s", 30),
            at_most(f"{name}, {table}: the first predict of 72 rows", predict, "s", 3),
        ]
    return figures
