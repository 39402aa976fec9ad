"""Accuracy per condition that a reader has to read: one rule and scorecards beside small trees.

`python -m experiments.per_condition` runs trees, forests, boosting, FIGS and RIPPER cut down to few
conditions beside one rule and scorecards, on the tables of `experiments.any_table`, and writes
experiments/results/per_condition.json as they come, then the table in docs/personal.md and its
picture. What is there is not run again; `--page` only writes the page. With `--ours` and the names
of tables, or without any for all, only our results are run anew.

A condition with two ends is two to read, and of a tree's questions about one feature only the last
lower and the last upper end are read.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

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
from picrules import Interval, PersonalRuleClassifier
from picrules.rules.text import is_open

if TYPE_CHECKING:
    from picrules.explain.explanation import Explanation

RESULTS = Path(__file__).parent / "results" / "per_condition.json"
PAGE = Path(__file__).parents[1] / "docs" / "personal.md"
BUDGETS = (2, 4, 8, 16, MOST)
MAX_ROWS, N_FOLDS, READ_ROWS = 2000, 2, 100
N_RULES = (2, 3, 5, 9)

Found = dict[str, tuple[float, float]]  # of each model its conditions and its accuracy


def run_fold(X: pd.DataFrame, y: np.ndarray, at: int, known: Found | None = None) -> Found:
    """Run one fold of a table; where results are known, only ours."""
    y = y.astype(str)
    if len(y) > MAX_ROWS:
        chosen = np.random.default_rng(0).permutation(len(y))[:MAX_ROWS]
        X, y = X.iloc[chosen].reset_index(drop=True), y[chosen]
    train, test = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))[at]
    categories = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer((encoder, categories), remainder="passthrough")
    dense = np.nan_to_num(columns.fit_transform(X.iloc[train]), nan=-1e6)
    asked = np.nan_to_num(columns.transform(X.iloc[test]), nan=-1e6)
    fold = Fold(dense, y[train], asked, X.iloc[train], X.iloc[test])
    found = run_rivals(fold, y[test]) if known is None else known
    return found | run_ours(fold, y[test])


def run_rivals(fold: Fold, truth: np.ndarray) -> Found:
    """Run trees, forests, boosting, FIGS and RIPPER cut down to few conditions."""
    found: Found = {}
    for each in (*run_trees(fold), *run_figs(fold), *run_ripper(fold)):
        found[each.name] = (each.n_conditions, float((each.predicted == truth).mean()))
        if not each.is_complete:
            print(f"  {each.name} was stopped", flush=True)
    return found


def run_ours(fold: Fold, truth: np.ndarray) -> Found:
    """Run one rule, one of at most two conditions, and scorecards."""
    short = PersonalRuleClassifier(max_length=[1, 2], n_jobs=1).fit(fold.X_train, fold.y)
    one = any_table.Sharing(n_jobs=1).fit(fold.X_train, fold.y)
    found = {
        "one rule, at most 2": judge(short, fold.X_test, truth),
        "one rule": judge(one, fold.X_test, truth),
    }
    settings, composer = any_table.chosen_settings(one), one.composer
    for n_rules in N_RULES:
        clf = any_table.Sharing(n_rules=n_rules, n_jobs=1, **settings)
        clf.composer = composer
        clf.fit(fold.X_train, fold.y)
        composer = clf.composer
        is_one = clf.tuning_.n_rules < 2
        found[f"{n_rules} rules"] = found["one rule"] if is_one else judge(clf, fold.X_test, truth)
    return found


def judge(clf: PersonalRuleClassifier, X: pd.DataFrame, truth: np.ndarray) -> tuple[float, float]:
    """How many conditions a reader reads per prediction, and how often it is right."""
    n_read = np.mean([count_ends(each) for each in clf.explain(X.iloc[:READ_ROWS])])
    return float(n_read), float((clf.predict(X) == truth).mean())


def count_ends(explanation: Explanation) -> int:
    """Count the conditions of the rules that decide about a row; those with two ends are two."""
    card = explanation.scorecard
    rules = [explanation.rule]
    if card is not None:
        rules = [line.rule.rule for line in card.lines if line.rule]
    return sum(
        2 if isinstance(each, Interval) and not (is_open(each.lower) or is_open(each.upper)) else 1
        for rule in rules
        for each in rule.conditions
    )


def best_within(results: dict[str, list[Found]]) -> dict[str, dict[int, tuple[float, float, str]]]:
    """For each family and budget: the best mean accuracy within it, its conditions, and by what.

    The accuracies and conditions of a model are means over all tables.
    """
    best: dict[str, dict[int, tuple[float, float, str]]] = {}
    for name in next(iter(results.values()))[0]:
        every = [np.mean([fold[name] for fold in folds], axis=0) for folds in results.values()]
        conditions, right = np.mean(every, axis=0).tolist()
        family = "picrules" if "rule" in name else name.split()[0]
        for budget in BUDGETS:
            known = best.setdefault(family, {}).get(budget, (0.0, 0.0, ""))
            if conditions <= budget and right > known[0]:
                best[family][budget] = (right, conditions, name)
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
            "brackets what reached it, and the conditions read on average. CART to a depth, "
            "forests and boosting of n trees x depth (of boosting with more than two classes only "
            "the trees of the predicted class are counted), FIGS with so many splits, RIPPER with "
            "so many rules a class (where none of its rules decides, all are read). A condition "
            "with two ends counts as two. By `python -m experiments.per_condition`."
        ),
    ]
    return "\n".join(lines)


def draw(best: dict[str, dict[int, tuple[float, float, str]]]) -> None:
    """Draw accuracy over conditions."""
    figure, ax = plt.subplots(figsize=(7, 3.6))
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
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.tight_layout()
    figure.savefig(PAGE.parent / "images" / "per_condition.svg", metadata={"Date": None})


def write_page(results: dict[str, list[Found]]) -> None:
    """Write the table and the picture."""
    best = best_within(results)
    draw(best)
    text = markdown(best, len(results))
    page = PAGE.read_text()
    pattern = re.compile(r"<!-- per condition -->\n.*?<!-- /per condition -->", re.DOTALL)
    PAGE.write_text(
        pattern.sub(lambda _: f"<!-- per condition -->\n{text}\n<!-- /per condition -->", page)
    )


def main(words: list[str]) -> None:
    """Run what has no result yet, the first fold of every table first, and write the page."""
    done = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    warnings.simplefilter("ignore")
    names = [word for word in words if not word.startswith("--")]
    for at in range(0 if "--page" in words else N_FOLDS):
        for name, X, y in any_table.all_tables(names):
            folds = done.setdefault(name, [])
            if len(folds) > at and "--ours" not in words:
                continue
            known = folds[at] if len(folds) > at else None
            folds[at : at + 1] = [run_fold(X, y, at, known)]
            RESULTS.write_text(json.dumps(done) + "\n")
            print(name, at, flush=True)
    write_page(done)


if __name__ == "__main__":
    main(sys.argv[1:])
