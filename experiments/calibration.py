"""How true the confidence is: with weights, with values missing, with categories never seen.

`python -m experiments.calibration` runs 5-fold stratified cross-validation (shuffled, seed 0) on
the 16 tables of the paper, of more than 20,000 rows a sample, and asks about the test rows in five
conditions. It also compares the interval of the confidence with how often single rules are right,
and asks models of random classes. Results are written as they come into
experiments/results/calibration.json; what is there is not run again. `python -m
experiments.calibration NAME ...` runs some tables anew, with `--plain` all that is asked of fits
without weights and keeps the results of the others; docs/confidence.md gets the results.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from experiments.accuracy import TABLES, bin_by_confidence, calibration_error, chance_error
from experiments.any_table import MAX_ROWS, all_tables
from picrules import PersonalRuleClassifier

if TYPE_CHECKING:
    from collections.abc import Iterator

RESULTS = Path(__file__).parent / "results" / "calibration.json"
PAGE = Path(__file__).parents[1] / "docs" / "confidence.md"

# What is done to the test rows, or to the fit.
CONDITIONS = ("as they are", "balanced", "20% masked", "column missing", "never seen")

# Tables whose rules are looked at one by one, with a fit on some rows and all others to test; and
# how many test rows a rule must have.
RULE_TABLES = {
    "bank_marketing": 6000, "heloc": 5000, "german": 500, "adult": 6000, "electricity": 6000,
}  # fmt: skip
LEAST_ROWS = 30

# Tables of random classes.
RANDOM_ROWS, RANDOM_SEEDS = 300, 20

# From so many rows on a table is one of the larger ones.
LARGE = 1000


def most_used(clf: PersonalRuleClassifier, X: pd.DataFrame, names: list[str]) -> str | None:
    """The one of some columns that most rules of rows speak of."""
    used = dict.fromkeys(names, 0)
    for explanation in clf.explain(X.iloc[:500]):
        for condition in explanation.rule.conditions:
            if condition.feature in used:
                used[condition.feature] += 1
    return max(used, key=lambda name: used[name]) if used else None


def changed_rows(
    clf: PersonalRuleClassifier, X: pd.DataFrame, seed: int
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Test rows in each condition that is not another fit."""
    yield "as they are", X
    is_masked = np.random.default_rng(seed).random(X.shape) < 0.2
    yield "20% masked", X.mask(is_masked)
    column = most_used(clf, X, list(X))
    yield "column missing", X.assign(**{str(column): np.nan})
    texts = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    category = most_used(clf, X, texts)
    if category is not None:
        yield "never seen", X.assign(**{category: "never seen before"})


def judge(clf: PersonalRuleClassifier, X: pd.DataFrame, y: np.ndarray) -> dict[str, Any]:
    """Rows, confidence and right predictions in ten bins."""
    explanations = clf.explain(X)
    is_right = clf.classes_[explanations.labels] == y
    bins = bin_by_confidence(explanations.confidences, is_right)
    return {"accuracy": float(is_right.mean()), "bins": bins}


