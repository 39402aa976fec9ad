"""The tables and figures of the paper, ours beside the printed ones.

Each module makes one of them: a table as a data frame, which is written as CSV and Markdown, and
where the paper has a picture, a figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.report import (
    comparison,
    correlation,
    gene,
    mushroom,
    readings,
    running_time,
    significance,
    summary,
    sweeps,
)
from experiments.report.page import Pages
from experiments.sizes import size_table
from experiments.store import Store

if TYPE_CHECKING:
    from pathlib import Path


def write_report(store_path: Path, folder: Path) -> list[Path]:
    """Write everything that the stored fits allow; return the files."""
    pages = Pages(folder)
    with Store(store_path) as store:
        fits, rules = store.fits(), store.rules()
    pages.write_csv("fits", fits)
    pages.write("datasets", "Data sets", size_table())
    for module in (
        comparison, running_time, significance, correlation, mushroom, sweeps, gene, readings,
        summary,
    ):  # fmt: skip
        module.write(fits, rules, pages)
    return pages.files
