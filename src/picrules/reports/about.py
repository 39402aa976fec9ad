"""What a report is about: the names of the model, the target and the data, and the day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from picrules.errors import BadParameter
from picrules.rules.text import list_names, show

_NAMES = ("model", "target", "data", "date")


def describe(given: Any, clf: Any, y: Any = None) -> dict[str, str | None]:
    """Return what `about` of a report says, and what is known where it says nothing.

    Examples
    --------
    >>> from picrules import FPICClassifier
    >>> told = describe({"data": "new.csv", "date": "2024-05-01"}, FPICClassifier())
    >>> list(told.values())
    ['FPICClassifier', None, 'new.csv', '2024-05-01']
    """
    name = getattr(y, "name", None)
    known = {
        "model": type(clf).__name__,
        "target": name if isinstance(name, str) else None,
        "data": None,
        "date": date.today().isoformat(),  # noqa: DTZ011  (the day where the report is made)
    }
    return {**known, **_check(given)}


def _check(given: Any) -> dict[str, str]:
    if given is None:
        return {}
    accepted = f"a dict of texts with the keys {list_names(_NAMES)} is accepted"
    if not isinstance(given, Mapping):
        raise BadParameter(f"about is {show(given)}; {accepted}")
    for key, value in given.items():
        if key not in _NAMES or not isinstance(value, str):
            raise BadParameter(f"about has {show(key)}: {show(value)}; {accepted}")
    return dict(given)
