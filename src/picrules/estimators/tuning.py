"""Choose settings by exact leave-one-out: every training row judged by all the others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.conditions import ENDLESS, Conditions
from picrules.engines.base import Search
from picrules.engines.subsets import n_subsets_of
from picrules.estimators.candidates import Candidate, Tuning
from picrules.estimators.likeness import some_of
from picrules.estimators.scorers import Judge
from picrules.model.between import find_leading
from picrules.model.calibration import Calibration, fit_calibration
from picrules.model.decision import PARTS, cross_fit, decide, fit_offset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from picrules.estimators.progress import Telling
    from picrules.model.searcher import Searcher
    from picrules.scoring.settings import Setting

# A candidate must beat the default by this many standard errors of the difference, or half of
# one: near ties go to the default.
GUARD = 0.5

# Scores computed for one length of one kind of condition, beyond which only the settings that
# did best one length before are tried; but at least LEAST_SETTINGS.
MANY_SCORES = 3e8
LEAST_SETTINGS = 3

# Scores computed for one length of one kind of condition, beyond which it is not tried at all.
TOO_MANY_SCORES = 6e8

# Scores computed for all kinds of conditions with intervals together, where it is left open whether
# to have them.
SPARE_SCORES = 1e8

# From this length on, longer rules are tried only as long as they are better than shorter ones,
# or where they take at most FEW_SCORES.
DOUBTFUL_LENGTH = 3
FEW_SCORES = 1e8

# How often rows are parted to find out how much the best of many candidates flatters.
PARTINGS = 5

# Finding class offsets takes about so many seconds for each row and class.
OFFSET_SECONDS = 2.4e-7

# Training rows by which offsets and confidence are found at least, however little time there is.
LEAST_SETTLED = 1000

# Rules of more conditions than this are hard to read, whatever they gain.
LONGEST = 6


@dataclass(frozen=True)
class Kind:
    """One kind of condition: its conditions and the training rows in its codes."""

    cuts: int  # into how many parts ordered features are cut
    conditions: Conditions
    searcher: Searcher
    lengths: tuple[int, ...]  # to try
    is_spare: bool = False  # whether it is only tried where that is quick

    @property
    def key(self) -> tuple[int, bool, bool]:
        """What tells it from other kinds: cuts, sets of values, intervals."""
        return self.cuts, self.conditions.has_subsets, self.conditions.has_intervals

    def __str__(self) -> str:
        kinds = [f"{self.cuts} parts"]
        kinds += ["sets of values"] if self.conditions.has_subsets else []
        kinds += ["intervals"] if self.conditions.has_intervals else []
        return ", ".join(kinds)

    def judged(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the distinct pairs of row and class among some training rows, and each row's."""
        return np.unique(self.searcher.training.pair_of_row[rows], return_inverse=True)


