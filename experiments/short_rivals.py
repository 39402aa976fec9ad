"""Classifiers cut down to few conditions, and how many of them a reader reads per prediction."""

from __future__ import annotations

import signal
from contextlib import contextmanager, redirect_stderr, suppress
from io import StringIO
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

if TYPE_CHECKING:
    from collections.abc import Iterator

# The most conditions that anybody reads.
MOST = 32

# How many trees of which depth take no more conditions than that.
SHAPES = [(n, d) for n in (1, 2, 4, 8, 16, 32) for d in (1, 2, 3, 4, 6, 8, 12, 16) if n * d <= MOST]

# How many splits FIGS may have, and how many rules RIPPER for each class.
N_SPLITS, N_RULES = (1, 2, 4, 8, 16, 32, 64, 128), (1, 3, None)

# Processor seconds for one list of RIPPER; classes that are not reached have the rules found so
# far, or none.
SECONDS = 20.0


class Fold(NamedTuple):
    """The rows of one fold: as numbers, and as they are."""

    train: np.ndarray
    y: np.ndarray
    test: np.ndarray
    X_train: pd.DataFrame
    X_test: pd.DataFrame


class Answer(NamedTuple):
    """What a classifier of some size says about the test rows."""

    name: str  # family and size
    n_conditions: float  # read per row, on average
    predicted: np.ndarray
    is_complete: bool = True  # whether it was fitted to its end


def run_trees(fold: Fold) -> Iterator[Answer]:
    """CART of a depth, and forests and boosting of n trees of a depth: all their paths are read."""
    for n_trees, depth in SHAPES:
        models: dict[str, Any] = {
            "forest": RandomForestClassifier(n_trees, max_depth=depth, random_state=0),
            "boosting": GradientBoostingClassifier(
                n_estimators=n_trees, max_depth=depth, learning_rate=0.5, random_state=0
            ),
        }
        if n_trees == 1:
            models = {"CART": DecisionTreeClassifier(max_depth=depth, random_state=0)}
        for name, model in models.items():
            model.fit(fold.train, fold.y)
            predicted, rows = model.predict(fold.test), fold.test.astype(np.float32)
            trees = [model] if n_trees == 1 else model.estimators_
            if name == "boosting" and len(model.classes_) > 2:
                # The trees of the predicted class are read, not those of all classes.
                own = np.searchsorted(model.classes_, predicted)
                lengths = sum(
                    _lengths(tree, rows) * (own == label)
                    for each in trees
                    for label, tree in enumerate(each)
                )
            else:
                lengths = sum(_lengths(tree, rows) for tree in np.ravel(trees))
            yield Answer(f"{name} {n_trees} x {depth}", float(np.mean(lengths)), predicted)


def _lengths(tree: Any, rows: np.ndarray) -> np.ndarray:
    """Count the ends that each row passes in a tree."""
    return _count_ends(tree.tree_)[tree.apply(rows)]


def _count_ends(tree: Any) -> np.ndarray:
    """Count the ends on the path to each node: of a feature at most a lower and an upper one."""
    counts = np.zeros(tree.node_count, np.int64)

    def walk(node: int, ends: frozenset[tuple[int, bool]]) -> None:
        counts[node] = len(ends)
        if tree.children_left[node] >= 0:
            feature = int(tree.feature[node])
            walk(tree.children_left[node], ends | {(feature, False)})
            walk(tree.children_right[node], ends | {(feature, True)})

    walk(0, frozenset())
    return counts


def run_figs(fold: Fold) -> Iterator[Answer]:
    """FIGS, a sum of small trees: the ends on the paths through all of them are read."""
    from imodels import FIGSClassifier  # noqa: PLC0415  (heavy, and only here)

    for n_splits in N_SPLITS:
        np.random.seed(0)  # noqa: NPY002  (FIGS takes no seed and draws from here)
        model = FIGSClassifier(max_rules=n_splits)
        model.fit(fold.train, fold.y)
        lengths = [sum(_path_length(tree, row) for tree in model.trees_) for row in fold.test]
        yield Answer(f"FIGS {n_splits}", float(np.mean(lengths)), model.predict(fold.test))


def _path_length(node: Any, row: np.ndarray) -> int:
    ends = set()
    while node.left is not None:
        is_right = bool(row[node.feature] > node.threshold)
        ends.add((node.feature, is_right))
        node = node.right if is_right else node.left
    return len(ends)


def run_ripper(fold: Fold) -> Iterator[Answer]:
    """RIPPER for one class after the other, the rarest first: a list of rules.

    Read are the conditions of the rule that decides; where none does, those of all rules.
    """
    values, counts = np.unique(fold.y, return_counts=True)
    order = values[np.argsort(counts, kind="stable")]
    X, X_test = (_plain(frame) for frame in (fold.X_train, fold.X_test))
    for n_rules in N_RULES:
        predicted = np.full(len(X_test), order[-1], object)
        is_open, rest = np.ones(len(X_test), bool), np.ones(len(fold.y), bool)
        n_read, n_all, is_complete = np.zeros(len(X_test)), 0, True
        left = SECONDS
        for label in order[:-1]:
            start = process_time()
            model, is_whole = _grow(X[rest], fold.y[rest] == label, n_rules, left)
            left -= process_time() - start
            is_complete &= is_whole
            for rule, covered in _covers(model, X_test):
                n_ends = _count_rule_ends(rule, model)
                n_all += n_ends
                is_in = covered & is_open
                predicted[is_in], n_read[is_in] = label, n_ends
                is_open &= ~is_in
            rest &= fold.y != label
        n_read[is_open] = n_all
        name = f"RIPPER {n_rules}" if n_rules else "RIPPER"
        yield Answer(name, float(n_read.mean()), predicted, is_complete)


def _grow(
    X: pd.DataFrame, is_positive: np.ndarray, n_rules: int | None, seconds: float
) -> tuple[Any, bool]:
    """Find rules for the positive rows, and tell whether that came to its end."""
    from wittgenstein import RIPPER  # noqa: PLC0415  (only here)

    model = RIPPER(max_rules=n_rules, random_state=0)
    # The package warns on stderr, past all filters, of empty rule sets.
    with suppress(OutOfTimeError), redirect_stderr(StringIO()), _at_most(seconds):
        model.fit(X, y=is_positive, pos_class=True)
        return model, True
    return model, False


def _covers(model: Any, X: pd.DataFrame) -> Iterator[tuple[Any, np.ndarray]]:
    """Give each rule that was found, and which rows it covers."""
    rules = getattr(getattr(model, "ruleset_", None), "rules", [])
    if rules:
        binned = model.bin_transformer_.transform(X) if model.bin_transformer_ else X
        for rule in rules:
            yield rule, binned.index.isin(rule.covers(binned).index)


def _count_rule_ends(rule: Any, model: Any) -> int:
    """Count the ends of the conditions of a rule: a part of a number has two, or one outside."""
    bins = model.bin_transformer_.bins_ if model.bin_transformer_ else {}
    return sum(
        2 if cond.feature in bins and not str(cond.val).startswith(("<", ">")) else 1
        for cond in rule.conds
    )


class OutOfTimeError(Exception):
    """A fit took longer than it may."""


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Stop the block after so many seconds of the processor."""

    def stop(*_: Any) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns by number, since RIPPER takes names apart, and no missing values."""
    columns = {
        f"c{at}": values.fillna(-1e6)
        if pd.api.types.is_numeric_dtype(values)
        else values.fillna("missing").astype(str)
        for at, (_, values) in enumerate(frame.items())
    }
    return pd.DataFrame(columns).reset_index(drop=True)