def run_fold(
    X: pd.DataFrame, y: np.ndarray, train: np.ndarray, test: np.ndarray, known: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """Judge one fold in all conditions; what is known of the fit with weights is taken."""
    clf = PersonalRuleClassifier(n_jobs=2).fit(X.iloc[train], y[train])
    result = {
        name: judge(clf, rows, y[test]) for name, rows in changed_rows(clf, X.iloc[test], len(test))
    }
    if "balanced" in known:
        return result | {"balanced": known["balanced"]}
    weighted = PersonalRuleClassifier(n_jobs=2, class_weight="balanced")
    weighted.fit(X.iloc[train], y[train])
    result["balanced"] = judge(weighted, X.iloc[test], y[test])
    return result


def run_table(
    X: pd.DataFrame, y: np.ndarray, known: list[dict[str, Any]]
) -> list[dict[str, dict[str, Any]]]:
    """Run the folds of one table, for each of which something may be known."""
    y = y.astype(str)
    if len(y) > MAX_ROWS:
        chosen = np.random.default_rng(0).permutation(len(y))[:MAX_ROWS]
        X, y = X.iloc[chosen].reset_index(drop=True), y[chosen]
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [run_fold(X, y, *fold, own) for fold, own in zip(folds, known, strict=True)]


def run_rules(X: pd.DataFrame, y: np.ndarray, n_train: int) -> list[list[float]]:
    """Test rows, right ones and mean lower end of the interval, of each rule with enough rows."""
    order, y = np.random.default_rng(0).permutation(len(y)), y.astype(str)
    train, test = order[:n_train], order[n_train : n_train + max(6000, n_train)]
    clf = PersonalRuleClassifier(n_jobs=2).fit(X.iloc[train], y[train])
    explanations = clf.explain(X.iloc[test])
    is_right = clf.classes_[explanations.labels] == y[test]
    _, which = explanations.distinct()
    lower = np.array([each.confidence_interval[0] for each in explanations])
    rules = (np.flatnonzero(which == each) for each in np.unique(which))
    return [
        [len(rows), int(is_right[rows].sum()), float(lower[rows].mean())]
        for rows in rules
        if len(rows) >= LEAST_ROWS
    ]


def run_random(seed: int) -> list[float]:
    """Mean confidence and share of right predictions where classes are random."""
    rng = np.random.default_rng(seed)

    def draw(n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
        columns = {f"x{number}": rng.normal(size=n_rows) for number in range(5)}
        columns |= {"c": rng.choice(list("abcd"), n_rows), "d": rng.choice(list("uv"), n_rows)}
        return pd.DataFrame(columns), rng.choice(["no", "yes"], n_rows)

    clf = PersonalRuleClassifier(n_jobs=2).fit(*draw(RANDOM_ROWS))
    X, y = draw(2000)
    explanations = clf.explain(X)
    is_right = clf.classes_[explanations.labels] == y
    return [float(explanations.confidences.mean()), float(is_right.mean())]


def errors(folds: list[dict[str, dict[str, Any]]]) -> dict[str, float]:
    """Calibration error of a table by condition, all folds together."""
    return {
        name: calibration_error(_all_bins(folds, name)) for name in CONDITIONS if name in folds[0]
    }


def _all_bins(folds: list[dict[str, dict[str, Any]]], condition: str) -> np.ndarray:
    return np.sum([fold[condition]["bins"] for fold in folds], axis=0)


def markdown(done: dict[str, Any]) -> str:
    """The results as a table and three sentences."""
    found = {name: errors(done[name]) for name in TABLES if name in done}
    sizes = {
        name: sum(row[0] for fold in done[name] for row in fold["as they are"]["bins"])
        for name in found
    }
    lines = [f"| table | rows | {' | '.join(CONDITIONS)} |", "|---" * (len(CONDITIONS) + 2) + "|"]
    for name, row in found.items():
        cells = (f"{row[each]:.3f}" if each in row else "" for each in CONDITIONS)
        lines.append(f"| {name} | {sizes[name]:,} | {' | '.join(cells)} |")
    by_condition = {
        each: {name: row[each] for name, row in found.items() if each in row} for each in CONDITIONS
    }
    means = (f"{np.mean([*row.values()]):.3f}" for row in by_condition.values())
    lines.append(f"| mean | | {' | '.join(means)} |")
    chances = (
        f"{np.mean([chance_error(_all_bins(done[name], each)) for name in row]):.3f}"
        for each, row in by_condition.items()
    )
    lines.append(f"| mean by chance | | {' | '.join(chances)} |")
    largest = (
        f"{max((value for name, value in row.items() if sizes[name] >= LARGE), default=0):.3f}"
        for row in by_condition.values()
    )
    lines.append(f"| largest, of {LARGE:,} rows or more | | {' | '.join(largest)} |")
    lines += ["", *_sentences(done)]
    return "\n".join(lines)


def _sentences(done: dict[str, Any]) -> list[str]:
    lines = []
    for name, rules in done.get("rules", {}).items():
        below = sum(n_right / n_rows < lower for n_rows, n_right, lower in rules)
        lines.append(
            f"- {name}: {below} of {len(rules)} rules with {LEAST_ROWS} test rows or more are "
            "right less often than the lower end of the interval of their confidence."
        )
    if "random" in done:
        told, right = np.mean(done["random"], axis=0)
        lines.append(
            f"- Random classes, {RANDOM_ROWS} rows, {len(done['random'])} tables: mean confidence "
            f"{told:.3f}, right {right:.3f}."
        )
    return lines


def main(names: list[str]) -> None:
    """Run what has no result yet, or what is named, and write the page."""
    done = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    is_plain, names = "--plain" in names, [name for name in names if name != "--plain"]

    def keep(name: str, value: Any) -> None:
        done[name] = value
        RESULTS.write_text(json.dumps(done) + "\n")

    for name in TABLES:
        if name in names or (not names and name not in done):
            ((_, X, y),) = all_tables([name])
            keep(name, run_table(X, y, done[name] if is_plain else [{}] * 5))
            print(name, {key: round(x, 4) for key, x in errors(done[name]).items()}, flush=True)
    if "rules" in names or (not names and "rules" not in done):
        keep(
            "rules",
            {name: run_rules(*next(all_tables([name]))[1:], n) for name, n in RULE_TABLES.items()},
        )
    if "random" in names or (not names and "random" not in done):
        keep("random", [run_random(seed) for seed in range(RANDOM_SEEDS)])
    text = markdown(done)
    print(text)
    if PAGE.is_file():
        pattern = re.compile(r"<!-- measured -->\n.*?<!-- /measured -->", re.DOTALL)
        page = pattern.sub(
            lambda _: f"<!-- measured -->\n{text}\n<!-- /measured -->", PAGE.read_text()
        )
        PAGE.write_text(page)


if __name__ == "__main__":
    main(sys.argv[1:])
