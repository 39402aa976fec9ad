"""Where a row lies among the training rows, feature by feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.schema import learn_schema
from picrules.explain.tabular import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.encoding.schema import Feature
    from picrules.explain.explanation import Explanation
    from picrules.rules.text import Value

# Parts that a column of numbers is cut into for a first picture of it.
PICTURED = 12


@dataclass(frozen=True, slots=True, repr=False)
class Part(Result):
    """A category, or the numbers between two neighbouring cuts."""

    text: str  # as a condition
    counts: tuple[int, ...]  # training rows of each class
    is_own: bool  # whether the row lies here
    holds: bool  # whether the rule's condition does

    @property
    def n_rows(self) -> int:
        """How many training rows lie here."""
        return sum(self.counts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return self._plain("text", "counts", "is_own", "holds")


@dataclass(frozen=True, slots=True, repr=False)
class Distribution(Result):
    """How the training rows of each class are spread over one feature, and where a row lies."""

    feature: str
    condition: str  # of the rule, on this feature
    is_ordered: bool  # whether the parts have an order
    classes: tuple[Value, ...]  # what the counts of a part are of
    parts: tuple[Part, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return self._plain("feature", "condition", "is_ordered", "classes", "parts")


def find_distributions(explanation: Explanation) -> tuple[Distribution, ...]:
    """Return where an explained row lies in the feature of each condition of its rule."""
    assert isinstance(explanation.source, tuple), "only an estimator's explanations know the rows"
    cases, row = explanation.source
    model, codes = cases.model, cases.codes[:, row].tolist()
    number_of = {feature.name: number for number, feature in enumerate(model.features)}
    training = model.training
    found = []
    for condition in explanation.rule.conditions:
        number = number_of[condition.feature]
        feature = model.features[number]
        counts = count_codes(
            training.row_codes[number], training.row_labels, feature.n_codes, len(model.classes)
        )
        holds = feature.holds(condition).tolist()
        parts = _make_parts(feature, counts, codes[number], holds)
        found.append(
            Distribution(
                feature.name, str(condition), _is_ordered(feature), tuple(model.classes), parts
            )
        )
    return tuple(found)


def picture_columns(columns: Sequence[Column]) -> tuple[Distribution, ...]:
    """Return how the rows of a table are spread over each of its columns; there is no class."""
    schema = learn_schema(columns, [PICTURED] * len(columns), None)
    found = []
    for feature, column in zip(schema.features, columns, strict=True):
        codes = feature.encode(column)
        counts = count_codes(codes, np.zeros(len(codes), np.int64), feature.n_codes, 1)
        parts = _make_parts(feature, counts, -1, [True] * feature.n_codes)
        found.append(Distribution(feature.name, "", _is_ordered(feature), (), parts))
    return tuple(found)


def count_codes(
    codes: NDArray[np.int32], labels: NDArray[np.int64], n_codes: int, n_classes: int
) -> NDArray[np.int64]:
    """Count the rows of each code and class; missing cells are not counted."""
    is_known = codes >= 0
    cells = codes[is_known].astype(np.int64) * n_classes + labels[is_known]
    counts: NDArray[np.int64] = np.bincount(cells, minlength=n_codes * n_classes)
    return counts.reshape(n_codes, n_classes)


def _make_parts(
    feature: Feature, counts: NDArray[np.int64], own: int, holds: list[bool]
) -> tuple[Part, ...]:
    return tuple(
        Part(str(feature.condition(code)), tuple(counts[code].tolist()), code == own, holds[code])
        for code in range(feature.n_codes)
    )


def _is_ordered(feature: Feature) -> bool:
    return getattr(feature, "is_ordered", True)
