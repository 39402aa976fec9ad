"""`PersonalRuleClassifier` as explanations see it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from picrules.engines.box_searcher import BoxSearcher
from picrules.estimators.offset import decide
from picrules.explain.box_explanations import BoxExplanations, Decision
from picrules.explain.model import Answers, Model
from picrules.kernels.boxes import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.engines.boxes import Found
    from picrules.estimators.calibration import Calibration
    from picrules.rules.text import Value
    from picrules.scoring.settings import Setting


@dataclass(eq=False)
class PersonalModel(Model):
    """A fitted `PersonalRuleClassifier`.

    Attributes
    ----------
    classes : list
        The classes.
    conditions : Conditions
        The conditions that rules are made of.
    searcher : BoxSearcher
        Finds the best rule of each row and class.
    setting : Setting
        How rules are scored.
    max_length : int
        The longest rules.
    offset : float64 array of shape (n_classes,)
        What is added to the scores of each class.
    calibration : Calibration
        How often predictions are right.
    n_threads : int
        How many threads share the work.
    """

    is_class_first: ClassVar[bool] = True

    classes: list[Value]
    conditions: Conditions
    searcher: BoxSearcher
    setting: Setting
    max_length: int
    offset: NDArray[np.float64]
    calibration: Calibration
    n_threads: int = 1

    @property
    def training(self) -> Rows:
        """The training rows."""
        return self.searcher.training

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """Training rows of each class."""
        return self.searcher.class_sizes

    @property
    def places(self) -> Sequence[int]:
        """Positions in the table of the features that codes are of: those with conditions."""
        places: list[int] = self.conditions.features.tolist()
        return places

    def condition_codes(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the codes of the features that have conditions (see `Model`): all."""
        return codes

    def find(
        self, codes: NDArray[np.int32], report: Callable[[float], None] | None = None
    ) -> Found:
        """Find the best rule of each row and class."""
        return self.searcher.search(codes, self.setting, self.max_length, self.n_threads, report)

    def answer(
        self, codes: NDArray[np.int32], report: Callable[[float], None] | None = None
    ) -> Answers:
        """Predict rows (see `Model`)."""
        values = self.find(codes, report).scores + self.offset
        return Answers(decide(values, self.class_sizes), values.max(axis=1))

    def probabilities(
        self, codes: NDArray[np.int32], report: Callable[[float], None] | None = None
    ) -> NDArray[np.float64]:
        """Estimate the probability of each class."""
        values = self.find(codes, report).scores + self.offset
        labels = decide(values, self.class_sizes)
        return self.calibration.probabilities(values, labels, self.class_sizes)

    def explain(
        self, codes: NDArray[np.int32], report: Callable[[float], None] | None = None
    ) -> BoxExplanations:
        """Predict rows, with reasons (see `Model`)."""
        nobody = np.full(codes.shape[1], -1, np.int64)
        return self._explain(self.find(codes, report), Rows(codes, nobody), None)

    def leave_one_out(self, report: Callable[[float], None] | None = None) -> BoxExplanations:
        """Explain every training row by what the others say about it."""
        found = self.searcher.leave_one_out(self.setting, self.max_length, self.n_threads, report)
        return self._explain(found, self.training, self.training.labels)

    def trained_on(self, training: Rows) -> PersonalModel:
        """Return the model that other training rows give (see `Model`)."""
        searcher = self.searcher
        sizes = np.bincount(training.labels, minlength=len(self.classes)).astype(np.int64)
        other = BoxSearcher(
            training, searcher.sets, sizes, searcher.class_weights, searcher.min_cover,
            searcher.engine, searcher.memory_limit, is_reused=False,
        )  # fmt: skip
        return replace(self, searcher=other)

    def _explain(
        self, found: Found, asked: Rows, left_out: NDArray[np.int64] | None
    ) -> BoxExplanations:
        values = found.scores + self.offset
        labels = decide(values, self.class_sizes, left_out)
        confidences = self.calibration.probabilities(values, labels, self.class_sizes)
        decision = Decision(
            labels,
            decide(found.scores, self.class_sizes, left_out),
            confidences[np.arange(len(labels)), labels],
        )
        return BoxExplanations(self, asked, found, decision, self.max_length)
