"""Tables to measure with: made up, or the paper's where their folder is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from experiments.datasets import folder, load_dataset

if TYPE_CHECKING:
    from picrules.engines.training import Training
    from picrules.kernels.boxes import Sets


def coded_table(
    n_rows: int, n_features: int, n_codes: int, n_queries: int, n_classes: int = 2
) -> tuple[Training, np.ndarray]:
    """Random codes in which one feature in ten says a little about the class."""
    # Imported here: tables of this file are also made with older versions of the library.
    from picrules.engines.training import Training

    rng = np.random.default_rng(0)
    n_all = n_rows + n_queries
    labels = rng.integers(0, n_classes, n_all)
    codes = rng.integers(0, n_codes, (n_features, n_all), dtype=np.int32)
    for feature in range(0, n_features, 10):
        follows = rng.random(n_all) < 0.2
        codes[feature, follows] = labels[follows] % n_codes
    training = Training.from_rows(
        np.ascontiguousarray(codes[:, :n_rows]),
        labels[:n_rows].astype(np.int64),
        np.full(n_features, n_codes, np.int64),
        n_classes,
    )
    return training, np.ascontiguousarray(codes[:, n_rows:])


def threshold_sets(n_features: int, n_parts: int) -> Sets:
    """The conditions of ordered features that are cut into parts: `x <= cut` and `x > cut`."""
    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import NumberFeature, Schema

    cuts = tuple(code + 0.5 for code in range(n_parts - 1))
    features = tuple(NumberFeature(f"f{feature}", cuts) for feature in range(n_features))
    return Conditions(Schema(features)).sets


def adult() -> tuple[str, pd.DataFrame, np.ndarray, pd.DataFrame]:
    """24,000 rows of adult to train on and 6,000 to classify; made up where it is not there."""
    if folder() is not None:
        data = load_dataset("adult")
        return "adult", data.X[:24_000], data.y[:24_000], data.X[24_000:30_000]
    rng = np.random.default_rng(0)
    columns = {f"n{i}": rng.normal(size=30_000).round(2) for i in range(5)}
    for position, count in enumerate([7, 16, 7, 14, 6, 5, 2, 41]):
        columns[f"c{position}"] = rng.integers(0, count, 30_000).astype(str)
    X = pd.DataFrame(columns)
    y = np.where(X["n0"] + (X["c3"].astype(int) > 8) + rng.normal(size=30_000) > 1, ">50K", "<=50K")
    return "made up like adult", X[:24_000], y[:24_000], X[24_000:]


def genes(n_rows: int = 551, n_features: int = 1522, n_queries: int = 30) -> tuple:
    """Numbers like gene expressions: one in twenty differs a little between the classes."""
    rng = np.random.default_rng(0)
    labels = (rng.random(n_rows + n_queries) < 0.35).astype(np.int64)
    differs = (rng.random(n_features) < 0.05) * 0.5
    X = rng.normal(size=(n_rows + n_queries, n_features)) + differs * labels[:, np.newaxis]
    return X[:n_rows], labels[:n_rows], X[n_rows:]