@dataclass
class Trial:
    """The training rows that are judged, and what it is worth to be right about them."""

    rows: NDArray[np.int64]  # (n_judged,): positions in the training table
    labels: NDArray[np.int64]  # (n_judged,)
    class_sizes: NDArray[np.int64]
    class_weights: NDArray[np.float64]
    scoring: str | Judge  # what to maximise
    offsets: tuple[bool, ...]  # whether to try without and with class offsets
    parts: NDArray[np.int64]  # (n_judged,): for cross-fitting
    # Whether the best short rule is right about each row, its settings chosen on other parts.
    is_right: NDArray[np.bool_] | None = None

    def take(self, most: int) -> Trial:
        """Return the same with some of the rows, evenly over all."""
        chosen = some_of(np.arange(len(self.rows)), most)
        own = (self.rows[chosen], self.labels[chosen])
        return Trial(
            *own, self.class_sizes, self.class_weights, self.scoring, self.offsets,
            self.parts[chosen], None if self.is_right is None else self.is_right[chosen],
        )  # fmt: skip

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """What it is worth to be right about each row."""
        weights = self.class_weights[self.labels]
        if self.scoring == "balanced_accuracy":
            weights = weights / np.bincount(self.labels)[self.labels]
        scaled: NDArray[np.float64] = weights / weights.mean()
        return scaled

    def seconds(self, n_settings: int) -> float:
        """Estimate how long it takes to judge settings: offsets are found on all but one part."""
        n_fits = n_settings * (PARTS - 1) * any(self.offsets)
        return n_fits * OFFSET_SECONDS * len(self.rows) * len(self.class_sizes)

    def shift(self, scores: NDArray[np.float64], *, has_offset: bool) -> NDArray[np.float64]:
        """Return the scores with cross-fitted offsets, or as they are."""
        if not has_offset:
            return scores
        return cross_fit(scores, self.labels, self.weights, self.parts)

    def decide(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return what each row is predicted to be by the others."""
        return decide(scores, self.class_sizes, self.labels)

    def lead_by(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the two classes that lead for each row by what the others say."""
        return find_leading(scores, self.class_sizes, self.labels)

    def values(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each row contributes to the mean score."""
        predicted = self.decide(scores)
        if isinstance(self.scoring, Judge):
            estimate = partial(self._estimate, scores, predicted)
            return self.scoring.values(self.labels, predicted, estimate, self.parts)
        if self.scoring != "neg_log_loss":
            return np.where(predicted == self.labels, self.weights, 0.0)
        found = self._estimate(scores, predicted)[np.arange(len(self.labels)), self.labels]
        return self.weights * np.log(found)

    def _estimate(
        self, scores: NDArray[np.float64], predicted: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the probabilities of the classes, as other parts of the rows tell them."""
        found = np.empty(scores.shape)
        for part in np.unique(self.parts):
            is_in = self.parts == part
            rest = ~is_in if not is_in.all() else is_in
            calibration = self._calibrate(scores[rest], predicted[rest], self.labels[rest])
            own = (scores[is_in], predicted[is_in], self.class_sizes)
            found[is_in] = calibration.probabilities(*own)
        return found

    def expect(self, calibration: Calibration, scores: NDArray[np.float64]) -> float | None:
        """Return the share of new predictions that can be expected to be right.

        That is the mean confidence of left-out rows, whose scores have the offsets added.
        """
        if scores.shape[1] == 1:
            return None
        predicted = self.decide(scores)
        found = calibration.probabilities(scores, predicted, self.class_sizes)
        return float(found[np.arange(len(predicted)), predicted].mean())

    def calibrate(
        self,
        scores: NDArray[np.float64],
        final: NDArray[np.float64] | None = None,
        is_right: NDArray[np.bool_] | None = None,
        *,
        is_chosen: bool = True,
    ) -> Calibration:
        """Learn how often predictions are right, from scores with cross-fitted offsets.

        `final` has the scores with offsets, and weights, of all rows; `is_right` tells which are
        right where settings were chosen on other parts, and `is_chosen` whether the scores are by
        settings that were chosen on the same rows.
        """
        own = (scores, self.decide(scores), self.labels)
        return self._calibrate(*own, final, is_right, is_chosen=is_chosen)

    def settle(
        self,
        scores: NDArray[np.float64],
        *,
        has_offset: bool,
        is_right: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.float64], Calibration, float | None]:
        """Return the class offsets, the calibration and the accuracy of left-out rows' scores."""
        offset = np.zeros(scores.shape[1])
        if has_offset:
            offset = fit_offset(scores, self.labels, self.weights)
        shifted = self.shift(scores, has_offset=has_offset)
        calibration = self.calibrate(shifted, scores + offset, is_right)
        return offset, calibration, self.expect(calibration, scores + offset)

    def _calibrate(
        self,
        scores: NDArray[np.float64],
        predicted: NDArray[np.int64],
        labels: NDArray[np.int64],
        final: NDArray[np.float64] | None = None,
        is_right: NDArray[np.bool_] | None = None,
        *,
        is_chosen: bool = True,
    ) -> Calibration:
        # Weights choose what is predicted, which need not be what is most probable.
        is_peaked = self.scoring != "balanced_accuracy" and len({*self.class_weights.tolist()}) == 1
        return fit_calibration(
            scores, predicted, labels, is_right=is_right, final=final, is_peaked=is_peaked,
            is_chosen=is_chosen,
        )  # fmt: skip


@dataclass
class Tuner:
    """Tries settings, and keeps what each row contributed to the score of each."""

    trial: Trial
    settings: list[Setting]
    n_threads: int
    deadline: float  # when to stop trying, in seconds of the monotonic clock
    n_spare: float = SPARE_SCORES  # scores that are left for kinds that are only tried if quick
    candidates: list[Candidate] = field(default_factory=list)
    values: list[NDArray[np.float32]] = field(default_factory=list)
    rights: list[NDArray[np.bool_]] = field(default_factory=list)  # whether each row is right
    is_complete: bool = True
    expected: float = 0.0  # seconds that what was done should have taken
    spent: float = 0.0  # and took

    def try_kind(self, kind: Kind, tell: Telling) -> None:
        """Try all settings and lengths on one kind of condition; tell seconds by estimate."""
        settings = list(self.settings)
        n_classes = len(self.trial.class_sizes)
        pairs, numbers = kind.judged(self.trial.rows)
        best = np.full((len(pairs), n_classes, len(settings)), -np.inf)
        reached = -np.inf
        for length in range(1, max(kind.lengths) + 1):
            kept = self._affordable(kind, length, len(settings))
            if not kept:
                return
            seconds, start = self._seconds(kind, length, kept), monotonic()
            left, has_offset = self.deadline - start, self.trial.offsets[-1]
            if self.pace * seconds > left:
                self.is_complete = False
                if self.candidates:
                    return
                if length > 1:  # something is tried in any case
                    kept = max(1, int(kept * max(left, 0.0) / (self.pace * seconds)))
                    seconds, has_offset = self._seconds(kind, length, kept), False
            tell(0.0, f"{kind}, length {length}, {kept} settings")
            if length > 1 and kept < len(settings):
                every = [
                    self.trial.shift(best[numbers, :, at], has_offset=has_offset)
                    for at in range(len(settings))
                ]
                losses = [-self.trial.values(shifted).mean() for shifted in every]
                chosen = np.sort(np.argsort(losses)[:kept])
                settings = [settings[at] for at in chosen]
                best = best[:, :, chosen].copy("C")
            kind.searcher.raise_scores(pairs, settings, length, best, self.n_threads)
            if kind.is_spare:
                self.n_spare -= kept * self._n_scores(kind, length)
            before = reached
            if length in kind.lengths:
                reached = self._judge(kind, length, settings, best[numbers])
            tell(seconds)
            self.expected, self.spent = self.expected + seconds, self.spent + monotonic() - start
            is_doubtful = length in kind.lengths and length >= DOUBTFUL_LENGTH and reached <= before
            if is_doubtful and self._n_scores(kind, length + 1) * len(settings) > FEW_SCORES:
                return

    @property
    def pace(self) -> float:
        """How many seconds an estimated one takes here, and not less than one."""
        return max(1.0, self.spent / self.expected if self.expected else 1.0)

    def estimate(self, kind: Kind) -> float:
        """Estimate how many seconds a kind takes, if no length is given up."""
        total = 0.0
        for length in range(1, max(kind.lengths) + 1):
            kept = self._affordable(kind, length, len(self.settings))
            if not kept:
                break
            total += self._seconds(kind, length, kept)
        return total

    def choose(self, default: Callable[[Candidate], Any]) -> tuple[Candidate, Candidate]:
        """Return the best candidate and the default, the one with the least key.

        A candidate must beat the default by more than the guard for near ties.
        """
        start = min(range(len(self.candidates)), key=lambda at: default(self.candidates[at]))
        best = self._best(start, np.ones(len(self.trial.rows), np.bool_))
        return self.candidates[best], self.candidates[start]

    def judge_elsewhere(self, default: Candidate) -> NDArray[np.bool_]:
        """Tell which rows are right where the best candidate is chosen on the other parts.

        The best of many on some rows is right about these more often than about others.
        """
        is_right = np.empty(len(self.trial.rows), np.bool_)
        for part in np.unique(self.trial.parts):
            is_in = self.trial.parts == part
            best = self.choose_by(default, ~is_in if not is_in.all() else is_in)
            is_right[is_in] = self.rights[best][is_in]
        return is_right

    def choose_by(self, default: Candidate, rows: NDArray[np.bool_]) -> int:
        """Return which candidate is chosen if only some of the rows have a say."""
        start = next(at for at, each in enumerate(self.candidates) if each is default)
        return self._best(start, rows)

    def _best(self, start: int, rows: NDArray[np.bool_]) -> int:
        """Return which candidate is best on some rows, if it beats another by the guard."""
        best, best_gain = start, 0.0
        for at, values in enumerate(self.values):
            difference = values[rows].astype(np.float64) - self.values[start][rows]
            gain = difference.mean() - GUARD * np.sqrt((difference**2).sum()) / len(difference)
            if gain > best_gain:
                best, best_gain = at, gain
        return best

    def estimate_optimism(self, chosen: Candidate) -> float:
        """Estimate by how much the chosen candidate, the best of many, looks better than it is.

        The rows are parted, the best candidate of all other parts is judged on each, and that is
        repeated with other parts.
        """
        values = np.array(self.values, np.float64)
        n_rows, honest = values.shape[1], 0.0
        for seed in range(PARTINGS):
            parts = np.random.default_rng(seed).permutation(n_rows) % PARTS
            # (n_candidates, PARTS), rounded: how sums are added up must not settle near ties.
            by_part = (values @ np.eye(PARTS)[parts]).round(6)
            rest = by_part.sum(axis=1, keepdims=True) - by_part
            honest += float(by_part[rest.argmax(axis=0), np.arange(PARTS)].sum())
        return float(max(0.0, chosen.score - honest / (n_rows * PARTINGS)))

    def _affordable(self, kind: Kind, length: int, n_settings: int) -> int:
        """Return how many settings may be tried at a length; 0 where it is too much."""
        n_scores = max(self._n_scores(kind, length), 1)
        many, too_many = MANY_SCORES, TOO_MANY_SCORES if length > 2 else inf
        if kind.is_spare:
            many = too_many = self.n_spare
        kept = min(n_settings, max(LEAST_SETTINGS, int(many / n_scores)))
        return kept if kept * n_scores <= too_many else 0

    def afford(
        self, kinds: Sequence[Kind], chosen: Candidate, trial: Trial, deadline: float
    ) -> Trial:
        """Return a trial by whose rows the chosen settings can be settled before a deadline."""
        kind, own = kind_of(kinds, chosen), replace(self, trial=trial)
        lengths = range(1, chosen.max_length + 1)
        seconds = trial.seconds(1) + sum(own.search_seconds(kind, each, 1) for each in lengths)
        share = max(deadline - monotonic(), 0.0) / (self.pace * max(seconds, 1e-9))
        if share >= 1:
            return trial
        self.is_complete = False
        return trial.take(max(LEAST_SETTLED, int(share * len(trial.rows))))

    def _seconds(self, kind: Kind, length: int, n_settings: int) -> float:
        """Estimate how long it takes to search a length, and to judge it."""
        judging = self.trial.seconds(n_settings) if length in kind.lengths else 0.0
        return self.search_seconds(kind, length, n_settings) + judging

    def search_seconds(self, kind: Kind, length: int, n_settings: int) -> float:
        """Estimate how long it takes to search a length."""
        search = Search(self.settings[0], length, is_by_class=True)
        numbers = (len(self.trial.rows), self.n_threads, kind.searcher.n_omissions, n_settings)
        plan = kind.searcher.plan(search, *numbers)
        return plan.seconds[plan.engine] / self.n_threads

    def _n_scores(self, kind: Kind, length: int) -> int:
        """Return how many scores are computed and looked up for one setting."""
        n_classes, n_features = len(self.trial.class_sizes), len(kind.conditions.features)
        n_rules = kind.conditions.count_rules(length)[length]
        look_ups = n_subsets_of(n_features, length) * len(self.trial.rows)
        return n_classes * (kind.searcher.n_omissions * n_rules + look_ups)

    def _judge(
        self, kind: Kind, length: int, settings: Sequence[Setting], best: NDArray[np.float64]
    ) -> float:
        """Note how well each setting does, and return the best score."""
        first = len(self.candidates)
        n_rules = min(sum(kind.conditions.count_rules(length)[1:]), ENDLESS)
        for at, setting in enumerate(settings):
            for has_offset in self.trial.offsets:
                shifted = self.trial.shift(best[:, :, at], has_offset=has_offset)
                values = self.trial.values(shifted)
                tried = (*kind.key, length, setting, has_offset, n_rules)
                self.candidates.append(Candidate(*tried, score=float(values.mean())))
                self.values.append(values.astype(np.float32))
                self.rights.append(self.trial.decide(shifted) == self.trial.labels)
        return max(candidate.score for candidate in self.candidates[first:])


def tune(
    kinds: Sequence[Kind],
    tuner: Tuner,
    default: Callable[[Candidate], Any],
    estimates: Sequence[float],
    tell: Telling,
) -> Tuning:
    """Try all kinds of conditions, lengths and settings, and choose.

    The kind of the default comes first; `default` tells how far a candidate is from it, `estimates`
    has the seconds of each kind, and `tell` is told by shares of this work.
    """
    start = monotonic()
    total, done = max(sum(estimates), 1e-9), 0.0

    def tell_seconds(share: float, doing: str = "") -> None:
        nonlocal done
        done += share
        tell(share / total, doing)

    for kind, before in zip(kinds, accumulate(estimates, initial=0.0), strict=False):
        tell_seconds(max(before - done, 0.0))  # what the kinds before did not do
        tuner.try_kind(kind, tell_seconds)
    chosen, first = tuner.choose(default)
    trial, seconds = tuner.trial, monotonic() - start
    return Tuning(
        tuple(tuner.candidates), chosen, first, str(trial.scoring), len(trial.rows), seconds,
        tuner.is_complete, optimism=tuner.estimate_optimism(chosen),
    )  # fmt: skip


def kind_of(kinds: Sequence[Kind], chosen: Candidate) -> Kind:
    """Return the kind of condition of some settings."""
    wanted = (chosen.cuts, chosen.has_subsets, chosen.has_intervals)
    return next(kind for kind in kinds if kind.key == wanted)


def score_left_out(
    kind: Kind, chosen: Candidate, rows: NDArray[np.int64], n_threads: int
) -> NDArray[np.float64]:
    """Score training rows by what all others say, (n_rows, n_classes), with some settings."""
    pairs, numbers = kind.judged(rows)
    own = (chosen.setting, chosen.max_length, n_threads)
    return score_rules(kind.searcher, pairs, *own)[numbers]


@dataclass
class Elsewhere:
    """Scores judged rows by the settings that are chosen if only some rows have a say."""

    tuner: Tuner
    kinds: Sequence[Kind]
    default: Candidate
    _known: dict[int, NDArray[np.float64]] = field(default_factory=dict)

    def score(self, rows: NDArray[np.int64], chosen_by: NDArray[np.int64]) -> NDArray[np.float64]:
        """Score some training rows, (n_rows, n_classes); `chosen_by` are those that have a say."""
        tuner = self.tuner
        at = tuner.choose_by(self.default, np.isin(tuner.trial.rows, chosen_by))
        if at not in self._known:
            chosen = tuner.candidates[at]
            kind = kind_of(self.kinds, chosen)
            self._known[at] = score_left_out(kind, chosen, rows, tuner.n_threads)
        return self._known[at]


def settle(
    kinds: Sequence[Kind], chosen: Candidate, trial: Trial, n_threads: int
) -> tuple[Kind, NDArray[np.float64], Calibration, float | None]:
    """Return the kind of the chosen settings, their class offsets, calibration and accuracy."""
    kind = kind_of(kinds, chosen)
    scores = score_left_out(kind, chosen, trial.rows, n_threads)
    return kind, *trial.settle(scores, has_offset=chosen.has_offset, is_right=trial.is_right)


def score_rules(
    searcher: Searcher, pairs: NDArray[np.int64], setting: Setting, length: int, n_threads: int
) -> NDArray[np.float64]:
    """Return the scores of the best rules up to a length for left-out pairs of row and class."""
    best = np.full((len(pairs), searcher.training.n_classes, 1), -np.inf)
    for each in range(1, length + 1):
        searcher.raise_scores(pairs, [setting], each, best, n_threads)
    return best[:, :, 0]


def sample_rows(
    kinds: Sequence[Kind], codes: Sequence[NDArray[np.int32]], n_judged: int, random_state: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose the training rows to judge, all or `n_judged` of them, and part them.

    Rows are sorted by what they hold, in the codes of the kinds and in some more, so that the order
    of the training table does not matter.
    """
    trainings = {id(kind.searcher.training): kind.searcher.training for kind in kinds}.values()
    labels = kinds[0].searcher.training.row_labels
    every = [*codes, *(each.row_codes for each in trainings)]
    order = np.lexsort([labels, *(row for each in every for row in each)])
    rng = np.random.default_rng(random_state)
    if len(order) > n_judged:
        order = order[np.sort(rng.choice(len(order), n_judged, replace=False))]
    return order, rng.permutation(len(order)) % PARTS


def can_spare(conditions: Conditions, n_classes: int) -> bool:
    """Whether the few settings are tried on rules of length 2 that are tried at least."""
    n_scores = 2 * n_classes * sum(conditions.count_rules(2))
    return LEAST_SETTINGS * n_scores <= SPARE_SCORES


def lengths_to_try(
    conditions: Conditions, wanted: Iterable[int] | None, max_rules: float
) -> tuple[int, ...]:
    """Return the lengths to try: those wanted, or from 2 to the longest with few enough rules."""
    n_features = max(1, len(conditions.features))
    if wanted is not None:
        return tuple(sorted({min(length, n_features) for length in wanted}))
    counts = conditions.count_rules(LONGEST)
    longest = 2
    while longest < LONGEST and sum(counts[1 : longest + 2]) <= max_rules:
        longest += 1
    return tuple(range(min(2, n_features), min(longest, n_features) + 1))
