"""Data sets from OpenML: ids and contents pinned in `openml.json`, cached by scikit-learn.

An OpenML table differs from the one in the data folder in the names of its columns and in the
spelling of its classes; both are mended here. A fingerprint of the cells, whatever the order of
the rows, then tells whether the result is the table that the figures were measured on.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from sklearn.datasets import fetch_openml

if TYPE_CHECKING:
    import numpy as np

SOURCES = Path(__file__).with_name("openml.json")


class WrongTable(ValueError):
    """OpenML returned other cells than those that the figures were measured on."""


@cache
def sources() -> dict[str, dict[str, Any]]:
    """Which OpenML table each data set is, and how to make it ours."""
    return json.loads(SOURCES.read_text())


def fetch_table(name: str) -> pd.DataFrame:
    """Download a table, or take it from the cache; the class is the last column."""
    source = sources()[name]
    fetched = fetch_openml(data_id=source["id"], as_frame=True, target_column=None, parser="pandas")
    frame = prepare(fetched.frame, source)
    seen = fingerprint(frame.drop(columns="class"), frame["class"].to_numpy(object))
    if seen != source["fingerprint"]:
        raise WrongTable(
            f"OpenML table {source['id']} for {name!r} has the fingerprint {seen[:12]}...; "
            f"{source['fingerprint'][:12]}... is expected; name a folder with the file in "
            "PICRULES_DATA"
        )
    return frame


def prepare(frame: pd.DataFrame, source: dict[str, Any]) -> pd.DataFrame:
    """Give an OpenML table our columns, classes and rows."""
    if "last_rows" in source:
        frame = frame.iloc[-source["last_rows"] :]
    target = frame[source["target"]].astype(object).map(_to_text)
    frame = frame.drop(columns=[source["target"], *source.get("drop", [])], errors="ignore")
    if frame.shape[1] != len(source["columns"]):
        raise WrongTable(
            f"OpenML table {source['id']} has {frame.shape[1]} features; "
            f"{len(source['columns'])} are expected"
        )
    frame.columns = list(source["columns"])
    for column, kind in source["columns"].items():
        if kind == "numeric":
            frame[column] = pd.to_numeric(frame[column])
        else:
            frame[column] = frame[column].astype(object).map(_to_text, na_action="ignore")
    frame["class"] = target.map(source["classes"]) if "classes" in source else target
    if source.get("complete_rows_only"):
        frame = frame.dropna()
    return frame.reset_index(drop=True)


def fingerprint(X: pd.DataFrame, y: np.ndarray) -> str:
    """Hash the cells of a table, whatever the order of its rows and the type of its numbers."""
    columns = [
        ["" if pd.isna(cell) else _canonical(cell) for cell in X[column].tolist()] for column in X
    ]
    rows = sorted("\x1f".join(cells) for cells in zip(*columns, map(str, y), strict=True))
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def _canonical(cell: Any) -> str:
    return cell if isinstance(cell, str) else repr(float(cell))


def _to_text(cell: Any) -> str:
    """Write a category as text: 2.0, as a column with gaps holds it, is 2."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()
