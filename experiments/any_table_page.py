"""Write the results of `experiments.any_table` into docs/personal.md."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from experiments.accuracy import TABLES, calibration_error, chance_error
from experiments.any_table import N_RULES, RESULTS
from experiments.report.significance import critical_difference

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).parents[1] / "docs" / "personal.md"
RIVALS = ("CART", "logistic regression", "forest", "boosting")
MODELS = (*N_RULES, *RIVALS)


def means(results: dict[str, list[dict[str, Any]]], key: str) -> dict[str, dict[str, float]]:
    """Mean over the folds of one figure, by table and model."""
    return {
        name: {
            model: float(np.mean([fold[model][key] for fold in folds]))
            for model in MODELS
            if key in folds[0][model]
        }
        for name, folds in results.items()
    }


def errors(
    results: dict[str, list[dict[str, Any]]], find: Callable[[np.ndarray], float]
) -> dict[str, float]:
    """Mean error of the confidence over the tables, ten bins, all folds of a table together."""
    return {
        model: float(
            np.mean([
                find(sum(np.array(fold[model]["bins"]) for fold in folds))
                for folds in results.values()
            ])
        )
        for model in N_RULES
    }  # fmt: skip


def markdown(results: dict[str, list[dict[str, Any]]]) -> str:
    """The table of results, and what it says."""
    accuracy = means(results, "accuracy")
    values = np.array([[row[model] for model in MODELS] for row in accuracy.values()])
    ranks = np.array([rankdata(-row) for row in values]).mean(axis=0)
    lines = [f"| table | {' | '.join(MODELS)} |", "|---" * (len(MODELS) + 1) + "|"]
    for name, row in zip(accuracy, values, strict=True):
        best = row.round(3).max()
        cells = (f"**{x:.3f}**" if x.round(3) == best else f"{x:.3f}" for x in row)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines.append(f"| mean | {' | '.join(f'{x:.4f}' for x in values.mean(axis=0))} |")
    lines.append(f"| mean rank | {' | '.join(f'{x:.2f}' for x in ranks)} |")
    for text, key in (("rules read", "rules"), ("conditions read", "conditions")):
        read = means(results, key)
        own = {m: np.mean([row[m] for row in read.values()]) for m in N_RULES}
        cells = [f"{own[m]:.2f}" if m in own else "" for m in MODELS]
        lines.append(f"| {text} per prediction | {' | '.join(cells)} |")
    for text, find in (("calibration error", calibration_error), ("by chance", chance_error)):
        error = errors(results, find)
        cells = [f"{error[m]:.4f}" if m in error else "" for m in MODELS]
        lines.append(f"| {text} | {' | '.join(cells)} |")
    below = [name for name, row in accuracy.items() if row["one rule"] < row["CART"]]
    first = np.mean([row["one rule"] for name, row in accuracy.items() if name in TABLES])
    alike = sum(folds[0]["one rule"]["is_alike"] for folds in results.values())
    limit = critical_difference(len(MODELS), len(results))
    lines += [
        "",
        (
            f"{len(results)} tables: the paper's 16, nine of scikit-learn, and more; 5-fold "
            "stratified, shuffled with seed 0, at most 20,000 rows, defaults of scikit-learn. Mean "
            f"ranks that differ by less than {limit:.2f} may do so by chance (Bonferroni-Dunn, "
            "5%). "
            "Calibration error: ten bins, all folds of a table together, mean over the tables; by "
            "chance: what confidences that are true would have on so many rows. "
            "Read: what explanations show, of the first 300 rows of each fold. One rule is below "
            f"CART on {', '.join(below) or 'none'}; its mean on the paper's 16 is "
            f"{first:.4f}; look-alikes decide on {alike} tables (in the first fold). "
            f"{tell_ebm(results)}By `python -m experiments.any_table`."
        ),
    ]
    return "\n".join(lines)


def tell_ebm(results: dict[str, list[dict[str, Any]]]) -> str:
    """Say what the explainable boosting machine does on the tables that it was run on."""
    known = {
        name: np.mean([fold["EBM"]["accuracy"] for fold in folds])
        for name, folds in results.items()
        if "EBM" in folds[0]
    }
    if not known:
        return ""
    texts = ", ".join(f"{value:.3f} on {name}" for name, value in known.items())
    return f"The explainable boosting machine (interpret) has {texts}. "


def main() -> None:
    """Write the page."""
    text = markdown(json.loads(RESULTS.read_text()))
    page = PAGE.read_text()
    pattern = re.compile(r"<!-- any -->\n.*?<!-- /any -->", re.DOTALL)
    PAGE.write_text(pattern.sub(lambda _: f"<!-- any -->\n{text}\n<!-- /any -->", page))


if __name__ == "__main__":
    main()
