"""Training rows shuffled and drawn again, and each different row asked only once.

Draws start from sorted training rows, so that they do not depend on the order of the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.searcher import distinct_columns
from picrules.kernels.boxes import Rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from picrules.explain.model import Model


def shuffle_labels(rows: Rows, n_shuffles: int, random_state: int) -> Iterator[Rows]:
    """Give the training rows with their classes shuffled, `n_shuffles` times."""
    rng = np.random.default_rng(random_state)
    codes, labels = sort_rows(rows)
    for _ in range(n_shuffles):
        yield Rows(codes, rng.permutation(labels))


def resample_rows(rows: Rows, n_resamples: int, random_state: int) -> Iterator[Rows]:
    """Give as many rows drawn with replacement, `n_resamples` times; a class may be missing."""
    rng = np.random.default_rng(random_state)
    codes, labels = sort_rows(rows)
    for _ in range(n_resamples):
        drawn = np.sort(rng.integers(0, len(labels), len(labels)))
        yield Rows(np.ascontiguousarray(codes[:, drawn]), labels[drawn])


def sort_rows(rows: Rows) -> Rows:
    """Return rows sorted by their codes, then by their class."""
    order = np.lexsort((rows.labels, *rows.codes[::-1]))
    return Rows(np.ascontiguousarray(rows.codes[:, order]), rows.labels[order])


def distinct_rows(
    model: Model, codes: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the different rows (columns of `codes`), and the index of each row among them."""
    n_codes = np.array([feature.n_codes for feature in model.features], np.int64)
    distinct, indices = distinct_columns(codes, n_codes)
    return distinct, np.arange(codes.shape[1]) if indices is None else indices
