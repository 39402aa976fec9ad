"""Seconds a fold: fitting and predicting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.datasets import NAMES
from experiments.report.comparison import compared_methods
from experiments.report.page import new_figure

if TYPE_CHECKING:
    import pandas as pd

    from experiments.report.page import Pages


def time_table(fits: pd.DataFrame) -> pd.DataFrame:
    """Mean seconds by data set and method; the paper has a picture only.

    Of the first repetition, which all methods have, so that they are means over the same fits.
    """
    done = fits[(fits["status"] == "done") & (fits["repeat"] == 0)].assign(
        seconds=lambda f: f["fit_seconds"] + f["predict_seconds"]
    )
    wide = done.pivot_table(index="dataset", columns="method", values="seconds", aggfunc="mean")
    return wide.reindex(index=list(NAMES), columns=compared_methods(fits))


def write(fits: pd.DataFrame, rules: pd.DataFrame, pages: Pages) -> None:
    del rules
    table = time_table(fits)
    text = (
        "Mean seconds of processor time a fold, fitting and predicting, in one thread, compiled "
        "beforehand, over the folds of the first repetition that ended within the limit. The "
        "paper prints a picture only; it says that PIC takes several orders of magnitude "
        "longer than the others on adult, heloc and magic."
    )
    pages.write("running_time", "Running time", table.round(4).reset_index(), text=text)
    figure, (axes,) = new_figure(10, 4.5)
    places = np.arange(len(table))
    width = 0.85 / max(1, table.shape[1])
    for number, method in enumerate(table):
        axes.bar(places + number * width, table[method], width, label=method)
    axes.set_yscale("log")
    axes.set_ylabel("processor seconds a fold")
    axes.set_xticks(places + 0.4, table.index, rotation=45, ha="right")
    axes.legend(fontsize=7, ncols=2, loc="upper left", bbox_to_anchor=(1, 1))
    pages.draw("running_time", figure)
