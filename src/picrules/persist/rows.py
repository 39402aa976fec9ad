"""Training rows in a model file: codes and labels, and the checks that engines rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.errors import BadModelFile
from picrules.persist.fields import is_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from picrules.persist.fields import Fields

Arrays = dict[str, "NDArray[Any]"]


def read_sizes(fields: Fields, n_rows: int, n_classes: int) -> NDArray[np.int64]:
    """Read how many training rows each class has."""
    sizes = fields.items("class_sizes", lambda size: is_whole(size) and size > 0, "counts")
    if sum(sizes) != n_rows or len(sizes) != n_classes:
        raise BadModelFile("its class_sizes are not one count a class that add up to n_rows")
    return np.array(sizes, np.int64)


def check_rows(
    arrays: Arrays,
    names: Sequence[str],
    n_codes: NDArray[np.int64],
    class_sizes: NDArray[np.int64],
) -> None:
    """Refuse codes and labels that stand for nothing.

    Parameters
    ----------
    arrays : dict
        The codes, one row a feature, and the labels.
    names : sequence of str
        The names of the features.
    n_codes : int64 array of shape (n_features,)
        How many codes each feature has.
    class_sizes : int64 array of shape (n_classes,)
        How many rows each class must have.
    """
    codes, labels = arrays["codes"], arrays["labels"]
    for name, row, count in zip(names, codes, n_codes, strict=True):
        if row.min() < -1 or row.max() >= count:
            raise BadModelFile(
                f"the codes of {name!r} reach from {row.min()} to {row.max()}; "
                f"-1 to {count - 1} are expected"
            )
    n_classes = len(class_sizes)
    if labels.min() < 0 or labels.max() >= n_classes:
        raise BadModelFile(
            f"the labels reach from {labels.min()} to {labels.max()}; 0 to {n_classes - 1} "
            "are expected"
        )
    if not np.array_equal(np.bincount(labels, minlength=n_classes), class_sizes):
        raise BadModelFile("its class_sizes are not those of its labels")
