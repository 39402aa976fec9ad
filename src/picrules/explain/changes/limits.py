"""Which changes of a row are looked for: what may change, at what cost, to which class."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.cells import is_date, is_missing, to_date_number, to_number, to_value
from picrules.encoding.columns import Kind
from picrules.encoding.nearest import ANY_NUMBER, Span, cell_span
from picrules.encoding.schema import CategoryFeature, Feature, NumberFeature
from picrules.encoding.tables import to_column_name
from picrules.errors import BadParameter, PicrulesError
from picrules.rules.text import Value, format_value, list_names, show

if TYPE_CHECKING:
    from picrules.model.model import Model

MOST_CHANGES = 3


@dataclass(frozen=True, slots=True)
class ChangeLimits:
    """Which changes of a row are looked for, and which of them are given."""

    max_changes: int  # features that change together, at most
    fixed: frozenset[str]  # features that may not change
    weights: dict[str, float]  # factors of the cost by feature; 1 for those not named
    ranges: dict[str, Span | frozenset[Value]]  # lowest and highest new number, or new categories
    to: Value | None  # the class that is asked for; None for any other than now
    top: int | None  # changes that are given, at most; None for all
    max_rows: int  # changed rows that are predicted, at most
    one_each: bool  # whether only the cheapest change of each set of features is given
    min_confidence: float | None  # that the changed row's prediction has, at least

    def allow(self, feature: Feature, code: int) -> bool:
        """Tell whether a feature may get a new value with a code."""
        if isinstance(feature, CategoryFeature):
            accepted = self.ranges.get(feature.name)
            return accepted is None or feature.categories[code] in accepted
        return cell_span(feature, code, self.span(feature)) is not None

    def span(self, feature: NumberFeature) -> Span:
        """Return the lowest and the highest new number of a feature."""
        return self.ranges.get(feature.name, ANY_NUMBER)  # type: ignore[return-value]


def check_limits(
    model: Model,
    max_changes: Any,
    fixed: Any,
    costs: Any,
    ranges: Any,
    to: Any,
    top: Any,
    max_rows: Any,
    one_each: Any,
    min_confidence: Any = None,
) -> ChangeLimits:
    """Check what the user asks for; `RuleClassifier.smallest_changes` says what each means."""
    features = {feature.name: feature for feature in model.conditions.schema.features}
    if not _is_number(max_changes, Integral) or not 1 <= max_changes <= MOST_CHANGES:
        raise BadParameter(f"max_changes is {show(max_changes)}; 1, 2 or 3 is accepted")
    if top is not None and not (_is_number(top, Integral) and top >= 1):
        raise BadParameter(
            f"top is {show(top)}; a whole number from 1, or None for all, is accepted"
        )
    if not (_is_number(max_rows, Integral) and max_rows >= 1):
        raise BadParameter(f"max_rows is {show(max_rows)}; a whole number from 1 is accepted")
    if not isinstance(one_each, bool):
        raise BadParameter(f"one_each is {show(one_each)}; True or False is accepted")
    if isinstance(fixed, str | bytes) or not isinstance(fixed, Iterable):
        raise BadParameter(f"fixed is {show(fixed)}; a list of column names is accepted")
    given_costs = _check_dict("costs", costs, features)
    given_ranges = _check_dict("ranges", ranges, features)
    return ChangeLimits(
        int(max_changes),
        frozenset(_check_names("fixed", fixed, features)),
        {name: _check_cost(name, cost) for name, cost in given_costs.items()},
        {name: _check_range(features[name], ends) for name, ends in given_ranges.items()},
        _check_class(to, model.classes),
        None if top is None else int(top),
        int(max_rows),
        one_each,
        _check_confidence(min_confidence, model),
    )


def _check_dict(what: str, given: Any, features: dict[str, Any]) -> dict[str, Any]:
    by_name = {} if given is None else given
    if not isinstance(by_name, Mapping):
        raise BadParameter(f"{what} is {show(given)}; a dict by column name is accepted")
    names = _check_names(what, by_name, features)
    return dict(zip(names, by_name.values(), strict=True))


def _check_names(what: str, names: Iterable[Any], features: dict[str, Any]) -> Iterator[str]:
    for name in names:
        if to_column_name(name) not in features:
            known = list_names(features)
            raise BadParameter(f"{what} names the column {show(name)}; the columns are {known}")
        yield to_column_name(name)


def _check_cost(name: str, cost: Any) -> float:
    if not _is_number(cost, Real) or not 0 < cost < math.inf:
        raise BadParameter(
            f"costs[{name!r}] is {show(cost)}; a positive, finite number is accepted "
            f"(fixed=[{name!r}] keeps a column as it is)"
        )
    return float(cost)


def _check_range(feature: Feature, given: Any) -> Span | frozenset[Value]:
    is_listed = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)
    entries = list(given) if is_listed else []
    if isinstance(feature, CategoryFeature):
        if entries:
            return _check_categories(feature, entries)
        accepted = "a list of at least one category"
    else:
        if len(entries) == 2:
            return _check_ends(feature, entries)
        accepted = f"a pair of {feature.kind}s, the lowest and the highest new value,"
    raise BadParameter(f"ranges[{feature.name!r}] is {show(given)}; {accepted} is accepted")


def _check_categories(feature: CategoryFeature, values: list[Any]) -> frozenset[Value]:
    for value in values:
        if is_missing(value) or to_value(feature.name, value) not in feature.categories:
            known = list_names(list(map(format_value, feature.categories)))
            raise BadParameter(
                f"ranges[{feature.name!r}] holds {show(value)}; the categories are {known}"
            )
    return frozenset(to_value(feature.name, value) for value in values)


def _check_ends(feature: NumberFeature, ends: list[Any]) -> Span:
    low = -math.inf if ends[0] is None else _to_end(feature, ends[0])
    high = math.inf if ends[1] is None else _to_end(feature, ends[1])
    if not low <= high:
        raise BadParameter(
            f"ranges[{feature.name!r}] is {show(tuple(ends))}; the lowest new value must not be "
            "above the highest"
        )
    return low, high


def _to_end(feature: NumberFeature, end: Any) -> float:
    """Return an end of a range as cells are compared."""
    if isinstance(end, float) and math.isinf(end):
        return end
    try:
        if feature.kind is Kind.DATE and is_date(end) and not is_missing(end):
            return to_date_number(feature.name, end)
        if feature.kind is not Kind.DATE and _is_number(end, Real):
            return to_number(feature.name, end)
    except PicrulesError:
        pass  # a date out of range, or a number that no float holds
    raise BadParameter(
        f"ranges[{feature.name!r}] holds {show(end)}; a {feature.kind}, or None for an open end, "
        "is accepted"
    )


def _check_class(to: Any, classes: list[Value]) -> Value | None:
    if to is None:
        return None
    for name in classes:
        if isinstance(to, str) is isinstance(name, str) and np.ndim(to) == 0 and name == to:
            return name
    raise BadParameter(
        f"to is {show(to)}; None for any other class, or one of the classes is accepted: "
        f"{list_names([format_value(name) for name in classes])}"
    )


def _check_confidence(given: Any, model: Model) -> float | None:
    if given is None:
        return None
    if not _is_number(given, Real) or not 0 <= given <= 1:
        raise BadParameter(
            f"min_confidence is {show(given)}; a number from 0 to 1, or None, is accepted"
        )
    if not model.has_confidence:
        raise BadParameter(
            f"min_confidence is {show(given)}, but this estimator does not know how often its "
            "predictions are right; None, or a PersonalRuleClassifier of two classes or more, is "
            "accepted"
        )
    return float(given)


def _is_number(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)
