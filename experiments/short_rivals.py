"""Classifiers cut down to few conditions, and how many of them a reader reads per prediction."""

from __future__ import annotations

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
SHAPES = [(n, d) for n in (1, 2, 4, 8) for d in (1, 2, 3, 4, 6, 8, 12, 16) if n * d <= MOST]

# How many splits FIGS may have, and how many rules RIPPER for each class.
N_SPLITS, N_RULES = (1, 2, 4, 8, 16, 32), (1, 3, None)


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


def run_trees(fold: Fold) -> Iterator[Answer]:
    """CART of a depth, and forests and boosting of n trees of a depth."""
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
            trees = [model] if n_trees == 1 else list(np.ravel(model.estimators_))
            rows = fold.test.astype(np.float32)
            lengths = sum((tree.decision_path(rows).sum(axis=1) - 1).mean() for tree in trees)
            yield Answer(f"{name} {n_trees} x {depth}", float(lengths), model.predict(fold.test))


def run_figs(fold: Fold) -> Iterator[Answer]:
    """FIGS, a sum of small trees: the conditions on the paths through all of them are read."""
    from imodels import FIGSClassifier  # noqa: PLC0415  (heavy, and only here)

    for n_splits in N_SPLITS:
        np.random.seed(0)  # noqa: NPY002  (FIGS takes no seed and draws from here)
        model = FIGSClassifier(max_rules=n_splits)
        model.fit(fold.train, fold.y)
        lengths = [sum(_path_length(tree, row) for tree in model.trees_) for row in fold.test]
        yield Answer(f"FIGS {n_splits}", float(np.mean(lengths)), model.predict(fold.test))


def _path_length(node: Any, row: np.ndarray) -> int:
    length = 0
    while node.left is not None:
        node = node.left if row[node.feature] <= node.threshold else node.right
        length += 1
    return length


def run_ripper(fold: Fold) -> Iterator[Answer]:
    """RIPPER for one class after the other, the rarest first: a list of rules.

    Read are the conditions of the rule that decides; where none does, those of all rules.
    """
    from wittgenstein import RIPPER  # noqa: PLC0415  (only here)

    values, counts = np.unique(fold.y, return_counts=True)
    order = values[np.argsort(counts, kind="stable")]
    X, X_test = (_plain(frame) for frame in (fold.X_train, fold.X_test))
    for n_rules in N_RULES:
        predicted = np.full(len(X_test), order[-1], object)
        is_open, rest = np.ones(len(X_test), bool), np.ones(len(fold.y), bool)
        n_read, n_all = np.zeros(len(X_test)), 0
        for label in order[:-1]:
            model = RIPPER(max_rules=n_rules, random_state=0)
            model.fit(X[rest], y=fold.y[rest] == label, pos_class=True)
            binned = model.bin_transformer_.transform(X_test) if model.bin_transformer_ else X_test
            for rule in model.ruleset_.rules:
                n_all += len(rule.conds)
                is_in = binned.index.isin(rule.covers(binned).index) & is_open
                predicted[is_in], n_read[is_in] = label, len(rule.conds)
                is_open &= ~is_in
            rest &= fold.y != label
        n_read[is_open] = n_all
        name = f"RIPPER {n_rules}" if n_rules else "RIPPER"
        yield Answer(name, float(n_read.mean()), predicted)


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns by number, since RIPPER takes names apart, and no missing values."""
    columns = {
        f"c{at}": values.fillna(-1e6)
        if pd.api.types.is_numeric_dtype(values)
        else values.fillna("missing").astype(str)
        for at, (_, values) in enumerate(frame.items())
    }
    return pd.DataFrame(columns).reset_index(drop=True)
