"""Average ranks and the Bonferroni-Dunn test, from our accuracies and from the printed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, norm

from experiments.datasets import NAMES
from experiments.printed import paper_tables
from experiments.report.comparison import QUANTITIES, long_table
from experiments.report.page import new_figure

if TYPE_CHECKING:
    from experiments.report.page import Pages

LEVEL = 0.05


def critical_difference(n_methods: int, n_datasets: int) -> float:
    """How far average ranks must be apart: Bonferroni-Dunn, each method against one control."""
    quantile = norm.ppf(1 - LEVEL / (2 * (n_methods - 1)))
    return float(quantile * _standard_error(n_methods, n_datasets))


def p_values(ranks: pd.Series, n_datasets: int) -> pd.DataFrame:
    """Adjusted p-values of all pairs."""
    gaps = np.abs(ranks.to_numpy()[:, None] - ranks.to_numpy())
    z = gaps / _standard_error(len(ranks), n_datasets)
    adjusted = np.minimum(1, 2 * norm.sf(z) * (len(ranks) - 1))
    return pd.DataFrame(adjusted, ranks.index, ranks.index)


def average_ranks(accuracies: pd.DataFrame) -> pd.Series:
    """Rank the methods (columns) on each data set, the best first; equal ones share a rank."""
    return accuracies.rank(axis=1, ascending=False).mean().sort_values()


def _standard_error(n_methods: int, n_datasets: int) -> float:
    return np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


def accuracies(fits: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The tables that are ranked: printed, ours for the same methods, ours for all."""
    printed = pd.DataFrame(paper_tables()["accuracy"]).T
    long = long_table(fits, QUANTITIES["accuracy"])
    ours = long.pivot_table(index="data set", columns="method", values="ours")
    ours = ours.reindex(list(NAMES)).dropna(axis=0, how="all").dropna(axis=1)
    same = ours[[method for method in printed if method in ours]]
    return {"printed by the paper": printed, "ours, same methods": same, "ours, all methods": ours}


def write(fits: pd.DataFrame, rules: pd.DataFrame, pages: Pages) -> None:
    del rules
    import scikit_posthocs as sp  # noqa: PLC0415  (draws the diagrams)

    lines = []
    tables = {name: t for name, t in accuracies(fits).items() if t.shape[0] > 1 < t.shape[1]}
    for number, (name, table) in enumerate(tables.items()):
        ranks = average_ranks(table)
        limit = critical_difference(len(ranks), len(table))
        p = friedmanchisquare(*table.T.to_numpy()).pvalue if len(ranks) > 2 else None
        for method, rank in ranks.items():
            lines.append([
                name, method, rank, table[method].mean(), limit, p, len(table),
                "yes" if rank - ranks.iloc[0] > limit else "",
            ])  # fmt: skip
        figure, (axes,) = new_figure(8, 0.32 * len(ranks) + 1)
        sp.critical_difference_diagram(ranks, p_values(ranks, len(table)), ax=axes, alpha=LEVEL)
        axes.set_title(f"Average ranks, {name}: critical difference {limit:.2f}")
        pages.draw(f"critical_difference_{number + 1}", figure)
    columns = ["accuracies", "method", "average rank", "mean accuracy", "critical difference",
               "Friedman p", "data sets", "worse than the first"]  # fmt: skip
    text = (
        "The paper gives a critical difference of 2.06. Bonferroni-Dunn at 0.05 on 16 data sets "
        f"gives {critical_difference(8, 16):.2f} for its eight methods and "
        f"{critical_difference(7, 16):.2f} for seven. 2.06 is what the Nemenyi test gives "
        "for seven methods at 0.10 (2.057); of both tests, for five to nine methods, at 0.05 and "
        "0.10, no other value rounds to it."
    )
    pages.write("significance", "Average ranks", pd.DataFrame(lines, columns=columns), text=text)
