"""What engines for conditions that are sets of codes take and give back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.kernels.boxes import Rows
    from picrules.kernels.judge import Judge
    from picrules.kernels.threads import Watch


@dataclass(frozen=True, slots=True)
class BoxRules:
    """Rules whose conditions are sets of codes, with their class counts.

    Attributes
    ----------
    lengths : int64 array of shape (n_rules,)
        Number of conditions; 0 where there is no rule.
    features : int64 array of shape (n_rules, max_length)
        Their features, in column order, then -1.
    positions : int64 array of shape (n_rules, max_length)
        Which condition of each feature, then -1.
    counts : int64 array of shape (n_rules, n_classes)
        Class counts of the cover, among all training rows.
    """

    lengths: NDArray[np.int64]
    features: NDArray[np.int64]
    positions: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def empty(cls, n_rules: int, max_length: int, n_classes: int) -> BoxRules:
        """Return rules without conditions."""
        return cls(
            np.zeros(n_rules, np.int64),
            np.full((n_rules, max_length), -1, np.int64),
            np.full((n_rules, max_length), -1, np.int64),
            np.zeros((n_rules, n_classes), np.int64),
        )

    def take(self, places: NDArray[np.int64]) -> BoxRules:
        """Return some of the rules, or one several times."""
        return BoxRules(
            self.lengths[places],
            self.features[places],
            self.positions[places],
            self.counts[places],
        )

    def put(self, places: NDArray[np.int64], rules: BoxRules) -> None:
        """Write rules, which may be shorter, over some of these."""
        width = rules.features.shape[1]
        self.lengths[places], self.counts[places] = rules.lengths, rules.counts
        self.features[places, :width] = rules.features
        self.positions[places, :width] = rules.positions


class Found(ABC):
    """The best score of each row and class, and the rules that have them.

    Attributes
    ----------
    scores : float64 array of shape (n_rows, n_classes)
        -inf where no rule for the class covers the row.
    """

    scores: NDArray[np.float64]

    @abstractmethod
    def rules(self, rows: NDArray[np.int64], labels: NDArray[np.int64]) -> BoxRules:
        """Return the best rules of some rows for some classes.

        Parameters
        ----------
        rows : int64 array of shape (n_rules,)
            The rows.
        labels : int64 array of shape (n_rules,)
            The class that each asks about.

        Returns
        -------
        BoxRules
            One rule a pair.
        """


class BoxEngine(Protocol):
    """A way to score boxes; all engines find the same scores and rules, to the bit.

    Attributes
    ----------
    kernels : tuple
        The compiled functions one of which a search calls.
    """

    kernels: tuple[Any, ...]

    def raise_scores(
        self,
        asked: Rows,
        judge: Judge,
        length: int,
        best: NDArray[np.float64],
        n_threads: int,
        watch: Watch | None = None,
    ) -> None:
        """Raise the best scores over all rules of one length.

        Parameters
        ----------
        asked : Rows
            The rows that ask; their labels are the classes to leave out, or -1.
        judge : Judge
            How rules are scored.
        length : int
            The length of the rules.
        best : float64 array of shape (n_rows, n_classes, n_settings)
            Best scores so far, raised.
        n_threads : int
            How many threads share the work.
        watch : Watch or None
            Told what is done; can stop the search.
        """
        ...

    def search(
        self,
        asked: Rows,
        judge: Judge,
        max_length: int,
        n_threads: int,
        watch: Watch | None = None,
    ) -> Found:
        """Find the best rule of each row and class, by the only setting of the judge.

        Parameters
        ----------
        asked : Rows
            As in `raise_scores`.
        judge : Judge
            How rules are scored, with one setting.
        max_length : int
            The longest rules that are looked at.
        n_threads : int
            How many threads share the work.
        watch : Watch or None
            As in `raise_scores`.

        Returns
        -------
        Found
            The best scores, and the rules on demand.
        """
        ...
