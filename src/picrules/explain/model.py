"""A fitted estimator as explanations see it: codes in, rules out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import CategoryFeature, NumberFeature
    from picrules.engines.box_searcher import BoxSearcher
    from picrules.engines.boxes import Found
    from picrules.explain.explanations import Explanations
    from picrules.kernels.boxes import Rows
    from picrules.rules.text import Value
    from picrules.scoring.settings import Setting


@dataclass(frozen=True, slots=True)
class Answers:
    """What a model predicts, without the reasons.

    Attributes
    ----------
    labels : int64 array of shape (n_rows,)
        The predicted classes.
    values : float64 array of shape (n_rows,)
        The score of each row's rule plus the offset of its class.
    """

    labels: NDArray[np.int64]
    values: NDArray[np.float64]


class Model(ABC):
    """A fitted estimator as explanations see it: codes in, rules out.

    Codes have one row for each feature in `features`, and one column for each row of a table.

    Attributes
    ----------
    classes : list
        The classes.
    conditions : Conditions
        The conditions that rules are made of; their schema says what codes stand for.
    searcher : BoxSearcher
        Finds the best rule of each class, for the features that have conditions.
    setting : Setting
        How rules are scored.
    offset : float64 array of shape (n_classes,)
        What is added to the scores of each class.
    n_threads : int
        How many threads share the work.
    is_class_first : bool
        What settles a tie of rules for different classes: True for the class, False for the
        rule's length and features.
    """

    is_class_first: ClassVar[bool]
    classes: list[Value]
    conditions: Conditions
    searcher: BoxSearcher
    setting: Setting
    offset: NDArray[np.float64]
    n_threads: int

    @property
    @abstractmethod
    def training(self) -> Rows:
        """The training rows."""

    @property
    @abstractmethod
    def class_sizes(self) -> NDArray[np.int64]:
        """Training rows of each class."""

    @property
    @abstractmethod
    def places(self) -> Sequence[int]:
        """Positions in the table of the features that codes are of."""

    @property
    def features(self) -> list[CategoryFeature | NumberFeature]:
        """The features that codes are of."""
        return [self.conditions.schema.features[place] for place in self.places]

    def encode(self, columns: list[Column]) -> NDArray[np.int32]:
        """Return the codes of a table."""
        codes: NDArray[np.int32] = self.conditions.schema.encode(columns)[list(self.places)]
        return codes

    @abstractmethod
    def condition_codes(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the codes of the features that have conditions, for `searcher`."""

    def search(self, codes: NDArray[np.int32], max_length: int) -> Found:
        """Find the best rule of each row for each class.

        Parameters
        ----------
        codes : int32 array of shape (n_features, n_rows)
            The rows, with the features that have conditions only.
        max_length : int
            The longest rules that are looked at.

        Returns
        -------
        Found
            The best scores, and the rules on demand.
        """
        return self.searcher.search(codes, self.setting, max_length, self.n_threads)

    @abstractmethod
    def answer(
        self, codes: NDArray[np.int32], report: Callable[[float], None] | None = None
    ) -> Answers:
        """Predict rows."""

    @abstractmethod
    def explain(
        self, codes: NDArray[np.int32], report: Callable[[float], None] | None = None
    ) -> Explanations:
        """Predict rows, with reasons."""

    @abstractmethod
    def trained_on(self, training: Rows) -> Model:
        """Return the model that other training rows give, with the same settings.

        It is made to be asked once: it keeps nothing that later questions would be faster by.

        Parameters
        ----------
        training : Rows
            Other training rows, with the codes of this model. A class may be missing.

        Returns
        -------
        Model
            Has the same conditions, setting and offset.
        """
