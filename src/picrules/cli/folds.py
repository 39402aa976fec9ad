"""Cross-validation: parts that hold the classes alike, and what is measured on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.rules.text import format_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

# A class that a model gives no probability at all costs -log of this.
_LEAST = 1e-15


def split_stratified(
    labels: NDArray[np.int64], n_folds: int, rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Give the training and the test rows of each part, in order; each class is spread evenly."""
    shuffled = rng.permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    fold = np.empty(len(labels), np.int64)
    fold[by_class] = np.arange(len(labels)) % n_folds
    for part in range(n_folds):
        yield np.flatnonzero(fold != part), np.flatnonzero(fold == part)


def cross_validated_accuracy(
    clf: Any, X: pa.Table, y: list[Any], n_folds: int, report: Callable[[int], None]
) -> float:
    """Fit on all parts but one and predict that one, for each part; `clf` is left as it is."""
    truth, labels = to_labels(y)
    n_right = 0
    for train, test in split_stratified(labels, n_folds, np.random.default_rng(0)):
        fresh = type(clf)(**clf.get_params()).fit(X.take(train), truth[train])
        n_right += int((fresh.predict(X.take(test)) == truth[test]).sum())
        report(1)
    return n_right / len(y)


def to_labels(y: list[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the classes as an array, and the label of each row."""
    is_text = any(isinstance(value, str) for value in y)
    truth: NDArray[Any] = np.array(y, object) if is_text else np.array(y)
    return truth, np.unique(truth, return_inverse=True)[1].astype(np.int64)


def note_small_classes(y: list[Any], n_folds: int) -> list[str]:
    """Say what is odd about the classes: only one, or some with hardly any rows."""
    values, counts = np.unique(to_labels(y)[0], return_counts=True)
    if len(values) == 1:
        only = format_value(values.tolist()[0])
        return [f"all rows have the class {only}, so every prediction will be {only}"]
    once = [format_value(value) for value in values[counts == 1].tolist()]
    notes = []
    if once:
        shown = ", ".join(once[:5]) + (", ..." if len(once) > 5 else "")
        notes.append(
            f"{len(once)} of {len(values)} classes are seen once ({shown}); nothing can be learned "
            "of a class from one row, so add rows, merge the class with another or remove it"
        )
    if n_folds >= 2 and counts.min() < n_folds and not once:
        rare = format_value(values.tolist()[counts.argmin()])
        notes.append(
            f"the class {rare} has {counts.min()} rows, fewer than the {n_folds} parts of the "
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
