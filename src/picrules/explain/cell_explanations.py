"""Explanations by rules of which each condition is one code of the row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.boxes import BoxRules
from picrules.explain.explanation import Explanation
from picrules.explain.explanations import Explanations
from picrules.explain.probability import class_probabilities
from picrules.kernels.boxes import Rows
from picrules.rules.rule import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.explain.model import Model
    from picrules.kernels.best import Best


class CellExplanations(Explanations):
    """Explanations of PIC and fPIC.

    Parameters
    ----------
    model : Model
        What the rows were asked of.
    codes : int32 array of shape (n_features, n_rows)
        The rows.
    best : kernels.best.Best
        What the search found, one entry a row.
    depths : int64 array of shape (n_rows,)
        Up to which length rules were looked at.
    """

    def __init__(
        self, model: Model, codes: NDArray[np.int32], best: Best, depths: NDArray[np.int64]
    ) -> None:
        super().__init__(model, Rows(codes, np.full(codes.shape[1], -1, np.int64)))
        self.best, self.depths = best, depths

    @property
    def labels(self) -> NDArray[np.int64]:
        """The predicted classes."""
        return self.best.labels  # type: ignore[no-any-return]

    @property
    def confidences(self) -> NDArray[np.float64]:
        """The smoothed share of each row's class in the cover of its rule."""
        probabilities = class_probabilities(self.best.counts, self.labels)
        confidences: NDArray[np.float64] = probabilities.max(axis=1)
        return confidences

    def _explain(self, row: int) -> Explanation:
        best, codes = self.best, self.asked.codes
        conditions = tuple(
            self.model.features[feature].condition(int(codes[feature, row]))
            for feature in best.features[row, : best.lengths[row]].tolist()
        )
        return Explanation(
            Rule(conditions, self.model.classes[self.labels[row]]),
            float(best.scores[row]),
            dict(zip(self.model.classes, best.counts[row].tolist(), strict=True)),
            self.class_sizes_of(row),
            source=(self, row),
        )

    def depth_of(self, row: int) -> int:
        """Return the length of the longest rules that were looked at (see `Explanations`)."""
        return int(self.depths[row])

    def rules_by_class(self, rows: NDArray[np.int64]) -> tuple[BoxRules, NDArray[np.float64]]:
        """Return the best rule of some rows for each class (see `Explanations`)."""
        depths, n_classes = self.depths[rows], len(self.model.classes)
        codes = self.model.condition_codes(self.asked.codes)[:, rows]
        labels = np.arange(n_classes)
        rules = BoxRules.empty(len(rows) * n_classes, int(depths.max()), n_classes)
        scores = np.full((len(rows), n_classes), -np.inf)
        for depth in np.unique(depths).tolist():
            own = np.flatnonzero(depths == depth)
            found = self.model.search(np.ascontiguousarray(codes[:, own]), depth)
            places = np.arange(len(own))
            scores[own] = found.scores
            rules.put(
                (own[:, np.newaxis] * n_classes + labels).reshape(-1),
                found.rules(np.repeat(places, n_classes), np.tile(labels, len(own))),
            )
        return rules, scores

    def _keys(self) -> NDArray[np.int64]:
        """Write each row's rule as numbers: class, length, features and codes of the conditions."""
        best, longest = self.best, int(self.best.lengths.max())
        is_used = np.arange(longest) < best.lengths[:, np.newaxis]
        features = np.where(is_used, best.features[:, :longest], 0)
        codes = self.asked.codes[features, np.arange(len(self))[:, np.newaxis]]
        codes = np.where(is_used, codes, -1)
        return np.column_stack([best.labels, best.lengths, features, codes]).astype(np.int64)
