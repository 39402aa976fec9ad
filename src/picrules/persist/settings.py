"""The parameters of an estimator in a model file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from picrules.errors import BadModelFile, BadParameter
from picrules.estimators import parameters
from picrules.persist.fields import is_value
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from picrules.persist.fields import Fields

_INFINITY = {"Infinity": math.inf, "-Infinity": -math.inf}

# A file may not ask for more threads than this, whatever machine it is opened on.
MAX_THREADS = 1024

Checks = dict[str, "Callable[[Any, Sequence[str]], object]"]

SHARED_CHECKS: Checks = {
    "categorical_features": parameters.check_categorical_features,
    "engine": lambda value, _: parameters.check_engine(value),
    "memory_limit": lambda value, _: parameters.check_memory_limit(value),
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
    """Write parameters as JSON."""
    return {name: _to_plain(value) for name, value in settings.items()}


def read_settings(
    fields: Fields, expected: Sequence[str], names: Sequence[str], checks: Checks
) -> dict[str, Any]:
    """Read the expected parameters, and check each as `fit` does.

    The checks get the value of a parameter and the names of the features.
    """
    settings = {}
    for key in expected:
        value = _from_plain(fields.take(key, "a parameter", lambda _: True))
        try:
            if key in checks:
                checks[key](value, names)
        except (BadParameter, OverflowError) as error:
            raise BadModelFile(f"{fields.where}: {str(error)[:500]}") from None
        settings[key] = value
    fields.finish()
    return settings


def _check_n_jobs(n_jobs: Any) -> None:
    parameters.check_n_jobs(n_jobs)
    if n_jobs is not None and abs(n_jobs) > MAX_THREADS:
        raise BadParameter(f"n_jobs is {n_jobs}; at most {MAX_THREADS} threads are accepted")


def _to_plain(value: Any) -> Any:
    """Write a parameter as JSON; lists, dicts and infinities are marked as such."""
    if isinstance(value, dict):
        return {"pairs": [[_to_plain(key), _to_plain(entry)] for key, entry in value.items()]}
    if hasattr(value, "tolist"):  # of NumPy, pandas and the like
        value = value.tolist()
    if isinstance(value, float) and math.isinf(value):
        return {"number": "Infinity" if value > 0 else "-Infinity"}
    if value is None or is_value(value):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return {"list": [_to_plain(entry) for entry in value]}
    raise BadModelFile(f"{show(value)} ({type(value).__name__}) cannot be written to a model file")


def _from_plain(value: Any) -> Any:
    """Read a parameter that `_to_plain` wrote."""
    if value is None or is_value(value):
        return value
    match value:
        case {"number": str(word)} if len(value) == 1 and word in _INFINITY:
            return _INFINITY[word]
        case {"list": list(entries)} if len(value) == 1:
            return [_from_plain(entry) for entry in entries]
        case {"pairs": list(pairs)} if len(value) == 1 and all(map(_is_pair, pairs)):
            return {key: _from_plain(entry) for key, entry in pairs}
    raise BadModelFile(f"{show(value)} is not a parameter in the form of a model file")


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and is_value(pair[0])
