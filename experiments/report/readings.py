"""Which reading of fPIC comes nearest to the printed figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from experiments.datasets import NAMES
from experiments.fit import N_FOLDS
from experiments.methods import METHODS
from experiments.printed import paper_tables

if TYPE_CHECKING:
    from experiments.report.page import Pages


def reading_table(fits: pd.DataFrame) -> pd.DataFrame:
    """One line a reading: mean distance from the printed accuracy, length and number."""
    printed = paper_tables()
    names = [m.name for m in METHODS.values() if m.group in ("variants", "alpha", "length")]
    done = fits[(fits["status"] == "done") & fits["method"].isin(names)]
    done = done[done["dataset"].isin(shared_datasets(done))]
    lines = []
    for name in names:
        means = done[done["method"] == name].groupby("dataset")[["accuracy", "length", "n_rules"]]
        means = means.mean()
        if means.empty:
            continue
        paper = {q: np.array([printed[q][d]["fPIC"] for d in means.index]) for q in
                 ("accuracy", "rule_length", "rule_count")}  # fmt: skip
        gap = (means["accuracy"] - paper["accuracy"]).abs()
        lines.append([
            name, len(means), means["accuracy"].mean(), gap.mean(), int((gap <= 0.02).sum()),
            (means["length"] - paper["rule_length"]).abs().mean(),
            np.abs(np.log(means["n_rules"] / paper["rule_count"])).mean(),
        ])  # fmt: skip
    columns = ["reading", "data sets", "mean accuracy", "accuracy off by", "within 0.02",
               "length off by", "number off by (log ratio)"]  # fmt: skip
    return pd.DataFrame(lines, columns=columns)


def shared_datasets(done: pd.DataFrame) -> list[str]:
    """The data sets on which all readings have all folds, so that like is compared with like."""
    folds = done.pivot_table(index="dataset", columns="method", values="fold", aggfunc="nunique")
    complete = folds.index[(folds == N_FOLDS).all(axis=1)]
    return [name for name in NAMES if name in complete]


def write(fits: pd.DataFrame, rules: pd.DataFrame, pages: Pages) -> None:
    del rules
    table = reading_table(fits)
    if table.empty:
        return
    text = (
        f"Mean distance from the figures printed for fPIC, over the {table['data sets'].max()} "
        "data sets on which all readings have all folds. One repetition: differences of a few "
        "thousandths mean nothing, and the best of many is best partly by chance. The mean of the "
        "absolute log ratio is 0 where the numbers of rules agree, 0.69 where they are off by a "
        "factor of two."
    )
    pages.write("fpic_readings", "Readings of fPIC", table.round(3), text=text)
