"""Training rows shuffled and drawn again.

Draws start from sorted training rows, so that they do not depend on the order of the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from picrules.engines.training import Training

# Codes (n_features, n_rows) and classes of training rows.
CodedRows = tuple["NDArray[np.int32]", "NDArray[np.int64]"]


def shuffle_labels(training: Training, n_shuffles: int, random_state: int) -> Iterator[CodedRows]:
    """Give the training rows with their classes shuffled, `n_shuffles` times."""
    rng = np.random.default_rng(random_state)
    codes, labels = sort_rows(training)
    for _ in range(n_shuffles):
        yield codes, rng.permutation(labels)


def resample_rows(training: Training, n_resamples: int, random_state: int) -> Iterator[CodedRows]:
    """Give as many rows drawn with replacement, `n_resamples` times; a class may be missing."""
    rng = np.random.default_rng(random_state)
    codes, labels = sort_rows(training)
    for _ in range(n_resamples):
        drawn = np.sort(rng.integers(0, len(labels), len(labels)))
        yield np.ascontiguousarray(codes[:, drawn]), labels[drawn]


def sort_rows(training: Training) -> CodedRows:
    """Return all training rows, sorted by their codes, then by their class."""
    training.need_rows("what chance would do (significance, stability)")
    order = np.lexsort((training.labels, *training.codes[::-1]))
    order = np.repeat(order, training.occurrences[order])
    return np.ascontiguousarray(training.codes[:, order]), training.labels[order]
