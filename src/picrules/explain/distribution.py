"""Where a row lies among the training rows, feature by feature."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.schema import learn_schema
from picrules.explain.tabular import Result
from picrules.rules.condition import Interval
from picrules.rules.text import format_bound, is_open

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.encoding.schema import Feature
    from picrules.explain.explanation import Explanation
    from picrules.model.model import Model
    from picrules.rules.condition import Condition

# Parts that a column of numbers is cut into for a first picture of it.
PICTURED = 12


@dataclass(frozen=True, slots=True, repr=False)
class Part(Result):
    """A category, or the numbers between two neighbouring cuts."""

    text: str  # as a condition
    counts: tuple[int, ...]  # training rows of each class
    holds: bool  # whether the rule's condition does

    @property
    def n_rows(self) -> int:
        """How many training rows lie here."""
        return sum(self.counts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return self._plain("text", "counts", "holds")


@dataclass(frozen=True, slots=True, repr=False)
class Distribution(Result):
    """How the training rows of each class are spread over one feature, and where a row lies."""

    feature: str
    condition: str  # of the rule, on this feature
    is_ordered: bool  # whether the parts have an order
    parts: tuple[Part, ...]
    cuts: tuple[tuple[int, str], ...] = ()  # of the condition: before which part, and the number
    own: int = -1  # the part in which the row lies

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return self._plain("feature", "condition", "is_ordered", "parts", "cuts", "own")


def to_card(explanation: Explanation) -> dict[str, Any]:
    """Return `to_dict`, and for each condition the cell of the row and where it lies.

    Rows of training have no number where the model file does not keep where they stood.
    """
    content = explanation.to_dict()
    if explanation.has_evidence and not explanation.evidence.has_order:
        content["nearest"] = [{**near, "row": None} for near in content["nearest"]]
    for told, place in zip(content["conditions"], find_places(explanation), strict=False):
        told.update(place)
    return content


def find_places(explanation: Explanation) -> list[dict[str, Any]]:
    """Return for each condition of a row's rule the cell of the row, and where it lies."""
    if not isinstance(explanation.source, tuple):
        return [] if explanation.source is None else explanation.source["places"]
    (cases, row), places = explanation.source, []
    for condition in explanation.rule.conditions:
        number = number_of(cases.model, condition)
        own = int(cases.case_codes[number, cases.numbers[row]])
        found = replace(find_distribution(cases.model, condition), own=own)
        places.append({"distribution": found.to_dict(), "cell": cases.tell_cell(number, row)})
    return places


def number_of(model: Model, condition: Condition) -> int:
    """Return which of the features of a model a condition is on."""
    return [feature.name for feature in model.features].index(condition.feature)


def find_distribution(model: Model, condition: Condition) -> Distribution:
    """Return how the training rows of a model are spread over the feature of a condition."""
    number = number_of(model, condition)
    feature, training = model.features[number], model.training.about([number])
    own = (training.codes[number], training.labels, feature.n_codes, len(model.classes))
    counts = count_codes(*own, training.occurrences)
    holds = feature.holds(condition).tolist()
    parts = _make_parts(feature, counts, holds)
    cuts = _find_cuts(condition, holds)
    return Distribution(feature.name, str(condition), _is_ordered(feature), parts, cuts)


def _find_cuts(condition: Condition, holds: list[bool]) -> tuple[tuple[int, str], ...]:
    """Return before which part each end of an interval lies, and how it is written."""
    if not isinstance(condition, Interval) or True not in holds:
        return ()
    first, last = holds.index(True), len(holds) - holds[::-1].index(True)
    ends = ((first, condition.lower), (last, condition.upper))
    return tuple((place, format_bound(end)) for place, end in ends if not is_open(end))


def picture_columns(columns: Sequence[Column]) -> tuple[Distribution, ...]:
    """Return how the rows of a table are spread over each of its columns; there is no class."""
    schema = learn_schema(columns, [PICTURED] * len(columns), None)
    found = []
    for feature, column in zip(schema.features, columns, strict=True):
        codes = feature.encode(column)
        counts = count_codes(codes, np.zeros(len(codes), np.int64), feature.n_codes, 1)
        parts = _make_parts(feature, counts, [True] * feature.n_codes)
        found.append(Distribution(feature.name, "", _is_ordered(feature), parts))
    return tuple(found)


def count_codes(
    codes: NDArray[np.int32],
    labels: NDArray[np.int64],
    n_codes: int,
    n_classes: int,
    occurrences: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Count the rows of each code and class, each so often; missing cells are not counted."""
    is_known = codes >= 0
    cells = codes[is_known].astype(np.int64) * n_classes + labels[is_known]
    times = None if occurrences is None else occurrences[is_known]
    counts: NDArray[np.int64] = np.bincount(cells, times, n_codes * n_classes).astype(np.int64)
    return counts.reshape(n_codes, n_classes)


def _make_parts(feature: Feature, counts: NDArray[np.int64], holds: list[bool]) -> tuple[Part, ...]:
    return tuple(
        Part(str(feature.condition(code)), tuple(counts[code].tolist()), holds[code])
        for code in range(feature.n_codes)
    )


def _is_ordered(feature: Feature) -> bool:
    return getattr(feature, "is_ordered", True)
