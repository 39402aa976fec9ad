"""A number that tells whether training rows are those of before, in whatever order and codes.

Each row has a number of 64 bits, made from its cells and its class as if by chance; those of all
rows are added up. So the number of more or fewer rows follows from that of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.schema import CategoryFeature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions

_WHOLE = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The sums of two numbers that each row of a multiset has."""

    first: int = 0
    second: int = 0

    @classmethod
    def of(
        cls,
        conditions: Conditions,
        classes: NDArray[Any],
        codes: NDArray[np.int32],
        labels: NDArray[np.int64],
        occurrences: NDArray[np.int64],
    ) -> Fingerprint:
        """Add up the numbers of rows, each as often as it occurs; missing cells say nothing."""
        numbers = _draw("class", classes.tolist())[labels]
        for column, own in zip(conditions.features.tolist(), codes, strict=True):
            feature = conditions.schema.features[column]
            cells: Sequence[Any] = range(feature.n_codes)
            if isinstance(feature, CategoryFeature):
                cells = feature.categories
            numbers += _draw(column, cells)[own]  # the last is that of -1
        first = _mix(numbers)
        times = occurrences.astype(np.uint64)
        sums = ((each * times).sum(dtype=np.uint64) for each in (first, _mix(~first)))
        return cls(*map(int, sums))

    def __add__(self, other: Fingerprint) -> Fingerprint:
        return Fingerprint(self.first + other.first & _WHOLE, self.second + other.second & _WHOLE)

    def __sub__(self, other: Fingerprint) -> Fingerprint:
        return Fingerprint(self.first - other.first & _WHOLE, self.second - other.second & _WHOLE)


def _draw(place: Any, values: Sequence[Any]) -> NDArray[np.uint64]:
    """Return a number for each value at a place, and last 0 for a missing one."""
    texts = (f"{place} {type(value).__name__} {value!r}".encode() for value in values)
    drawn = [int.from_bytes(blake2b(text, digest_size=8).digest()) for text in texts]
    return np.array([*drawn, 0], np.uint64)


def _mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        numbers = (numbers ^ numbers >> np.uint64(shift)) * np.uint64(factor)
    return numbers ^ numbers >> np.uint64(31)
