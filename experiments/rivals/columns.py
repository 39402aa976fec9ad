"""Codes as 0/1 columns, one for each value of a feature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Columns:
    """Which value each 0/1 column stands for, and where the columns of a feature begin."""

    features: np.ndarray
    codes: np.ndarray
    starts: np.ndarray

    @property
    def count(self) -> int:
        return len(self.features)

    def active(self, codes: np.ndarray) -> np.ndarray:
        """The column that is 1 for each row and feature; -1 where none is."""
        columns = self.starts[:-1] + codes
        is_known = (codes >= 0) & (columns >= self.starts[:-1]) & (columns < self.starts[1:])
        return np.where(is_known, columns, -1).astype(np.int32)


def one_column_a_value(n_codes: np.ndarray) -> Columns:
    """A column for every value."""
    features = np.repeat(np.arange(len(n_codes)), n_codes)
    starts = np.concatenate([[0], np.cumsum(n_codes)])
    return Columns(features, np.arange(len(features)) - starts[features], starts)


class TwoValuedMerged(Columns):
    """One column for a feature of two values, whose 0 is the first value."""

    def active(self, codes: np.ndarray) -> np.ndarray:
        first = np.full(len(self.starts) - 1, 0)
        is_single = np.diff(self.starts) == 1
        first[is_single] = self.codes[self.starts[:-1][is_single]]
        return super().active(np.where(codes >= 0, codes - first, -1))


def merge_two_valued(n_codes: np.ndarray) -> Columns:
    """A column for every value, but only one for a feature with two."""
    widths = np.where(n_codes == 2, 1, n_codes)
    features = np.repeat(np.arange(len(n_codes)), widths)
    starts = np.concatenate([[0], np.cumsum(widths)])
    codes = np.arange(len(features)) - starts[features]
    codes[n_codes[features] == 2] = 1
    return TwoValuedMerged(features, codes, starts)
