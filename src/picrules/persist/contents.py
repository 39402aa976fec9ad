"""The parts of a model as JSON, and back: features, classes, parameters, tuning, calibration."""

from __future__ import annotations

import math
from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.cells import LAST_MOMENT
from picrules.encoding.columns import Kind
from picrules.encoding.conditions import ENDLESS, MANY_CODES, Conditions, sums_of_products
from picrules.encoding.schema import (
    CategoryFeature,
    Feature,
    NumberFeature,
    Schema,
    is_ordered_feature,
)
from picrules.encoding.tables import MAX_ROWS
from picrules.engines.plan import default_memory_limit
from picrules.errors import BadModelFile, BadParameter, NotEnoughMemory
from picrules.estimators import parameters
from picrules.estimators.candidates import Candidate, Tuning
from picrules.estimators.grids import LEAST_SMOOTHING, MOST_RULES, MOST_SMOOTHING
from picrules.estimators.parameters import MAX_BINS
from picrules.estimators.scorers import list_scorings
from picrules.model.calibration import Calibration
from picrules.model.curves import Curve
from picrules.persist.fields import (
    Fields,
    check_hashes,
    is_finite,
    is_text,
    is_value,
    is_whole,
)
from picrules.rules.text import Value, show
from picrules.rules.values import to_microseconds
from picrules.rules.zones import is_zone
from picrules.scoring.settings import MEASURES, Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


_FIRST_MOMENT = to_microseconds(datetime(1, 1, 1))  # noqa: DTZ001

_INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
_FLOATS = [f"float{bits}" for bits in (16, 32, 64)]
# Classes that are text are Python objects, or NumPy's texts of one width.
_DTYPES: dict[str, Callable[[Any], bool]] = {
    "object": is_text,
    "str": is_text,
    "bool": lambda value: isinstance(value, bool),
    **dict.fromkeys(_INTEGERS, is_whole),
    **dict.fromkeys(_FLOATS, is_finite),
}

_INFINITY = {"Infinity": math.inf, "-Infinity": -math.inf}

# A file may not ask for more threads than this, whatever machine it is opened on.
_MAX_THREADS = 1024

# Parts, rules and smoothing rows beyond this are none of ours.
_MANY = 2**62

# And no weight, offset or floor is larger.
LARGEST = 1e6

# What a condition takes at most: two numbers, and while it is made a pair of them in Python.
_BYTES_PER_CONDITION = 250

# What parameters mean that are not in a file: the first files had none of that name.
ABSENT: dict[str, Any] = {
    "look_alikes": False, "n_rules": 1, "intervals": False, "cost_matrix": None,
    "keep_rows": "auto",
}  # fmt: skip


def feature_to_content(feature: Feature) -> dict[str, Any]:
    """Write one feature as JSON."""
    content = {"name": feature.name, "kind": str(feature.kind)}
    if isinstance(feature, CategoryFeature):
        return content | {"categories": feature.categories, "is_ordered": feature.is_ordered}
    zone = {"zone": feature.zone} if feature.zone else {}
    return content | {"cuts": feature.cuts, "is_empty": feature.is_empty} | zone


def read_schema(each: Sequence[Fields]) -> Schema:
    """Read the features of a model."""
    schema = Schema(tuple(map(_read_feature, each)))
    if not schema.features:
        raise BadModelFile("it has no features; at least one is expected")
    if len({feature.name for feature in schema.features}) < len(schema.features):
        raise BadModelFile("two of its features have the same name")
    return schema


def check_memory(schema: Schema, *, has_intervals: bool) -> None:
    """Refuse conditions that do not fit into memory: intervals grow faster than the file.

    Of n codes in order there are `2 * (n - 1)` thresholds, and intervals between any two cuts.
    """
    counts = [each.n_codes for each in schema.features]
    ordered = [each.n_codes for each in schema.features if is_ordered_feature(each)]
    n_sides = sum(math.comb(n, 2) for n in ordered if has_intervals and n <= MANY_CODES)
    needed, limit = (2 * sum(counts) + n_sides) * _BYTES_PER_CONDITION, default_memory_limit()
    if needed > limit:
        raise NotEnoughMemory(
            f"the conditions take {needed / 2**30:.1f} GiB; {limit / 2**30:.1f} GiB are available"
        )


def check_codes(schema: Schema, n_rows: int) -> None:
    """Refuse more codes than rows: cuts at quantiles lie between rows, categories are of rows."""
    for feature in schema.features:
        if feature.n_codes > n_rows:
            raise BadModelFile(
                f"{show(feature.name)} has {feature.n_codes} codes; at most one for each of the "
                f"{n_rows} training rows is expected"
            )


