"""A fitted estimator: codes in, decisions and rules out."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from picrules.encoding.row import RowCoder
from picrules.engines.found import Found, Rules
from picrules.engines.training import Training, distinct_columns
from picrules.kernels.alike import score_counts
from picrules.kernels.counting import Asked
from picrules.model.between import Between, ask_between, find_leading, group
from picrules.model.calibration import Calibration, class_probabilities, is_covered
from picrules.model.costs import find_cheapest
from picrules.model.decision import decide
from picrules.model.searcher import Report, ask_about
from picrules.model.silence import Silence
from picrules.scoring.settings import empty_rule_score, order_classes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Feature
    from picrules.engines.base import Search
    from picrules.model.between import Pair
    from picrules.model.source import Source
    from picrules.rules.text import Value


@dataclass(frozen=True, slots=True)
class Decisions:
    """What is decided about rows, from the best scores alone; arrays of n_rows."""

    labels: NDArray[np.int64]  # the predicted classes
    values: NDArray[np.float64]  # score of each row's rule plus the offset of its class
    slots: NDArray[np.int64]  # which of the rules that were found for a row it is
    ahead: NDArray[np.int64]  # the class whose rule scores highest without offsets
    leading: NDArray[np.int64]  # the classes that would be predicted if errors cost the same
    costs: NDArray[np.float64] | None = None  # of errors, where these decided


@dataclass(frozen=True, slots=True)
class Together:
    """What the members of a model found for rows, and the sum of their weighted scores."""

    scores: NDArray[np.float64]  # (n_rows, n_slots): -inf where no rule covers the row
    found: tuple[Found, ...]  # by member
    between: Between | None = None  # what the member says that tells leading classes apart

    @property
    def first(self) -> Found:
        """The rules of the rows."""
        return self.found[0]

    @classmethod
    def join(cls, parts: Sequence[Together]) -> Together:
        """Put what was found for parts of the rows together, in their order."""
        scores = parts[0].scores if len(parts) == 1 else np.concatenate([p.scores for p in parts])
        members = zip(*(part.found for part in parts), strict=True)
        asked = [part.between for part in parts if part.between is not None]
        between = Between.join(asked) if asked else None
        return cls(scores, tuple(Found.join(each) for each in members), between)


@dataclass(frozen=True, slots=True)
class Estimate:
    """How probable each class is, and how much is known about that."""

    probabilities: NDArray[np.float64]  # (n_rows, n_classes)
    # (n_rows,): how often such predictions are right. Where values are missing that may be less
    # than the probability of the leading class, which stays the highest.
    right: NDArray[np.float64]
    sizes: NDArray[np.float64]  # (n_rows,): rows that tell that of the predicted class; 0: unknown


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for rows that are asked about, and decided."""

    asked: Asked  # distinct rows
    numbers: NDArray[np.int64]  # which of them each row is
    found: Together
    decisions: Decisions


@dataclass(frozen=True, eq=False)
class Member:
    """One of the rules that decide together: where it comes from, and what it weighs."""

    source: Source
    search: Search
    weight: float = 1.0  # of its score
    floor: float = -np.inf  # what no score, and no missing rule, is below
    # The pairs of classes that it tells apart where these two lead; None where it speaks of all.
    pairs: tuple[Pair, ...] | None = None

    def hear(
        self, together: Together, number: int, rows: NDArray[np.int64] | slice = slice(None)
    ) -> NDArray[np.float64]:
        """Return what it adds to the classes' scores of rows; it is that member of the model."""
        if self.pairs is None:
            return self.weight * np.maximum(together.found[number].scores[rows], self.floor)
        assert together.between is not None
        between, n_classes = together.between.take(rows), together.scores.shape[1]
        return self.weight * between.penalties(self.floor, n_classes)


