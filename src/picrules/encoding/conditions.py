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
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.schema import CategoryFeature, Feature, Schema, is_ordered_feature
from picrules.kernels.boxes import ALL_BUT_ONE, Sets
from picrules.rules.condition import Condition, Exclusion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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

# The conditions of a feature, each an earlier condition of it (-1: none) and one more code.
Steps = tuple[tuple[int, int], ...]


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

    @cached_property
    def sets(self) -> Sets:
        """The conditions as sets of codes, for the features that have one."""
        n_codes = [self.schema.features[feature].n_codes for feature in self.features]
        if self.is_single:
            codes = np.concatenate([np.empty(0, np.int64), *map(np.arange, n_codes)])
            none, every = np.full(len(codes), -1), np.arange(len(codes) + 1)
            return Sets(np.array(n_codes, np.int64), _starts(n_codes), none, codes, every, codes)
        steps = [self._steps[feature] for feature in self.features]
        members = list(chain.from_iterable(map(_members, steps, n_codes)))
        parents, codes = np.array([*chain.from_iterable(steps)], np.int64).reshape(-1, 2).T.copy()
        return Sets(
            np.array(n_codes, np.int64),
            _starts(map(len, steps)),
            parents,
            codes,
            _starts(map(len, members)),
            np.concatenate([np.empty(0, np.int64), *members]),
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
        return [self._steps_of(feature) for feature in self.schema.features]

    def _steps_of(self, feature: Feature) -> Steps:
        n_codes = feature.n_codes
        singles = tuple((-1, code) for code in range(n_codes))
        if self.is_single:
            return singles
        if is_ordered_feature(feature):
            is_two_sided = self.has_intervals and has_sides(feature)
            return _intervals(n_codes) if is_two_sided else _thresholds(n_codes)
        if self.has_subsets and 1 < n_codes <= FEW_VALUES:
            return _subsets(n_codes)
        if self.has_subsets and FEW_VALUES < n_codes <= MANY_VALUES:
            return singles + tuple((ALL_BUT_ONE, code) for code in range(n_codes))
        return singles


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


@lru_cache(maxsize=256)  # most features have the conditions of many others
def _members(steps: Steps, n_codes: int) -> list[NDArray[np.int64]]:
    """List for each code the conditions that hold it."""
    if all(parent == -1 for parent, _ in steps):  # single values, of which there may be many
        return [np.array([code], np.int64) for code in range(n_codes)]
    holds = np.zeros((len(steps), n_codes), np.bool_)
    for position, (parent, code) in enumerate(steps):
        if parent == ALL_BUT_ONE:
            holds[position] = True
        elif parent >= 0:
            holds[position] = holds[parent]
        holds[position, code] = parent != ALL_BUT_ONE
    return [np.flatnonzero(column) for column in holds.T]


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
