"""What every engine takes and gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.kernels.best import Best
    from picrules.kernels.threads import Watch


@dataclass(frozen=True, slots=True)
class Search:
    """Which rules are looked at, and how they are scored.

    Attributes
    ----------
    alpha : float
        Weight of precision in the score; recall has the rest.
    max_length : int
        The longest rules that are looked at.
    is_greedy : bool
        Whether to stop at the first length whose best rule does not beat the best shorter
        one (the paper's PIC), or to look at every length (its fPIC).
    """

    alpha: float
    max_length: int
    is_greedy: bool


@dataclass(frozen=True, slots=True)
class TrainingTable:
    """The training rows as codes.

    Attributes
    ----------
    codes : int32 array of shape (n_features, n_rows)
        -1 is missing.
    labels : int64 array of shape (n_rows,)
        Positions in `classes_`.
    n_codes : int64 array of shape (n_features,)
        How many codes each feature has.
    class_sizes : int64 array of shape (n_classes,)
        How many rows each class has.
    names : tuple of str
        The names of the features, for messages.
    """

    codes: NDArray[np.int32]
    labels: NDArray[np.int64]
    n_codes: NDArray[np.int64]
    class_sizes: NDArray[np.int64]
    names: tuple[str, ...] = ()

    @property
    def n_features(self) -> int:
        """How many features there are."""
        return int(self.codes.shape[0])

    @property
    def n_rows(self) -> int:
        """How many training rows there are."""
        return int(self.codes.shape[1])

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.class_sizes.shape[0])

    @property
    def class_order(self) -> NDArray[np.int64]:
        """Labels in the order that wins ties: the more frequent class, then the first."""
        return np.argsort(-self.class_sizes, kind="stable")


class Engine(Protocol):
    """A way to count covers; all engines find the same rules, to the bit.

    Attributes
    ----------
    kernels : tuple
        The compiled functions one of which a search calls.
    """

    kernels: tuple[Any, ...]

    def best_rules(
        self,
        queries: NDArray[np.int32],
        search: Search,
        n_threads: int,
        watch: Watch | None = None,
    ) -> Best:
        """Find the best rule of each row.

        Parameters
        ----------
        queries : int32 array of shape (n_features, n_rows)
            Codes of the rows to classify; -1 is missing.
        search : Search
            Which rules are looked at.
        n_threads : int
            How many threads share the work.
        watch : Watch or None
            Told what is done; can stop the search.

        Returns
        -------
        kernels.best.Best
            Arrays with one entry a row; length 0 where no rule covers the row.
        """
        ...
