"""The gene table: accuracy, seconds, rules and length on 30 test rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from experiments.printed import paper_tables
from experiments.report.comparison import compared_methods

if TYPE_CHECKING:
    from experiments.report.page import Pages


def gene_table(fits: pd.DataFrame) -> pd.DataFrame:
    """One line a method: ours, mean over the splits, and the paper's one split of its table."""
    printed = paper_tables()["gene"]
    mine = fits[fits["dataset"] == "gene"]
    lines = []
    for method in [m for m in compared_methods(fits) if m in set(mine["method"])]:
        rows = mine[mine["method"] == method]
        done = rows[rows["status"] == "done"]
        ours = [
            done["accuracy"].mean(), (done["fit_seconds"] + done["predict_seconds"]).mean(),
            done["n_rules"].astype(float).mean(), done["length"].astype(float).mean(),
        ]  # fmt: skip
        paper = printed.get(method, [None] * 4)
        cells = [value for pair in zip(ours, paper, strict=True) for value in pair]
        lines.append([method, f"{len(done)} of {len(rows)}", *cells])
    names = ["accuracy", "seconds", "rules", "length"]
    columns = [column for name in names for column in (name, f"{name} (paper)")]
    return pd.DataFrame(lines, columns=["method", "splits done", *columns])


def write(fits: pd.DataFrame, rules: pd.DataFrame, pages: Pages) -> None:
    del rules
    table = gene_table(fits)
    if table.empty:
        return
    text = (
        "Not the same data: the authors' 581 x 1522 table is not public; ours is the NKI cohort, "
        "272 x 1554. 30 test rows, stratified; the share of the larger class is 0.66. PIC to "
        "length 2 and fPIC to length 1, as in the paper."
    )
    pages.write("gene", "Breast cancer metastasis", table.round(3), text=text)
