"""Spearman correlation, over the data sets, of accuracy with rule length and number of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from experiments.report.comparison import QUANTITIES, long_table
from experiments.report.page import new_figure

if TYPE_CHECKING:
    from experiments.report.page import Pages

LEAST_DATASETS = 4


def correlation_table(fits: pd.DataFrame) -> pd.DataFrame:
    """One line a method and quantity: from our figures, and from the printed ones."""
    long = {name: long_table(fits, quantity) for name, quantity in QUANTITIES.items()}
    lines = []
    for quantity in ("rule_length", "rule_count"):
        merged = long["accuracy"].merge(long[quantity], on=["data set", "method"])
        for method, rows in merged.groupby("method", sort=False):
            pair = [_spearman(rows[f"{who}_x"], rows[f"{who}_y"]) for who in ("ours", "paper")]
            if any(value is not None for value in pair):
                lines.append([quantity, method, *pair])
    return pd.DataFrame(lines, columns=["accuracy with", "method", "ours", "paper"])


def _spearman(left: pd.Series, right: pd.Series) -> float | None:
    both = pd.DataFrame({"left": left, "right": right}).astype(float).dropna()
    if len(both) < LEAST_DATASETS or both.nunique().min() < 2:
        return None
    return float(spearmanr(both["left"], both["right"]).statistic)


def write(fits: pd.DataFrame, rules: pd.DataFrame, pages: Pages) -> None:
    del rules
    table = correlation_table(fits)
    text = (
        "Spearman's coefficient over the data sets. The paper shows a picture; its column here is "
        "computed from the tables that it prints. Its mean length for PIC on mushroom repeats "
        "the row of nursery, which this column cannot mend."
    )
    pages.write("correlation", "Accuracy against the rules", table.round(3), text=text)
    figure, panels = new_figure(10, 3.5, 2)
    for axes, (quantity, rows) in zip(panels, table.groupby("accuracy with"), strict=False):
        places = np.arange(len(rows))
        for shift, who in ((-0.2, "ours"), (0.2, "paper")):
            axes.bar(places + shift, rows[who].astype(float), 0.4, label=who)
        axes.set_xticks(places, rows["method"], rotation=45, ha="right")
        axes.set_title(f"accuracy with {quantity.replace('_', ' ')}")
        axes.axhline(0, color="black", linewidth=0.8)
        axes.legend()
    pages.draw("correlation", figure)
