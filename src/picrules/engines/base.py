"""What is asked of engines, and what every engine offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.engines.found import Found
    from picrules.engines.threads import Watch
    from picrules.engines.training import Training
    from picrules.kernels.boxes import Sets
    from picrules.kernels.counting import Asked
    from picrules.kernels.scorer import Scorer
    from picrules.scoring.settings import Setting


# A greedy search seldom goes past this length, whatever it may do.
USUAL_GREEDY_LENGTH = 4


@dataclass(frozen=True, slots=True)
class Alike:
    """Which training rows are taken for look-alikes of a row: those in a box around it."""

    widths: tuple[float, ...]  # how far each feature's step reaches on its scale; 0: it has no side
    is_ordered: tuple[bool, ...]  # whether a feature's codes have an order; else they must be equal
    least: int  # rows that a box must hold, where it can


@dataclass(frozen=True, slots=True)
class Search:
    """Which rules are looked at, and how they are scored."""

    setting: Setting
    max_length: int
    # Whether to stop at the first length whose best rule does not beat the best shorter one (the
    # paper's PIC), or to look at every length.
    is_greedy: bool = False
    # Whether the best rule for each class is wanted, or the best one whatever its class.
    is_by_class: bool = False
    # The features that rules may speak of; None for all.
    features: tuple[int, ...] | None = None
    # Where rules come from the look-alikes of a row, who they are; else all rules are looked at.
    alike: Alike | None = None

    @property
    def usual_length(self) -> int:
        """The length that a search usually reaches."""
        return min(self.max_length, USUAL_GREEDY_LENGTH) if self.is_greedy else self.max_length


@dataclass(frozen=True, slots=True)
class Task:
    """The work that an engine estimates its memory and time for."""

    training: Training
    sets: Sets
    search: Search
    n_asked: int
    n_threads: int = 1
    n_omissions: int = 1  # ways to leave a row out
    n_settings: int = 1

    @property
    def max_length(self) -> int:
        """The longest rules there can be."""
        return min(self.search.max_length, self.training.n_features)


@dataclass(frozen=True, slots=True)
class Question:
    """Rows that an engine is asked about, and how."""

    asked: Asked
    scorer: Scorer
    search: Search
    n_threads: int = 1
    watch: Watch | None = None  # told what is done; can stop the search

    @property
    def is_stopped(self) -> NDArray[np.uint8]:
        """What kernels look at, to end early when it is set."""
        return np.zeros(1, np.uint8) if self.watch is None else self.watch.is_stopped


class Engine(Protocol):
    """A way to count covers; all engines find the same rules, to the bit."""

    name: ClassVar[str]
    kernels: ClassVar[tuple[Any, ...]]  # compiled functions, one of which a search calls
    is_by_row: ClassVar[bool]  # whether the work for a row is its own, or the same for any number

    def __init__(self, training: Training, sets: Sets, kept_bytes: float) -> None:
        """Prepare the training rows; up to that many bytes may be kept for later searches."""

    @staticmethod
    def bytes_needed(task: Task) -> int:
        """Estimate the memory that a task takes."""

    @staticmethod
    def seconds(task: Task) -> float:
        """Estimate the time that a task takes with one thread."""

    @staticmethod
    def row_bytes(task: Task) -> int:
        """Estimate the memory that the state of each row that asks takes, in all threads."""

    @staticmethod
    def keep_seconds(task: Task) -> float:
        """Estimate how long `keep` takes; infinite where nothing can be kept."""

    def keep(self, question: Question) -> bool:
        """Keep what makes later searches of that kind quick; return whether it is there."""

    def search(self, question: Question) -> Found:
        """Find the best rules of rows by the only setting of the scorer."""

    def raise_scores(self, question: Question, length: int, best: NDArray[np.float64]) -> None:
        """Raise the best scores of rows and classes over all rules of one length.

        `best` has the shape (n_rows, n_classes, n_settings) and holds those of all shorter rules.
        """
