"""The data sets of the paper by name: from a folder, from their definition, or from OpenML.

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

from experiments.generated import GENERATED
from experiments.openml import fetch_table, sources

if TYPE_CHECKING:
    import numpy as np

BESIDE_THE_CHECKOUT = Path(__file__).parents[2] / "shared" / "datasets"

NAMES = (
    "adult", "banknote", "breastcancer", "car", "COMPAS", "german", "heloc", "ILPD", "liver",
    "magic", "monks", "mushroom", "nursery", "tictactoe", "transfusion", "vote",
)  # fmt: skip


class UnknownDataset(LookupError):
    """A name that no folder, definition or OpenML entry knows."""


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
    """Read one table; an empty cell is missing."""
    path = folder()
    if path is not None and name in (entries := _entries(path)):
        frame = _read_file(path, entries[name])
    elif name in GENERATED:
        frame = GENERATED[name]()
    elif name in sources():
        frame = fetch_table(name)
    else:
        raise UnknownDataset(
            f"no data set named {name!r} in {path or 'a data folder (PICRULES_DATA)'}, by "
            f"definition ({', '.join(GENERATED)}) or on OpenML ({', '.join(sources())})"
        )
    target = frame.columns[-1]
    return Dataset(name, frame.drop(columns=target), frame[target].to_numpy(object))


def _entries(path: Path) -> dict[str, dict]:
    described = json.loads((path / "datasets.json").read_text())
    return {entry["name"]: entry for entry in described["datasets"] + described["variants"]}


def _read_file(path: Path, entry: dict) -> pd.DataFrame:
    kinds = {column["name"]: column["type"] for column in entry["columns"]}
    return pd.read_csv(
        path / entry["file"],
        dtype={column: str for column, kind in kinds.items() if kind != "numeric"},
        keep_default_na=False,
        na_values=[""],
    )
