"""How long a default fit takes, tuning included, and a prediction of 10,000 rows.

`python -m benchmarks.fit_speed` runs all tables, `python -m benchmarks.fit_speed NAME ...` some.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.datasets import make_classification

from experiments.any_table import all_tables
from picrules import PersonalRuleClassifier

if TYPE_CHECKING:
    from collections.abc import Callable

N_ASKED = 10_000


def made(n_rows: int, n_features: int, n_classes: int) -> tuple[Any, Any]:
    """Numbers, ten of which say something."""
    return make_classification(
        n_rows, n_features, n_informative=10, n_redundant=0, n_classes=n_classes,
        n_clusters_per_class=2, random_state=0,
    )  # fmt: skip


def read(name: str, n_rows: int | None = None) -> tuple[Any, Any]:
    """One of the tables of the study."""
    ((_, X, y),) = all_tables([name])
    return X[:n_rows], y[:n_rows].astype(str)


# Tables, and how many seconds the fit may take on two cores.
TABLES: dict[str, tuple[Callable[[], tuple[Any, Any]], float]] = {
    "segment": (lambda: read("segment"), 3),
    "10,000 x 40": (lambda: made(10_000, 40, 2), 10),
    "10,000 x 41, 15 classes": (lambda: made(10_000, 41, 15), 10),
    "adult": (lambda: read("adult"), 7.5),
    "nursery": (lambda: read("nursery"), 7.5),
    "letter, 16,000": (lambda: read("letter", 16_000), 30),
    "50,000 x 41, 20 classes": (lambda: made(50_000, 41, 20), 30),
    "500 x 1,000": (lambda: made(500, 1000, 2), 20),
}


def main(names: list[str]) -> None:
    """Time each fit once, after one that compiles what is needed."""
    X, y = made(200, 12, 3)
    for n_rules in (1, "auto"):
        PersonalRuleClassifier(n_jobs=2, n_rules=n_rules).fit(X, y).predict(X)
    for name in names or TABLES:
        load, limit = TABLES[name]
        X, y = load()
        asked = X[np.arange(N_ASKED) % len(y)] if isinstance(X, np.ndarray) else X[:N_ASKED]
        texts = []
        for n_rules in (1, "auto"):
            start = time.perf_counter()
            clf = PersonalRuleClassifier(n_jobs=2, n_rules=n_rules).fit(X, y)
            fitted = time.perf_counter()
            clf.predict(asked)
            end = time.perf_counter()
            texts.append(
                f"n_rules={n_rules}: fit {fitted - start:6.1f} s, predict {end - fitted:5.2f} s"
            )
        print(f"{name:24} {'; '.join(texts)} (limit {limit} s)", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
