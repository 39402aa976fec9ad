"""The conditions that rules are made of, when a condition is a set of codes.

Ordered features have thresholds, `x <= cut` and `x > cut`, and with `intervals` also
`lower < x <= upper` between any two cuts; categories have `x = value`, and with `subsets` every set
of values where there are few, or `x != value` where there are more. The rules of the paper have
single codes only: `x = value`, and `lower < x <= upper` between two neighbouring cuts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from picrules.encoding.schema import CategoryFeature, Feature, Schema, is_ordered_feature
from picrules.kernels.boxes import ALL_BUT_ONE, BY_CUTS, Sets
from picrules.rules.condition import Condition, Exclusion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.columns import Column

# All sets of values are looked at for categories with at most `FEW_VALUES`, and "all but one" for
# those with at most `MANY_VALUES`: more would take their square in time and memory, for conditions
# that exclude next to nothing.
FEW_VALUES = 5
MANY_VALUES = 50

# Ordered features with at most so many codes have intervals: their number grows with the square.
MANY_CODES = 128

# More than this is as good as endless.
ENDLESS = 2**62

# The conditions of a feature, each an earlier condition of it (-1: none) and one more code; and
# what makes them from the number of codes.
Steps = tuple[tuple[int, int], ...]
Maker: TypeAlias = "Callable[[int], Steps]"


@dataclass(frozen=True)
class Conditions:
    """All conditions on the features of a schema, in the order that wins ties.

    Only columns that have conditions are features of a model: they have consecutive numbers here.
    """

    schema: Schema
    has_subsets: bool = False  # whether categories have sets of values, or `!=`, beside `=`
    is_single: bool = False  # whether each condition is one code: those of PIC and fPIC
    has_intervals: bool = False  # whether ordered features have intervals beside thresholds

    @cached_property
    def features(self) -> NDArray[np.int64]:
        """Positions of the columns that have a condition at all."""
        return np.array([f for f, steps in enumerate(self._steps) if steps], np.int64)

    @property
    def names(self) -> list[str]:
        """The names of the features."""
        return [self.schema.features[column].name for column in self.features]

    @cached_property
    def sets(self) -> Sets:
        """The conditions as sets of codes, for the features that have one."""
        n_codes = [self.schema.features[feature].n_codes for feature in self.features]
        if self.is_single:
            codes = np.concatenate([np.empty(0, np.int64), *map(np.arange, n_codes)])
            none, one = np.full(len(codes), -1), np.ones(len(codes), np.int64)
            listed = np.arange(max(n_codes, default=0))
            return Sets(
                np.array(n_codes, np.int64), _starts(n_codes), none, codes, one, codes, listed
            )
        steps = [self._steps[feature] for feature in self.features]
        parents, codes = np.array([*chain.from_iterable(steps)], np.int64).reshape(-1, 2).T.copy()
        return Sets(
            np.array(n_codes, np.int64),
            _starts(map(len, steps)),
            parents,
            codes,
            *_list_members([self._makers[feature] for feature in self.features], n_codes),
        )

    @cached_property
    def n_conditions(self) -> NDArray[np.int64]:
        """How many conditions each feature has that has one."""
        return np.array([len(self._steps[feature]) for feature in self.features], np.int64)

    def count_rules(self, max_length: int) -> list[int]:
        """Return how many rules there are of each length from 0 to `max_length`, or endless."""
        return sums_of_products(self.n_conditions.tolist(), max_length, ENDLESS)

    def encode(self, columns: Sequence[Column]) -> NDArray[np.int32]:
        """Return the codes of a table, of shape (n_features, n_rows); -1 is missing or unseen."""
        codes = self.schema.encode(columns)
        return codes if len(self.features) == len(codes) else codes[self.features]

    def spread(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return codes of all columns from those of the features: the others are -1."""
        if len(self.features) == len(self.schema.features):
            return codes
        every = np.full((len(self.schema.features), codes.shape[1]), -1, np.int32)
        every[self.features] = codes
        return every

    def steps_of(self, feature: int) -> Steps:
        """Return the conditions of a feature, each by what it adds to an earlier one."""
        return self._steps[int(self.features[feature])]

    def condition(self, feature: int, position: int) -> Condition:
        """Return a condition of a feature, made once."""
        known = self._known.get((feature, position))
        if known is None:
            known = self._known[feature, position] = self._make_condition(feature, position)
        return known

    @cached_property
    def _known(self) -> dict[tuple[int, int], Condition]:
        """The conditions that were asked for so far."""
        return {}

    def _make_condition(self, feature: int, position: int) -> Condition:
        column = int(self.features[feature])
        described, steps = self.schema.features[column], self._steps[column]
        parent, code = steps[position]
        if parent == ALL_BUT_ONE:
            assert isinstance(described, CategoryFeature)
            return Exclusion(described.name, described.categories[code])
        codes = [code]
        while parent >= 0:
            parent, code = steps[parent]
            codes.append(code)
        return described.condition(*codes)

    @cached_property
    def _steps(self) -> list[Steps]:
        numbers = [feature.n_codes for feature in self.schema.features]
        keys = list(zip(self._makers, numbers, strict=True))
        known = {key: key[0](key[1]) for key in set(keys)}  # features alike share theirs
        return [known[key] for key in keys]

    @cached_property
    def _makers(self) -> list[Maker]:
        return [self._maker_of(feature) for feature in self.schema.features]

    def _maker_of(self, feature: Feature) -> Maker:
        if self.is_single:
            return _singles
        if is_ordered_feature(feature):
            return _intervals if self.has_intervals and has_sides(feature) else _thresholds
        if self.has_subsets and 1 < feature.n_codes <= FEW_VALUES:
            return _subsets
        if self.has_subsets and FEW_VALUES < feature.n_codes <= MANY_VALUES:
            return _exclusions
        return _singles


