"""Time per explanation, next to what people use today and what is installed."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from benchmarks.measure import Figure, at_most, best_of, once
from picrules import FPICClassifier

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def tictactoe():
    """All ends of the game in which x began: 958 boards."""
    boards = set()

    def won(board, player):
        return any(all(board[square] == player for square in line) for line in LINES)

    def play(board, player):
        if won(board, "x") or won(board, "o") or "b" not in board:
            boards.add(board)
            return
        for square in range(9):
            if board[square] == "b":
                moved = (*board[:square], player, *board[square + 1 :])
                play(moved, "o" if player == "x" else "x")

    play(("b",) * 9, "x")
    X = pd.DataFrame(sorted(boards), columns=[f"s{square}" for square in range(9)])
    return X, np.array([won(tuple(board), "x") for board in X.to_numpy()]).astype(int)


def run() -> list[Figure]:
    figures = []
    cancer = load_breast_cancer(as_frame=True)
    tables = {"tictactoe": (*tictactoe(), 0.2), "breast cancer": (cancer.data, cancer.target, 1.0)}
    for name, (table, classes, target) in tables.items():
        X = table.sample(frac=1, random_state=0)
        y = pd.Series(classes).sample(frac=1, random_state=0)
        clf = FPICClassifier().fit(X[:-100], y[:-100])
        ours = best_of(lambda clf=clf, X=X: list(clf.explain(X[-100:])), 50) / 100
        figures.append(
            at_most(f"{name}, picrules, a row in a batch of 100", ours * 1e3, "ms", target)
        )
        numbers = pd.get_dummies(X).astype(float) if name == "tictactoe" else X
        forest = RandomForestClassifier(100, random_state=0).fit(
            numbers[:-100].to_numpy(), y[:-100]
        )
        for rival, rows in RIVALS.items():
            seconds = _try(RIVAL_CODE[rival], forest, numbers[:-100], numbers[-rows:], y[:-100])
            if seconds is not None:
                figures.append(Figure(f"{name}, {rival}, a row", seconds / rows * 1e3, "ms"))
    return figures


def _shap(forest, X, X_new, y):
    import shap

    explainer = shap.TreeExplainer(forest)
    return once(lambda: explainer.shap_values(X_new.to_numpy()))


def _lime(forest, X, X_new, y):
    from lime.lime_tabular import LimeTabularExplainer

    explainer = LimeTabularExplainer(X.to_numpy(), feature_names=list(X), random_state=0)
    rows = X_new.to_numpy()
    return once(lambda: [explainer.explain_instance(row, forest.predict_proba) for row in rows])


def _calibrated(forest, X, X_new, y):
    from calibrated_explanations import WrapCalibratedExplainer

    wrapped = WrapCalibratedExplainer(forest)
    wrapped.calibrate(X[-200:].to_numpy(), y[-200:].to_numpy())
    return once(lambda: wrapped.explain_factual(X_new.to_numpy()))


def _anchors(forest, X, X_new, y):
    from anchor.anchor_tabular import AnchorTabularExplainer

    # It cuts columns of numbers into quartiles, but must be told of columns of 0 and 1.
    flags = {at: ["0", "1"] for at, name in enumerate(X) if set(X[name].unique()) <= {0.0, 1.0}}
    explainer = AnchorTabularExplainer(["0", "1"], list(X), X.to_numpy(), flags)
    np.random.seed(0)  # noqa: NPY002  what the package draws from
    return once(lambda: [explainer.explain_instance(x, forest.predict) for x in X_new.to_numpy()])


RIVALS = {"TreeSHAP": 100, "LIME": 5, "calibrated-explanations": 5, "Anchors": 3}
RIVAL_CODE = {
    "TreeSHAP": _shap,
    "LIME": _lime,
    "calibrated-explanations": _calibrated,
    "Anchors": _anchors,
}


def _try(measure, *arguments) -> float | None:
    """The seconds that a rival takes; None where it is not installed or does not run."""
    try:
        return measure(*arguments)
    except Exception as error:
        print(f"{measure.__name__}: not measured ({type(error).__name__}: {error})")
        return None
