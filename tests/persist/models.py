"""Fitted estimators of every kind, to write and to read."""

import numpy as np
import pandas as pd
from sklearn.base import clone

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier

ESTIMATORS = [
    PICClassifier(),
    FPICClassifier(),
    PICClassifier(engine="table", alpha=0.7),
    PICClassifier(engine="bitmap", max_length=2, n_jobs=2),
    FPICClassifier(engine="table", bins={"size": 3, 3: 2}, n_jobs=-1),
    FPICClassifier(engine="bitmap", memory_limit=float("inf")),
    FPICClassifier(keep_rows=False),
    PICClassifier(keep_rows=False, max_length=2),
    PersonalRuleClassifier(alpha=1, smoothing=1, cuts=4, max_length=2, keep_rows=False),
    PersonalRuleClassifier(alpha=0.9, smoothing=[1, 5], cuts=4),
    PersonalRuleClassifier(
        alpha=1, smoothing=1, cuts=5, max_length=2, engine="bitmap", measure="certainty_factor"
    ),
    PersonalRuleClassifier(alpha=1, smoothing=1, cuts=5, max_length=2, intervals=True),
]

# What decides is a scorecard, with and without look-alikes, or look-alikes alone.
TOGETHER = [
    PersonalRuleClassifier(n_rules=3, look_alikes=True, cuts=4, max_length=2, smoothing=1),
    PersonalRuleClassifier(n_rules=4, look_alikes=False, cuts=3, max_length=1, subsets=False),
    PersonalRuleClassifier(look_alikes=True, cuts=4, max_length=1, alpha=1, smoothing=1),
    PersonalRuleClassifier(n_rules=3, intervals=True, cuts=4, max_length=1, subsets=False),
]


def table(n_rows=60, seed=0):
    """Numbers, texts, booleans, dates, ordered categories, missing cells, hostile names."""
    rng = np.random.default_rng(seed)
    day = pd.Timestamp("1969-12-01 03:04:05.000006")
    return pd.DataFrame(
        {
            "size": rng.normal(size=n_rows).round(2),
            'colour "<\x1b[31m"': rng.choice(["red", "blue", "<0", "", "\U0001f600"], n_rows),
            "is_new": rng.random(n_rows) < 0.5,
            "day": day + pd.to_timedelta(rng.integers(0, 99, n_rows), "D"),
            "grade": pd.Categorical(rng.choice(list("ABC"), n_rows), list("CBA"), ordered=True),
            "mixed": np.array([1, 2.5, "two", None, 2**60 + 1], object)[rng.integers(0, 5, n_rows)],
            "empty": np.full(n_rows, np.nan),
        }
    )


def classes(X, kind="text"):
    labels = (X["size"].fillna(0) > 0).to_numpy().astype(int) + (X["is_new"].to_numpy())
    return {
        "text": np.array(["ham", "jam", "spam"], object)[labels],
        "str": np.array(["ham", "jam", "spam"])[labels],
        "boolean": labels > 0,
        "int8": labels.astype(np.int8) - 1,
        "uint64": labels.astype(np.uint64) + np.uint64(2**63),
        "float32": labels.astype(np.float32),
    }[kind]


def checkered(X):
    """Classes that one condition tells nothing about, and a row's look-alikes nearly all."""
    return np.where((X["size"] > 0) ^ X["is_new"], "odd", "even").astype(object)


def small_model(estimator=None, n_rows=12, make_classes=classes):
    """A model whose file is small, for fuzzing."""
    X = table(n_rows)
    return (estimator or FPICClassifier(bins=2, max_length=2)).fit(X, make_classes(X))


def small_models():
    """Small models of every kind of files."""
    fixed = {"cuts": 2, "max_length": 2, "alpha": 0.5}
    return [
        small_model(),
        small_model(PersonalRuleClassifier(**fixed, smoothing=[1, 5], look_alikes=False)),
        small_scorecard(),
        small_model(clone(TOGETHER[2]), 40, checkered),
        small_model(PersonalRuleClassifier(**fixed | {"cuts": 4}, n_rules=2, intervals=True), 30),
        small_model(PICClassifier(bins=3, alpha=0.7)),
        small_model(FPICClassifier(bins=2, max_length=2, keep_rows=False)),
    ]


def small_scorecard():
    """A small model whose rules decide together, with coarser conditions."""
    fixed = {"cuts": 2, "max_length": 2, "alpha": 0.5, "smoothing": 1, "class_offset": True}
    clf = PersonalRuleClassifier(n_rules=3, look_alikes=True, intervals=False, **fixed)
    return small_model(clf, 30)
