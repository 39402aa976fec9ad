"""Do two versions give the same answers, to the bit?

python -m benchmarks.same_answers write FOLDER      # with each version
python -m benchmarks.same_answers compare FOLDER FOLDER
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from experiments.datasets import load_dataset
from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier

# Tables, with the rows that are asked about; the others train.
TABLES = {"german": 200, "car": 400, "magic": 2_000, "adult": 2_000, "gene": 72}
ESTIMATORS = {
    "PIC": lambda name: PICClassifier(max_length=2 if name == "gene" else None),
    "fPIC": lambda name: FPICClassifier(max_length=2 if name == "gene" else 3),
    "personal": lambda _: PersonalRuleClassifier(),
}


def write(folder: Path, only: list[str]) -> None:
    """Fit every estimator on every table, and write down what it says of other rows."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, n_asked in TABLES.items():
        data = load_dataset(name)
        order = np.random.default_rng(0).permutation(len(data.y))
        asked, training = order[:n_asked], order[n_asked:]
        X, y, X_new = data.X.iloc[training], data.y[training], data.X.iloc[asked]
        for estimator, make in ESTIMATORS.items():
            if only and f"{name}-{estimator}" not in only:
                continue
            start = time.perf_counter()
            clf = make(name).fit(X, y)
            fitted = time.perf_counter()
            explanations = clf.explain(X_new)
            arrays = {
                "rules": np.array([str(each.rule) for each in explanations]),
                "scores": np.array([each.score for each in explanations]),
                "counts": np.array([list(each.class_counts.values()) for each in explanations]),
                "predictions": clf.predict(X_new).astype(str),
                "probabilities": clf.predict_proba(X_new),
                "tried": np.array([one.score for one in clf.tuning_.candidates])
                if estimator == "personal"
                else np.empty(0),
            }
            np.savez(folder / f"{name}-{estimator}.npz", **arrays)
            done = time.perf_counter()
            print(f"{name} {estimator}: fit {fitted - start:.2f} s, asked {done - fitted:.2f} s")
            sys.stdout.flush()


def compare(first: Path, second: Path) -> bool:
    """Say for each table and estimator whether all arrays are equal, bit by bit."""
    is_same = True
    for path in sorted(first.glob("*.npz")):
        with np.load(path) as old, np.load(second / path.name) as new:
            differing = [
                name
                for name in old.files
                if old[name].shape != new[name].shape or not np.array_equal(old[name], new[name])
            ]
            n_rows = len(old["rules"])
        print(f"{path.stem}: {n_rows} rows,", f"{differing} DIFFER" if differing else "all equal")
        is_same &= not differing
    return is_same


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", to, *only]:
            write(Path(to), only)
        case ["compare", old, new]:
            sys.exit(not compare(Path(old), Path(new)))
        case _:
            sys.exit(__doc__)
