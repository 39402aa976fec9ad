"""How near each method comes to the paper, in one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from experiments.report.comparison import QUANTITIES, compared_methods, long_table

if TYPE_CHECKING:
    from experiments.report.page import Pages


def summary_table(fits: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy of each method, and its distances from the paper's figures."""
    long = {name: long_table(fits, quantity) for name, quantity in QUANTITIES.items()}
    lines = []
    for method in compared_methods(fits):
        mine = {name: table[table["method"] == method] for name, table in long.items()}
        accuracy, length, count = (mine[name]["difference"].astype(float) for name in QUANTITIES)
        ratio = mine["rule_count"]["ours"].astype(float) / mine["rule_count"]["paper"].astype(float)
        lines.append(
            {
                "method": method,
                "data sets": int(mine["accuracy"]["ours"].notna().sum()),
                "mean accuracy": mine["accuracy"]["ours"].astype(float).mean(),
                "paper's mean": mine["accuracy"]
                .dropna(subset="ours")["paper"]
                .astype(float)
                .mean(),
                "accuracy off by": accuracy.abs().mean(),
                "within 0.05": _count(accuracy.abs() <= 0.05, accuracy),
                "length off by": length.abs().mean(),
                "number within 25%": _count((ratio - 1).abs() <= 0.25, count),
                "fits": int(mine["accuracy"]["done"].sum()),
            }
        )
    return pd.DataFrame(lines)


def _count(is_within: pd.Series, differences: pd.Series) -> str:
    known = differences.notna()
    return f"{int((is_within & known).sum())} of {int(known.sum())}" if known.any() else ""


def unfinished_notes(fits: pd.DataFrame) -> list[str]:
    """Which fits came to nothing, where and why: a line a method and status."""
    unfinished = fits[fits["status"] != "done"].groupby(["method", "status"])
    return [
        f"- {method}: {len(rows)} {status}, on {', '.join(sorted(set(rows['dataset'])))} "
        f"({rows['note'].iloc[0]})"
        for (method, status), rows in unfinished
    ]


def write(fits: pd.DataFrame, rules: pd.DataFrame, pages: Pages) -> None:
    del rules
    notes = unfinished_notes(fits)
    text = (
        "Means are over the data sets that a method has results for; compare them only where the "
        "numbers of data sets are the same. Distances: where both sides have a figure."
    )
    if notes:
        text += "\n\nFits without a result:\n\n" + "\n".join(notes)
    pages.write("summary", "Summary", summary_table(fits).round(3), text=text)
