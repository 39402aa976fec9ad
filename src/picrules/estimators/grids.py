"""Checks of the settings to choose from, and what "auto" stands for."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.conditions import ENDLESS
from picrules.encoding.tables import MAX_ROWS
from picrules.errors import BadParameter
from picrules.estimators.parameters import MAX_BINS, check_whole, is_number
from picrules.estimators.tuning import SCORINGS
from picrules.rules.text import show
from picrules.scoring.settings import MEASURES, Setting

if TYPE_CHECKING:
    from collections.abc import Callable

    from picrules.estimators.candidates import Candidate
    from picrules.estimators.personal import PersonalRuleClassifier

# What "auto" tries, by measure.
ALPHAS = {
    "precision": (0.9, 0.98),
    "smoothed_precision": (0.9, 0.98),
    "certainty_factor": (0.9, 0.98),
    "evidence": (1.0, 0.8),
}
SMOOTHINGS = {
    "precision": (0.0,),
    "smoothed_precision": (2.0,),
    "certainty_factor": (0.0, 1.0, 5.0),
    "evidence": (0.5, 2.0, 10.0, 50.0),
}

# From so many rows on, ordered features are also cut into 32 parts.
MANY_ROWS = 2000

# The default, that others must beat: the cuts from so many rows on, and before.
DEFAULT_CUTS = {1000: 16, 0: 8}
DEFAULT_ALPHA, DEFAULT_SMOOTHING, DEFAULT_LENGTH = 1.0, 2.0, 3


@dataclass(frozen=True)
class Grid:
    """The settings to choose from, checked."""

    settings: list[Setting]
    cuts: tuple[int, ...]
    subsets: tuple[bool, ...]
    lengths: tuple[int, ...] | None
    offsets: tuple[bool, ...]
    scoring: str
    min_cover: int
    max_rules: float
    tuning_budget: float
    random_state: int


def check_grid(estimator: PersonalRuleClassifier, n_rows: int) -> Grid:
    """Return the settings that the parameters of an estimator leave to choose from."""
    auto_cuts: tuple[int, ...] = (16, 8) if n_rows >= 1000 else (8, 16)
    if n_rows >= MANY_ROWS:
        auto_cuts = (*auto_cuts, 32)
    lengths = _check_list(estimator.max_length, "max_length", _check_length)
    cuts = _check_list(estimator.cuts, "cuts", _check_cuts)
    budget = estimator.tuning_budget
    if budget is not None and (not is_number(budget, Real) or not budget > 0):
        raise BadParameter(
            f"tuning_budget is {budget!r}; a positive number of seconds, or None for no limit, is "
            "accepted"
        )
    return Grid(
        _check_settings(estimator),
        auto_cuts if cuts is None else cuts,
        _check_list(estimator.subsets, "subsets", _check_boolean) or (True, False),
        lengths,
        tuple(
            sorted(
                _check_list(estimator.class_offset, "class_offset", _check_boolean) or (False, True)
            )
        ),
        _check_scoring(estimator.scoring),
        check_whole(estimator.min_cover, "min_cover", 1, MAX_ROWS),
        check_whole(estimator.max_rules, "max_rules", 1, ENDLESS),
        inf if budget is None else float(budget),
        check_whole(estimator.random_state, "random_state", 0, MAX_ROWS),
    )


def distance_from_default(n_rows: int) -> Callable[[Candidate], Any]:
    """Return a function that tells how far a candidate is from the default."""
    cuts = next(count for least, count in DEFAULT_CUTS.items() if n_rows >= least)

    def distance(candidate: Candidate) -> Any:
        setting = candidate.setting
        return (
            abs(candidate.cuts - cuts),
            not candidate.has_subsets,
            abs(candidate.max_length - DEFAULT_LENGTH),
            MEASURES[::-1].index(setting.measure),
            abs(setting.alpha - DEFAULT_ALPHA),
            abs(np.log((setting.smoothing + 0.1) / DEFAULT_SMOOTHING)),
            not candidate.has_offset,
        )

    return distance


def _check_settings(estimator: PersonalRuleClassifier) -> list[Setting]:
    wanted = estimator.measure if isinstance(estimator.measure, list) else [estimator.measure]
    measures = _check_list(wanted, "measure", _check_measure) or ()
    alphas = _check_list(estimator.alpha, "alpha", _check_alpha)
    smoothings = _check_list(estimator.smoothing, "smoothing", _check_smoothing)
    # Linear measures come first, as the kernels want them.
    return [
        Setting(measure, alpha, smoothing)
        for measure in sorted(set(measures), key=MEASURES.index)
        for alpha in alphas or ALPHAS[measure]
        for smoothing in _smoothings_for(measure, smoothings)
    ]


def _smoothings_for(measure: str, wanted: tuple[float, ...] | None) -> tuple[float, ...]:
    if wanted is None or measure == "precision":
        return SMOOTHINGS[measure]
    if measure == "evidence" and min(wanted) == 0:
        raise BadParameter(
            "smoothing is 0 with the measure 'evidence'; a positive number is accepted, because "
            "the odds of a rule that is never wrong have no logarithm"
        )
    return wanted


def _check_list(value: Any, name: str, check: Callable[[Any, str], Any]) -> tuple[Any, ...] | None:
    """Return the values to try; None for "auto"."""
    if isinstance(value, str) and value == "auto":
        return None
    if isinstance(value, list | tuple | np.ndarray):
        checked = tuple(dict.fromkeys(check(entry, name) for entry in value))
        if not checked:
            raise BadParameter(f"{name} is {value!r}; at least one value is accepted")
        return checked
    return (check(value, name),)


def _check_measure(value: Any, name: str) -> str:
    if not isinstance(value, str) or value not in MEASURES:
        raise BadParameter(f"{name} is {value!r}; one of {list(MEASURES)} is accepted")
    return value


def _check_alpha(value: Any, name: str) -> float:
    if not is_number(value, Real) or not 0 <= value <= 1:
        raise BadParameter(f"{name} is {value!r}; numbers from 0 to 1, or 'auto', are accepted")
    return float(value)


def _check_smoothing(value: Any, name: str) -> float:
    is_accepted = is_number(value, Real) and (value == 0 or 1e-6 <= value <= 1e9)
    if not is_accepted:
        raise BadParameter(
            f"{name} is {show(value)}; numbers from 0.000001 to 1e9, 0 or 'auto' are accepted"
        )
    return float(value)


def _check_length(value: Any, name: str) -> int:
    if not is_number(value, Integral) or value < 1:
        raise BadParameter(f"{name} is {value!r}; whole numbers from 1, or 'auto', are accepted")
    return int(value)


def _check_cuts(value: Any, name: str) -> int:
    if not is_number(value, Integral) or not 2 <= value <= MAX_BINS:
        raise BadParameter(
            f"{name} is {value!r}; whole numbers from 2 to {MAX_BINS}, or 'auto', are accepted"
        )
    return int(value)


def _check_boolean(value: Any, name: str) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise BadParameter(f"{name} is {value!r}; True, False or 'auto' is accepted")
    return bool(value)


def _check_scoring(value: Any) -> str:
    if not isinstance(value, str) or value not in SCORINGS:
        raise BadParameter(f"scoring is {value!r}; one of {list(SCORINGS)} is accepted")
    return value
