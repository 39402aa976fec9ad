"""Cross-validation: of one estimator, and beside a tree, a forest and the most frequent class."""

from __future__ import annotations

import time
from statistics import mean, pstdev
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from picrules.encoding.columns import CategoryColumn, read_columns
from picrules.rules.text import format_value, list_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from picrules.cli.training import TrainingFile

Rows: TypeAlias = "NDArray[np.int64]"  # the numbers of rows, from 0

MAJORITY = "majority"

# A class that a model gives no probability at all costs -log of this.
_LEAST = 1e-15

# Categories beyond the most frequent ones share a column of their own.
_MOST_CATEGORIES = 50
_LARGEST = float(np.finfo(np.float32).max) / 2  # trees compare 32-bit floats


def split_stratified(
    labels: NDArray[np.int64], n_folds: int, rng: np.random.Generator
) -> Iterator[tuple[Rows, Rows]]:
    """Give the training and the test rows of each part, in order; each class is spread evenly."""
    shuffled = rng.permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    fold = np.empty(len(labels), np.int64)
    fold[by_class] = np.arange(len(labels)) % n_folds
    for part in range(n_folds):
        yield np.flatnonzero(fold != part), np.flatnonzero(fold == part)


def cross_validated_accuracy(
    clf: Any, X: pa.Table, y: NDArray[Any], n_folds: int, report: Callable[[int], None]
) -> float:
    """Fit on all parts but one and predict that one, for each part; `clf` is left as it is."""
    labels = np.unique(y, return_inverse=True)[1]
    n_right = 0
    for train, test in split_stratified(labels, n_folds, np.random.default_rng(0)):
        fresh = type(clf)(**clf.get_params()).fit(X.take(train), y[train])
        n_right += int((fresh.predict(X.take(test)) == y[test]).sum())
        report(1)
    return n_right / len(y)


def note_small_classes(rows: dict[Any, int], n_folds: int) -> list[str]:
    """Say what is odd about the classes, given the rows of each: only one, or hardly any rows."""
    names = {value: format_value(value) for value in rows}
    if len(rows) == 1:
        (only,) = names.values()
        return [f"all rows have the class {only}, so every prediction will be {only}"]
    once = [names[value] for value, count in rows.items() if count == 1]
    notes = []
    if once:
        be = "is" if len(once) == 1 else "are"
        notes.append(
            f"{len(once)} of {len(rows)} classes {be} seen once ({list_names(once, 5)}); nothing "
            "can be learned of a class from one row, so add rows, merge the class with another or "
            "remove it"
        )
    rare = min(rows, key=lambda value: rows[value])
    if n_folds >= 2 and rows[rare] < n_folds and not once:
        notes.append(
            f"the class {names[rare]} has {rows[rare]} rows, fewer than the {n_folds} parts of the "
            "cross-validation, so some parts hold none of them"
        )
    return notes


def measure(
    truth: NDArray[Any], predicted: NDArray[Any], probabilities: NDArray[Any], classes: NDArray[Any]
) -> dict[str, float]:
    """Return accuracy, balanced accuracy and log loss; `classes` are those of `probabilities`."""
    is_right = predicted == truth
    by_class = [is_right[truth == value].mean() for value in set(truth.tolist())]
    column_of = {value: column for column, value in enumerate(classes.tolist())}
    columns = np.array([column_of.get(value, -1) for value in truth.tolist()])
    given = np.where(columns < 0, 0.0, probabilities[np.arange(len(truth)), columns])
    return {
        "accuracy": float(is_right.mean()),
        "balanced_accuracy": float(np.mean(by_class)),
        "log_loss": float(-np.log(np.maximum(given, _LEAST)).mean()),
    }