def check_length(n_conditions: list[int], max_length: int, most: int) -> None:
    """Refuse a length above 2 of which there are more rules than so many."""
    for longest in sorted(
        {min(3, max_length), max_length}
    ):  # few first: there may be many features
        counts = sums_of_products(n_conditions, longest, ENDLESS)
        for length, n_rules in list(enumerate(counts))[3:]:
            if n_rules > most:
                raise BadModelFile(
                    f"a max_length is {max_length}, but {length} conditions make {n_rules} rules; "
                    f"at most {most} are accepted"
                )


def _read_feature(fields: Fields) -> Feature:
    name, kind = fields.text("name"), Kind(fields.one_of("kind", list(Kind)))
    feature: Feature
    if kind is Kind.CATEGORY:
        categories = fields.items("categories", is_value, "texts, booleans and numbers")
        check_hashes(categories, fields.where)
        if len(set(categories)) < len(categories):
            raise BadModelFile(f"{fields.where} has a category twice")
        feature = CategoryFeature(name, tuple(categories), fields.flag("is_ordered"))
    else:
        cuts = fields.numbers("cuts").tolist()
        _check_cuts(cuts, kind, fields.where)
        has_zone = kind is Kind.DATE and "zone" in fields
        zone = fields.take("zone", "the name of a time zone", is_zone) if has_zone else ""
        feature = NumberFeature(name, tuple(cuts), kind, fields.flag("is_empty"), zone)
    fields.finish()
    return feature


def _check_cuts(cuts: list[float], kind: Kind, where: str) -> None:
    if not all(lower < upper for lower, upper in pairwise(cuts)):
        raise BadModelFile(f"{where} has cuts that do not increase")
    # Look-alikes have some cuts more than were asked for; nothing else has.
    if len(cuts) >= 2 * MAX_BINS:
        raise BadModelFile(f"{where} has {len(cuts)} cuts; fewer than {2 * MAX_BINS} are expected")
    for cut in cuts if kind is Kind.DATE else ():
        if not cut.is_integer() or not _FIRST_MOMENT <= cut <= LAST_MOMENT:
            raise BadModelFile(
                f"{where} has the cut {cut!r}; whole microseconds in the years 1 to 9999 are "
                "expected"
            )


def classes_to_content(classes: NDArray[Any]) -> dict[str, Any]:
    """Write the classes as JSON."""
    dtype = "str" if classes.dtype.kind == "U" else classes.dtype.name
    if dtype not in _DTYPES:
        raise BadModelFile(
            f"classes of the type {dtype} cannot be written to a model file; "
            f"{', '.join(_DTYPES)} can"
        )
    return {"dtype": dtype, "values": classes.tolist()}


def read_classes(fields: Fields) -> NDArray[Any]:
    """Read the classes of a model."""
    dtype = fields.one_of("dtype", list(_DTYPES))
    values: list[Value] = fields.items("values", _DTYPES[dtype], f"classes of the type {dtype}")
    fields.finish()
    if not all(first < second for first, second in pairwise(values)) or not values:  # type: ignore[operator]
        raise BadModelFile(f"{fields.where}.values are not sorted, each once")
    with suppress(OverflowError), np.errstate(over="ignore"):
        classes: NDArray[Any] = np.array(values, dtype)
        if classes.tolist() == values:
            return classes
    raise BadModelFile(f"{fields.where}.values do not fit into {dtype}")


def setting_to_content(value: Any) -> Any:
    """Write a parameter as JSON; lists, dicts and infinities are marked as such."""
    if isinstance(value, dict):
        pairs = [[setting_to_content(key), setting_to_content(value[key])] for key in value]
        return {"pairs": pairs}
    if hasattr(value, "tolist"):  # of NumPy, pandas and the like
        value = value.tolist()
    if isinstance(value, float) and math.isinf(value):
        return {"number": "Infinity" if value > 0 else "-Infinity"}
    if value is None or is_value(value):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return {"list": [setting_to_content(entry) for entry in value]}
    raise BadModelFile(f"{show(value)} ({type(value).__name__}) cannot be written to a model file")


def _read_setting(value: Any) -> Any:
    if value is None or is_value(value):
        return value
    match value:
        case {"number": str(word)} if len(value) == 1 and word in _INFINITY:
            return _INFINITY[word]
        case {"list": list(entries)} if len(value) == 1:
            return [_read_setting(entry) for entry in entries]
        case {"pairs": list(pairs)} if len(value) == 1 and all(
            isinstance(pair, list) and len(pair) == 2 and is_value(pair[0]) for pair in pairs
        ):
            check_hashes((key for key, _ in pairs), "a parameter")
            return {key: _read_setting(entry) for key, entry in pairs}
    raise BadModelFile(f"{show(value)} is not a parameter in the form of a model file")