@dataclass(eq=False)
class Model:
    """A fitted estimator: how rules are searched, and how the best ones decide.

    Codes have one row for each feature, which is a column that has conditions, and one column for
    each row of a table. With searches by class, the class with the highest sum of weighted scores
    plus offset wins; else the best rule does, whatever its class. The rule of a row is that of the
    first member.
    """

    classes: list[Value]
    conditions: Conditions
    training: Training
    members: tuple[Member, ...]
    offset: NDArray[np.float64]  # added to the scores of each class
    calibration: Calibration | None = None  # how often predictions are right, where it is known
    n_threads: int = 1
    costs: NDArray[np.float64] | None = None  # of predicting a class (column) where one is true

    @property
    def has_confidence(self) -> bool:
        """Whether it is known how often predictions are right; of one class nothing is."""
        return self.calibration is not None and len(self.classes) > 1

    @property
    def search(self) -> Search:
        """How the rule of a row is searched."""
        return self.members[0].search

    @property
    def source(self) -> Source:
        """Where the rule of a row comes from."""
        return self.members[0].source

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """Training rows of each class."""
        return self.training.class_sizes

    @property
    def is_plain(self) -> bool:
        """Whether the score of a row's rule is what decides, with the offset."""
        return len(self.members) == 1 and self.search.alike is None

    @property
    def is_learned(self) -> bool:
        """Whether there are rules at all, or every row gets the larger class."""
        return self.search.max_length > 0

    @cached_property
    def silence(self) -> Silence:
        """How often predictions are right where features say nothing."""
        return Silence()

    @cached_property
    def is_used(self) -> NDArray[np.bool_]:
        """Which features the rules may speak of."""
        is_used = np.zeros(self.training.n_features, np.bool_)
        for member in self.members:
            own, search = member.source.features(len(is_used)), member.search
            if search.features is not None:
                own = own[list(search.features)]
            if search.alike is not None:
                own = own[np.array(search.alike.widths) > 0]
            is_used[own] = True
        return is_used

    @cached_property
    def features(self) -> list[Feature]:
        """The features that codes are of."""
        return [self.conditions.schema.features[column] for column in self.conditions.features]

    @cached_property
    def row_coder(self) -> RowCoder:
        """What turns rows by column name into codes."""
        return RowCoder(self.conditions)

    def on_threads(self, n_threads: int, costs: NDArray[np.float64] | None = None) -> Model:
        """Return the same model, that works with so many threads, and with these costs."""
        if n_threads == self.n_threads and costs is None and self.costs is None:
            return self
        other = copy(self)
        other.n_threads, other.costs = n_threads, costs
        other.silence = self.silence  # what one learns is kept for all
        return other

    def encode(self, columns: list[Column]) -> NDArray[np.int32]:
        """Return the codes of a table."""
        return self.conditions.encode(columns)

    def predict(
        self, codes: NDArray[np.int32], report: Report | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the predicted class of each row, and the score of its rule plus offset."""
        distinct, numbers = self._distinct(codes)
        labels, values = np.empty(distinct.shape[1], np.int64), np.empty(distinct.shape[1])
        for rows, found in self._parts(distinct, report):
            decisions = self.decide(distinct[:, rows], found)
            labels[rows], values[rows] = decisions.labels, decisions.values
        return labels[numbers], values[numbers]

    def probabilities(
        self, codes: NDArray[np.int32], report: Report | None = None
    ) -> NDArray[np.float64]:
        """Estimate the probability of each class."""
        distinct, numbers = self._distinct(codes)
        estimated = np.empty((distinct.shape[1], len(self.classes)))
        for rows, found in self._parts(distinct, report):
            estimate = self.estimate(distinct[:, rows], found, self._lead(found, None))
            estimated[rows] = estimate.probabilities
        return estimated[numbers]

    def ask(self, codes: NDArray[np.int32], report: Report | None = None) -> Answer:
        """Find the rules of rows, and decide."""
        distinct, numbers = self._distinct(codes)
        found = Together.join([found for _, found in self._parts(distinct, report)])
        return Answer(ask_about(distinct), numbers, found, self.decide(distinct, found))

    def leave_one_out(self, report: Report | None = None) -> Answer:
        """Decide about every training row by what the others say about it."""
        training = self.training
        asked = Asked(training.codes, training.labels)
        return self.leave_out(asked, training.pair_of_row, report)

    def leave_out(
        self, asked: Asked, numbers: NDArray[np.int64], report: Report | None = None
    ) -> Answer:
        """Decide about training rows, or about what is left of them, by what the others say.

        `asked` has the class of each, and `numbers` which of them each row is.
        """
        told = self._share(report)
        found = self._together(asked, [
            member.source.leave_one_out(member.search, self.n_threads, told, asked)
            for member in self._speaking
        ])  # fmt: skip
        return Answer(asked, numbers, found, self.decide(asked.codes, found, asked.left_out))

    def decide(
        self,
        codes: NDArray[np.int32],
        found: Together,
        left_out: NDArray[np.int64] | None = None,
    ) -> Decisions:
        """Decide about rows with these codes; `left_out` has the classes of rows not to count.

        Where errors have costs, the class decides that costs least by the probabilities.
        """
        leading = self._lead(found, left_out)
        if self.costs is None or not self.search.is_by_class:
            return leading
        probabilities = self.estimate(codes, found, leading).probabilities
        sizes = self.class_sizes
        labels = find_cheapest(probabilities, self.costs, leading.labels, sizes)
        values = (found.scores + self.offset)[np.arange(len(labels)), labels]
        return replace(leading, labels=labels, values=values, slots=labels, costs=self.costs)

    def _lead(self, found: Together, left_out: NDArray[np.int64] | None) -> Decisions:
        """Decide from the best scores."""
        if not self.search.is_by_class:
            labels, values = found.first.labels[:, 0].copy(), found.scores[:, 0]
            labels[np.isneginf(values)] = order_classes(self.class_sizes)[0]
            return Decisions(labels, values, np.zeros(len(labels), np.int64), labels, labels)
        values = found.scores + self.offset
        labels = decide(values, self.class_sizes, left_out)
        ahead = decide(found.scores, self.class_sizes, left_out)
        return Decisions(labels, values.max(axis=1), labels, ahead, labels)

    def estimate(self, codes: NDArray[np.int32], found: Together, decisions: Decisions) -> Estimate:
        """Estimate the probability of each class from what was found for rows with these codes."""
        labels, calibration = decisions.leading, self.calibration
        if calibration is not None:
            scores = found.scores + self.offset
            right, sizes = calibration.read(scores, labels)
            covered = is_covered(scores)
            silent = (codes < 0) & self.is_used[:, np.newaxis] & covered
            rows = np.flatnonzero(silent.any(axis=0))
            if rows.size and calibration.is_counted:
                own = (silent[:, rows], scores[rows], labels[rows])
                right[rows], sizes[rows] = self.silence.read(self, *own)
            shares = calibration.share_out(right, scores, labels, self.class_sizes)
            told = shares[np.arange(len(labels)), labels]
            told[rows] = right[rows]
            return Estimate(shares, told, np.where(covered, sizes, self.training.n_rows))
        rules = found.first.rules(np.arange(len(labels)), decisions.slots)
        is_empty = (rules.lengths == 0)[:, np.newaxis]  # the empty rule covers all rows
        counts = np.where(is_empty, self.class_sizes, rules.counts)
        shares = class_probabilities(counts, labels)
        right = shares[np.arange(len(labels)), labels]
        return Estimate(shares, right, np.zeros(len(labels)))

    def score_rules(
        self, rules: Rules, labels: NDArray[np.int64], left_out: NDArray[np.int64], member: int = 0
    ) -> NDArray[np.float64]:
        """Score a member's rules for one class each by their counts; -inf where there is none."""
        searcher, setting = (
            self.members[member].source.searcher,
            self.members[member].search.setting,
        )
        is_leaving_out = bool((left_out >= 0).any())
        if is_leaving_out:
            scorer = searcher.make_scorer([setting], is_leaving_out=True)
        else:
            scorer = searcher.find_scorer(setting)
        scores = np.empty(rules.counts.shape)
        score_counts(rules.counts, left_out, scorer, scores)
        return np.where(rules.lengths > 0, scores[np.arange(len(labels)), labels], -np.inf)

    def score_empty(self, label: int, class_sizes: NDArray[np.int64]) -> float:
        """Score the rule without conditions."""
        weights = self.source.searcher.class_weights
        return empty_rule_score(self.search.setting, class_sizes, weights, label)

    def search_by_class(self, codes: NDArray[np.int32], max_length: int) -> Found:
        """Find the best rule of each row for each class, up to a length."""
        search = replace(self.search, max_length=max_length, is_greedy=False, is_by_class=True)
        return Found.join([
            found for _, found in self.source.parts(codes, search, self.n_threads, None)
        ])  # fmt: skip

    def trained_on(self, codes: NDArray[np.int32], labels: NDArray[np.int64]) -> Model:
        """Return the model that other training rows give, with the same settings.

        A class may have no row. It is made to be asked once: it keeps nothing that later questions
        would be faster by.
        """
        sizes = np.bincount(labels, minlength=len(self.classes)).astype(np.int64)
        training = Training.of_single_rows(codes, labels, sizes)
        sources = {id(member.source): member.source for member in self.members}
        trained = {key: source.trained_on(training) for key, source in sources.items()}
        members = (replace(each, source=trained[id(each.source)]) for each in self.members)
        return replace(self, training=training, members=tuple(members))

    def placed(self, codes: NDArray[np.int32], labels: NDArray[np.int64]) -> Model:
        """Return the same with training rows as they stand in a table, where it has the same."""
        training = self.training.placed(codes, labels)
        if training is None:
            return self
        other = copy(self)
        other.training, other.silence = training, self.silence
        return other

    def _parts(
        self, codes: NDArray[np.int32], report: Report | None
    ) -> Iterator[tuple[slice, Together]]:
        """Find the rules of rows by all members, in chunks whose state fits into memory."""
        first, *others = self._speaking
        told = self._share(report)
        is_alone = len(self.members) == 1
        for rows, found in first.source.parts(codes, first.search, self.n_threads, told):
            own = codes if is_alone else np.ascontiguousarray(codes[:, rows])
            asked = (each.source.parts(own, each.search, self.n_threads, told) for each in others)
            more = [Found.join([each for _, each in parts]) for parts in asked]
            yield rows, self._together(ask_about(own), [found, *more])

    @property
    def _speaking(self) -> list[Member]:
        """The members that are asked before it is known which two classes lead."""
        return [member for member in self.members if member.pairs is None]

    def _share(self, report: Report | None) -> Report | None:
        """Return what is told how far each of the members that are asked is."""
        share = 1 / len(self._speaking)
        return None if report is None else lambda done: report(done * share)

    def _together(self, asked: Asked, found: list[Found]) -> Together:
        """Add up what the members found; a row that no member knows anything about has nothing."""
        if self.is_plain:
            return Together(found[0].scores, tuple(found))
        scores, is_known = np.zeros(found[0].scores.shape), np.zeros(len(found[0].scores), bool)
        together = Together(scores, tuple(found))
        for number, each in enumerate(found):
            scores += self.members[number].hear(together, number)
            is_known |= is_covered(each.scores)
        scores[~is_known] = -np.inf
        last = self.members[-1]
        if last.pairs is None:
            return together
        leading = find_leading(scores + self.offset, self.class_sizes, asked.left_out)
        own, between = ask_between(
            last.source, last.search, group(leading, last.pairs), asked, len(self.classes),
            self.n_threads,
        )  # fmt: skip
        together = Together(scores, (*found, own), between)
        scores += last.hear(together, len(found))
        return together

    def _distinct(self, codes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        distinct, numbers = distinct_columns(codes, self.conditions.sets.n_codes)
        return distinct, np.arange(codes.shape[1]) if numbers is None else numbers
