"""A schema that meets new rows: categories that it did not know are added to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from picrules.encoding.schema import (
    CategoryFeature,
    Feature,
    NumberFeature,
    Schema,
    as_categories,
)
from picrules.errors import BadTable
from picrules.rules.condition import value_order
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from picrules.encoding.columns import Column


def extend_schema(schema: Schema, columns: Sequence[Column]) -> Schema:
    """Return the schema with the categories of some more rows; cuts stay as they are."""
    pairs = zip(schema.features, columns, strict=True)
    return Schema(tuple(_extend(feature, column) for feature, column in pairs))


def _extend(feature: Feature, column: Column) -> Feature:
    if isinstance(feature, NumberFeature):
        return feature
    categories = as_categories(column)
    known, new = set(feature.categories), set(categories.values) - set(feature.categories)
    if not new:
        return feature
    if not feature.is_ordered:
        in_order = tuple(sorted(known | new, key=value_order))
        return replace(feature, categories=in_order)
    in_order = tuple(value for value in categories.order or () if value in known | new)
    if tuple(value for value in in_order if value in known) != feature.categories:
        raise BadTable(
            f"column {feature.name!r} holds {show(min(new, key=value_order))}, which is new; its "
            "categories have an order, so the column must tell the order of all of them"
        )
    return replace(feature, categories=in_order)


def recode(codes: NDArray[np.int32], old: Schema, new: Schema) -> NDArray[np.int32]:
    """Turn the codes of all columns by a schema into those by an extended one."""
    turned = codes.copy()
    for own, before, after in zip(turned, old.features, new.features, strict=True):
        if isinstance(before, CategoryFeature) and before != after:
            assert isinstance(after, CategoryFeature)
            code_of = {value: code for code, value in enumerate(after.categories)}
            own[:] = np.array([*map(code_of.get, before.categories), -1], np.int32)[own]
    return turned


def find_unknown(schema: Schema, columns: Sequence[Column]) -> NDArray[np.bool_]:
    """Tell which rows have a category that a schema does not know."""
    is_unknown = np.zeros(len(columns[0]), np.bool_)
    for feature, column in zip(schema.features, columns, strict=True):
        if isinstance(feature, CategoryFeature):
            is_unknown |= (feature.encode(column) < 0) & (as_categories(column).positions >= 0)
    return is_unknown
