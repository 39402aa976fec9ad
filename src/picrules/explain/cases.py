"""Rows that a model was asked about: what it found, and what more can be asked about each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.engines.found import Rules
from picrules.explain.evidence import Evidence, find_evidence
from picrules.explain.explanation import Explanation, Overruled
from picrules.explain.scored_rule import ScoredRule
from picrules.explain.search_trace import Level, SearchTrace
from picrules.model.ranked import Ranked, rank_rules, trace_search
from picrules.rules.rule import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.model.model import Answer, Model
    from picrules.rules.text import Value

# Rows whose contrast is found at once.
BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Details:
    """What an explanation tells beside the rule, the evidence and the contrast."""

    top: int = 0  # how many of the best rules, whatever their class
    max_overlap: float = 1.0  # how much two of them may cover the same rows
    trace: bool = False  # whether to tell the search


class Cases:
    """Rows that a model was asked about; all is found when it is first looked at.

    Rows that are alike are one case: `numbers` tells the case of each row.
    """

    def __init__(self, model: Model, answer: Answer, details: Details) -> None:
        self.model, self.details = model, details
        self._asked, self.numbers, self._found = answer.asked, answer.numbers, answer.found
        self.decisions = answer.decisions
        self._block: tuple[int, Rules, NDArray[np.float64]] | None = None
        self._tops: dict[int, tuple[ScoredRule, ...]] = {}
        self._traces: dict[int, SearchTrace] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def codes(self) -> NDArray[np.int32]:
        """The codes of the rows, of shape (n_features, n_rows)."""
        codes: NDArray[np.int32] = self._asked.codes[:, self.numbers]
        return codes

    def explain(self, row: int) -> Explanation:
        """Make the explanation of one row."""
        case, model = int(self.numbers[row]), self.model
        label = int(self.decisions.labels[case])
        score = self._found.scores[case, self.decisions.slots[case]]
        if score == -np.inf:
            score = model.score_empty(label, self._without_itself(model.class_sizes, row))
        scored = self.score_rule(self.rules, case, label, score, row)
        is_known = model.calibration is not None
        return Explanation(
            scored.rule,
            scored.score,
            scored.class_counts if scored.rule.length else scored.class_sizes,
            scored.class_sizes,
            scored.offset,
            confidence=float(self.probabilities[case, label]) if is_known else None,
            overruled=self._tell_overruled(case, label),
            source=(self, row),
        )

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each class, for each case."""
        return self.model.estimate(self._found, self.decisions)

    @cached_property
    def is_overruled(self) -> NDArray[np.bool_]:
        """Whether the class offsets decided, for each case."""
        labels, scores = self.decisions.labels, self._found.scores
        if not self.model.search.is_by_class:
            return np.zeros(len(labels), np.bool_)
        rows = np.arange(len(labels))
        return np.greater(scores[rows, self.decisions.ahead], scores[rows, labels])

    @cached_property
    def rules(self) -> Rules:
        """The rule of each distinct row."""
        return self._found.rules(np.arange(len(self.decisions.labels)), self.decisions.slots)

    @cached_property
    def _overruled(self) -> dict[int, Rules]:
        """The rules that lost by the offsets, by distinct row."""
        rows = np.flatnonzero(self.is_overruled)
        rules = self._found.rules(rows, self.decisions.ahead[rows])
        return {row: rules.take(np.array([at])) for at, row in enumerate(rows.tolist())}

    def _tell_overruled(self, case: int, label: int) -> Overruled | None:
        if not self.is_overruled[case]:
            return None
        ahead, offset = int(self.decisions.ahead[case]), self.model.offset
        return Overruled(
            self._rule_at(self._overruled[case], 0, ahead),
            float(self._found.scores[case, ahead]),
            float(offset[label] - offset[ahead]),
        )

    def find_evidence(self, rule: Rule, row: int) -> Evidence:
        """Find the training rows that a rule covers, those nearest to a row first."""
        case = self.numbers[row]
        left_out = row if self._asked.left_out[case] >= 0 else None
        return find_evidence(self.model, rule, self._asked.codes[:, case], left_out)

    def find_contrast(self, row: int) -> tuple[ScoredRule, ...]:
        """Find the best rule of a row for every class but the predicted one, best first."""
        (block, at), n_classes = divmod(int(self.numbers[row]), BLOCK), len(self.model.classes)
        if self._block is None or self._block[0] != block:
            stop = min((block + 1) * BLOCK, len(self.decisions.labels))
            self._block = (block, *self.rules_by_class(np.arange(block * BLOCK, stop)))
        _, rules, scores = self._block
        return tuple(
            self.score_rule(rules, at * n_classes + label, label, scores[at, label], row)
            for label in self.order_others(scores[at], row)
        )

    def order_others(self, scores: NDArray[np.float64], row: int) -> list[int]:
        """Return the classes but the predicted one that have a rule, the best rule first."""
        sizes = self._without_itself(self.model.class_sizes, row)
        order = np.lexsort((-sizes, -(scores + self.model.offset))).tolist()
        own = self.decisions.labels[self.numbers[row]]
        return [one for one in order if one != own and np.isfinite(scores[one])]

    def rules_by_class(self, cases: NDArray[np.int64]) -> tuple[Rules, NDArray[np.float64]]:
        """Return the best rule of some cases for each class, among those that were looked at.

        `n_cases * n_classes` rules, those of one case together; and their scores, of shape
        (n_cases, n_classes), -inf where a class has no rule.
        """
        n_classes = len(self.model.classes)
        labels = np.tile(np.arange(n_classes), len(cases))
        if self.model.search.is_by_class:
            return self._found.rules(np.repeat(cases, n_classes), labels), self._found.scores[cases]
        depths = self._depths[cases]
        rules = Rules.empty(len(labels), int(depths.max(initial=0)), n_classes)
        scores = np.full((len(cases), n_classes), -np.inf)
        for depth in np.unique(depths).tolist():
            own = np.flatnonzero(depths == depth)
            codes = np.ascontiguousarray(self._asked.codes[:, cases[own]])
            found = self.model.search_by_class(codes, depth)
            scores[own] = found.scores
            rows = np.repeat(np.arange(len(own)), n_classes)
            own_labels = labels[: len(rows)]
            rules.put(own[rows] * n_classes + own_labels, found.rules(rows, own_labels))
        return rules, scores

    @cached_property
    def _depths(self) -> NDArray[np.int64]:
        """Up to which length rules were looked at, for each distinct row."""
        search = self.model.search
        if search.is_greedy:  # it looks at one more length, and stops if that is no better
            return np.minimum(self.rules.lengths.astype(np.int64) + 1, search.max_length)
        return np.full(len(self.decisions.labels), search.max_length)

    def depth_of(self, row: int) -> int:
        """Return the length of the longest rules that were looked at for a row."""
        return int(self._depths[self.numbers[row]])

    def find_top(self, row: int) -> tuple[ScoredRule, ...]:
        """Find as many of the best rules of a row as are wanted, whatever their class."""
        if self.details.top == 0:
            return ()
        if row not in self._tops:
            top, max_overlap = self.details.top, self.details.max_overlap
            ranked = rank_rules(**self._question(row), top=top, max_overlap=max_overlap)
            self._tops[row] = tuple(self._ranked_rule(ranked, at, row) for at in range(len(ranked)))
        return self._tops[row]

    def find_trace(self, row: int) -> SearchTrace | None:
        """Tell how the best rule of a row is found, if that is wanted."""
        if not self.details.trace:
            return None
        if row in self._traces:
            return self._traces[row]
        trace = trace_search(**self._question(row))
        skipped = (trace.cannot_beat, trace.same_cover, trace.too_small)
        levels = []
        for at, counts in enumerate(zip(trace.possible, trace.looked_at, *skipped, strict=True)):
            has_rule = trace.best.rules.lengths[at] > 0
            best = self._ranked_rule(trace.best, at, row) if has_rule else None
            levels.append(Level(at + 1, *counts, best))
        self._traces[row] = SearchTrace(tuple(levels), len(levels) >= trace.longest)
        return self._traces[row]

    def _question(self, row: int) -> dict[str, Any]:
        """Return what a search for one row needs to know."""
        case, model = self.numbers[row], self.model
        return {
            "searcher": model.searcher,
            "codes": self._asked.codes[:, case],
            "setting": model.search.setting,
            "depth": self.depth_of(row),
            "offset": model.offset,
            "left_out": int(self._asked.left_out[case]),
            "is_class_first": model.search.is_by_class,
        }

    def _ranked_rule(self, ranked: Ranked, at: int, row: int) -> ScoredRule:
        return self.score_rule(ranked.rules, at, int(ranked.labels[at]), ranked.scores[at], row)

    def score_rule(self, rules: Rules, at: int, label: int, score: float, row: int) -> ScoredRule:
        """Return one of the rules that a search found for a row, with its numbers."""
        return ScoredRule(
            self._rule_at(rules, at, label),
            float(score),
            self._by_class(rules.counts[at], row),
            self._by_class(self.model.class_sizes, row),
            float(self.model.offset[label]),
        )

    def _rule_at(self, rules: Rules, at: int, label: int) -> Rule:
        length = int(rules.lengths[at])
        features, positions = rules.features[at, :length], rules.positions[at, :length]
        conditions = map(self.model.conditions.condition, features.tolist(), positions.tolist())
        return Rule(tuple(conditions), self.model.classes[label])

    def _by_class(self, counts: NDArray[np.int64], row: int) -> dict[Value, int]:
        counts = self._without_itself(counts, row)
        return dict(zip(self.model.classes, counts.tolist(), strict=True))

    def _without_itself(self, counts: NDArray[np.int64], row: int) -> NDArray[np.int64]:
        """Take a row off class counts if it is left out."""
        label = self._asked.left_out[self.numbers[row]]
        if label >= 0:
            counts = counts.copy()
            counts[label] -= 1
        return counts
