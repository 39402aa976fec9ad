"""Accuracy and calibration of PersonalRuleClassifier beside a tree and a forest.

`python -m experiments.accuracy` runs 5-fold stratified cross-validation (shuffled, seed 0) on the
16 tables at full size, everything fitted on the training part, and writes the results as they come
into experiments/results/personal.json; tables that are there already are not run again.
`python -m experiments.accuracy TABLE ...` runs some of them.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from experiments.datasets import load_dataset
from picrules import PersonalRuleClassifier

if TYPE_CHECKING:
    from experiments.datasets import Dataset

N_BINS = 10
RESULTS = Path(__file__).parent / "results" / "personal.json"
TABLES = [
    "adult", "banknote", "breastcancer", "car", "COMPAS", "german", "heloc", "ILPD",
    "liver", "magic", "monks", "mushroom", "nursery", "tictactoe", "transfusion", "vote",
]  # fmt: skip


def bin_by_confidence(confidence: np.ndarray, is_right: np.ndarray) -> list[list[float]]:
    """Rows, sum of confidence and right predictions in ten bins of equal width."""
    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    return [
        [int(is_in.sum()), float(confidence[is_in].sum()), int(is_right[is_in].sum())]
        for is_in in (bins == each for each in range(N_BINS))
    ]


def calibration_error(bins: np.ndarray) -> float:
    """Expected calibration error, from the sums of `bin_by_confidence`."""
    counts, confidence, right = np.asarray(bins, float).T
    return float(np.abs(confidence - right).sum() / counts.sum())


def chance_error(bins: np.ndarray) -> float:
    """Return about which calibration error true confidences would have with so many rows."""
    counts, confidence, _ = np.asarray(bins, float)[np.asarray(bins)[:, 0] > 0].T
    spread = np.sqrt(confidence * (1 - confidence / counts))  # of the number of right ones
    return float(np.sqrt(2 / np.pi) * spread.sum() / counts.sum())


def brier(probabilities: np.ndarray, labels: np.ndarray) -> float:
    """Mean squared distance of the probabilities from the truth, over all classes."""
    truth = np.eye(probabilities.shape[1])[labels]
    return float(((probabilities - truth) ** 2).sum(axis=1).mean())


def rivals(X: pd.DataFrame) -> dict[str, Any]:
    """A tree and a forest on one-hot categories and numbers as they are."""
    categories = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]

    def pipe(model: Any) -> Any:
        encoder = OneHotEncoder(handle_unknown="ignore")
        columns = make_column_transformer((encoder, categories), remainder="passthrough")
        return make_pipeline(columns, model)

    return {
        "CART": pipe(DecisionTreeClassifier(random_state=0)),
        "forest": pipe(RandomForestClassifier(100, random_state=0)),
    }


def run_fold(data: Dataset, train: np.ndarray, test: np.ndarray) -> dict[str, Any]:
    """Fit and judge everything on one fold."""
    X, y = data.X.iloc[train], data.y[train].astype(str)
    asked, truth = data.X.iloc[test], data.y[test].astype(str)
    result: dict[str, Any] = {}
    for name, model in rivals(data.X).items():
        result[name] = float((model.fit(X, y).predict(asked) == truth).mean())
    start = time.perf_counter()
    clf = PersonalRuleClassifier(n_jobs=2).fit(X, y)
    fitted = time.perf_counter()
    probabilities = clf.predict_proba(asked)
    result["seconds"] = {"fit": fitted - start, "predict": time.perf_counter() - fitted}
    explanations = list(clf.explain(asked))
    known = np.isin(truth, clf.classes_)
    labels = np.searchsorted(clf.classes_, np.where(known, truth, clf.classes_[0]))
    raw = np.array([_raw_shares(e, clf.classes_) for e in explanations])
    predicted = np.array([e.prediction for e in explanations])
    is_right = predicted == truth
    result["accuracy"] = float(is_right.mean())
    result["length"] = float(np.mean([e.rule.length for e in explanations]))
    result["rules"] = len({e.rule for e in explanations})
    result["overruled"] = float(np.mean([e.overruled is not None for e in explanations]))
    result["brier"] = brier(probabilities[known], labels[known])
    result["raw_brier"] = brier(raw[known], labels[known])
    result["bins"] = bin_by_confidence(probabilities.max(axis=1), is_right)
    precisions = np.array([e.precision for e in explanations])
    result["raw_bins"] = bin_by_confidence(precisions, is_right)
    result["chosen"] = clf.tuning_.chosen.to_dict()
    result["tried"] = len(clf.tuning_.candidates)
    return result


def _raw_shares(explanation: Any, classes: np.ndarray) -> list[float]:
    counts = explanation.class_counts
    return [counts[c] / explanation.cover_size for c in classes.tolist()]


def run_table(name: str) -> dict[str, Any]:
    """Run the five folds of one table."""
    data = load_dataset(name)
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(data.X, data.y.astype(str))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class of two rows cannot be in five folds
        return {"table": name, "folds": [run_fold(data, *fold) for fold in folds]}


def main(names: list[str]) -> None:
    """Run the tables that have no result yet."""
    done = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    for name in names or TABLES:
        if name in done and not names:
            continue
        done[name] = run_table(name)
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(done) + "\n")
        folds = done[name]["folds"]
        mean = {k: np.mean([f[k] for f in folds]) for k in ("accuracy", "forest", "CART", "length")}
        seconds = np.mean([f["seconds"]["fit"] for f in folds])
        error = calibration_error(sum(np.array(f["bins"]) for f in folds))
        print(
            name,
            {key: round(float(value), 4) for key, value in mean.items()},
            f"fit {seconds:.1f} s, calibration error {error:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
