"""A decision tree and a random forest on the same rows, to compare with."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from picrules.cli.folds import measure
from picrules.encoding.columns import CategoryColumn, read_columns

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

# Categories beyond the most frequent ones share a column of their own.
_MOST_CATEGORIES = 50
_LARGEST = float(np.finfo(np.float32).max) / 2  # trees compare 32-bit floats


def evaluate_rivals(
    matrix: NDArray[np.float64],
    truth: NDArray[Any],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    seed: int,
    n_jobs: int,
) -> dict[str, dict[str, float]]:
    """Fit a tree and a forest on some rows of a matrix, and measure them on others."""
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
