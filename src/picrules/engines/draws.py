"""By what pairs of a coded row and a class draw lots: by the values that they hold.

Codes and labels are positions, which change when a category or a class comes. A sample that went by
them would hold other rows then, and far too many of those that come last.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.schema import CategoryFeature
from picrules.kernels.multiset import mix_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Feature


@dataclass(frozen=True, eq=False)
class Draws:
    """A number for each value of each feature, and for each class."""

    numbers: NDArray[np.uint64]  # of missing values and of each code, feature by feature
    starts: NDArray[np.int64]  # (n_features,): where those of each feature begin
    classes: NDArray[np.uint64]  # of no class, and of each

    @classmethod
    def of(cls, conditions: Conditions, classes: NDArray[Any]) -> Draws:
        """Return the numbers of the values of those features that have conditions."""
        features = [conditions.schema.features[column] for column in conditions.features]
        return cls._join([_numbers_of(each) for each in features], _hash_all(classes.tolist()))

    @classmethod
    def by_position(cls, n_codes: NDArray[np.int64], n_classes: int) -> Draws:
        """Return numbers for codes and labels whose values do not matter, as they stay."""
        return cls._join([_count_up(each) for each in n_codes.tolist()], _count_up(n_classes))

    @classmethod
    def _join(cls, features: Sequence[NDArray[np.uint64]], classes: NDArray[np.uint64]) -> Draws:
        sizes = [len(each) for each in features]
        starts = np.cumsum([0, *sizes[:-1]]) if sizes else np.empty(0, np.int64)
        numbers = np.concatenate(features) if sizes else np.empty(0, np.uint64)
        return cls(numbers, starts.astype(np.int64), classes)

    def draw(self, codes: NDArray[np.int32], labels: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return what each row draws; rows that are alike draw the same."""
        keys, codes = np.empty(len(labels), np.uint64), np.ascontiguousarray(codes)
        mix_columns(codes, labels, self.numbers, self.starts, self.classes, keys)
        return keys


def _numbers_of(feature: Feature) -> NDArray[np.uint64]:
    """Return the numbers of the codes of a feature: of numbers the cuts stay, and so the codes."""
    if isinstance(feature, CategoryFeature):
        return _hash_all(feature.categories)
    return _count_up(feature.n_codes)


def _count_up(n_values: int) -> NDArray[np.uint64]:
    return np.arange(1, n_values + 2, dtype=np.uint64)


def _hash_all(values: Iterable[Any]) -> NDArray[np.uint64]:
    return np.array([1, *map(_hash, values)], np.uint64)


def _hash(value: Any) -> int:
    """Return a number that a value has in every process; 1 and 1.0 are the same value."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    text = repr(float(value) if is_number else value)
    return int.from_bytes(blake2b(text.encode(errors="backslashreplace"), digest_size=8).digest())
