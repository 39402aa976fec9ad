"""Checks of the parameters that all estimators share."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs

from picrules.encoding.tables import to_column_name
from picrules.engines.plan import ENGINES, default_memory_limit
from picrules.errors import BadParameter
from picrules.explain.cases import Details
from picrules.rules.text import list_names, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

DEFAULT_BINS = 5
MAX_BINS = 2**20
MAX_TOP = 10_000
MIN_WEIGHT, MAX_WEIGHT = 1e-9, 1e9

_BINS = (Integral, 1, MAX_BINS, f"a whole number from 1 to {MAX_BINS} is")


def check_alpha(value: Any, name: str = "alpha") -> float:
    """Return alpha, or another share, as a float from 0 to 1."""
    return float(check_number(value, name, Real, 0, 1, "a number from 0 to 1 is"))


def check_max_length(max_length: Any, n_features: int) -> int:
    """Return the longest length to look at, at most the number of features."""
    if max_length is None:
        return n_features
    accepted = "a whole number from 1, or None for no limit, is"
    longest: int = check_number(max_length, "max_length", Integral, 1, np.inf, accepted)
    return min(longest, n_features)


def check_bins(bins: Any, names: Sequence[str]) -> list[int]:
    """Return the number of parts for each column."""
    if not isinstance(bins, dict):
        return [check_number(bins, "bins", *_BINS)] * len(names)
    counts = [DEFAULT_BINS] * len(names)
    positions = _find_columns(bins, names, "bins")
    for position, (key, count) in zip(positions, bins.items(), strict=True):
        counts[position] = check_number(count, f"bins[{key!r}]", *_BINS)
    return counts


def check_categorical_features(features: Any, names: Sequence[str]) -> set[int] | None:
    """Return the positions of the categorical columns; None to go by their type."""
    if isinstance(features, str) and features == "from_dtype":
        return None
    if features is None:
        return set()
    if isinstance(features, str | bytes | dict) or not _is_flat(features):
        raise BadParameter(
            f"categorical_features is {features!r}; 'from_dtype', None, or a list of column names, "
            "of positions or of booleans is accepted"
        )
    listed = list(features)
    if listed and all(isinstance(entry, bool | np.bool_) for entry in listed):
        if len(listed) != len(names):
            raise BadParameter(
                f"categorical_features has {len(listed)} booleans; one for each of the "
                f"{len(names)} columns is accepted"
            )
        return set(np.flatnonzero(listed).tolist())
    return set(_find_columns(listed, names, "categorical_features"))


def check_class_weight(
    class_weight: Any, classes: NDArray[Any], class_sizes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the weight of a row of each class."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        return class_sizes.sum() / (len(classes) * class_sizes)  # type: ignore[no-any-return]
    if not isinstance(class_weight, dict):
        raise BadParameter(
            f"class_weight is {class_weight!r}; None, 'balanced' or a dict from class to weight "
            "is accepted"
        )
    for label, weight in class_weight.items():
        if label not in classes.tolist():
            raise BadParameter(
                f"class_weight names the class {label!r}; the classes are "
                f"{', '.join(map(repr, classes.tolist()[:10]))}"
            )
        accepted = f"a positive number from {MIN_WEIGHT:g} to {MAX_WEIGHT:g} is"
        check_number(weight, f"class_weight[{label!r}]", Real, MIN_WEIGHT, MAX_WEIGHT, accepted)
    return np.array([float(class_weight.get(label, 1.0)) for label in classes.tolist()])


def check_engine(engine: Any) -> str:
    """Return the engine's name, or "auto"."""
    return check_choice(engine, "engine", ["auto", *ENGINES])


def check_keep_rows(keep_rows: Any) -> bool | str:
    """Return whether training rows are kept: True, False, or "auto"."""
    if isinstance(keep_rows, bool | np.bool_):
        return bool(keep_rows)
    if isinstance(keep_rows, str) and keep_rows == "auto":
        return "auto"
    raise BadParameter(f"keep_rows is {show(keep_rows)}; True, False or 'auto' is accepted")


def check_choice(value: Any, name: str, accepted: Sequence[str]) -> str:
    """Return one of some words."""
    if not isinstance(value, str) or value not in accepted:
        raise BadParameter(f"{name} is {value!r}; one of {list(accepted)} is accepted")
    return value


def check_memory_limit(memory_limit: Any) -> float:
    """Return the memory limit in bytes; by default a share of the free memory."""
    if memory_limit is None:
        return default_memory_limit()
    is_accepted = is_number(memory_limit, Real) and memory_limit > 0
    if not is_accepted or 2**62 < memory_limit < np.inf:
        raise BadParameter(
            f"memory_limit is {show(memory_limit)}; a positive number of bytes, or None for half "
            "of the free memory, is accepted"
        )
    return float(memory_limit)


def check_n_jobs(n_jobs: Any) -> int:
    """Return the number of threads, resolved as joblib does."""
    if n_jobs is not None and (not is_number(n_jobs, Integral) or n_jobs == 0):
        raise BadParameter(
            f"n_jobs is {n_jobs!r}; a whole number other than 0 (-1: all cores), or None, is "
            "accepted"
        )
    return int(effective_n_jobs(n_jobs))


def check_verbose(verbose: Any) -> bool:
    """Return whether progress is shown."""
    if not isinstance(verbose, Integral | np.bool_) or verbose < 0:
        raise BadParameter(f"verbose is {verbose!r}; 0 (quiet) or 1 (show progress) is accepted")
    return bool(verbose)


def check_whole(value: Any, name: str, least: int, most: int) -> int:
    """Return a whole number between two ends."""
    is_inside = is_number(value, Real) and least <= value <= most
    if not is_inside or int(value) != value:
        raise BadParameter(
            f"{name} is {show(value)}; a whole number from {least} to {most} is accepted"
        )
    return int(value)


def check_details(top: Any, max_overlap: Any, trace: Any, simplify: Any) -> Details:
    """Return what an explanation is to tell beside the rule."""
    n_top, overlap = check_whole(top, "top", 0, MAX_TOP), check_alpha(max_overlap, "max_overlap")
    if not isinstance(trace, bool):
        raise BadParameter(f"trace is {trace!r}; True or False is accepted")
    given = 0.0 if simplify is None else check_alpha(simplify, "simplify")
    return Details(n_top, overlap, trace, given)


def check_number(
    value: Any, name: str, kind: type, least: float, most: float, accepted: str
) -> Any:
    """Return a number between two ends, an int where it is whole; the error has `accepted`."""
    if not is_number(value, kind) or not least <= value <= most:
        raise BadParameter(f"{name} is {show(value)}; {accepted} accepted")
    return int(value) if kind is Integral else float(value)


def is_number(value: Any, kind: type) -> bool:
    """Whether a value is a number of a kind; booleans are not."""
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)


def _is_flat(entries: Any) -> bool:
    try:
        return not any(np.ndim(entry) for entry in entries)
    except (TypeError, ValueError):
        return False


def _find_columns(entries: Iterable[Any], names: Sequence[str], what: str) -> list[int]:
    positions = []
    position_of = {name: position for position, name in enumerate(names)}
    for entry in entries:
        if to_column_name(entry) in position_of:
            positions.append(position_of[to_column_name(entry)])
        elif is_number(entry, Integral) and -len(names) <= entry < len(names):
            positions.append(int(entry) % len(names))
        else:
            raise BadParameter(
                f"{what} names the column {entry!r}; the table has {len(names)} columns: "
                f"{list_names(names)}"
            )
    return positions
