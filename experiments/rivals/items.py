"""Tables as codes: one code for each value or bin of a feature, the same for all rivals.

Bins and categories are those of picrules, learned from the training rows. Unlike there, a missing
cell has a code of its own where training rows have missing cells, as in the paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from experiments.rivals.rule import Item
from picrules.encoding.columns import read_columns
from picrules.encoding.schema import learn_schema

if TYPE_CHECKING:
    import pandas as pd


class ItemEncoder:
    """Turn a table into codes of shape (n_rows, n_features); -1 is a value never seen."""

    def __init__(self, bins: int) -> None:
        self.bins = bins

    def fit(self, X: pd.DataFrame) -> Self:
        self.schema = learn_schema(read_columns(X), [self.bins] * X.shape[1], None)
        self.has_missing = X.isna().to_numpy().any(axis=0)
        self.n_codes = self.schema.n_codes + self.has_missing
        return self

    def transform(self, X: pd.DataFrame) -> np.ndarray:
        codes = self.schema.encode(read_columns(X)).T.copy()
        is_missing = X.isna().to_numpy() & self.has_missing
        return np.where(is_missing, self.n_codes - 1, codes).astype(np.int32)

    def item(self, feature: int, code: int, *, is_negated: bool = False) -> Item:
        """The claim that a code stands for; not one of two values is the other."""
        if is_negated and self.n_codes[feature] == 2:
            return self.item(feature, 1 - code)
        described = self.schema.features[feature]
        if code < described.n_codes:
            return Item(described.name, str(described.condition(code)), is_negated)
        return Item(described.name, f"{described.name} is missing", is_negated)


def covers(literals: list[tuple[int, int, bool]], codes: np.ndarray) -> np.ndarray:
    """Tell which rows satisfy all (feature, code, is_negated)."""
    covered = np.ones(len(codes), bool)
    for feature, code, is_negated in literals:
        covered &= (codes[:, feature] == code) != is_negated
    return covered