def _check_n_jobs(n_jobs: Any) -> None:
    parameters.check_n_jobs(n_jobs)
    if n_jobs is not None and abs(n_jobs) > _MAX_THREADS:
        raise BadParameter(f"n_jobs is {n_jobs}; at most {_MAX_THREADS} threads are accepted")


# Checks get the value of a parameter and the names of the features.
Checks = dict[str, "Callable[[Any, Sequence[str]], object]"]

SHARED_CHECKS: Checks = {
    "categorical_features": parameters.check_categorical_features,
    "engine": lambda value, _: parameters.check_engine(value),
    "memory_limit": lambda value, _: value is None or parameters.check_memory_limit(value),
    "keep_rows": lambda value, _: parameters.check_keep_rows(value),
    "n_jobs": lambda value, _: _check_n_jobs(value),
    "verbose": lambda value, _: parameters.check_verbose(value),
}
PAPER_CHECKS: Checks = {
    "alpha": lambda value, _: parameters.check_alpha(value),
    "max_length": lambda value, names: parameters.check_max_length(value, len(names)),
    "bins": parameters.check_bins,
    **SHARED_CHECKS,
}


def settings_to_content(settings: dict[str, Any]) -> dict[str, Any]:
    """Write the parameters, without those that mean the same where they are absent."""
    content = {name: setting_to_content(value) for name, value in settings.items()}
    return {name: value for name, value in content.items() if not _is_absent(name, value)}


def _is_absent(name: str, value: Any) -> bool:
    return name in ABSENT and type(value) is type(ABSENT[name]) and value == ABSENT[name]


def read_settings(
    fields: Fields, expected: Sequence[str], names: Sequence[str], checks: Checks
) -> dict[str, Any]:
    """Read the expected parameters, and check each as `fit` does."""
    settings = {}
    for key in expected:
        if key in ABSENT and key not in fields:
            settings[key] = ABSENT[key]
            continue
        settings[key] = _read_setting(fields.take(key, "a parameter", lambda _: True))
        try:
            if key in checks:
                checks[key](settings[key], names)
        except (BadParameter, OverflowError) as error:
            raise BadModelFile(f"{fields.where}: {str(error)[:500]}") from None
    fields.finish()
    return settings


def tuning_to_content(tuning: Tuning) -> dict[str, Any]:
    """Write what was tried; not how long it took, so that the same model gives the same bytes."""
    content = {
        "candidates": [_candidate_to_content(candidate) for candidate in tuning.candidates],
        "chosen": tuning.candidates.index(tuning.chosen),
        "default": tuning.candidates.index(tuning.default),
        "scoring": tuning.scoring,
        "n_rows": tuning.n_rows,
        "is_complete": tuning.is_complete,
    }
    by_rules = [[n_rules, score] for n_rules, score in sorted(tuning.by_rules.items())]
    known = {
        "by_rules": by_rules or None,
        "optimism": tuning.optimism,
        "accuracy": tuning.accuracy,
        "has_rows": None if tuning.has_rows else False,
    }
    return content | {key: value for key, value in known.items() if value is not None}


def read_tuning(fields: Fields, conditions: Conditions) -> Tuning:
    """Read what was tried; what is in use must fit the conditions."""
    candidates = tuple(map(_read_candidate, fields.each("candidates")))
    chosen, default = (
        candidates[fields.whole(key, 0, len(candidates) - 1)] for key in ("chosen", "default")
    )
    most = max(1, len(conditions.features))
    is_known = conditions.has_intervals or not chosen.has_intervals
    is_same = chosen.has_subsets == conditions.has_subsets
    if chosen.max_length > most or not is_same or not is_known:
        raise BadModelFile(f"{fields.where}.chosen does not fit the features")
    tuning = Tuning(
        candidates, chosen, default, fields.take("scoring", "a name of a scorer", _is_scoring),
        fields.whole("n_rows", 1, MAX_ROWS), None, fields.flag("is_complete"),
        by_rules=_read_by_rules(fields) if "by_rules" in fields else {},
        optimism=fields.number("optimism", -LARGEST, LARGEST) if "optimism" in fields else None,
        accuracy=fields.number("accuracy", 0, 1) if "accuracy" in fields else None,
        has_rows="has_rows" not in fields or fields.flag("has_rows"),
    )  # fmt: skip
    fields.finish()
    return tuning


def _is_scoring(name: Any) -> bool:
    return isinstance(name, str) and name in list_scorings()


def _read_by_rules(fields: Fields) -> dict[int, float]:
    pairs = fields.items("by_rules", _is_count_and_score, "pairs of a count from 1 and a score")
    if not all(first < second for (first, _), (second, _) in pairwise(pairs)):
        raise BadModelFile(f"{fields.where}.by_rules has counts that do not increase")
    return {n_rules: float(score) for n_rules, score in pairs}


