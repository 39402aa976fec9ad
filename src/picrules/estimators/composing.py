"""From the best short rule to what decides: that rule, a row's look-alikes, or a scorecard.

Everything is judged on the same training rows, each by the others; what is learned from them
(widths of boxes, sets of features, weights) is judged on other parts of them than it is learned on.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.base import Search
from picrules.engines.training import distinct_columns
from picrules.estimators.between import Apart, choose_pairs
from picrules.estimators.fitted import Voice
from picrules.estimators.likeness import JUDGED, Likeness, some_of
from picrules.estimators.progress import keep_silent
from picrules.estimators.scorecards import (
    FLOOR,
    LONGEST_SET,
    SHORT_FLOOR,
    Pool,
    Set,
    choose_sets,
    weigh,
)
from picrules.estimators.tuning import GUARD, score_rules
from picrules.kernels.alike import score_counts
from picrules.kernels.counting import Asked
from picrules.model.calibration import is_covered
from picrules.model.decision import fit_offset
from picrules.scoring.settings import Setting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.engines.base import Alike
    from picrules.estimators.progress import Telling
    from picrules.estimators.tuning import Elsewhere, Trial
    from picrules.model.calibration import Calibration
    from picrules.model.searcher import Searcher

# How supporting rules and look-alikes are scored.
SUPPORT = Setting("evidence", 1.0, 2.0)

# From this many judged rows on they are parted in two, before in five.
MANY_ROWS = 1500

# The most rules of a scorecard whose number is left to choose.
AUTO_RULES = 5

# The share of the time to decide that look-alikes take on parts of the rows.
ALIKE_SHARE = 0.6

# Where time is limited, several rules take as long as so many steps of the look-alikes.
RULES_STEPS = 3

# The voice that is not first, of the best short rule and the look-alikes.
OTHER = ()


@dataclass(frozen=True)
class Decided:
    """What decides, and how well it did on the judged rows."""

    voices: tuple[Voice, ...]
    offset: NDArray[np.float64]
    calibration: Calibration
    scores: dict[int, float]  # by the number of rules
    accuracy: float | None  # the share of new predictions that should be right


@dataclass(frozen=True)
class Parted:
    """What all but a part of the judged rows chose, to judge the part by."""

    own: NDArray[np.int64]  # the rows of the part
    rest: NDArray[np.int64]  # all others
    voices: list[NDArray[np.float64]]  # that come first
    sets: list[Set]
    sums: dict[int, NDArray[np.float64]] = field(default_factory=dict)  # by number of rules


@dataclass
class Limits:
    """Until when to decide, and who is told how far that is."""

    deadline: float = inf  # in seconds of the monotonic clock
    tell: Telling = keep_silent
    n_after: int = 0  # steps that follow look-alikes
    is_kept: bool = True  # whether everything was done before the deadline

    def share(self, n_left: int) -> float:
        """Return when the next of some steps must end, so that each has as long."""
        now = monotonic()
        self.is_kept &= now <= self.deadline
        return now + max(self.deadline - now, 0.0) / n_left


@dataclass
class Composer:
    """Judges what could decide, and puts it together."""

    trial: Trial  # the judged rows
    compared: NDArray[np.int64]  # rows that they may be compared with, to learn who is alike
    fine: Searcher  # with intervals between all cuts
    coarse: Searcher  # with the conditions of the best short rule, for the same pairs
    is_ordered: NDArray[np.bool_]
    has_sides: NDArray[np.bool_]  # whether a box can have a side on each feature
    best: Search  # the best short rule
    has_offset: bool
    n_threads: int
    has_alike: bool = True  # whether look-alikes may decide
    is_wide: bool = False  # whether there are many features for few rows
    optimism: float = 0.0  # by how much the best short rule looks better than it is
    limits: Limits = field(default_factory=Limits)
    longest: int = LONGEST_SET  # features of a supporting rule
    # Best short rules by settings chosen on some rows; of very many rows chance is no matter.
    elsewhere: Elsewhere | None = None

    @cached_property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The distinct pairs of row and class among the judged rows, and which each row is."""
        return _in_order(self.fine.training.pair_of_row[self.trial.rows])

    @cached_property
    def pair_parts(self) -> NDArray[np.int64]:
        """The part of each pair: rows that hold the same are in the same, whatever their class.

        If those of one class were apart, the rest would tell the other class of their like.
        """
        n_parts = 5 if len(self.trial.rows) < MANY_ROWS else 2
        pairs = self.pairs[0]
        _, numbers = distinct_columns(self.fine.training.codes[:, pairs], self.fine.sets.n_codes)
        return (np.arange(len(pairs)) if numbers is None else numbers) % n_parts

    @cached_property
    def parts(self) -> NDArray[np.int64]:
        """The part of each judged row."""
        return self.pair_parts[self.pairs[1]]

    @cached_property
    def short(self) -> NDArray[np.float64]:
        """The scores of the best short rules, (n_judged, n_classes)."""
        return self._scores(self.coarse, self.best.setting, self.best.max_length)

    def _scores(self, searcher: Searcher, setting: Setting, length: int) -> NDArray[np.float64]:
        pairs, numbers = self.pairs
        return score_rules(searcher, pairs, setting, length, self.n_threads)[numbers]

    @cached_property
    def alike(self) -> Alike:
        """Who is alike, learned from all judged rows."""
        self.limits.tell(0.0, "look-alikes, all rows")
        likeness = replace(self._likeness, deadline=self.limits.share(1 + self.limits.n_after))
        return likeness.learn(some_of(self.pairs[0], JUDGED))

    @cached_property
    def _likeness(self) -> Likeness:
        return Likeness(
            self.fine.training, self.fine.sets.n_codes, self.is_ordered, self.has_sides,
            self.fine.min_cover,
            _in_order(self.fine.training.pair_of_row[self.compared])[0], self.n_threads,
        )  # fmt: skip

    @cached_property
    def likeness(self) -> NDArray[np.float64]:
        """The scores of look-alikes, learned on other parts of the rows; (n_judged, n_classes)."""
        pairs, numbers = self.pairs
        scores = np.empty((len(pairs), len(self.trial.class_sizes)))
        n_parts = int(self.pair_parts.max()) + 1
        for part in range(n_parts):
            self.limits.tell(0.0, f"look-alikes, part {part + 1} of {n_parts}")
            is_in = self.pair_parts == part
            rest = pairs[~is_in] if not is_in.all() else pairs
            # The rows of the part have no say, neither as judged rows nor as those compared with.
            compared = np.setdiff1d(self._likeness.compared, pairs[is_in])
            deadline = self.limits.share(n_parts - part + 1 + self.limits.n_after)
            likeness = replace(self._likeness, compared=compared, deadline=deadline)
            scores[is_in] = self._look_around(likeness.learn(some_of(rest, JUDGED)), pairs[is_in])
            self.limits.tell(ALIKE_SHARE / n_parts)
        return scores[numbers]

    @cached_property
    def final_likeness(self) -> NDArray[np.float64]:
        """The scores of the look-alikes that decide, which all rows had a say in."""
        return self._look_around(self.alike, self.pairs[0])[self.pairs[1]]

    def _look_around(self, alike: Alike, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        return score_alike(self.fine, alike, pairs, self.n_threads)

    def compose(self, n_rules: int | None) -> Decided:
        """Decide by one rule, by so many, or by as many as pay where it is None."""
        single, own = self._choose_single()
        if n_rules == 1 or single.voices[0].search.max_length == 0:
            return replace(single, scores=self._score({1: own}))
        is_alike, most = single.voices[0].search.alike is not None, n_rules or AUTO_RULES
        heard, sums = self._hear(is_alike=is_alike), {1: own}
        parted = self._cross_fit(most, is_alike=is_alike)
        reached = max((len(each.sets) + 1 for each in parted), default=1)
        sums |= {count: self._judge(parted, count) for count in range(2, reached + 1)}
        sets = self._choose(heard, np.arange(len(own)), reached, self.limits.share(1))
        # One rule more, between the two leading classes, or it in place of the last one.
        n_before = min(len(sets), most - 2)
        apart, total = self._tell_apart(heard, sets[:n_before], parted)
        values = self.trial.values
        if apart is not None and self._is_better(values(total), values(sums[reached])):
            sums = {count: each for count, each in sums.items() if count <= n_before + 1}
            sums[n_before + 2], sets = total, sets[:n_before]
        else:
            apart = None
        scores = self._score(sums)
        # The best short rule is judged by rows that had a say in its settings; all else is not.
        least = scores[1] - (0.0 if is_alike else self.optimism)
        if n_rules is None and scores[max(sums)] <= least:
            return replace(single, scores=scores)
        if not sets and apart is None:  # none that all rows together ask for, though parts did
            return replace(single, scores=scores)
        voices, offset, final = self._weigh(sets, apart, heard, is_alike=is_alike)
        # Settings, sets and weights were chosen on other parts: nothing they tell is their luck.
        calibration = self.trial.calibrate(sums[len(voices)], final, is_chosen=False)
        accuracy = self.trial.expect(calibration, final)
        return Decided(voices, offset, calibration, scores, accuracy)

    def _score(self, sums: dict[int, NDArray[np.float64]]) -> dict[int, float]:
        return {count: float(self.trial.values(total).mean()) for count, total in sums.items()}

    def _weigh(
        self,
        sets: list[Set],
        apart: Apart | None,
        heard: list[NDArray[np.float64]],
        *,
        is_alike: bool,
    ) -> tuple[tuple[Voice, ...], NDArray[np.float64], NDArray[np.float64]]:
        """Weigh the rules that were chosen: return them, their offset, and the rows' sums."""
        trial, told = self.trial, self._voices(heard, sets)
        weights = weigh(told, trial.labels, trial.weights)
        voices = [self._voice(is_alike=is_alike)]
        for each in sets:
            if each == OTHER:
                voices.append(self._voice(is_alike=not is_alike))
            else:
                search = Search(SUPPORT, len(each), is_by_class=True, features=each)
                voices.append(Voice(search, floor=FLOOR, is_coarse=True))
        voices = [
            replace(each, weight=float(weight))
            for each, weight in zip(voices, weights.voices, strict=True)
        ]
        final = weights.add_up(self._voices(self._hear(is_alike=is_alike, is_final=True), sets))
        if apart is not None:
            own = (apart.search, apart.weight, FLOOR)
            voices.append(Voice(*own, is_coarse=True, pairs=apart.pairs))
            final = apart.add_to(final, trial, apart.weight)
        return tuple(voices), weights.offset, final

    def _tell_apart(
        self, heard: list[NDArray[np.float64]], sets: list[Set], parted: list[Parted]
    ) -> tuple[Apart | None, NDArray[np.float64]]:
        """Add rules between the two leading classes; return them, and the rows' sums with them."""
        trial, (pairs, numbers) = self.trial, self.pairs
        told, nothing = self._voices(heard, sets), np.empty(0)
        if trial.labels.max() < 2 or not parted or monotonic() > self.limits.deadline:
            return None, nothing
        self.limits.tell(0.0, "rules between classes")
        total = weigh(told, trial.labels, trial.weights).add_up(told)
        class_pairs = choose_pairs(total, trial.class_sizes)
        if not class_pairs:
            return None, nothing
        apart = Apart.between(self.coarse, SUPPORT, class_pairs, pairs[numbers], self.n_threads)
        apart.weight = apart.weigh(total, trial)
        if apart.weight == 0:
            return None, nothing
        totals = [self._add_up(each, len(sets) + 1) for each in parted]
        apart.prepare([trial.lead_by(each) for each in totals])
        for each, before in zip(parted, totals, strict=True):
            weight = apart.weigh(before, trial, each.rest)
            total[each.own] = apart.add_to(before, trial, weight)[each.own]
        self.limits.is_kept &= monotonic() <= self.limits.deadline
        return apart, total

    def _choose_single(self) -> tuple[Decided, NDArray[np.float64]]:
        """Decide by the best short rule or by look-alikes; return the left-out rows' scores."""
        own, has_offset, is_alike = self.short, self.has_offset, False
        shifted, best = self._judge_single(own, has_offset=has_offset)
        best = best - self.optimism  # its settings were chosen on these rows; look-alikes were not
        for each in self.trial.offsets if self.has_alike else ():
            alike = raise_to(self.likeness, FLOOR)
            other, values = self._judge_single(alike, has_offset=each)
            if self._is_better(values, best):
                own, has_offset, is_alike = alike, each, True
                shifted, best = other, values
        offset = np.zeros(len(self.trial.class_sizes))
        if not self._is_learned(shifted, best):
            nothing = Voice(replace(self.best, max_length=0), is_coarse=True)
            empty = np.full(own.shape, -np.inf)
            calibration = self.trial.calibrate(empty)
            accuracy = self.trial.expect(calibration, empty)
            return Decided((nothing,), offset, calibration, {}, accuracy), empty
        if has_offset:
            offset = fit_offset(own, self.trial.labels, self.trial.weights)
        voice, final, is_right = self._voice(is_alike=is_alike), own, self.trial.is_right
        if is_alike:
            final, is_right = raise_to(self.final_likeness, FLOOR), None
        else:
            voice = replace(voice, floor=-np.inf)
        calibration = self.trial.calibrate(shifted, final + offset, is_right)
        accuracy = self.trial.expect(calibration, final + offset)
        return Decided((voice,), offset, calibration, {}, accuracy), shifted

    def _hear(
        self,
        *,
        is_alike: bool,
        is_final: bool = False,
        chosen_by: NDArray[np.int64] | None = None,
    ) -> list[NDArray[np.float64]]:
        """Return what the best short rules and the look-alikes say, the better ones first.

        The look-alikes are those learned on other parts, or with `is_final` those that decide. With
        `chosen_by` only these judged rows have a say in the settings of the best short rules.
        """
        short, rows = self.short, self.trial.rows
        if chosen_by is not None and self.elsewhere is not None:
            short = self.elsewhere.score(rows, rows[chosen_by])
        short = np.maximum(short, SHORT_FLOOR)
        if not self.has_alike:
            return [short]
        alike = np.maximum(self.final_likeness if is_final else self.likeness, FLOOR)
        return [alike, short] if is_alike else [short, alike]

    def _voice(self, *, is_alike: bool) -> Voice:
        if not is_alike:
            return Voice(self.best, floor=SHORT_FLOOR, is_coarse=True)
        length = sum(width > 0 for width in self.alike.widths)
        search = Search(SUPPORT, max(1, length), is_by_class=True, alike=self.alike)
        return Voice(search, floor=FLOOR)

    def _judge_single(
        self, scores: NDArray[np.float64], *, has_offset: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return scores with cross-fitted offsets, and what each row contributes."""
        shifted = self.trial.shift(scores, has_offset=has_offset)
        return shifted, self.trial.values(shifted)

    def _is_learned(self, totals: NDArray[np.float64], values: NDArray[np.float64]) -> bool:
        """Tell whether rules do better than the larger class, or know more than its share.

        Of wide tables both is asked for, and more clearly, since among many features some look
        good by chance.
        """
        n_errors = 2.0 if self.is_wide else 1.0
        nothing, likely = (
            np.full(totals.shape, -np.inf),
            replace(self.trial, scoring="neg_log_loss"),
        )
        is_better = [
            self._is_better(values, self.trial.values(nothing), n_errors),
            self._is_better(likely.values(totals), likely.values(nothing), n_errors),
        ]
        return all(is_better) if self.is_wide else any(is_better)

    @staticmethod
    def _is_better(
        values: NDArray[np.float64], than: NDArray[np.float64], n_errors: float = GUARD
    ) -> bool:
        difference = values - than
        error = np.sqrt((difference**2).sum()) / len(values)
        return bool(difference.mean() > n_errors * error)

    @cached_property
    def _pool(self) -> Pool:
        def find(features: tuple[int, ...]) -> NDArray[np.float64]:
            return self._scores(self.coarse.on(features), SUPPORT, len(features))

        features = list(range(self.coarse.training.n_features))
        pool = Pool(find, features, self.longest)
        pool.keep_best(self.trial.labels)
        return pool

    def _voices(
        self, voices: list[NDArray[np.float64]], sets: list[Set]
    ) -> list[NDArray[np.float64]]:
        more = (voices[1] if each == OTHER else self._pool[each] for each in sets)
        return [voices[0], *(np.asarray(each, np.float64) for each in more)]

    def _choose(
        self,
        voices: list[NDArray[np.float64]],
        rows: NDArray[np.int64],
        n_rules: int,
        deadline: float,
    ) -> list[Set]:
        if len(voices) > 1:
            self._pool.add(OTHER, voices[1])
        trial = self.trial
        own = (self._pool, trial.labels, trial.weights, rows, n_rules - 1)
        sets = choose_sets(voices[:1], *own, lambda: monotonic() > deadline)
        self.limits.is_kept &= monotonic() <= deadline
        return sets

    def _cross_fit(self, most: int, *, is_alike: bool) -> list[Parted]:
        """Choose up to so many rules for each part of the rows by the others."""
        parts, found = self.parts, []
        n_parts = int(parts.max()) + 1
        for part in np.unique(parts).tolist():
            own, rest = np.flatnonzero(parts == part), np.flatnonzero(parts != part)
            if not rest.size:
                return []
            self.limits.tell(0.0, f"several rules, part {part + 1} of {n_parts}")
            deadline = self.limits.share(n_parts - part + 1)
            voices = self._hear(is_alike=is_alike, chosen_by=rest)
            found.append(Parted(own, rest, voices, self._choose(voices, rest, most, deadline)))
        return found

    def _judge(self, parted: list[Parted], count: int) -> NDArray[np.float64]:
        """Return the rows' sums of so many rules, chosen and weighed on other parts."""
        total = np.zeros((len(self.trial.rows), len(self.trial.class_sizes)))
        for each in parted:
            total[each.own] = self._add_up(each, count)[each.own]
        return total

    def _add_up(self, parted: Parted, count: int) -> NDArray[np.float64]:
        """Return the sums of so many rules that all but a part of the rows chose, of all rows."""
        if count in parted.sums:
            return parted.sums[count]
        trial, rest = self.trial, parted.rest
        voices = self._voices(parted.voices, parted.sets[: count - 1])
        weights = weigh([each[rest] for each in voices], trial.labels[rest], trial.weights[rest])
        parted.sums[count] = weights.add_up(voices)
        return parted.sums[count]


def score_alike(
    searcher: Searcher, alike: Alike, pairs: NDArray[np.int64], n_threads: int
) -> NDArray[np.float64]:
    """Score the look-alikes of left-out pairs of row and class.

    A row is taken off the counts, but not off the size of its class: where classes are equally
    large, that would settle every tie between look-alikes for the true one.
    """
    training, rows = searcher.training, searcher.find_alike(alike)
    own = Asked(training.codes[:, pairs], training.labels[pairs])
    counts = rows.find_boxes(own.codes, own.left_out, n_threads).counts
    counts[np.arange(len(counts)), own.left_out] -= 1
    scores = np.empty(counts.shape)
    scorer = searcher.make_scorer([SUPPORT], is_leaving_out=False)
    score_counts(counts, np.full(len(counts), -1), scorer, scores)
    return scores


def raise_to(scores: NDArray[np.float64], floor: float) -> NDArray[np.float64]:
    """Raise scores to a floor, but not those of rows that nothing is known about."""
    return np.where(is_covered(scores)[:, np.newaxis], np.maximum(scores, floor), scores)


def _in_order(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct values in the order they come, and which of them each is."""
    distinct, first, numbers = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return distinct[order], place[numbers]
