"""Rows that a model was asked about: what it found, and what more can be asked about each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.row import format_cell, plain_cell
from picrules.engines.found import Rules
from picrules.explain.by_cost import ByCost
from picrules.explain.contributions import Contribution, count_parts
from picrules.explain.evidence import Evidence, find_evidence
from picrules.explain.explanation import Explanation, Overruled
from picrules.explain.look_alikes import LookAlikes
from picrules.explain.scorecard import POINTS, Scorecard, ScorecardLine
from picrules.explain.scored_rule import ScoredRule
from picrules.explain.search_trace import Level, SearchTrace
from picrules.explain.silent import Cells, Silent, find_silent, take_cell
from picrules.explain.simplified import Simplified, find_shorter
from picrules.explain.tabular import Results
from picrules.model.between import find_leading
from picrules.model.calibration import interval_of, is_covered
from picrules.model.costs import expect_costs
from picrules.model.decision import decide
from picrules.model.ranked import Ranked, limit_depth, rank_rules, trace_search
from picrules.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from picrules.engines.found import Found
    from picrules.model.model import Answer, Estimate, Member, Model
    from picrules.rules.text import Value

# Rows whose contrast, scorecard or look-alikes are found at once.
BLOCK = 1024

# Where rules come from look-alikes, the best of all short ones are listed: of at most this length,
# and of fewer conditions where more than so many rules cover the row.
TOP_LENGTH, MOST_LISTED = 2, 5_000_000


@dataclass(frozen=True, slots=True)
class Details:
    """What an explanation tells beside the rule, the evidence and the contrast."""

    top: int = 0  # how many of the best rules, whatever their class
    max_overlap: float = 1.0  # how much two of them may cover the same rows
    trace: bool = False  # whether to tell the search
    simplify: float = 0.0  # how much precision may be given for a shorter rule


@dataclass(frozen=True, slots=True)
class Weighed:
    """The rules that decide about some cases together; arrays with one entry per case."""

    rivals: NDArray[np.int64]  # the class with the second highest sum
    offset_points: NDArray[np.float64]
    # By member: points, and for the class that they speak for rules and scores.
    members: list[tuple[NDArray[np.float64], NDArray[np.int64], Rules, NDArray[np.float64]]]
    # Which of the leading two is put behind, if it is neither the predicted class nor the rival.
    behind: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Around:
    """The boxes around some cases that hold their look-alikes; arrays with one entry per case."""

    counts: NDArray[np.int64]  # (n_cases, n_classes): with a row that is left out
    n_sides: NDArray[np.int64]


class Cases:
    """Rows that a model was asked about; all is found when it is first looked at.

    Rows that are alike are one case: `numbers` tells the case of each row.
    """

    def __init__(
        self,
        model: Model,
        answer: Answer,
        details: Details,
        cells: Cells | None = None,
    ) -> None:
        self.model, self.details, self._cells = model, details, cells
        self._asked, self.numbers, self._found = answer.asked, answer.numbers, answer.found
        self.decisions = answer.decisions
        self._blocks: dict[str, tuple[int, Any]] = {}
        self._tops: dict[int, Results[ScoredRule]] = {}
        self._traces: dict[int, SearchTrace] = {}
        self._shorter: dict[tuple[Rule, int], ScoredRule] = {}  # by rule and class left out

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def codes(self) -> NDArray[np.int32]:
        """The codes of the rows, of shape (n_features, n_rows)."""
        codes: NDArray[np.int32] = self._asked.codes[:, self.numbers]
        return codes

    @property
    def case_codes(self) -> NDArray[np.int32]:
        """The codes of the different rows, of shape (n_features, n_cases)."""
        codes: NDArray[np.int32] = self._asked.codes
        return codes

    @property
    def left_out(self) -> NDArray[np.int64]:
        """The class of the training row that does not count for each case, or -1."""
        left_out: NDArray[np.int64] = self._asked.left_out
        return left_out

    def explain(self, row: int) -> Explanation:
        """Make the explanation of one row."""
        case, model = int(self.numbers[row]), self.model
        label = int(self.decisions.labels[case])
        scored = self.score_rule(self.rules, case, label, self.scores[case], row)
        if scored.rule.length == 0:
            score = model.score_empty(label, self._without_itself(model.class_sizes, row))
            scored = replace(scored, score=score)
        confidence, interval = self._tell_confidence(case)
        scored, simplified = self._simplify(scored, row)
        is_whole = scored.rule.length > 0 and simplified is None
        return Explanation(
            scored.rule,
            scored.score,
            scored.class_counts if scored.rule.length else scored.class_sizes,
            scored.class_sizes,
            scored.offset,
            confidence=confidence,
            confidence_interval=interval,
            overruled=self._tell_overruled(case, label),
            proven_length=self._proven_length(row) if is_whole else None,
            is_learned=model.is_learned,
            silent=self.find_silent(row),
            simplified=simplified,
            by_cost=self._tell_by_cost(case, label),
            source=(self, row),
        )

    def find_silent(self, row: int) -> tuple[Silent, ...]:
        """Name the values that could not speak."""
        is_silent = (self._asked.codes[:, self.numbers[row]] < 0) & self.model.is_used
        if not is_silent.any():
            return ()
        return find_silent(self.model, np.flatnonzero(is_silent).tolist(), self._cells, row)

    def tell_cell(self, number: int, row: int) -> str | None:
        """Write the cell of a row in one of the model's features; None where it is not known.

        Rows that differ from the cells by a change have only the codes of what they hold.
        """
        if self._cells is None:
            return None
        column = take_cell(self.model, number, self._cells, row)
        feature = self.model.features[number]
        if feature.encode(column)[0] != self._asked.codes[number, self.numbers[row]]:
            return None
        return format_cell(plain_cell(feature, column))

    def _tell_confidence(self, case: int) -> tuple[float | None, tuple[float, float] | None]:
        """Return how often such predictions are right, and its interval, where they are known."""
        if not self.model.has_confidence:
            return None, None
        confidence, size = float(self.confidences[case]), self._estimate.sizes[case]
        return confidence, interval_of(confidence, float(size)) if size > 0 else None

    def _tell_by_cost(self, case: int, label: int) -> ByCost | None:
        """Tell what would be predicted without costs, if that is another class."""
        leading, costs = int(self.decisions.leading[case]), self.decisions.costs
        if costs is None or leading == label:
            return None
        expected = expect_costs(self.probabilities[[case]], costs)[0].tolist()
        probability = float(self.probabilities[case, leading])
        name = self.model.classes[leading]
        return ByCost(name, probability, expected[label], expected[leading])

    def _simplify(self, full: ScoredRule, row: int) -> tuple[ScoredRule, Simplified | None]:
        """Return the shortest part of a row's rule that may stand for it, and what it was.

        Of equally short ones the best by score, then the one whose features come first.
        """
        if self.details.simplify == 0 or full.rule.length < 2:
            return full, None
        left_out = int(self.left_out[self.numbers[row]])
        key = full.rule, left_out
        if key not in self._shorter:
            parts = find_shorter(self.model, full.rule, left_out, self.details.simplify)
            scored = self.score_rules([*parts], np.array([*parts.values()]), row) if parts else []
            self._shorter[key] = max(scored, key=lambda one: one.score, default=full)
        shorter = self._shorter[key]
        if shorter.rule == full.rule:
            return full, None
        kept = set(shorter.rule.conditions)
        dropped = tuple(each for each in full.rule.conditions if each not in kept)
        return shorter, Simplified(full, dropped, full.precision - shorter.precision)

    @cached_property
    def _estimate(self) -> Estimate:
        return self.model.estimate(self._asked.codes, self._found, self.decisions)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each class, for each case."""
        return self._estimate.probabilities

    @cached_property
    def confidences(self) -> NDArray[np.float64]:
        """How often predictions like that of each case are right."""
        labels, leading = self.decisions.labels, self.decisions.leading
        shares = self.probabilities[np.arange(len(labels)), labels]
        return np.where(labels == leading, self._estimate.right, shares)

    @cached_property
    def is_overruled(self) -> NDArray[np.bool_]:
        """Whether the class offsets decided, for each case."""
        labels, scores = self.decisions.labels, self._found.scores
        if not (self.model.search.is_by_class and self.model.is_plain):
            return np.zeros(len(labels), np.bool_)
        rows = np.arange(len(labels))
        is_ahead = np.greater(scores[rows, self.decisions.ahead], scores[rows, labels])
        return np.asarray(is_ahead & (labels == self.decisions.leading))

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """The score of each distinct row's rule."""
        labels = self.decisions.labels
        if self.model.is_plain:
            return self._found.scores[np.arange(len(labels)), self.decisions.slots]
        return self.model.score_rules(self.rules, labels, self._asked.left_out)

    @cached_property
    def rules(self) -> Rules:
        """The rule of each distinct row."""
        return _read(self._found.first, np.arange(len(self.decisions.labels)), self.decisions.slots)

    @cached_property
    def _overruled(self) -> dict[int, Rules]:
        """The rules that lost by the offsets, by distinct row."""
        rows = np.flatnonzero(self.is_overruled)
        rules = self._found.first.rules(rows, self.decisions.ahead[rows])
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

    def find_contributions(self, rule: Rule, row: int) -> Results[Contribution]:
        """Find what each condition of a row's rule adds."""
        conditions = rule.conditions
        others = [
            Rule(conditions[:at] + conditions[at + 1 :], rule.label) for at in range(rule.length)
        ]
        own, *without = self.score_rules([rule, *others], count_parts(self.model, rule), row)
        return Results(
            Contribution(condition, other, own.precision)
            for condition, other in zip(conditions, without, strict=True)
        )

    def score_rules(
        self, rules: list[Rule], counts: NDArray[np.int64], row: int
    ) -> list[ScoredRule]:
        """Score rules of one class that cover a row, by their counts of all training rows."""
        label, n_rules = self.model.classes.index(rules[0].label), len(rules)
        lengths, none = np.array([rule.length for rule in rules]), np.empty((n_rules, 0), np.int64)
        known = Rules(lengths, none, none, counts)
        left_out = np.full(n_rules, self._asked.left_out[self.numbers[row]])
        scores = self.model.score_rules(known, np.full(n_rules, label), left_out)
        sizes = self._without_itself(self.model.class_sizes, row)
        scores[lengths == 0] = self.model.score_empty(label, sizes)
        return [
            ScoredRule(
                rule, float(score), self._by_class(own, row),
                self._by_class(self.model.class_sizes, row), float(self.model.offset[label]),
            )
            for rule, score, own in zip(rules, scores, counts, strict=True)
        ]  # fmt: skip

    def find_contrast(self, row: int) -> Results[ScoredRule]:
        """Find the best rule of a row for every class but the predicted one, best first."""
        at, (rules, scores) = self._find_block(self.rules_by_class, row)
        n_classes = len(self.model.classes)
        return Results(
            self.score_rule(rules, at * n_classes + label, label, scores[at, label], row)
            for label in self.order_others(scores[at], row)
        )

    def _find_block(self, find: Callable[[NDArray[np.int64]], Any], row: int) -> tuple[int, Any]:
        """Find something for a row and for other cases at once; return its place among them."""
        block, at = divmod(int(self.numbers[row]), BLOCK)
        known = self._blocks.get(find.__name__)
        if known is None or known[0] != block:
            stop = min((block + 1) * BLOCK, len(self.decisions.labels))
            known = block, find(np.arange(block * BLOCK, stop))
            self._blocks[find.__name__] = known
        return at, known[1]

    def n_rules_of(self, row: int) -> int:
        """Return how many rules decide about a row together; 1 where no member has any."""
        return len(self.model.members) if self.is_weighed[self.numbers[row]] else 1

    @cached_property
    def is_weighed(self) -> NDArray[np.bool_]:
        """Whether several rules decide, for each case; a member knows something about it then."""
        return is_covered(self._found.scores) & (len(self.model.members) > 1)

    def find_scorecard(self, row: int) -> Scorecard | None:
        """Find the rules that decide about a row together; None where one does, or none."""
        if self.n_rules_of(row) == 1:
            return None
        return self._make_scorecard(*self._find_block(self._weigh, row), row)

    def _weigh(self, cases: NDArray[np.int64]) -> Weighed:
        """Return what each member says about some cases: its points, and a rule."""
        model, own, rows = self.model, self.decisions.labels[cases], np.arange(len(cases))
        left_out = self._asked.left_out[cases]
        others = self._found.scores[cases] + model.offset
        others[rows, own] = -np.inf
        is_left_out = bool((left_out >= 0).all())
        rivals = decide(others, model.class_sizes, left_out if is_left_out else None)
        members, behind = [], np.full(len(cases), -1)
        for number, (member, found) in enumerate(
            zip(model.members, self._found.found, strict=True)
        ):
            heard = member.hear(self._found, number, cases)
            points = POINTS * (heard[rows, own] - heard[rows, rivals])
            shown = np.where(points < 0, rivals, own)
            if member.pairs is not None:
                shown = self._find_shown(member, cases, shown)
                is_behind = heard < 0
                is_behind[rows, own] = is_behind[rows, rivals] = False
                behind = np.where(is_behind.any(axis=1), is_behind.argmax(axis=1), -1)
            rules = _read(found, cases, shown)
            scores = found.scores[cases, shown]
            if member.pairs is None:  # those of look-alikes are not of the rule that is shown
                scores = model.score_rules(rules, shown, left_out, number)
            members.append((points, shown, rules, scores))
        offset_points = POINTS * (model.offset[own] - model.offset[rivals])
        return Weighed(rivals, offset_points, members, behind)

    def _find_shown(
        self, member: Member, cases: NDArray[np.int64], shown: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the class that a member speaks for, where `shown` is none of those it tells apart.

        That can be where errors have costs, since these may decide for any class.
        """
        assert self._found.between is not None
        between = self._found.between.take(cases)
        speaks_for = between.speaks_for(member.floor)
        is_other = (between.pairs != shown[:, np.newaxis]).all(axis=1)
        return np.where(is_other & (speaks_for >= 0), speaks_for, shown)

    def _make_scorecard(self, at: int, weighed: Weighed, row: int) -> Scorecard:
        """Write what was weighed for a row, which is case `at` of those that were."""
        lines, classes = [], self.model.classes
        for member, (points, shown, rules, scores) in zip(
            self.model.members, weighed.members, strict=True
        ):
            rule, pair = None, self._find_pair(at, weighed, row) if member.pairs else None
            if rules.lengths[at] > 0:
                rule = self.score_rule(rules, at, int(shown[at]), scores[at], row, pair)
            is_alike, between, behind = member.search.alike is not None, None, None
            if pair is not None:
                between = classes[pair[0]], classes[pair[1]]
                behind = classes[weighed.behind[at]] if weighed.behind[at] >= 0 else None
            lines.append(ScorecardLine(rule, float(points[at]), is_alike, between, behind))
        label = self.decisions.labels[self.numbers[row]]
        offset_points, rival = float(weighed.offset_points[at]), classes[weighed.rivals[at]]
        return Scorecard(tuple(lines), offset_points, classes[label], rival)

    def _find_pair(self, at: int, weighed: Weighed, row: int) -> tuple[int, int]:
        """Return the two classes that rules were asked to tell apart, or could have been."""
        case, between = self.numbers[row], self._found.between
        assert between is not None
        first, second = between.pairs[case].tolist()
        if first < 0:  # nothing was asked, so that no sum has changed since they led
            values, left_out = self._found.scores[[case]] + self.model.offset, self.left_out[[case]]
            own = left_out if left_out[0] >= 0 else None
            leading = find_leading(values, self.model.class_sizes, own)
            first, second = leading[0].tolist()
        if first < 0:
            first, second = sorted([int(self.decisions.labels[case]), int(weighed.rivals[at])])
        return first, second

    @cached_property
    def has_alike(self) -> NDArray[np.bool_]:
        """Whether a case's rule is made from look-alikes, of which there are enough."""
        return is_covered(self._found.first.scores) & (self.model.search.alike is not None)

    def find_alike(self, row: int) -> LookAlikes | None:
        """Find the look-alikes that a row's rule is made from; None where it is not."""
        if not self.has_alike[self.numbers[row]]:
            return None
        at, around = self._find_block(self._look_around, row)
        label = self.decisions.labels[self.numbers[row]]
        counts = self._by_class(around.counts[at], row)
        return LookAlikes(counts, self.model.classes[label], int(around.n_sides[at]))

    def _look_around(self, cases: NDArray[np.int64]) -> Around:
        """Find the boxes around some cases."""
        source, alike = self.model.source, self.model.search.alike
        assert alike is not None
        rows = source.searcher.find_alike(alike)
        codes = source.encode(np.ascontiguousarray(self._asked.codes[:, cases]))
        boxes = rows.find_boxes(codes, self._asked.left_out[cases], self.model.n_threads)
        return Around(boxes.counts, rows.count_sides(codes, boxes.steps))

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
            repeated = np.repeat(cases, n_classes)
            rules, scores = _read(self._found.first, repeated, labels), self._found.scores[cases]
            if not self.model.is_plain:
                left_out = self._asked.left_out[repeated]
                scores = self.model.score_rules(rules, labels, left_out).reshape(-1, n_classes)
            return rules, scores
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
        """Return the length of the longest rules that are looked at for a row, one by one."""
        if self.model.search.alike is not None:
            sets, codes = self.model.source.searcher.sets, self._own_codes(row)
            return limit_depth(sets, codes, TOP_LENGTH, MOST_LISTED)
        return int(self._depths[self.numbers[row]])

    def _proven_length(self, row: int) -> int | None:
        """Return up to which length all rules for a row were looked at; None for look-alikes."""
        return None if self.model.search.alike is not None else self.depth_of(row)

    def find_top(self, row: int) -> Results[ScoredRule]:
        """Find as many of the best rules of a row as are wanted, whatever their class."""
        if self.details.top == 0:
            return Results()
        if row not in self._tops:
            top, max_overlap = self.details.top, self.details.max_overlap
            ranked = rank_rules(**self._question(row), top=top, max_overlap=max_overlap)
            ranked = replace(ranked, rules=self.model.source.translate(ranked.rules))
            self._tops[row] = Results(
                self._ranked_rule(ranked, at, row) for at in range(len(ranked))
            )
        return self._tops[row]

    def find_trace(self, row: int) -> SearchTrace | None:
        """Tell how the best rule of a row is found, if that is wanted.

        A rule that is made from look-alikes is not found length by length.
        """
        if not self.details.trace or self.model.search.alike is not None:
            return None
        if row in self._traces:
            return self._traces[row]
        trace = trace_search(**self._question(row))
        best = replace(trace.best, rules=self.model.source.translate(trace.best.rules))
        skipped = (trace.cannot_beat, trace.same_cover, trace.too_small)
        levels = []
        for at, counts in enumerate(zip(trace.possible, trace.looked_at, *skipped, strict=True)):
            has_rule = best.rules.lengths[at] > 0
            so_far = self._ranked_rule(best, at, row) if has_rule else None
            levels.append(Level(at + 1, *counts, so_far))
        self._traces[row] = SearchTrace(tuple(levels), len(levels) >= trace.longest)
        return self._traces[row]

    def _question(self, row: int) -> dict[str, Any]:
        """Return what a search for one row needs to know."""
        case, model = self.numbers[row], self.model
        return {
            "searcher": model.source.searcher,
            "codes": self._own_codes(row),
            "setting": model.search.setting,
            "depth": self.depth_of(row),
            "offset": model.offset,
            "left_out": int(self._asked.left_out[case]),
            "is_class_first": model.search.is_by_class,
        }

    def _own_codes(self, row: int) -> NDArray[np.int32]:
        """Return the codes of a row as the search for its rule takes them."""
        case = self.numbers[row]
        return self.model.source.encode(self._asked.codes[:, [case]])[:, 0]

    def _ranked_rule(self, ranked: Ranked, at: int, row: int) -> ScoredRule:
        return self.score_rule(ranked.rules, at, int(ranked.labels[at]), ranked.scores[at], row)

    def score_rule(
        self,
        rules: Rules,
        at: int,
        label: int,
        score: float,
        row: int,
        among: tuple[int, ...] | None = None,
    ) -> ScoredRule:
        """Return one of the rules that a search found for a row, with its numbers.

        They are of the training rows of some classes, if it was found `among` these.
        """
        return ScoredRule(
            self._rule_at(rules, at, label),
            float(score),
            self._by_class(rules.counts[at], row, among),
            self._by_class(self.model.class_sizes, row, among),
            float(self.model.offset[label]) if among is None else 0.0,
        )

    def _rule_at(self, rules: Rules, at: int, label: int) -> Rule:
        length = int(rules.lengths[at])
        features, positions = rules.features[at, :length], rules.positions[at, :length]
        conditions = map(self.model.conditions.condition, features.tolist(), positions.tolist())
        return Rule(tuple(conditions), self.model.classes[label])

    def _by_class(
        self, counts: NDArray[np.int64], row: int, among: tuple[int, ...] | None = None
    ) -> dict[Value, int]:
        counts, classes = self._without_itself(counts, row), self.model.classes
        labels = range(len(classes)) if among is None else among
        return {classes[label]: int(counts[label]) for label in labels}

    def _without_itself(self, counts: NDArray[np.int64], row: int) -> NDArray[np.int64]:
        """Take a row off class counts if it is left out."""
        label = self._asked.left_out[self.numbers[row]]
        if label >= 0:
            counts = counts.copy()
            counts[label] -= 1
        return counts


def _read(found: Found, rows: NDArray[np.int64], slots: NDArray[np.int64]) -> Rules:
    """Return the rules that were found for rows; none where it has no score.

    Look-alikes that are too few to score still have conditions in common.
    """
    rules = found.rules(rows, slots)
    is_none = np.isneginf(found.scores[rows, slots])
    if not is_none.any():
        return rules
    kept = Rules.empty(len(rows), rules.features.shape[1], rules.counts.shape[1])
    has_rule = np.flatnonzero(~is_none)
    kept.put(has_rule, rules.take(has_rule))
    return kept
