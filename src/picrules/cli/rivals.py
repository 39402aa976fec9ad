"""Cross-validation of an estimator beside a decision tree and a random forest."""

from __future__ import annotations

import time
from statistics import mean, pstdev
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from picrules.cli.folds import measure, split_stratified, to_labels
from picrules.encoding.columns import CategoryColumn, read_columns

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from numpy.typing import NDArray

    from picrules.cli.tables.kinds import TrainingFile

# Categories beyond the most frequent ones share a column of their own.
_MOST_CATEGORIES = 50
_LARGEST = float(np.finfo(np.float32).max) / 2  # trees compare 32-bit floats


def compare_with_rivals(
    clf: Any,
    name: str,
    training: TrainingFile,
    n_folds: int,
    n_repeats: int,
    seed: int,
    report: Callable[[int], None],
) -> dict[str, dict[str, float]]:
    """Return the mean figures of an estimator, a tree and a forest, all on the same parts."""
    truth, labels = to_labels(training.y)
    matrix = to_matrix(training.X)
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(n_repeats):
        for train, test in split_stratified(labels, n_folds, rng):
            own = _evaluate(clf, training.X, truth, train, test)
            rivals = _evaluate_rivals(matrix, truth, train, test, seed, clf.n_jobs)
            parts.append({name: own, **rivals})
            report(1)
    return {model: _average([figures[model] for figures in parts]) for model in parts[0]}


def _average(parts: list[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each figure, and how much the accuracy varies between parts."""
    means = {name: mean(figures[name] for figures in parts) for name in parts[0]}
    return {**means, "accuracy_deviation": pstdev(figures["accuracy"] for figures in parts)}


def _evaluate(
    clf: Any,
    X: pa.Table,
    truth: NDArray[Any],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
) -> dict[str, float]:
    start = time.perf_counter()
    fresh = type(clf)(**clf.get_params()).fit(X.take(train), truth[train])
    rows = X.take(test)
    told = fresh.explain(rows)
    explanations, which = told.distinct()
    probabilities = told.probabilities
    seconds = time.perf_counter() - start
    predicted = np.array([explanation.prediction for explanation in explanations], object)[which]
    lengths = np.array([explanation.rule.length for explanation in explanations])[which]
    return {
        **measure(truth[test], predicted, probabilities, fresh.classes_),
        "rules": float(len({explanation.rule for explanation in explanations})),
        "rule_length": float(lengths.mean()),
        "seconds": seconds,
    }


def _evaluate_rivals(
    matrix: NDArray[np.float64],
    truth: NDArray[Any],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    seed: int,
    n_jobs: int,
) -> dict[str, dict[str, float]]:
    models = {
        "tree": DecisionTreeClassifier(random_state=seed),
        "forest": RandomForestClassifier(random_state=seed, n_jobs=n_jobs),
    }
    classes, labels = np.unique(truth, return_inverse=True)
    results = {}
    for name, model in models.items():
        start = time.perf_counter()
        model.fit(matrix[train], labels[train])
        probabilities = model.predict_proba(matrix[test])
        known = classes[model.classes_]
        predicted = known[probabilities.argmax(axis=1)]
        seconds = time.perf_counter() - start
        trees = model.estimators_ if name == "forest" else [model]
        results[name] = {
            **measure(truth[test], predicted, probabilities, known),
            **_describe_paths(trees, matrix[test]),
            "seconds": seconds,
        }
    return results


def to_matrix(X: pa.Table) -> NDArray[np.float64]:
    """Write a table as numbers: one column per category, NaN where missing."""
    blocks = []
    for column in read_columns(X):
        if isinstance(column, CategoryColumn):
            blocks.append(_one_column_per_category(column))
        else:
            blocks.append(np.clip(column.numbers, -_LARGEST, _LARGEST)[:, np.newaxis])
    return np.concatenate(blocks, axis=1)


def _one_column_per_category(column: CategoryColumn) -> NDArray[np.float64]:
    counts = np.bincount(column.positions[column.positions >= 0], minlength=len(column.values))
    frequent = np.argsort(-counts, kind="stable")[:_MOST_CATEGORIES]
    is_value = column.positions[:, np.newaxis] == frequent
    is_other = (column.positions >= 0) & ~is_value.any(axis=1)
    return np.column_stack([is_value, is_other]).astype(np.float64)


def _describe_paths(trees: list[Any], rows: NDArray[np.float64]) -> dict[str, float]:
    """Count the paths that the rows take through trees, and the conditions on them."""
    n_paths, lengths = 0, []
    for tree in trees:
        leaves = tree.apply(rows.astype(np.float32))
        n_paths += len(np.unique(leaves))
        lengths.append((tree.decision_path(rows).sum(axis=1) - 1).mean())
    return {"rules": float(n_paths), "rule_length": float(np.sum(lengths))}
