"""One rule and scorecards beside other classifiers, on tables that had no say in the design.

`python -m experiments.any_table` runs 5-fold stratified cross-validation (shuffled, seed 0) on the
16 tables of the paper, nine of scikit-learn, and those of the folder that PICRULES_MORE_DATA names
(or `../shared/more_tables` beside the checkout); of more than 20,000 rows a sample. Results are
written as they come into experiments/results/any_table.json; what is there is not run again.
`python -m experiments.any_table TABLE ...` runs some of them anew; with `--ours` the results of the
other classifiers that are there are kept, and `--ours` alone runs ours on all tables anew.
`--folds N` and `--rows N` make a quick look of it, which is printed and not written. `--ebm TABLE`
adds the explainable boosting machine of the package interpret-core on that table.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from experiments.accuracy import TABLES, bin_by_confidence
from experiments.datasets import load_dataset
from experiments.other_tables import tables as other_tables
from picrules import PersonalRuleClassifier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RESULTS = Path(__file__).parent / "results" / "any_table.json"
MORE_TABLES = Path(__file__).parents[2] / "shared" / "more_tables"
MAX_ROWS = 20_000
READ_ROWS = 300  # test rows whose conditions are counted
Fold = dict[str, dict[str, Any]]  # the figures of each classifier on one fold
N_RULES = {"one rule": 1, "3 rules": 3, "5 rules": 5, "9 rules": 9, "auto": "auto"}


class Sharing(PersonalRuleClassifier):
    """Takes what another one has found out about the same rows by the same settings."""

    composer = None

    def _decide(self, composer: Any, n_rules: int | None) -> Any:
        self.composer = self.composer or composer
        return super()._decide(self.composer, n_rules)


def more_tables() -> Iterator[tuple[str, pd.DataFrame, np.ndarray]]:
    """The tables of the folder with more of them, if there is one."""
    path = Path(os.environ.get("PICRULES_MORE_DATA", MORE_TABLES))
    if not (path / "tables.json").is_file():
        return
    for entry in json.loads((path / "tables.json").read_text())["datasets"]:
        kinds = {column["name"]: column["type"] for column in entry["columns"]}
        frame = pd.read_csv(
            path / entry["file"],
            dtype={column: str for column, kind in kinds.items() if kind != "numeric"},
            keep_default_na=False,
            na_values=[""],
        )
        yield entry["name"], frame.iloc[:, :-1], frame.iloc[:, -1].to_numpy(object)


def all_tables(names: list[str]) -> Iterator[tuple[str, pd.DataFrame, np.ndarray]]:
    """All tables with these names, or simply all."""
    for name in TABLES:
        if not names or name in names:
            data = load_dataset(name)
            yield name, data.X, data.y
    for each in (*other_tables(), *more_tables()):
        if not names or each[0] in names:
            yield each


def rivals(X: pd.DataFrame, y: np.ndarray) -> dict[str, Any]:
    """Other classifiers on one-hot categories and numbers."""
    # Where a class has one row, boosting cannot put rows of every class aside to stop early.
    early = "auto" if pd.Series(y).value_counts().min() > 1 else False
    categories = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]

    def pipe(*steps: Any, dense: bool = False) -> Any:
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=not dense)
        columns = make_column_transformer((encoder, categories), remainder="passthrough")
        return make_pipeline(columns, *steps)

    filled = SimpleImputer(strategy="median", keep_empty_features=True)
    scale = StandardScaler(with_mean=False)
    return {
        "CART": pipe(DecisionTreeClassifier(random_state=0)),
        "logistic regression": pipe(filled, scale, LogisticRegression(max_iter=1000)),
        "forest": pipe(RandomForestClassifier(100, random_state=0, n_jobs=2)),
        "boosting": pipe(
            HistGradientBoostingClassifier(random_state=0, early_stopping=early), dense=True
        ),
    }


def run_rivals(X: pd.DataFrame, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> Fold:
    """Fit and judge other classifiers on one fold."""
    models = rivals(X, y[train])
    return {name: judge(model, X, y, train, test) for name, model in models.items()}


def run_ebm(X: pd.DataFrame, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> Fold:
    """Fit and judge the explainable boosting machine on one fold."""
    from interpret.glassbox import ExplainableBoostingClassifier  # noqa: PLC0415  (only here)

    model = ExplainableBoostingClassifier(random_state=0, n_jobs=1)
    return {"EBM": judge(model, X, y, train, test)}


def judge(
    model: Any, X: pd.DataFrame, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> dict[str, Any]:
    """Fit a classifier on one fold: how often it is right, and how long it takes."""
    start = time.perf_counter()
    model.fit(X.iloc[train], y[train])
    seconds = time.perf_counter() - start
    is_right = model.predict(X.iloc[test]) == y[test]
    return {"accuracy": float(is_right.mean()), "seconds": seconds}


def run_ours(X: pd.DataFrame, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> Fold:
    """Fit and judge one rule and scorecards on one fold."""
    result: Fold = {}
    settings: dict[str, Any] = {}
    composer = None
    for name, n_rules in N_RULES.items():
        start = time.perf_counter()
        clf = Sharing(n_jobs=2, n_rules=n_rules, **settings)
        clf.composer = composer
        clf.fit(X.iloc[train], y[train])
        seconds = time.perf_counter() - start
        # They do not depend on the number of rules.
        settings, composer = settings or chosen_settings(clf), clf.composer
        if clf.tuning_.n_rules == 1 and name != "one rule":
            # The same model, but for its confidence: that knows of one setting only.
            result[name] = result["one rule"] | {"seconds": seconds}
            continue
        probabilities = clf.predict_proba(X.iloc[test])
        is_right = clf.classes_[probabilities.argmax(axis=1)] == y[test]
        n_read, n_conditions = count_read(clf, X.iloc[test[:READ_ROWS]])
        result[name] = {
            "accuracy": float(is_right.mean()),
            "bins": bin_by_confidence(probabilities.max(axis=1), is_right),
            "seconds": seconds,
            "rules": n_read,
            "conditions": n_conditions,
            "is_alike": clf._model.search.alike is not None,  # noqa: SLF001
        }
    return result


def chosen_settings(clf: PersonalRuleClassifier) -> dict[str, Any]:
    """The settings of the best short rule that a classifier chose."""
    chosen = clf.tuning_.chosen.to_dict()
    results = ("n_looked_at", "score")
    settings = {name: value for name, value in chosen.items() if name not in results}
    return {**settings, "look_alikes": True}


def count_read(clf: PersonalRuleClassifier, X: pd.DataFrame) -> tuple[float, float]:
    """How many rules, and how many conditions, a reader reads per prediction."""
    read = [(each.n_rules, each.n_conditions) for each in clf.explain(X)]
    n_rules, n_conditions = np.mean(read, axis=0).tolist()
    return n_rules, n_conditions


def run_table(
    X: pd.DataFrame, y: np.ndarray, runs: list[Callable[..., Fold]], n_folds: int, max_rows: int
) -> list[Fold]:
    """Run folds of one table."""
    y = y.astype(str)
    if len(y) > max_rows:
        chosen = np.random.default_rng(0).permutation(len(y))[:max_rows]
        X, y = X.iloc[chosen].reset_index(drop=True), y[chosen]
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class of two rows cannot be in five folds
        return [
            {name: found for run in runs for name, found in run(X, y, *fold).items()}
            for fold in folds[:n_folds]
        ]


def tell(name: str, folds: list[dict[str, Any]]) -> None:
    """Print the means of a table."""
    means = {key: np.mean([fold[key]["accuracy"] for fold in folds]) for key in folds[0]}
    texts = " ".join(f"{key} {value:.3f}" for key, value in means.items())
    if "auto" not in means:
        print(f"{name:14} {texts}", flush=True)
        return
    seconds = np.mean([fold["one rule"]["seconds"] for fold in folds])
    own = folds[0]["auto"]
    source = "look-alikes" if folds[0]["one rule"]["is_alike"] else "short rule"
    print(
        f"{name:14} {texts} | {source}, auto {own['rules']:.0f} rules, fit {seconds:.1f} s",
        flush=True,
    )


def main(words: list[str]) -> None:
    """Run the tables that have no result yet, or those that are named."""
    flags = {word for word in words if word in ("--ours", "--ebm")}
    words = [word for word in words if word not in flags]
    options = {}
    for option in ("--folds", "--rows"):
        if option in words:
            at = words.index(option)
            options[option] = int(words[at + 1])
            words = words[:at] + words[at + 2 :]
    done = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    runs = [run_ours] if "--ours" in flags else [run_ebm] if "--ebm" in flags else EVERY
    for name, X, y in all_tables(words):
        if name in done and not words and not options and not flags:
            continue
        folds = run_table(X, y, runs, options.get("--folds", 5), options.get("--rows", MAX_ROWS))
        if name in done and not options:
            folds = [known | found for known, found in zip(done[name], folds, strict=True)]
        tell(name, folds)
        if not options:
            done[name] = folds
            RESULTS.write_text(json.dumps(done) + "\n")


EVERY: list[Any] = [run_rivals, run_ours]

if __name__ == "__main__":
    main(sys.argv[1:])
