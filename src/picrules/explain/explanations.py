"""One explanation a row, made when it is looked at."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from picrules.engines.ranked import rank_rules, trace_search
from picrules.explain.details import Details
from picrules.explain.evidence import find_evidence
from picrules.explain.scored_rule import ScoredRule
from picrules.explain.search_trace import Level, SearchTrace
from picrules.explain.tabular import Tabular
from picrules.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from picrules.engines.boxes import BoxRules
    from picrules.engines.ranked import Ranked
    from picrules.explain.evidence import Evidence
    from picrules.explain.explanation import Explanation
    from picrules.explain.model import Model
    from picrules.kernels.boxes import Rows
    from picrules.rules.text import Value

# Columns of `to_frame`.
COLUMNS = (
    "prediction", "confidence", "rule", "length", "score", "cover_size", "hits", "precision",
    "lower", "upper", "recall", "lift",
)  # fmt: skip

# Rows whose contrast is found at once.
BLOCK = 1024


class Explanations(Tabular, Sequence["Explanation"]):
    """One explanation a row, made when it is looked at.

    Parameters
    ----------
    model : Model
        What the rows were asked of.
    asked : Rows
        The codes of the rows. Their labels are the classes of training rows that are left
        out, each from its own explanation, or -1.
    """

    def __init__(self, model: Model, asked: Rows) -> None:
        self.model, self.asked = model, asked
        self.details = Details()
        self._block: tuple[int, BoxRules, NDArray[np.float64]] | None = None

    def __len__(self) -> int:
        return int(self.asked.codes.shape[1])

    @overload
    def __getitem__(self, position: int) -> Explanation: ...

    @overload
    def __getitem__(self, position: slice) -> list[Explanation]: ...

    def __getitem__(self, position: int | slice) -> Explanation | list[Explanation]:
        rows = range(len(self))[position]
        return (
            self._explain(rows) if isinstance(rows, int) else [self._explain(row) for row in rows]
        )

    @abstractmethod
    def _explain(self, row: int) -> Explanation:
        """Make the explanation of one row."""

    @property
    @abstractmethod
    def labels(self) -> NDArray[np.int64]:
        """The predicted classes."""

    @property
    @abstractmethod
    def confidences(self) -> NDArray[np.float64]:
        """The probability of each row's predicted class, as `predict_proba` gives it."""

    @property
    def is_overruled(self) -> NDArray[np.bool_]:
        """Whether the class offsets decided, against a rule that scores higher."""
        return np.zeros(len(self), np.bool_)

    @abstractmethod
    def rules_by_class(self, rows: NDArray[np.int64]) -> tuple[BoxRules, NDArray[np.float64]]:
        """Return the best rule of some rows for each class, among those that were looked at.

        Parameters
        ----------
        rows : int64 array of shape (n_rows,)
            The rows.

        Returns
        -------
        tuple
            `n_rows * n_classes` rules, those of one row together; and their scores, of shape
            (n_rows, n_classes), -inf where a class has no rule.
        """

    @abstractmethod
    def depth_of(self, row: int) -> int:
        """Return the length of the longest rules that were looked at for a row."""

    @abstractmethod
    def _keys(self) -> NDArray[np.int64]:
        """Write the rule of each row as numbers."""

    def distinct(self) -> tuple[list[Explanation], NDArray[np.int64]]:
        """Return an explanation for each different rule, and the place of each row among them."""
        _, first, places = np.unique(self._keys(), axis=0, return_index=True, return_inverse=True)
        return [self._explain(row) for row in first.tolist()], places.reshape(-1)

    def find_evidence(self, rule: Rule, row: int) -> Evidence:
        """Find the training rows that a rule covers, those nearest to a row first."""
        is_left_out = self.asked.labels[row] >= 0
        codes = self.asked.codes[:, row]
        return find_evidence(self.model, rule, codes, row if is_left_out else None)

    def find_contrast(self, row: int) -> tuple[ScoredRule, ...]:
        """Find the best rule of a row for every class but the predicted one."""
        rules, scores = self._contrast_of_block(row // BLOCK)
        n_classes, place = len(self.model.classes), row % BLOCK
        return tuple(
            self.score_box(rules, place * n_classes + label, label, scores[place, label], row)
            for label in self.order_others(scores[place], row)
        )

    def order_others(self, scores: NDArray[np.float64], row: int) -> list[int]:
        """Return the classes but the predicted one that have a rule, the best rule first."""
        sizes = self.without_itself(self.model.class_sizes, row)
        order = np.lexsort((-sizes, -(scores + self.model.offset))).tolist()
        return [one for one in order if one != self.labels[row] and np.isfinite(scores[one])]

    def find_top(self, row: int) -> tuple[ScoredRule, ...]:
        """Find as many of the best rules of a row as are wanted, whatever their class."""
        if self.details.top == 0:
            return ()
        ranked = rank_rules(
            **self._question(row), top=self.details.top, max_overlap=self.details.max_overlap
        )
        return tuple(self._ranked_rule(ranked, place, row) for place in range(len(ranked)))

    def find_trace(self, row: int) -> SearchTrace | None:
        """Tell how the best rule of a row is found, if that is wanted."""
        if not self.details.trace:
            return None
        trace = trace_search(**self._question(row))
        counted = zip(
            trace.possible,
            trace.looked_at,
            trace.cannot_beat,
            trace.same_cover,
            trace.too_small,
            strict=True,
        )
        levels = tuple(
            Level(place + 1, *counts, self._best_so_far(trace.best, place, row))
            for place, counts in enumerate(counted)
        )
        return SearchTrace(levels, len(levels) >= trace.longest)

    def _question(self, row: int) -> dict[str, Any]:
        """Return what a search for one row needs to know."""
        return {
            "searcher": self.model.searcher,
            "codes": self.model.condition_codes(self.asked.codes[:, row]),
            "setting": self.model.setting,
            "depth": self.depth_of(row),
            "offset": self.model.offset,
            "left_out": int(self.asked.labels[row]),
            "is_class_first": self.model.is_class_first,
        }

    def _ranked_rule(self, ranked: Ranked, place: int, row: int) -> ScoredRule:
        label, score = int(ranked.labels[place]), float(ranked.scores[place])
        return self.score_box(ranked.rules, place, label, score, row)

    def _best_so_far(self, best: Ranked, place: int, row: int) -> ScoredRule | None:
        return self._ranked_rule(best, place, row) if best.rules.lengths[place] else None

    def _contrast_of_block(self, block: int) -> tuple[BoxRules, NDArray[np.float64]]:
        kept = self._block
        if kept is None or kept[0] != block:
            rows = np.arange(block * BLOCK, min((block + 1) * BLOCK, len(self)))
            kept = (block, *self.rules_by_class(rows))
            self._block = kept
        return kept[1], kept[2]

    def score_box(
        self, rules: BoxRules, place: int, label: int, score: float, row: int
    ) -> ScoredRule:
        """Return one of the rules that a search found, with its numbers."""
        counts = self.without_itself(rules.counts[place], row)
        return ScoredRule(
            self.rule_at(rules, place, label),
            float(score),
            dict(zip(self.model.classes, counts.tolist(), strict=True)),
            self.class_sizes_of(row),
            float(self.model.offset[label]),
        )

    def rule_at(self, rules: BoxRules, place: int, label: int) -> Rule:
        """Return one of the rules that a search found."""
        length = int(rules.lengths[place])
        pairs = zip(rules.features[place, :length], rules.positions[place, :length], strict=True)
        conditions = (
            self.model.conditions.condition(int(feature), int(position))
            for feature, position in pairs
        )
        return Rule(tuple(conditions), self.model.classes[label])

    def class_sizes_of(self, row: int) -> dict[Value, int]:
        """Return the training rows of each class, without the row itself if it is left out."""
        sizes = self.without_itself(self.model.class_sizes, row)
        return dict(zip(self.model.classes, sizes.tolist(), strict=True))

    def without_itself(self, counts: NDArray[np.int64], row: int) -> NDArray[np.int64]:
        """Take a row off class counts if it is left out."""
        label = self.asked.labels[row]
        if label >= 0:
            counts = counts.copy()
            counts[label] -= 1
        return counts

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        return COLUMNS, (explanation.to_row() for explanation in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Explanations) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def _repr_html_(self) -> str:
        """Return the first few cards for notebooks."""
        # Pictures lie above what they draw: docs/decisions/layers.md
        from picrules.reports.card import CARDS_SHOWN, draw_cards  # noqa: PLC0415

        shown = [explanation.to_dict() for explanation in self[:CARDS_SHOWN]]
        return draw_cards(shown, len(self) - len(shown))

    def __repr__(self) -> str:
        return f"<{len(self)} explanations>"

    def __str__(self) -> str:
        return "\n".join(str(explanation) for explanation in self)
