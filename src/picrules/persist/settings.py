"""The parameters of an estimator in a model file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from picrules.errors import BadModelFile, BadParameter
from picrules.estimators import parameters
from picrules.persist.fields import from_plain, to_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from picrules.persist.fields import Fields

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
    return {name: to_plain(value) for name, value in settings.items()}


def read_settings(
    fields: Fields, expected: Sequence[str], names: Sequence[str], checks: Checks
) -> dict[str, Any]:
    """Read parameters, and check each as `fit` does.

    Parameters
    ----------
    fields : Fields
        The parameters in the file.
    expected : sequence of str
        The parameters that the estimator has.
    names : sequence of str
        The names of the features.
    checks : dict
        What is checked of each parameter by itself.

    Returns
    -------
    dict
        The value of each parameter.
    """
    settings = {}
    for key in expected:
        value = from_plain(fields.take(key, "a parameter", lambda _: True))
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
