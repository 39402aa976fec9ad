"""fPIC by alpha and by the longest rule: accuracy, number of rules, length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.datasets import NAMES
from experiments.methods import ALPHAS, LENGTHS
from experiments.report.page import new_figure

if TYPE_CHECKING:
    import pandas as pd

    from experiments.report.page import Pages

SWEEPS = {
    "alpha": ("fPIC alpha=", ALPHAS, "fPIC by alpha"),
    "max_length": ("fPIC L=", LENGTHS, "fPIC by the longest rule"),
}
QUANTITIES = {"accuracy": "accuracy", "n_rules": "number of rules", "length": "rule length"}


def sweep_table(fits: pd.DataFrame, name: str) -> pd.DataFrame:
    """One line a data set and value: the means over the folds."""
    prefix, values, _ = SWEEPS[name]
    of_value = {f"{prefix}{value}": value for value in values}
    done = fits[(fits["status"] == "done") & fits["method"].isin(of_value)]
    done = done.assign(**{name: done["method"].map(of_value)})
    means = done.groupby(["dataset", name], as_index=False)[list(QUANTITIES)].mean()
    return means[means["dataset"].isin(NAMES)]


def write(fits: pd.DataFrame, rules: pd.DataFrame, pages: Pages) -> None:
    del rules
    for name, (_, values, title) in SWEEPS.items():
        table = sweep_table(fits, name)
        if table.empty:
            continue
        shown = table.pivot_table(index="dataset", columns=name, values="accuracy")
        shown = shown.reindex([n for n in NAMES if n in shown.index])
        shown.loc["mean"] = shown.mean()
        shown.columns = [f"{value:g}" for value in shown]
        text = "Accuracy, 5 folds; the CSV has number and length too. The paper shows pictures."
        pages.write(name, title, shown.round(3).reset_index(), text=text, long=table)
        figure, panels = new_figure(12, 4, 3)
        for axes, (column, label) in zip(panels, QUANTITIES.items(), strict=True):
            for number, (dataset, rows) in enumerate(table.groupby("dataset")):
                line = "-" if number < 10 else "--"
                axes.plot(rows[name], rows[column], line, marker=".", label=dataset)
            axes.set_xlabel(name.replace("_", " "))
            axes.set_xticks(values)
            axes.set_title(label)
        panels[1].set_yscale("log")
        panels[2].legend(fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
        pages.draw(name, figure)
