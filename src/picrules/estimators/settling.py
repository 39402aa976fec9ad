"""What follows from training rows while settings stay: class offsets, calibration, accuracy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.estimators.between import Apart
from picrules.estimators.composing import score_alike
from picrules.estimators.fingerprint import Fingerprint
from picrules.estimators.scorecards import weigh
from picrules.estimators.tuning import Trial, score_rules
from picrules.model.calibration import is_covered
from picrules.model.curves import fit_stretch
from picrules.model.decision import PARTS
from picrules.model.source import Source
from picrules.rules.text import format_share, plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.estimators.fitted import Fitted, Voice
    from picrules.model.calibration import Calibration
    from picrules.model.searcher import Searcher

# Training rows that are judged for offsets and confidence; of more, a seeded sample.
JUDGED_ROWS = 20_000

# Of these, those by which look-alikes and scorecards are chosen and judged.
MOST_COMPOSED = 3000

# What is neither moved nor stretched.
AS_IT_IS = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Settled:
    """What follows from training rows."""

    offset: NDArray[np.float64]  # of the classes
    calibration: Calibration
    accuracy: float | None  # the share of new predictions that can be expected to be right


@dataclass(frozen=True, slots=True)
class Growth:
    """The rows that settings were chosen on, what was found for them, and how many came and went.

    Tuning knows how much it flatters itself, since it judges rows by settings that others chose.
    What is learned from left-out rows by given settings does not: `line` moves and stretches it, so
    that on the tuned rows it would say the same.
    """

    classes: NDArray[Any]
    class_weights: NDArray[np.float64]
    settled: Settled
    fingerprint: Fingerprint
    n_rows: int
    has_offset: bool
    line: tuple[float, float] = AS_IT_IS
    n_added: int = 0
    n_forgotten: int = 0
    now: Fingerprint | None = None  # of the rows that are held; None where it was not looked for

    @classmethod
    def begin(
        cls,
        fitted: Fitted,
        searcher: Searcher,
        seed: int,
        n_threads: int,
        offsets: tuple[bool, ...],
    ) -> Growth:
        """Note what tuning found, before the first rows come or go; `offsets` are those to try."""
        assert fitted.tuning is not None
        assert fitted.calibration is not None
        chosen, voices = fitted.tuning.chosen, fitted.voices
        is_short = len(voices) == 1 and voices[0].search.alike is None
        has_offset = chosen.has_offset if is_short else bool(fitted.class_offset.any())
        if is_short and len(offsets) == 1:  # it is so as soon as there are two classes
            has_offset = offsets[0]
        settled = Settled(fitted.class_offset, fitted.calibration, fitted.tuning.accuracy)
        mark = find_fingerprint(fitted)
        growth = cls(
            fitted.classes, fitted.class_weights, settled, mark, fitted.training.n_rows,
            has_offset, now=mark,
        )  # fmt: skip
        sums, plain = judge(fitted, searcher, seed, n_threads, has_offset=has_offset)
        return replace(growth, line=_find_line(plain.calibration, settled, sums))

    def settle(self, fitted: Fitted, searcher: Searcher, seed: int, n_threads: int) -> Settled:
        """Return what follows from the rows that are held now."""
        is_back = (
            self.now == self.fingerprint
            and self.classes.tolist() == fitted.classes.tolist()
            and np.array_equal(self.class_weights, fitted.class_weights)
        )
        if is_back:
            return self.settled
        sums, plain = judge(fitted, searcher, seed, n_threads, has_offset=self.has_offset)
        if self.line == AS_IT_IS:
            return plain
        calibration = plain.calibration.stretched(self.line, len(sums.trial.labels))
        accuracy = sums.trial.expect(calibration, sums.plus(plain.offset))
        return Settled(plain.offset, calibration, accuracy)

    @property
    def drift(self) -> Drift:
        """How far the rows have moved on."""
        return Drift(self.n_rows, self.n_added, self.n_forgotten, self.now == self.fingerprint)


@dataclass(frozen=True, slots=True)
class Drift:
    """How far training rows have moved on since settings were chosen.

    Attributes
    ----------
    n_rows : int
        The rows that settings were chosen on.
    n_added : int
        Rows that were added since.
    n_forgotten : int
        Rows that were taken away since.
    is_back : bool
        Whether the rows are those again that settings were chosen on.
    """

    n_rows: int
    n_added: int = 0
    n_forgotten: int = 0
    is_back: bool = True

    @property
    def share(self) -> float:
        """Rows that came or went, by rows that settings were chosen on; 0 if all are back."""
        return 0.0 if self.is_back else (self.n_added + self.n_forgotten) / self.n_rows

    def __str__(self) -> str:
        told = f"{plural(self.n_added, 'row')} added and {self.n_forgotten:,} forgotten"
        told = f"{told} since settings were chosen on {self.n_rows:,}"
        if self.is_back and self.n_added:
            return f"{told}; they are the same rows again"
        return f"{told} ({format_share(self.share)})"


@dataclass(frozen=True)
class Sums:
    """What the rules say together about left-out training rows, before offsets are added."""

    trial: Trial
    scores: NDArray[np.float64]  # (n_judged, n_classes)
    apart: Apart | None  # rules between the two leading classes: offsets have a say in who leads

    def plus(self, offset: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums with offsets of the classes, which may be those of each row."""
        totals = self.scores + offset
        if self.apart is None:
            return totals
        return self.apart.add_to(totals, self.trial, self.apart.weight)


