"""The single changes that a row allows, and their combinations: nearest ones first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from picrules.explain.evidence import distances_by_code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from picrules.explain.changes.wishes import Wishes
    from picrules.explain.model import Model


@dataclass(frozen=True, slots=True)
class Moves:
    """Single changes of a row: one feature gets another code. Cheaper ones stand first.

    Attributes
    ----------
    places : int64 array of shape (n_moves,)
        The feature of each, among the features of the model.
    codes : int32 array of shape (n_moves,)
        Its new code.
    costs : float64 array of shape (n_moves,)
        How far the changed row is from the row, times the weight of the feature.
    """

    places: NDArray[np.int64]
    codes: NDArray[np.int32]
    costs: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.places)

    def count(self, size: int, among: NDArray[np.int64]) -> int:
        """Return how many ways there are to change so many features together."""
        counts = [1] + [0] * size
        for n_moves in np.unique(self.places[among], return_counts=True)[1].tolist():
            for chosen in range(size, 0, -1):
                counts[chosen] += counts[chosen - 1] * n_moves
        return counts[size]

    def combine(self, size: int, among: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Give all ways to change so many features together, in blocks.

        All combinations of the cheapest moves come before any with a dearer one, so that
        whoever stops early has seen all of the cheapest.

        Parameters
        ----------
        size : int
            How many features change.
        among : int64 array
            Increasing positions of the moves that are used.

        Yields
        ------
        int64 array of shape (n_combinations, size)
            Positions of moves, increasing in each row, all of different features.
        """
        if size == 1:
            yield among[:, np.newaxis]
            return
        for position, last in enumerate(among.tolist()):
            before = among[:position]
            others = before[self.places[before] != self.places[last]]
            for block in self.combine(size - 1, others):
                yield np.column_stack([block, np.full(len(block), last)])

    def apply(self, row: NDArray[np.int32], chosen: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the codes of changed rows.

        Parameters
        ----------
        row : int32 array of shape (n_features,)
            The row as it is.
        chosen : int64 array of shape (n_rows, size)
            The moves that change each.

        Returns
        -------
        int32 array of shape (n_features, n_rows)
            One column for each changed row.
        """
        codes = np.repeat(row[:, np.newaxis], len(chosen), axis=1)
        rows = np.arange(len(chosen))
        for positions in chosen.T:
            codes[self.places[positions], rows] = self.codes[positions]
        return codes


def list_moves(model: Model, row: NDArray[np.int32], wishes: Wishes) -> Moves:
    """List the single changes that a row allows.

    The codes are all that the model can tell apart, so that nothing is lost by leaving out
    other values of the same cells.

    Parameters
    ----------
    model : Model
        The fitted estimator.
    row : int32 array of shape (n_features,)
        The row; -1 is missing.
    wishes : Wishes
        What may change, and what it costs.

    Returns
    -------
    Moves
        In the order of their cost, then of the columns, then of the codes.
    """
    places, codes, costs = [], [], []
    for place, (feature, own) in enumerate(zip(model.features, row.tolist(), strict=True)):
        if feature.name in wishes.fixed:
            continue
        allowed = [
            code for code in range(feature.n_codes) if code != own and wishes.allows(feature, code)
        ]
        new = np.array(allowed, np.int32)
        weight = wishes.weights.get(feature.name, 1.0) / len(row)
        places.append(np.full(len(new), place))
        codes.append(new)
        costs.append(weight * distances_by_code(feature, own)[new])
    # The empty arrays keep the types where nothing may change.
    all_places = np.concatenate([np.empty(0, np.int64), *places])
    all_codes = np.concatenate([np.empty(0, np.int32), *codes])
    all_costs = np.concatenate([np.empty(0), *costs])
    order = np.lexsort((all_codes, all_places, all_costs))
    return Moves(all_places[order], all_codes[order], all_costs[order])
