"""Accuracy per condition that a reader has to read: one rule and scorecards beside small trees.

`python -m experiments.per_condition` runs trees, forests, boosting, FIGS and RIPPER cut down to few
conditions beside one rule and scorecards, on the tables of `experiments.any_table`, and writes
experiments/results/per_condition.json, the table in docs/personal.md and its picture.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import OneHotEncoder

from experiments import any_table
from experiments.short_rivals import MOST, Fold, run_figs, run_ripper, run_trees
from picrules import PersonalRuleClassifier

RESULTS = Path(__file__).parent / "results" / "per_condition.json"
PAGE = Path(__file__).parents[1] / "docs" / "personal.md"
BUDGETS = (2, 4, 8, 16, MOST)
MAX_ROWS = 2000

Found = dict[str, list[tuple[float, float]]]  # of each model its conditions and its accuracies


def run_table(X: pd.DataFrame, y: np.ndarray) -> Found:
    """Run the folds of one table, and our rules of at most two conditions."""
    y = y.astype(str)
    if len(y) > MAX_ROWS:
        chosen = np.random.default_rng(0).permutation(len(y))[:MAX_ROWS]
        X, y = X.iloc[chosen].reset_index(drop=True), y[chosen]
    categories = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer((encoder, categories), remainder="passthrough")
    found: Found = {}
    for train, test in list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))[:2]:
        dense = np.nan_to_num(columns.fit_transform(X.iloc[train]), nan=-1e6)
        asked = np.nan_to_num(columns.transform(X.iloc[test]), nan=-1e6)
        fold = Fold(dense, y[train], asked, X.iloc[train], X.iloc[test])
        for each in (*run_trees(fold), *run_figs(fold), *run_ripper(fold)):
            right = float((each.predicted == y[test]).mean())
            found.setdefault(each.name, []).append((each.n_conditions, right))
        ours = {
            "one rule, at most 2": PersonalRuleClassifier(max_length=[1, 2], n_jobs=2),
            "one rule": PersonalRuleClassifier(n_jobs=2),
        }
        for n_rules in (2, 3, 5, 9):
            ours[f"{n_rules} rules"] = PersonalRuleClassifier(n_rules=n_rules, n_jobs=2)
        settings: dict[str, Any] = {}
        for name, clf in ours.items():
            clf.set_params(**settings).fit(X.iloc[train], y[train])
            if name == "one rule":
                settings = any_table.chosen_settings(clf)
            _, n_conditions = any_table.count_read(clf, X.iloc[test[:100]])
            right = float((clf.predict(X.iloc[test]) == y[test]).mean())
            found.setdefault(name, []).append((n_conditions, right))
    return found


def best_within(results: dict[str, Found]) -> dict[str, dict[int, tuple[float, float, str]]]:
    """For each family and budget: the best mean accuracy within it, its conditions, and by what.

    The accuracies and conditions of a model are means over all tables.
    """
    names = next(iter(results.values()))
    means = {
        name: np.array([np.mean(found[name], axis=0) for found in results.values()]).mean(axis=0)
        for name in names
    }
    best: dict[str, dict[int, tuple[float, float, str]]] = {}
    for name, (conditions, right) in means.items():
        family = name.split()[0] if name[0].isalpha() and "rule" not in name else "picrules"
        for budget in BUDGETS:
            known = best.setdefault(family, {}).get(budget, (0.0, 0.0, ""))
            if conditions <= budget and right > known[0]:
                best[family][budget] = (float(right), float(conditions), name)
    return best


def markdown(best: dict[str, dict[int, tuple[float, float, str]]], n_tables: int) -> str:
    """The table, and how it was made."""
    lines = [
        f"| conditions read, at most | {' | '.join(best)} |",
        "|---" * (len(best) + 1) + "|",
    ]
    for budget in BUDGETS:
        cells = []
        for family in best.values():
            right, conditions, name = family.get(budget, (0.0, 0.0, ""))
            cells.append(f"{right:.3f} ({name}; {conditions:.1f})" if name else "")
        lines.append(f"| {budget} | {' | '.join(cells)} |")
    lines += [
        "",
        (
            f"Mean accuracy over {n_tables} tables, two folds of five, at most 2,000 rows; in "
            "brackets what reached it, and the conditions read on average. CART to a "
            "depth, forests and boosting of n trees x depth, FIGS with so many splits, RIPPER with "
            "so many rules a class (where none of its rules decides, all are read). By "
            "`python -m experiments.per_condition`."
        ),
    ]
    return "\n".join(lines)


def draw(best: dict[str, dict[int, tuple[float, float, str]]]) -> None:
    """Draw accuracy over conditions."""
    figure, ax = plt.subplots(figsize=(6, 3.6))
    for (family, points), colour in zip(
        best.items(),
        ("#718096", "#c05621", "#805ad5", "#2f855a", "#b7791f", "#2b6cb0"),
        strict=False,
    ):
        known = [(budget, points[budget][0]) for budget in BUDGETS if budget in points]
        ax.plot(*zip(*known, strict=True), "o-", label=family, color=colour)
    ax.set_xscale("log", base=2)
    ax.set_xticks(BUDGETS, [str(budget) for budget in BUDGETS])
    ax.set_xlabel("conditions read per prediction, at most")
    ax.set_ylabel("mean accuracy")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(PAGE.parent / "images" / "per_condition.svg", metadata={"Date": None})


def main(names: list[str]) -> None:
    """Run the tables that have no result yet, and write the page."""
    done = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    warnings.simplefilter("ignore")
    for name, X, y in any_table.all_tables(names):
        if name not in done:
            done[name] = run_table(X, y)
            RESULTS.write_text(json.dumps(done) + "\n")
            print(name, flush=True)
    best = best_within(done)
    draw(best)
    text = markdown(best, len(done))
    page = PAGE.read_text()
    pattern = re.compile(r"<!-- per condition -->\n.*?<!-- /per condition -->", re.DOTALL)
    PAGE.write_text(
        pattern.sub(lambda _: f"<!-- per condition -->\n{text}\n<!-- /per condition -->", page)
    )


if __name__ == "__main__":
    main(sys.argv[1:])
