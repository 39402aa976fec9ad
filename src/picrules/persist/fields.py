"""Read checked values from the JSON of a model file: known keys only, each of a known kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.errors import BadModelFile
from picrules.rules import values
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray


# Half of a character of UTF-16, alone: no text that a file or terminal can hold.
_HALF = re.compile("[\ud800-\udfff]")

# The most values of a feature that may have the same hash.
_MOST_ALIKE = 100


class Fields:
    """The keys of one JSON object, taken one by one; errors name the object by `where`."""

    def __init__(self, content: Any, where: str) -> None:
        if not isinstance(content, dict):
            raise _refusal(where, content, "an object")
        self._left = dict(content)
        self.where = where

    def __contains__(self, key: str) -> bool:
        """Whether a key is there that was not taken yet."""
        return key in self._left

    def take(self, key: str, accepted: str, is_accepted: Callable[[Any], bool]) -> Any:
        """Return the value of a key, or say what is accepted instead."""
        if key not in self._left:
            raise BadModelFile(f"{self._name(key)} is missing")
        value = self._left.pop(key)
        if not is_accepted(value):
            raise _refusal(self._name(key), value, accepted)
        return value

    def text(self, key: str) -> str:
        """Return a text."""
        return str(self.take(key, "a text of whole characters", is_text))

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

    def numbers(self, key: str, count: int | None = None) -> NDArray[np.float64]:
        """Return numbers as an array, which must have the length `count` if it is given."""
        numbers = self.items(key, is_finite, "numbers")
        if count is not None and len(numbers) != count:
            raise BadModelFile(
                f"{self._name(key)} has {len(numbers)} numbers; {count} are expected"
            )
        return np.array(numbers, np.float64)

    def fields(self, key: str) -> Fields:
        """Return the keys of an object inside."""
        return Fields(self.take(key, "an object", lambda _: True), self._name(key))

    def each(self, key: str) -> list[Fields]:
        """Return the keys of each object of a list."""
        items = self.items(key, lambda value: isinstance(value, dict), "objects")
        return [Fields(item, f"{self._name(key)}[{index}]") for index, item in enumerate(items)]

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
    return (isinstance(value, float) or is_whole(value)) and values.is_finite(value)


def is_text(value: Any) -> bool:
    """Whether a value is a text that can be printed: without halves of characters."""
    return isinstance(value, str) and not _HALF.search(value)


def is_value(value: Any) -> bool:
    """Whether a value can be a category or a class."""
    return is_text(value) or isinstance(value, bool) or is_finite(value)


def check_hashes(values: Iterable[Any], where: str) -> None:
    """Refuse values made to have the same hash: a dict of n of them takes time of n squared."""
    hashes = np.sort(np.fromiter(map(hash, values), np.int64))
    if (hashes[_MOST_ALIKE:] == hashes[:-_MOST_ALIKE]).any():
        raise BadModelFile(
            f"{where} has more than {_MOST_ALIKE} values of one hash, as no table has by chance"
        )


def _refusal(name: str, value: Any, accepted: str) -> BadModelFile:
    return BadModelFile(f"{name} is {show(value)}; {accepted} is expected")
