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
from picrules.estimators import parameters
from picrules.estimators.parameters import MAX_BINS
from picrules.estimators.scorers import check_scoring
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

# From this number of rows on, ordered features are also cut into 32 parts.
MANY_ROWS = 2000

# The default, that others must beat: the cuts from this number of rows on, and before.
DEFAULT_CUTS = {1000: 16, 0: 8}
DEFAULT_ALPHA, DEFAULT_SMOOTHING, DEFAULT_LENGTH = 1.0, 2.0, 3


# The most rules that may decide together.
MOST_RULES = 100

# The smoothing that is accepted, if it is not 0.
LEAST_SMOOTHING, MOST_SMOOTHING = 1e-6, 1e9


@dataclass(frozen=True)
class Grid:
    """The settings to choose from, checked."""

    settings: list[Setting]
    cuts: tuple[int, ...]
    subsets: tuple[bool, ...]
    intervals: tuple[bool, ...] | None  # None to try them where that is quick
    lengths: tuple[int, ...] | None
    offsets: tuple[bool, ...]
    scoring: Any  # a name, or a function
    min_cover: int
    max_rules: float
    tuning_budget: float
    random_state: int
    has_alike: bool
    n_rules: int | None  # None to choose


def check_grid(estimator: PersonalRuleClassifier, n_rows: int) -> Grid:
    """Return the settings that the parameters of an estimator leave to choose from."""
    auto_cuts = ((16, 8) if n_rows >= 1000 else (8, 16)) + ((32,) if n_rows >= MANY_ROWS else ())
    budget = estimator.tuning_budget
    if budget is not None and (not parameters.is_number(budget, Real) or not budget > 0):
        raise BadParameter(
            f"tuning_budget is {budget!r}; a positive number of seconds, or None for no limit, is "
            "accepted"
        )
    return Grid(
        _check_settings(estimator),
        _check_list(estimator.cuts, "cuts") or auto_cuts,
        _check_list(estimator.subsets, "subsets") or (True, False),
        _check_intervals(estimator),
        _check_list(estimator.max_length, "max_length"),
        tuple(sorted(_check_list(estimator.class_offset, "class_offset") or (False, True))),
        check_scoring(estimator.scoring),
        parameters.check_whole(estimator.min_cover, "min_cover", 1, MAX_ROWS),
        parameters.check_whole(estimator.max_rules, "max_rules", 1, ENDLESS),
        inf if budget is None else float(budget),
        parameters.check_whole(estimator.random_state, "random_state", 0, MAX_ROWS),
        _check_look_alikes(estimator),
        _check_n_rules(estimator),
    )


def _check_intervals(estimator: PersonalRuleClassifier) -> tuple[bool, ...] | None:
    wanted = _check_list(estimator.intervals, "intervals")
    # Who says how features are to be cut has said what conditions there are.
    return (False,) if wanted is None and not isinstance(estimator.cuts, str) else wanted


def _check_look_alikes(estimator: PersonalRuleClassifier) -> bool:
    wanted = _check_list(estimator.look_alikes, "look_alikes")
    if parameters.check_keep_rows(estimator.keep_rows) is False:
        if wanted is not None and wanted[0]:
            raise BadParameter(
                "look_alikes is True and keep_rows is False; look-alikes are rows, so False or "
                "'auto' is accepted, or True as keep_rows"
            )
        return False
    if wanted is None:
        is_open = estimator.measure == "evidence" and isinstance(estimator.max_length, str)
        return is_open and isinstance(estimator.cuts, str)
    if len(wanted) > 1:
        raise BadParameter(
            f"look_alikes is {estimator.look_alikes!r}; True, False or 'auto' is accepted"
        )
    return bool(wanted[0])


def _check_n_rules(estimator: PersonalRuleClassifier) -> int | None:
    n_rules = estimator.n_rules
    has_rows = parameters.check_keep_rows(estimator.keep_rows) is not False
    if isinstance(n_rules, str) and n_rules == "auto":
        return None if has_rows else 1
    accepted = f"a whole number from 1 to {MOST_RULES}, or 'auto', is"
    wanted = int(parameters.check_number(n_rules, "n_rules", Integral, 1, MOST_RULES, accepted))
    if wanted > 1 and not has_rows:
        raise BadParameter(
            f"n_rules is {wanted} and keep_rows is False; what several rules weigh is learned from "
            "rows, so 1 or 'auto' is accepted, or True as keep_rows"
        )
    return wanted


def distance_from_default(n_rows: int) -> Callable[[Candidate], Any]:
    """Return a function that tells how far a candidate is from the default."""
    cuts = next(count for least, count in DEFAULT_CUTS.items() if n_rows >= least)

    def distance(candidate: Candidate) -> Any:
        setting = candidate.setting
        return (
            abs(candidate.cuts - cuts),
            not candidate.has_subsets,
            candidate.has_intervals,
            abs(candidate.max_length - DEFAULT_LENGTH),
            MEASURES[::-1].index(setting.measure),
            abs(setting.alpha - DEFAULT_ALPHA),
            abs(np.log((setting.smoothing + 0.1) / DEFAULT_SMOOTHING)),
            not candidate.has_offset,
        )

    return distance


def _check_settings(estimator: PersonalRuleClassifier) -> list[Setting]:
    wanted = estimator.measure if isinstance(estimator.measure, list) else [estimator.measure]
    measures = _check_list(wanted, "measure") or ()
    alphas = _check_list(estimator.alpha, "alpha")
    smoothings = _check_list(estimator.smoothing, "smoothing")
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


def _check_list(value: Any, name: str) -> tuple[Any, ...] | None:
    """Return the values to try; None for "auto"."""
    if isinstance(value, str) and value == "auto":
        return None
    entries = value if isinstance(value, list | tuple | np.ndarray) else [value]
    checked = tuple(dict.fromkeys(_check(entry, name) for entry in entries))
    if not checked:
        raise BadParameter(f"{name} is {value!r}; at least one value is accepted")
    return checked


def _check(value: Any, name: str) -> Any:
    if name == "measure":
        return parameters.check_choice(value, name, MEASURES)
    if name in _NUMBERS:
        is_zero = name == "smoothing" and parameters.is_number(value, Real) and value == 0
        return 0.0 if is_zero else parameters.check_number(value, name, *_NUMBERS[name])
    if not isinstance(value, bool | np.bool_):
        raise BadParameter(f"{name} is {value!r}; True, False or 'auto' is accepted")
    return bool(value)


# For each parameter of numbers: their type, the least and the most, and the words for it.
_NUMBERS: dict[str, tuple[type, float, float, str]] = {
    "alpha": (Real, 0, 1, "numbers from 0 to 1, or 'auto', are"),
    "smoothing": (
        Real,
        LEAST_SMOOTHING,
        MOST_SMOOTHING,
        "numbers from 0.000001 to 1e9, 0 or 'auto' are",
    ),
    "max_length": (Integral, 1, inf, "whole numbers from 1, or 'auto', are"),
    "cuts": (Integral, 2, MAX_BINS, f"whole numbers from 2 to {MAX_BINS}, or 'auto', are"),
}
