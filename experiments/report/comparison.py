"""Accuracy, rule length and number of rules, ours beside the paper's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from experiments.datasets import NAMES
from experiments.methods import METHODS
from experiments.printed import paper_tables

if TYPE_CHECKING:
    from experiments.report.page import Pages

COMPARED = ("ours", "paper", "more")  # groups of methods


@dataclass(frozen=True)
class Quantity:
    """A column of the fits that the paper prints too, and when a difference is marked."""

    column: str
    printed: str
    title: str
    digits: int
    is_relative: bool
    tolerance: float

    def differs(self, ours: float, paper: float) -> bool:
        difference = abs(ours - paper)
        return difference > self.tolerance * (paper if self.is_relative else 1)


QUANTITIES = {
    "accuracy": Quantity("accuracy", "accuracy", "Accuracy", 3, False, 0.02),
    "rule_length": Quantity("length", "rule_length", "Average rule length", 2, False, 0.25),
    "rule_count": Quantity("n_rules", "rule_count", "Number of rules", 1, True, 0.25),
}


def compared_methods(fits: pd.DataFrame) -> list[str]:
    """The methods that have at least one result, in the order of the registry."""
    done = set(fits.loc[fits["status"] == "done", "method"])
    return [m.name for m in METHODS.values() if m.group in COMPARED and m.name in done]


def long_table(fits: pd.DataFrame, quantity: Quantity) -> pd.DataFrame:
    """One line a data set and method: ours, the spread over the fits, the paper's figure."""
    printed = paper_tables()[quantity.printed]
    lines = []
    for dataset in NAMES:
        for method in compared_methods(fits):
            chosen = fits[(fits["dataset"] == dataset) & (fits["method"] == method)]
            values = chosen.loc[chosen["status"] == "done", quantity.column].astype(float).dropna()
            ours = values.mean() if len(values) else None
            paper = printed[dataset].get(method)
            is_both = ours is not None and paper is not None
            lines.append(
                {
                    "data set": dataset,
                    "method": method,
                    "ours": ours,
                    "deviation": values.std(ddof=0) if len(values) else None,
                    "paper": paper,
                    "difference": ours - paper if is_both else None,
                    "differs": bool(is_both and quantity.differs(ours, paper)),
                    "done": int((chosen["status"] == "done").sum()),
                    "fits": len(chosen),
                    "status": chosen["status"].mode().get(0, ""),
                }
            )
    return pd.DataFrame(lines)


def wide_table(long: pd.DataFrame, digits: int) -> pd.DataFrame:
    """One column a method; a cell is ours / paper, with * where they differ."""
    cells = long.assign(cell=[_cell(row, digits) for row in long.to_dict("records")])
    wide = cells.pivot_table(index="data set", columns="method", values="cell", aggfunc="first")
    with_figure = set(long.dropna(subset="ours")["method"])  # a forest has no rules anywhere
    order = [method for method in dict.fromkeys(long["method"]) if method in with_figure]
    return wide.reindex(index=list(NAMES), columns=order).reset_index()


def _cell(row: dict, digits: int) -> str:
    if row["done"] == 0:
        return row["status"]
    ours = "none" if pd.isna(row["ours"]) else f"{row['ours']:.{digits}f}"
    if row["done"] < row["fits"]:
        ours += f" ({row['done']} of {row['fits']})"
    if row["paper"] is None or pd.isna(row["paper"]):
        return ours
    mark = "*" if row["differs"] else ""
    return f"{ours} / {row['paper']:.{digits}f}{mark}"


def write(fits: pd.DataFrame, rules: pd.DataFrame, pages: Pages) -> None:
    del rules
    for name, quantity in QUANTITIES.items():
        long = long_table(fits, quantity)
        share = f"{quantity.tolerance:.0%}" if quantity.is_relative else f"{quantity.tolerance:g}"
        text = (
            f"A cell is ours / the paper's; * marks a difference of more than {share}. `none`: the "
            "method found no rule; `late`: no fit ended within the time limit; (3 of 5): only "
            "these ended."
        )
        pages.write(name, quantity.title, wide_table(long, quantity.digits), text=text, long=long)