def compare_with_rivals(
    clf: Any,
    name: str,
    training: TrainingFile,
    n_folds: int,
    n_repeats: int,
    seed: int,
    report: Callable[[int], None],
) -> dict[str, dict[str, float]]:
    """Return the mean figures of an estimator and its rivals, all on the same parts."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    rivals = {
        "tree": DecisionTreeClassifier(random_state=seed),
        "forest": RandomForestClassifier(random_state=seed, n_jobs=clf.n_jobs),
    }
    truth, labels = training.y, np.unique(training.y, return_inverse=True)[1]
    matrix = to_matrix(training.X)
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(n_repeats):
        for train, test in split_stratified(labels, n_folds, rng):
            figures = {name: _evaluate(clf, training.X, truth, train, test)}
            for rival, model in rivals.items():
                figures[rival] = _evaluate_rival(model, matrix, truth, train, test)
            figures[MAJORITY] = _evaluate_majority(truth, train, test)
            parts.append(figures)
            report(1)
    means = {
        model: {name: mean(part[model][name] for part in parts) for name in figures}
        for model, figures in parts[0].items()
    }
    for model, own in means.items():
        own["accuracy_deviation"] = pstdev(part[model]["accuracy"] for part in parts)
    return means


def _evaluate(
    clf: Any, X: pa.Table, truth: NDArray[Any], train: Rows, test: Rows
) -> dict[str, float]:
    start = time.perf_counter()
    fresh = type(clf)(**clf.get_params()).fit(X.take(train), truth[train])
    explanations = fresh.explain(X.take(test))
    distinct, which = explanations.distinct()
    probabilities = explanations.probabilities
    seconds = time.perf_counter() - start
    predicted = np.array([explanation.prediction for explanation in distinct], object)[which]
    lengths = np.array([explanation.rule.length for explanation in distinct])[which]
    if explanations.cases.is_weighed.any():
        lengths = np.array([explanation.n_conditions for explanation in explanations])
    return {
        **measure(truth[test], predicted, probabilities, fresh.classes_),
        "rules": float(len({explanation.rule for explanation in distinct})),
        "rule_length": float(lengths.mean()),
        "seconds": seconds,
    }


def _evaluate_rival(
    model: Any, matrix: NDArray[np.float64], truth: NDArray[Any], train: Rows, test: Rows
) -> dict[str, float]:
    classes, labels = np.unique(truth, return_inverse=True)
    start = time.perf_counter()
    model.fit(matrix[train], labels[train])
    probabilities = model.predict_proba(matrix[test])
    known = classes[model.classes_]
    predicted = known[probabilities.argmax(axis=1)]
    seconds = time.perf_counter() - start
    return {
        **measure(truth[test], predicted, probabilities, known),
        **_describe_paths(getattr(model, "estimators_", [model]), matrix[test]),
        "seconds": seconds,
    }


def _evaluate_majority(truth: NDArray[Any], train: Rows, test: Rows) -> dict[str, float]:
    """Measure what says the most frequent class of the training rows, whatever the row."""
    start = time.perf_counter()
    classes, counts = np.unique(truth[train], return_counts=True)
    predicted = np.full(len(test), classes[counts.argmax()], truth.dtype)
    probabilities = np.tile(counts / counts.sum(), (len(test), 1))
    figures = measure(truth[test], predicted, probabilities, classes)
    seconds = time.perf_counter() - start
    return {**figures, "rules": 0.0, "rule_length": 0.0, "seconds": seconds}


def to_matrix(X: pa.Table) -> NDArray[np.float64]:
    """Write a table as numbers: one column per category, NaN where missing."""
    blocks = [
        _one_column_per_category(column)
        if isinstance(column, CategoryColumn)
        else np.clip(column.numbers, -_LARGEST, _LARGEST)
        for column in read_columns(X)
    ]
    return np.column_stack(blocks)


def _one_column_per_category(column: CategoryColumn) -> NDArray[np.float64]:
    counts = np.bincount(column.positions[column.positions >= 0], minlength=len(column.values))
    frequent = np.argsort(-counts, kind="stable")[:_MOST_CATEGORIES]
    is_value = column.positions[:, np.newaxis] == frequent
    is_other = (column.positions >= 0) & ~is_value.any(axis=1)
    return np.column_stack([is_value, is_other]).astype(np.float64)


def _describe_paths(trees: list[Any], rows: NDArray[np.float64]) -> dict[str, float]:
    """Count the paths that the rows take through trees, and the conditions on them."""
    n_paths = sum(len(np.unique(tree.apply(rows.astype(np.float32)))) for tree in trees)
    lengths = [(tree.decision_path(rows).sum(axis=1) - 1).mean() for tree in trees]
    return {"rules": float(n_paths), "rule_length": float(np.sum(lengths))}