def _is_count_and_score(pair: Any) -> bool:
    if not isinstance(pair, list) or len(pair) != 2:
        return False
    return is_whole(pair[0]) and 1 <= pair[0] <= MOST_RULES and is_finite(pair[1])


def _candidate_to_content(candidate: Candidate) -> dict[str, Any]:
    """Write what was tried: intervals only where there are some, as in the first files."""
    content = candidate.to_dict()
    content["n_rules"] = content.pop("n_looked_at")
    has_intervals = content.pop("intervals")
    return content | ({"intervals": True} if has_intervals else {})


def _read_candidate(fields: Fields) -> Candidate:
    has_intervals = "intervals" in fields and fields.flag("intervals")
    candidate = Candidate(
        fields.whole("cuts", 2, MAX_BINS), fields.flag("subsets"), has_intervals,
        fields.whole("max_length", 1, _MANY), read_measure(fields), fields.flag("class_offset"),
        fields.whole("n_rules", 0, _MANY), fields.number("score", -_MANY, _MANY),
    )  # fmt: skip
    fields.finish()
    return candidate


def read_measure(fields: Fields) -> Setting:
    """Read how rules are scored."""
    measure = fields.one_of("measure", list(MEASURES))
    least = LEAST_SMOOTHING if measure == "evidence" else 0
    smoothing = fields.number("smoothing", least, MOST_SMOOTHING)
    return Setting(measure, fields.number("alpha", 0, 1), smoothing)


def calibration_to_content(calibration: Calibration) -> dict[str, Any]:
    """Write how often predictions are right."""
    errors = {"errors": calibration.errors.ravel().tolist()}
    if not calibration.is_counted:  # as it was read from a file of an earlier format
        common = calibration.curves[0]
        return {"leads": common.leads.tolist(), "shares": common.shares.tolist(), **errors}
    curves = [
        {name: getattr(curve, name).tolist() for name in ("leads", "shares", "sizes")}
        for curve in calibration.curves
    ]
    return {"curves": curves, "is_peaked": calibration.is_peaked, **errors}


def read_calibration(fields: Fields, n_classes: int) -> Calibration:
    """Read how often predictions are right."""
    is_peaked = True
    if "curves" in fields:
        curves = [_read_curve(each) for each in fields.each("curves")]
        is_peaked = fields.flag("is_peaked")
    else:
        leads, shares = fields.numbers("leads"), fields.numbers("shares")
        curves = [_check_curve(fields, leads, shares, np.zeros(len(leads)))] * n_classes
    if len(curves) != n_classes:
        raise BadModelFile(f"{fields.where} has {len(curves)} curves; {n_classes} are expected")
    errors = fields.numbers("errors", n_classes**2).reshape(n_classes, n_classes)
    fields.finish()
    if errors.min() < 0 or errors.max() > 1:
        raise BadModelFile(f"{fields.where} has a share that is not from 0 to 1")
    # With one class there is no error; else the errors of each class are shared out completely.
    whole = np.full(n_classes, float(n_classes > 1))
    if errors.diagonal().any() or not np.allclose(errors.sum(axis=1), whole, rtol=0, atol=1e-9):
        raise BadModelFile(f"{fields.where} has errors that do not add up to 1 for each class")
    return Calibration(tuple(curves), errors, is_peaked)


def _read_curve(fields: Fields) -> Curve:
    leads, shares, sizes = (fields.numbers(name) for name in ("leads", "shares", "sizes"))
    fields.finish()
    if len(sizes) != len(leads) or sizes.min(initial=1) < 1 or sizes.max(initial=1) > MAX_ROWS:
        raise BadModelFile(f"{fields.where} has sizes that are not one count of rows per lead")
    return _check_curve(fields, leads, shares, sizes)


def _check_curve(
    fields: Fields,
    leads: NDArray[np.float64],
    shares: NDArray[np.float64],
    sizes: NDArray[np.float64],
) -> Curve:
    if len(leads) and not 0 <= leads.min() <= leads.max() <= LARGEST:
        raise BadModelFile(f"{fields.where} has leads that are not from 0 to {LARGEST:g}")
    is_rising = len(leads) > 0 and (np.diff(leads) > 0).all() and (np.diff(shares) >= 0).all()
    if len(leads) != len(shares) or not is_rising:
        raise BadModelFile(f"{fields.where} has leads or shares that do not rise")
    if shares.min() < 0 or shares.max() > 1:
        raise BadModelFile(f"{fields.where} has a share that is not from 0 to 1")
    return Curve(leads, shares, sizes)
