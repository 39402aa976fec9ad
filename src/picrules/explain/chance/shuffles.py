"""Training rows in an order of their own, so that random draws do not depend on how they came."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from picrules.kernels.boxes import Rows

if TYPE_CHECKING:
    from collections.abc import Iterator


def sort_rows(rows: Rows) -> Rows:
    """Return rows sorted by their codes, then by their class.

    Parameters
    ----------
    rows : Rows
        Codes and classes, in any order.

    Returns
    -------
    Rows
        The same for every order of the same rows.

    Examples
    --------
    >>> rows = Rows(np.array([[1, 0, 1]], np.int32), np.array([1, 0, 0]))
    >>> sort_rows(rows).labels.tolist()
    [0, 0, 1]
    """
    order = np.lexsort((rows.labels, *rows.codes[::-1]))
    return Rows(np.ascontiguousarray(rows.codes[:, order]), rows.labels[order])


def shuffle_labels(rows: Rows, n_shuffles: int, random_state: int) -> Iterator[Rows]:
    """Give the rows with their classes shuffled, so many times.

    Parameters
    ----------
    rows : Rows
        Codes and classes, in any order.
    n_shuffles : int
        How many times.
    random_state : int
        Seed of the shuffles.

    Yields
    ------
    Rows
        The same codes with the same classes, dealt out anew.
    """
    rng = np.random.default_rng(random_state)
    codes, labels = sort_rows(rows)
    for _ in range(n_shuffles):
        yield Rows(codes, rng.permutation(labels))


def resample_rows(rows: Rows, n_resamples: int, random_state: int) -> Iterator[Rows]:
    """Give as many rows drawn with replacement, so many times.

    Parameters
    ----------
    rows : Rows
        Codes and classes, in any order.
    n_resamples : int
        How many times.
    random_state : int
        Seed of the draws.

    Yields
    ------
    Rows
        A resample; a class may be missing from it.
    """
    rng = np.random.default_rng(random_state)
    codes, labels = sort_rows(rows)
    for _ in range(n_resamples):
        drawn = np.sort(rng.integers(0, len(labels), len(labels)))
        yield Rows(np.ascontiguousarray(codes[:, drawn]), labels[drawn])
