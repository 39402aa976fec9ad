"""Read checked values from the JSON of a model file: known keys only, each of a known kind."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from picrules.errors import BadModelFile
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Callable


_INFINITY = {"Infinity": math.inf, "-Infinity": -math.inf}


class Fields:
    """The keys of one JSON object, taken one by one.

    Parameters
    ----------
    content : object
        What stands in the file; anything but an object is refused.
    where : str
        Its name, for errors.
    """

    def __init__(self, content: Any, where: str) -> None:
        if not isinstance(content, dict):
            raise _refusal(where, content, "an object")
        self._left = dict(content)
        self.where = where

    def take(self, key: str, accepted: str, is_accepted: Callable[[Any], bool]) -> Any:
        """Return the value of a key, or say what is accepted in its place."""
        if key not in self._left:
            raise BadModelFile(f"{self._name(key)} is missing")
        value = self._left.pop(key)
        if not is_accepted(value):
            raise _refusal(self._name(key), value, accepted)
        return value

    def text(self, key: str) -> str:
        """Return a text."""
        return str(self.take(key, "a text", lambda value: isinstance(value, str)))

    def one_of(self, key: str, accepted: list[str]) -> str:
        """Return one of some texts."""
        is_one = lambda value: isinstance(value, str) and value in accepted  # noqa: E731
        return str(self.take(key, f"one of {accepted}", is_one))

    def flag(self, key: str) -> bool:
        """Return a boolean."""
        return bool(self.take(key, "true or false", lambda value: isinstance(value, bool)))

    def whole(self, key: str, low: int, high: int) -> int:
        """Return a whole number from a range."""
        accepted = f"a whole number from {low} to {high}"
        return int(self.take(key, accepted, lambda value: is_whole(value) and low <= value <= high))

    def number(self, key: str, low: float, high: float) -> float:
        """Return a number from a range."""
        accepted = f"a number from {low:g} to {high:g}"
        is_inside = lambda value: is_finite(value) and low <= value <= high  # noqa: E731
        return float(self.take(key, accepted, is_inside))

    def items(self, key: str, is_item: Callable[[Any], bool], accepted: str) -> list[Any]:
        """Return a list whose entries are all of one kind."""
        is_list = lambda value: isinstance(value, list) and all(map(is_item, value))  # noqa: E731
        return list(self.take(key, f"a list of {accepted}", is_list))

    def fields(self, key: str) -> Fields:
        """Return the keys of an object inside."""
        return Fields(self.take(key, "an object", lambda _: True), self._name(key))

    def each(self, key: str) -> list[Fields]:
        """Return the keys of each object of a list."""
        items = self.items(key, lambda value: isinstance(value, dict), "objects")
        return [Fields(item, f"{self._name(key)}[{place}]") for place, item in enumerate(items)]

    def finish(self) -> None:
        """Refuse the keys that were not taken."""
        if self._left:
            key = next(iter(self._left))
            raise BadModelFile(f"{self.where} has the key {show(key)}, which this format has not")

    def _name(self, key: str) -> str:
        return f"{self.where}.{key}"


def is_whole(value: Any) -> bool:
    """Whether a value is an integer, not a boolean."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Whether a value is a number that a float can hold."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and _fits(value)
    except OverflowError:
        return False


def is_value(value: Any) -> bool:
    """Whether a value can be a category or a class."""
    return isinstance(value, str | bool) or is_finite(value)


def to_plain(value: Any) -> Any:
    """Write a parameter as JSON; lists, dicts and infinities are marked as such.

    Parameters
    ----------
    value : object
        None, a text, a boolean, a number, or a dict, list, tuple or array of these.

    Returns
    -------
    object
        What `from_plain` turns back into an equal value.
    """
    if isinstance(value, dict):
        return {"pairs": [[to_plain(key), to_plain(entry)] for key, entry in value.items()]}
    if hasattr(value, "tolist"):  # of NumPy, pandas and the like
        value = value.tolist()
    if isinstance(value, float) and math.isinf(value):
        return {"number": "Infinity" if value > 0 else "-Infinity"}
    if value is None or is_value(value):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return {"list": [to_plain(entry) for entry in value]}
    raise BadModelFile(f"{show(value)} ({type(value).__name__}) cannot be written to a model file")


def from_plain(value: Any) -> Any:
    """Read a parameter that `to_plain` wrote."""
    if value is None or is_value(value):
        return value
    match value:
        case {"number": str(word)} if len(value) == 1 and word in _INFINITY:
            return _INFINITY[word]
        case {"list": list(entries)} if len(value) == 1:
            return [from_plain(entry) for entry in entries]
        case {"pairs": list(pairs)} if len(value) == 1 and all(map(_is_pair, pairs)):
            return {key: from_plain(entry) for key, entry in pairs}
    raise BadModelFile(f"{show(value)} is not a parameter in the form of a model file")


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and is_value(pair[0])


def _fits(number: float) -> bool:
    return math.isfinite(float(number))


def _refusal(name: str, value: Any, accepted: str) -> BadModelFile:
    return BadModelFile(f"{name} is {show(value)}; {accepted} is expected")
