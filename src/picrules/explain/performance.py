"""How often predictions are right: accuracy, confusion, and how reliable the confidence is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.explain.tabular import Result
from picrules.scoring.statistics import wilson_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

N_PARTS = 10


@dataclass(frozen=True, slots=True, repr=False)
class Performance(Result):
    """How often predictions are right."""

    n_rows: int
    n_right: int
    confusion: NDArray[np.int64]  # how many rows of each class (row) got each prediction (column)
    reliability: list[dict[str, Any]]  # see `measure_reliability`

    @property
    def accuracy(self) -> float:
        """Share of the predictions that are right."""
        return self.n_right / self.n_rows

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% Wilson interval of the accuracy."""
        return wilson_interval(self.n_right, self.n_rows)

    @property
    def most_frequent(self) -> float:
        """The accuracy of always predicting the class that is most frequent in these rows."""
        return float(self.confusion.sum(axis=1).max() / self.n_rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; `confusion` lists label, predicted label and count."""
        pairs = np.argwhere(self.confusion).tolist()
        return {
            **self._plain("n_rows", "n_right", "accuracy", "interval", "most_frequent"),
            "confusion": [[*pair, int(self.confusion[tuple(pair)])] for pair in pairs],
            "reliability": self.reliability,
        }


def measure_performance(
    labels: NDArray[np.int64],
    predicted: NDArray[np.int64],
    confidences: NDArray[np.float64],
    n_classes: int,
) -> Performance:
    """Compare predicted labels with the true ones; `n_classes` counts classes never met, too.

    Examples
    --------
    >>> right = measure_performance(np.array([0, 1]), np.array([0, 0]), np.array([0.9, 0.6]), 2)
    >>> right.accuracy, right.confusion.tolist()
    (0.5, [[1, 0], [1, 0]])
    """
    confusion = np.zeros((n_classes, n_classes), np.int64)
    np.add.at(confusion, (labels, predicted), 1)
    is_right = labels == predicted
    reliability = measure_reliability(confidences, is_right)
    return Performance(len(labels), int(is_right.sum()), confusion, reliability)


def measure_reliability(
    confidences: NDArray[np.float64], is_right: NDArray[np.bool_]
) -> list[dict[str, Any]]:
    """Compare the confidence with the share that is right, for each tenth of the confidence.

    For each tenth that occurs: its ends `lower` and `upper`, `n_rows` with such a confidence,
    their mean `confidence`, how many are right (`n_right`), their `share` and its 95% Wilson
    `interval`.
    """
    parts = np.minimum((confidences * N_PARTS).astype(np.int64), N_PARTS - 1)
    reliability = []
    for part in np.unique(parts).tolist():
        is_inside = parts == part
        n_rows, n_right = int(is_inside.sum()), int(is_right[is_inside].sum())
        reliability.append(
            {
                "lower": part / N_PARTS,
                "upper": (part + 1) / N_PARTS,
                "n_rows": n_rows,
                "confidence": float(confidences[is_inside].mean()),
                "n_right": n_right,
                "share": n_right / n_rows,
                "interval": list(wilson_interval(n_right, n_rows)),
            }
        )
    return reliability
