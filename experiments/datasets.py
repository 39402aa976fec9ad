"""The tables of the paper, read from a folder.

The folder is named by PICRULES_DATA, or is `../shared/datasets` beside the checkout. Its
`datasets.json` says which columns are numbers; every other column is a category.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    import numpy as np

BESIDE_THE_CHECKOUT = Path(__file__).parents[2] / "shared" / "datasets"


@dataclass(frozen=True)
class Dataset:
    name: str
    X: pd.DataFrame
    y: np.ndarray


def folder() -> Path | None:
    """The folder with the data, or None where there is none."""
    path = Path(os.environ.get("PICRULES_DATA", BESIDE_THE_CHECKOUT))
    return path if (path / "datasets.json").is_file() else None


def load_dataset(name: str) -> Dataset:
    """Read one table: the class is the last column, an empty cell is missing."""
    path = folder()
    if path is None:
        raise FileNotFoundError(
            "no data folder; name one that holds datasets.json in PICRULES_DATA"
        )
    described = json.loads((path / "datasets.json").read_text())
    (entry,) = (e for e in described["datasets"] + described["variants"] if e["name"] == name)
    kinds = {column["name"]: column["type"] for column in entry["columns"]}
    frame = pd.read_csv(
        path / entry["file"],
        dtype={column: str for column, kind in kinds.items() if kind != "numeric"},
        keep_default_na=False,
        na_values=[""],
    )
    target = frame.columns[-1]
    return Dataset(name, frame.drop(columns=target), frame[target].to_numpy(object))


def paper_tables() -> dict:
    """The numbers and settings that the paper prints."""
    path = folder()
    assert path is not None
    return json.loads((path.parent / "paper" / "tables.json").read_text())
