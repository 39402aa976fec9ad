"""PIC and fPIC as explanations see them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from picrules.encoding.conditions import CellConditions
from picrules.engines.base import TrainingTable
from picrules.engines.box_searcher import BoxSearcher
from picrules.engines.searcher import Searcher
from picrules.explain.cell_explanations import CellExplanations
from picrules.explain.model import Answers, Model
from picrules.kernels.boxes import Rows
from picrules.scoring.settings import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.schema import Schema
    from picrules.kernels.best import Best
    from picrules.rules.text import Value


@dataclass(eq=False)
class PaperModel(Model):
    """A fitted `PICClassifier` or `FPICClassifier`.

    Attributes
    ----------
    classes : list
        The classes.
    schema : Schema
        The features.
    rule_searcher : Searcher
        Finds the best rule of each row.
    n_threads : int
        How many threads share the work.
    """

    is_class_first: ClassVar[bool] = False

    classes: list[Value]
    schema: Schema
    rule_searcher: Searcher
    n_threads: int = 1

    @cached_property
    def conditions(self) -> CellConditions:  # type: ignore[override]
        """The conditions that rules are made of."""
        return CellConditions(self.schema)

    @property
    def setting(self) -> Setting:  # type: ignore[override]
        """How rules are scored."""
        return Setting("precision", self.rule_searcher.search.alpha, 0.0)

    @property
    def offset(self) -> NDArray[np.float64]:  # type: ignore[override]
        """What is added to the scores of each class: nothing."""
        return np.zeros(len(self.classes))

    @property
    def training(self) -> Rows:
        """The training rows."""
        table = self.rule_searcher.table
        return Rows(table.codes, table.labels)

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """Training rows of each class."""
        return self.rule_searcher.table.class_sizes

    @cached_property
    def searcher(self) -> BoxSearcher:  # type: ignore[override]
        """Finds the best rule of each class, for the features that have conditions."""
        codes, labels = self.training
        searcher = self.rule_searcher
        return BoxSearcher(
            Rows(np.ascontiguousarray(codes[self.conditions.features]), labels),
            self.conditions.sets,
            self.class_sizes,
            np.ones(len(self.classes)),
            1,
            searcher.engine,
            searcher.memory_limit,
        )

    @property
    def places(self) -> Sequence[int]:
        """Positions in the table of the features that codes are of: all."""
        return range(len(self.schema.features))

    def condition_codes(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the codes of the features that have conditions (see `Model`)."""
        return codes[self.conditions.features]

    def find(self, codes: NDArray[np.int32], report: Callable[[float], None] | None = None) -> Best:
        """Find the best rule of each row."""
        return self.rule_searcher.best_rules(codes, self.n_threads, report)

    def answer(
        self, codes: NDArray[np.int32], report: Callable[[float], None] | None = None
    ) -> Answers:
        """Predict rows (see `Model`)."""
        best = self.find(codes, report)
        return Answers(best.labels, best.scores)

    def explain(
        self, codes: NDArray[np.int32], report: Callable[[float], None] | None = None
    ) -> CellExplanations:
        """Predict rows, with reasons (see `Model`)."""
        best, search = self.find(codes, report), self.rule_searcher.search
        depths = np.full(codes.shape[1], search.max_length)
        if search.is_greedy:  # it looks at one more length, and stops if that is no better
            depths = np.minimum(best.lengths + 1, search.max_length)
        return CellExplanations(self, codes, best, depths)

    def trained_on(self, training: Rows) -> PaperModel:
        """Return the model that other training rows give (see `Model`)."""
        table, searcher = self.rule_searcher.table, self.rule_searcher
        sizes = np.bincount(training.labels, minlength=len(self.classes))
        # A class without rows has no rule; a size of 1 lets its recall be 0.
        sizes = np.maximum(sizes, 1).astype(np.int64)
        other = TrainingTable(training.codes, training.labels, table.n_codes, sizes, table.names)
        rule_searcher = Searcher(
            other, searcher.search, searcher.engine, searcher.memory_limit, is_reused=False
        )
        return replace(self, rule_searcher=rule_searcher)