def judge(
    fitted: Fitted, searcher: Searcher, seed: int, n_threads: int, *, has_offset: bool
) -> tuple[Sums, Settled]:
    """Judge training rows by the settings as they are, each by the others."""
    has_offset = has_offset and len(fitted.classes) > 1
    pairs, trial = _sample(fitted, seed, has_offset=has_offset)
    sums = _add_up(fitted, searcher, trial, pairs, n_threads)
    if len(fitted.voices) > 1:
        return sums, _settle_several(sums)
    return sums, Settled(*trial.settle(sums.scores, has_offset=has_offset))


def find_fingerprint(fitted: Fitted) -> Fingerprint:
    """Return the fingerprint of the training rows of a model."""
    training = fitted.training
    own = training.codes, training.labels, training.occurrences
    return Fingerprint.of(fitted.conditions, fitted.classes, *own)


def _sample(fitted: Fitted, seed: int, *, has_offset: bool) -> tuple[NDArray[np.int64], Trial]:
    """Choose training rows to judge, as `fit` does: return their pairs, and them to be judged."""
    training, tuning = fitted.training, fitted.tuning
    assert tuning is not None
    order = np.lexsort([training.labels, *training.codes])
    ends, rng = np.cumsum(training.occurrences[order]), np.random.default_rng(seed)
    rows = np.arange(ends[-1])  # where counts are kept, those of the sample
    if len(rows) > JUDGED_ROWS:
        rows = np.sort(rng.choice(len(rows), JUDGED_ROWS, replace=False))
    pairs = order[np.searchsorted(ends, rows, side="right")]
    parts = rng.permutation(len(rows)) % PARTS
    scoring = "balanced_accuracy" if tuning.scoring == "balanced_accuracy" else "accuracy"
    trial = Trial(
        pairs, training.labels[pairs], training.class_sizes, fitted.class_weights, scoring,
        (has_offset,), parts,
    )  # fmt: skip
    is_composed = len(fitted.voices) > 1 or fitted.search.alike is not None
    trial = trial.take(MOST_COMPOSED) if is_composed else trial
    return trial.rows, trial


def _add_up(
    fitted: Fitted, searcher: Searcher, trial: Trial, rows: NDArray[np.int64], n_threads: int
) -> Sums:
    """Add up what the voices say about left-out rows, given as pairs of row and class."""
    pairs, numbers = np.unique(rows, return_inverse=True)
    total, is_known = np.zeros((len(pairs), len(fitted.classes))), np.zeros(len(pairs), np.bool_)
    apart = None
    for voice, member in zip(fitted.voices, fitted.make_members(searcher), strict=True):
        if member.pairs is not None:
            source = Source(member.source.searcher)
            settings = (voice.search, member.pairs, rows, n_threads, voice.weight)
            apart = Apart(source, *settings)
            continue
        own = _hear(voice, member.source.searcher, pairs, n_threads)
        is_known |= is_covered(own)
        total += voice.weight * np.maximum(own, voice.floor) if voice.weight else 0.0
    if len(fitted.voices) == 1:
        total[~is_known] = -np.inf
    return Sums(trial, total[numbers], apart)


def _hear(
    voice: Voice, searcher: Searcher, pairs: NDArray[np.int64], n_threads: int
) -> NDArray[np.float64]:
    search = voice.search
    if search.alike is not None:
        return score_alike(searcher, search.alike, pairs, n_threads)
    if search.features is not None:
        searcher = searcher.on(search.features)
    return score_rules(searcher, pairs, search.setting, search.max_length, n_threads)


def _settle_several(sums: Sums) -> Settled:
    """Settle what several rules say: their offset is that with which rows are most likely."""
    trial, scores = sums.trial, sums.scores
    n_classes, added = scores.shape[1], np.zeros(scores.shape)

    def find_offset(rows: NDArray[np.bool_]) -> NDArray[np.float64]:
        if n_classes == 1 or not rows.any():
            return np.zeros(n_classes)
        return weigh([scores[rows]], trial.labels[rows], trial.weights[rows], is_open=False).offset

    for part in np.unique(trial.parts):
        added[trial.parts == part] = find_offset(trial.parts != part)
    offset = find_offset(np.ones(len(scores), np.bool_))
    final = sums.plus(offset)
    calibration = trial.calibrate(sums.plus(added), final)
    return Settled(offset, calibration, trial.expect(calibration, final))


def _find_line(plain: Calibration, settled: Settled, sums: Sums) -> tuple[float, float]:
    """Find what makes of what left-out rows say by given settings what tuning said of them."""
    covered = np.flatnonzero(is_covered(sums.scores))
    if not covered.size or sums.scores.shape[1] == 1:
        return AS_IT_IS
    totals = sums.plus(settled.offset)
    shifted, predicted = totals[covered], sums.trial.decide(totals)[covered]
    told, known = (each.read(shifted, predicted)[0] for each in (plain, settled.calibration))
    return AS_IT_IS if np.array_equal(told, known) else fit_stretch(told, known)