def has_sides(feature: Feature) -> bool:
    """Whether there are conditions on a feature that reach to both sides of each of its codes."""
    return not is_ordered_feature(feature) or feature.n_codes <= MANY_CODES


def sums_of_products(counts: Iterable[Any], max_length: int, most: int | None = None) -> list[Any]:
    """Return the sum of the products of 0, 1, ... different counts, each at most `most`."""
    sums: list[Any] = [1] + [0] * max_length
    for count in counts:
        for length in range(max_length, 0, -1):
            total = sums[length] + sums[length - 1] * count
            sums[length] = total if most is None else min(total, most)
    return sums


def _list_members(
    makers: Sequence[Maker], n_codes: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return how many conditions hold each code, where their list begins, and all lists.

    Features that have the same conditions share their lists, and thresholds need none. So neither
    a wide table takes much, nor a feature with very many cuts.
    """
    none = np.empty(0, np.int64)
    sizes, starts, listed, n_listed = [none], [none], [none], 0
    known: dict[tuple[Maker, int], tuple[NDArray[np.int64], NDArray[np.int64]]] = {}
    for make, count in zip(makers, n_codes, strict=True):
        if make is _thresholds:
            known[make, count] = np.full(count, count - 1), np.full(count, BY_CUTS)
        elif (make, count) not in known:
            members = _members(make, count)
            lengths = np.array(list(map(len, members)), np.int64)
            known[make, count] = lengths, n_listed + np.cumsum(lengths) - lengths
            listed.extend(members)
            n_listed += int(lengths.sum())
        sizes.append(known[make, count][0])
        starts.append(known[make, count][1])
    return np.concatenate(sizes), np.concatenate(starts), np.concatenate(listed)


@lru_cache(maxsize=256)  # many tables have features alike
def _members(make: Maker, n_codes: int) -> Sequence[NDArray[np.int64]]:
    """List for each code the conditions that hold it."""
    if make is _singles:
        return np.arange(n_codes)[:, np.newaxis]  # type: ignore[return-value]
    steps = make(n_codes)
    holds = np.zeros((len(steps), n_codes), np.bool_)
    for position, (parent, code) in enumerate(steps):
        if parent == ALL_BUT_ONE:
            holds[position] = True
        elif parent >= 0:
            holds[position] = holds[parent]
        holds[position, code] = parent != ALL_BUT_ONE
    return [np.flatnonzero(column) for column in holds.T]


def _singles(n_codes: int) -> Steps:
    """List each code by itself."""
    return tuple((-1, code) for code in range(n_codes))


def _exclusions(n_codes: int) -> Steps:
    """List each code by itself, then all but each."""
    return _singles(n_codes) + tuple((ALL_BUT_ONE, code) for code in range(n_codes))


def _thresholds(n_codes: int) -> Steps:
    """List `<=` from the lowest cut up, then `>` from the highest down: smaller sets first."""
    n_cuts = n_codes - 1
    below = tuple((code - 1, code) for code in range(n_cuts))
    above = ((n_cuts - 1 + step if step else -1, n_cuts - step) for step in range(n_cuts))
    return (*below, *above)


@lru_cache(maxsize=256)
def _intervals(n_codes: int) -> Steps:
    """List the thresholds, then the intervals between two cuts by their first code."""
    steps = list(_thresholds(n_codes))
    for low in range(1, n_codes - 1):
        for code in range(low, n_codes - 1):
            steps.append((-1 if code == low else len(steps) - 1, code))
    return tuple(steps)


def _subsets(n_codes: int) -> Steps:
    """List every set of codes but the empty and the full one, smaller sets first."""
    sets = [codes for size in range(n_codes) for codes in combinations(range(n_codes), size)]
    position_of = {codes: position for position, codes in enumerate(sets, start=-1)}  # of (): -1
    return tuple((position_of[codes[:-1]], codes[-1]) for codes in sets[1:])


@lru_cache(maxsize=256)
def positions_by_ends(steps: Steps) -> dict[tuple[int, int], int]:
    """Return which condition holds the codes from one to another, for neighbouring codes."""
    ends: list[tuple[int, int]] = []
    for parent, code in steps:
        low, high = ends[parent] if parent >= 0 else (code, code)
        ends.append((min(low, code), max(high, code)))
    return {each: position for position, each in reversed(list(enumerate(ends)))}


def _starts(sizes: Iterable[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *sizes]).astype(np.int64)
