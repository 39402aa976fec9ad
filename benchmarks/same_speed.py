"""Is a version as fast as another one?

`python -m benchmarks.same_speed OLD_SRC [NAME ...]` runs workloads with two versions of the
library in turn: the one whose folder `src` is OLD_SRC, and the one of this checkout. Get an old
one by `git worktree add ../old COMMIT`, and pass `../old/src`.

Each workload runs in processes of its own, three with each version, old and new alternating. A
process calls the workload once to warm up, which may compile, then again until there were 20 calls
or 3 seconds have passed (but at least once), and reports its shortest. Printed for each workload
are the shortest time of each version over its processes, in seconds, and the ratio new / old: less
than 1 is faster. Only public names are used, so that any two versions can be compared.

Without names, all workloads run, which takes about half an hour; `--list` prints their names. The
tables are read as `experiments.datasets` does (set PICRULES_DATA), and genes are made up where
the gene table is not there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.data import adult, genes
from experiments.datasets import folder, load_dataset

if TYPE_CHECKING:
    from collections.abc import Callable

    Workload = Callable[[], object]

NEW_SRC = Path(__file__).resolve().parents[1] / "src"

N_ALTERNATIONS = 3
MOST_CALLS = 20
ENOUGH_SECONDS = 3.0

ONE_SETTING = {"cuts": 16, "max_length": 3, "alpha": 0.5, "smoothing": 10, "n_jobs": 2}


def magic() -> tuple[Any, Any, Any]:
    """Rows of magic to train on, and 3,804 to classify."""
    data = load_dataset("magic")
    order = np.random.default_rng(0).permutation(len(data.y))
    training, asked = order[:-3_804], order[-3_804:]
    return data.X.iloc[training], data.y[training], data.X.iloc[asked]


def gene() -> tuple[Any, Any, Any]:
    """200 rows of the gene table to train on and 72 to classify, or made up like them."""
    if folder() is None:
        return genes(200, 1554, 72)
    data = load_dataset("gene")
    return data.X[:-72], data.y[:-72], data.X[-72:]


def adult_rows() -> tuple[Any, Any, Any]:
    _, X, y, X_new = adult()
    return X, y, X_new


def million() -> tuple[Any, Any, Any]:
    """1,000,000 rows of 10 numbers, and 1,000 to classify."""
    X = np.random.default_rng(0).random((1_001_000, 10))
    y = (X[:, 0] + np.random.default_rng(1).random(len(X)) > 1).astype(int)
    return X[:-1_000], y[:-1_000], X[-1_000:]


def fit_and_predict(estimator: str, table: Callable[[], Any], **parameters: Any) -> Workload:
    X, y, X_new = table()
    return lambda: make(estimator, **parameters).fit(X, y).predict(X_new)


def fit(estimator: str, table: Callable[[], Any], **parameters: Any) -> Workload:
    X, y, _ = table()
    return lambda: make(estimator, **parameters).fit(X, y)


def predict(
    estimator: str, table: Callable[[], Any], n_rows: int | None = None, **parameters: Any
) -> Workload:
    X, y, X_new = table()
    clf, rows = make(estimator, **parameters).fit(X, y), X_new[:n_rows]
    return lambda: clf.predict(rows)


def predict_first(estimator: str, table: Callable[[], Any], **parameters: Any) -> Workload:
    """Predict with a model that has kept nothing from earlier predictions: one just opened."""
    X, y, X_new = table()
    content = saved(make(estimator, **parameters).fit(X, y))
    return lambda: opened(content).predict(X_new)


def explain(estimator: str, **parameters: Any) -> Workload:
    """Explain 1,000 rows of adult, with the covered rows and the best rules of other classes."""
    X, y, X_new = adult_rows()
    clf = make(estimator, **parameters).fit(X, y)
    return lambda: [(one, one.contrast, one.evidence) for one in clf.explain(X_new[:1_000])]


def save_and_load(estimator: str, **parameters: Any) -> Workload:
    X, y, _ = adult_rows()
    clf = make(estimator, **parameters).fit(X, y)
    return lambda: opened(saved(clf))


def report_of_mushroom() -> Workload:
    import picrules

    data = load_dataset("mushroom")
    clf = make("FPICClassifier", n_jobs=2).fit(data.X, data.y)

    def work():
        with tempfile.TemporaryDirectory() as name:
            picrules.report(clf, data.X, data.y, Path(name) / "report.html")

    return work


def make(estimator: str, **parameters: Any) -> Any:
    import picrules

    return getattr(picrules, estimator)(**parameters)


def saved(clf: Any) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "model.pic"
        clf.save(path)
        return path.read_bytes()


def opened(content: bytes) -> Any:
    from picrules import load

    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "model.pic"
        path.write_bytes(content)
        return load(path)


PIC, FPIC, PERSONAL = "PICClassifier", "FPICClassifier", "PersonalRuleClassifier"

# A workload is made, which is not timed, and then called.
WORKLOADS: dict[str, Callable[[], Workload]] = {
    "adult fPIC fit+predict": partial(fit_and_predict, FPIC, adult_rows, n_jobs=2),
    "adult PIC predict 200": partial(predict, PIC, adult_rows, 200, n_jobs=2),
    "adult personal fit, one setting": partial(fit, PERSONAL, adult_rows, **ONE_SETTING),
    "magic personal fit, one setting": partial(fit, PERSONAL, magic, **ONE_SETTING),
    "adult personal predict, one setting": partial(predict, PERSONAL, adult_rows, **ONE_SETTING),
    "magic personal predict, one setting": partial(predict, PERSONAL, magic, **ONE_SETTING),
    "adult personal open+predict, one setting": partial(
        predict_first, PERSONAL, adult_rows, **ONE_SETTING
    ),
    "adult personal fit, default": partial(fit, PERSONAL, adult_rows, n_jobs=2),
    "magic personal fit, default": partial(fit, PERSONAL, magic, n_jobs=2),
    "adult personal predict, default": partial(predict, PERSONAL, adult_rows, n_jobs=2),
    "magic personal predict, default": partial(predict, PERSONAL, magic, n_jobs=2),
    "adult fPIC explain 1,000": partial(explain, FPIC, n_jobs=2),
    "adult personal explain 1,000": partial(explain, PERSONAL, **ONE_SETTING),
    "gene PIC fit+predict": partial(fit_and_predict, PIC, gene, bins=3, max_length=2, n_jobs=2),
    "gene fPIC fit+predict": partial(fit_and_predict, FPIC, gene, bins=3, max_length=2, n_jobs=2),
    "million fPIC fit+predict": partial(fit_and_predict, FPIC, million, n_jobs=2),
    "adult fPIC save+load": partial(save_and_load, FPIC),
    "adult personal save+load": partial(save_and_load, PERSONAL, **ONE_SETTING),
    "mushroom report": report_of_mushroom,
    "adult fPIC predict 1": partial(predict, FPIC, adult_rows, 1),
    "adult personal predict 1": partial(predict, PERSONAL, adult_rows, 1, **ONE_SETTING),
}


def shortest(name: str) -> float:
    """The shortest of several calls of a workload in this process, in seconds."""
    work = WORKLOADS[name]()
    work()
    taken: list[float] = []
    while not taken or (len(taken) < MOST_CALLS and sum(taken) < ENOUGH_SECONDS):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def shortest_with(source: Path, name: str) -> float:
    """The same in a process of its own, with the version in a folder `src`."""
    path = os.pathsep.join([str(source), str(NEW_SRC.parent)])
    command = [sys.executable, "-m", "benchmarks.same_speed", "--one", name]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, check=True
    )
    result = json.loads(done.stdout)
    used = Path(result["used"])
    assert source in used.parents, f"{used} was imported, not the version in {source}"
    return result["seconds"]


def compare(old: Path, names: list[str]) -> None:
    print(f"{'workload':42} {'old':>9} {'new':>9} {'new / old':>9}", flush=True)
    for name in names:
        taken: dict[Path, list[float]] = {old: [], NEW_SRC: []}
        for _ in range(N_ALTERNATIONS):
            for source, times in taken.items():
                times.append(shortest_with(source, name))
        before, after = (min(times) for times in taken.values())
        print(f"{name:42} {before:9.4f} {after:9.4f} {after / before:9.2f}", flush=True)


def main(words: list[str]) -> None:
    match words:
        case ["--list"]:
            print("\n".join(WORKLOADS))
        case ["--one", name]:
            import picrules

            seconds = shortest(name)
            print(json.dumps({"seconds": seconds, "used": str(Path(picrules.__file__).resolve())}))
        case [old, *names] if (Path(old) / "picrules").is_dir() and set(names) <= set(WORKLOADS):
            compare(Path(old).resolve(), names or list(WORKLOADS))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
