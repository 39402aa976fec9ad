"""Tables with every kind of column, for the tests of what-if answers."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier

ESTIMATORS = [
    FPICClassifier(bins=3, max_length=2),
    PICClassifier(bins=3),
    PersonalRuleClassifier(cuts=3, max_length=2, smoothing=1.0, alpha=0.9, subsets=False),
]
SIZES = ["small", "medium", "large"]


def make_table(rng, n_rows=60, n_classes=2):
    """A table whose classes follow from its columns, but not always."""
    age = rng.integers(18, 80, n_rows)
    weight = rng.gamma(4, 17.3, n_rows).round(1)
    seen = [datetime(2020, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 900, n_rows)]
    size = pd.Categorical(rng.choice(SIZES, n_rows), categories=SIZES, ordered=True)
    job = rng.choice(["clerk", "it's", "none"], n_rows).astype(object)
    X = pd.DataFrame({"age": age, "weight": weight, "seen": seen, "size": size, "my job": job})
    signal = (age > 45).astype(int) + (weight > 70) + (job == "clerk")
    y = np.where(rng.random(n_rows) < 0.15, rng.integers(0, n_classes, n_rows), signal % n_classes)
    y[:n_classes] = range(n_classes)
    for name in ("weight", "seen", "size", "my job"):
        X.loc[rng.random(n_rows) < 0.1, name] = None
    return X, np.array([f"class {label}" for label in y])
