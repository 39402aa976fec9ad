"""What estimators have learned, as one plain value: from it all else follows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.engines.plan import default_memory_limit
from picrules.estimators import parameters
from picrules.model.model import Member
from picrules.model.searcher import Searcher
from picrules.model.source import Source, Wording

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.engines.base import Search
    from picrules.engines.training import Training
    from picrules.estimators.candidates import Tuning
    from picrules.estimators.rule_classifier import RuleClassifier
    from picrules.estimators.settling import Growth
    from picrules.model.between import Pair
    from picrules.model.calibration import Calibration


@dataclass(frozen=True, slots=True)
class Voice:
    """One of the rules that decide together: how it is searched, and what it weighs."""

    search: Search
    weight: float = 1.0
    floor: float = -np.inf  # what no score is below
    is_coarse: bool = False  # whether it is searched among the coarser conditions
    # The pairs of classes that it tells apart where these lead, by their numbers among those that
    # settings were chosen on; None where it speaks of all.
    pairs: tuple[Pair, ...] | None = None


def note_voices(tuning: Tuning, voices: tuple[Voice, ...]) -> Tuning:
    """Note what decides: how many rules (0: nothing is learned), and where the first is from."""
    first = voices[0].search
    n_rules = len(voices) if first.max_length > 0 else 0
    return replace(tuning, n_rules=n_rules, is_alike=first.alike is not None)


@dataclass(frozen=True, slots=True)
class Fitted:
    """What `fit` learned: classes, conditions, training rows, and how rules decide."""

    classes: NDArray[Any]  # sorted
    conditions: Conditions
    training: Training
    voices: tuple[Voice, ...]  # that of the row's rule first
    class_weights: NDArray[np.float64]
    class_offset: NDArray[np.float64]
    min_cover: int
    calibration: Calibration | None = None
    tuning: Tuning | None = None
    coarse: Conditions | None = None  # conditions with some of the cuts, where voices use them
    growth: Growth | None = None  # where rows came or went since settings were chosen

    @property
    def search(self) -> Search:
        """How the rule of a row is searched."""
        return self.voices[0].search

    @property
    def can_count(self) -> bool:
        """Whether counts of sets of features can take the place of the rows: short rules decide."""
        search, is_one = self.search, len(self.voices) == 1 and self.coarse is None
        is_plain = search.alike is None and search.features is None and search.max_length > 0
        return is_one and is_plain and len(self.conditions.features) > 0

    def make_members(self, searcher: Searcher, *, is_coarse: bool = False) -> tuple[Member, ...]:
        """Make what finds the rules that decide, from what finds those of the finer conditions.

        With `is_coarse` all are searched among the coarser ones.
        """
        fine = coarse = Source(searcher)
        if self.coarse is not None:
            wording = Wording.between(self.conditions, self.coarse)
            own = replace(self.training, codes=wording.encode(self.training.codes))
            names = [searcher.names[feature] for feature in wording.features]
            coarse = Source(
                replace(searcher, training=own, sets=self.coarse.sets, names=names), wording
            )
        return tuple(
            Member(
                coarse if each.is_coarse or is_coarse else fine,
                each.search,
                each.weight,
                each.floor,
                self._number(each.pairs),
            )
            for each in self.voices
        )

    def _number(self, pairs: tuple[Pair, ...] | None) -> tuple[Pair, ...] | None:
        """Give the pairs of classes the numbers that these have now; some may have no rows."""
        if pairs is None or self.growth is None:
            return pairs
        number_of = {value: at for at, value in enumerate(self.classes.tolist())}
        tuned = [number_of.get(value) for value in self.growth.classes.tolist()]
        now = [(tuned[first], tuned[second]) for first, second in pairs]
        return tuple((a, b) for a, b in now if a is not None and b is not None)


def make_searcher(
    estimator: RuleClassifier,
    training: Training,
    conditions: Conditions,
    class_weights: NDArray[np.float64],
    min_cover: int,
    memory_limit: float,
) -> Searcher:
    """Make what finds the rules, with the engine that the estimator asks for."""
    engine = parameters.check_engine(estimator.engine)
    return Searcher(
        training, conditions.sets, class_weights, min_cover, engine, memory_limit, conditions.names
    )


def restore(
    kind: type[RuleClassifier],
    settings: dict[str, Any],
    fitted: Fitted,
    *,
    has_names: bool,
    read_rows: Callable[[], None] | None = None,
) -> RuleClassifier:
    """Make a fitted estimator with these parameters from what another one learned.

    `has_names` tells whether the training table named its columns. `read_rows` is called before
    the training rows are first looked at: until then they may lie in a file.
    """
    estimator = kind(**settings)
    # It was set elsewhere, or by a stranger: at most what is free here.
    limit = default_memory_limit()
    if estimator.memory_limit is not None:
        limit = min(limit, parameters.check_memory_limit(estimator.memory_limit))
    names = [feature.name for feature in fitted.conditions.schema.features]
    estimator.n_features_in_ = len(names)
    if has_names:
        estimator.feature_names_in_ = np.array(names, object)
    searcher = make_searcher(
        estimator, fitted.training, fitted.conditions, fitted.class_weights, fitted.min_cover, limit
    )
    if fitted.coarse is not None and read_rows is not None:
        read_rows()  # now: the rows are turned into coarser ones below
        read_rows = None
    estimator._set_fitted(fitted, searcher)  # noqa: SLF001
    estimator._read_training = read_rows  # noqa: SLF001
    return estimator
