"""Where rules come from: a searcher whose codes and conditions may be coarser than the model's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from picrules.encoding.conditions import positions_by_ends
from picrules.encoding.schema import NumberFeature, is_ordered_feature
from picrules.engines.found import Found, Rules
from picrules.kernels.counting import Asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.engines.base import Search
    from picrules.engines.training import Training
    from picrules.model.searcher import Report, Searcher


@dataclass(frozen=True, eq=False)
class Wording:
    """How codes of a model turn into coarser ones, and conditions on these into the model's.

    The coarser conditions are among the model's: their cuts are some of its cuts.
    """

    features: NDArray[np.int64]  # (n_features,): which feature of the model each is
    codes: list[NDArray[np.int32]]  # for each the code that each of the model's turns into
    positions: list[NDArray[np.int64]]  # for each the model's condition that each is

    @classmethod
    def between(cls, fine: Conditions, coarse: Conditions) -> Wording:
        """Compare the conditions of a model with coarser ones on the same columns."""
        features = np.searchsorted(fine.features, coarse.features)
        codes, positions = [], []
        for own, (feature, column) in enumerate(zip(features, coarse.features, strict=True)):
            described, known = coarse.schema.features[column], fine.schema.features[column]
            turned, same = np.arange(known.n_codes), np.arange(len(coarse.steps_of(own)))
            if isinstance(described, NumberFeature) and isinstance(known, NumberFeature):
                turned = np.searchsorted(described.cuts, [*known.cuts, np.inf])[: known.n_codes]
            if is_ordered_feature(known):
                first, last = (
                    np.searchsorted(turned, np.arange(described.n_codes), side)
                    for side in ("left", "right")
                )
                known_by_ends = positions_by_ends(fine.steps_of(feature))
                for (low, high), position in positions_by_ends(coarse.steps_of(own)).items():
                    same[position] = known_by_ends[int(first[low]), int(last[high]) - 1]
            codes.append(np.append(turned, -1).astype(np.int32))  # a missing value stays one
            positions.append(same)
        return cls(features, codes, positions)

    def encode(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Turn codes of the model into coarser ones."""
        own = np.empty((len(self.features), codes.shape[1]), np.int32)
        for at, (feature, turned) in enumerate(zip(self.features, self.codes, strict=True)):
            own[at] = turned[codes[feature]]
        return own

    def translate(self, rules: Rules) -> Rules:
        """Return rules in the model's features and conditions."""
        features, positions = rules.features.copy(), rules.positions.copy()
        for own, feature in enumerate(self.features):
            is_own = rules.features == own
            features[is_own] = feature
            positions[is_own] = self.positions[own][rules.positions[is_own]]
        return Rules(rules.lengths, features, positions, rules.counts)


@dataclass(frozen=True, eq=False)
class Source:
    """A searcher, and how its words turn into those of the model."""

    searcher: Searcher
    wording: Wording | None = None  # None where they are the same

    def features(self, n_features: int) -> NDArray[np.int64]:
        """Return which of the model's features each of the searcher's is."""
        return np.arange(n_features) if self.wording is None else self.wording.features

    def encode(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Turn codes of the model into the searcher's."""
        return codes if self.wording is None else self.wording.encode(codes)

    def translate(self, rules: Rules) -> Rules:
        """Turn rules of the searcher into the model's."""
        return rules if self.wording is None else self.wording.translate(rules)

    def parts(
        self, codes: NDArray[np.int32], search: Search, n_threads: int, report: Report | None
    ) -> Iterator[tuple[slice, Found]]:
        """Find the best rules of rows, in chunks whose state fits into memory."""
        for rows, found in self.searcher.parts(self.encode(codes), search, n_threads, report):
            yield rows, self._reword(found)

    def leave_one_out(
        self, search: Search, n_threads: int, report: Report | None, asked: Asked
    ) -> Found:
        """Find the best rules of pairs of training row and class, from all other rows."""
        own = Asked(self.encode(asked.codes), asked.left_out)
        return self._reword(self.searcher.leave_one_out(search, n_threads, report, own))

    def between(self, classes: tuple[int, int]) -> Source:
        """Return the same among the training rows of two classes alone, numbered 0 and 1."""
        return replace(self, searcher=self.searcher.between(classes))

    def trained_on(self, training: Training) -> Source:
        """Return the same with other training rows, in the model's codes, to be asked once."""
        own = replace(training, codes=self.encode(training.codes))
        searcher = replace(self.searcher, training=own, is_reused=False)
        return replace(self, searcher=searcher)

    def _reword(self, found: Found) -> Found:
        if self.wording is None:
            return found
        return Found(found.scores, found.labels, partial(_translated, self, found.rules))


def _translated(
    source: Source,
    find: Callable[[NDArray[np.int64], NDArray[np.int64]], Rules],
    rows: NDArray[np.int64],
    slots: NDArray[np.int64],
) -> Rules:
    return source.translate(find(rows, slots))
