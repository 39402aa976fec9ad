"""The features and classes of a model as JSON, and back."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.cells import LAST_MOMENT
from picrules.encoding.columns import Kind
from picrules.encoding.schema import CategoryFeature, NumberFeature, Schema
from picrules.errors import BadModelFile
from picrules.persist.fields import is_finite, is_value, is_whole
from picrules.rules.values import to_microseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from picrules.persist.fields import Fields
    from picrules.rules.text import Value

_FIRST_MOMENT = to_microseconds(datetime(1, 1, 1))  # noqa: DTZ001

_INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
_FLOATS = [f"float{bits}" for bits in (16, 32, 64)]
# Classes that are text are Python objects, or NumPy's texts of one width.
_DTYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, str),
    "str": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool),
    **dict.fromkeys(_INTEGERS, is_whole),
    **dict.fromkeys(_FLOATS, is_finite),
}


def features_to_content(schema: Schema) -> list[dict[str, Any]]:
    """Write the features as JSON."""
    return list(map(_feature_to_content, schema.features))


def _feature_to_content(feature: CategoryFeature | NumberFeature) -> dict[str, Any]:
    content = {"name": feature.name, "kind": str(feature.kind)}
    if isinstance(feature, CategoryFeature):
        return content | {"categories": feature.categories, "is_ordered": feature.is_ordered}
    return content | {"cuts": feature.cuts, "is_empty": feature.is_empty}


def read_schema(each: Sequence[Fields]) -> Schema:
    """Read the features of a model."""
    schema = Schema(tuple(map(_read_feature, each)))
    if not schema.features:
        raise BadModelFile("it has no features; at least one is expected")
    if len({feature.name for feature in schema.features}) < len(schema.features):
        raise BadModelFile("two of its features have the same name")
    return schema


def _read_feature(fields: Fields) -> CategoryFeature | NumberFeature:
    name, kind = fields.text("name"), Kind(fields.one_of("kind", list(Kind)))
    feature: CategoryFeature | NumberFeature
    if kind is Kind.CATEGORY:
        categories = fields.items("categories", is_value, "texts, booleans and numbers")
        if len(set(categories)) < len(categories):
            raise BadModelFile(f"{fields.where} has a category twice")
        feature = CategoryFeature(name, tuple(categories), fields.flag("is_ordered"))
    else:
        cuts = [float(cut) for cut in fields.items("cuts", is_finite, "numbers")]
        _check_cuts(cuts, kind, fields.where)
        feature = NumberFeature(name, tuple(cuts), kind, fields.flag("is_empty"))
    fields.finish()
    return feature


def _check_cuts(cuts: list[float], kind: Kind, where: str) -> None:
    if not all(lower < upper for lower, upper in pairwise(cuts)):
        raise BadModelFile(f"{where} has cuts that do not increase")
    if kind is Kind.DATE:
        for cut in cuts:
            if not cut.is_integer() or not _FIRST_MOMENT <= cut <= LAST_MOMENT:
                raise BadModelFile(
                    f"{where} has the cut {cut!r}; whole microseconds in the years 1 to 9999 are "
                    "expected"
                )


def classes_to_content(classes: NDArray[Any]) -> dict[str, Any]:
    """Write the classes as JSON."""
    dtype = "str" if classes.dtype.kind == "U" else classes.dtype.name
    if dtype not in _DTYPES:
        raise BadModelFile(
            f"classes of the type {dtype} cannot be written to a model file; "
            f"{', '.join(_DTYPES)} can"
        )
    return {"dtype": dtype, "values": classes.tolist()}


def read_classes(fields: Fields) -> NDArray[Any]:
    """Read the classes of a model."""
    dtype = fields.one_of("dtype", list(_DTYPES))
    values: list[Value] = fields.items("values", _DTYPES[dtype], f"classes of the type {dtype}")
    fields.finish()
    if not all(first < second for first, second in pairwise(values)) or not values:  # type: ignore[operator]
        raise BadModelFile(f"{fields.where}.values are not sorted, each once")
    with suppress(OverflowError), np.errstate(over="ignore"):
        classes: NDArray[Any] = np.array(values, dtype)
        if classes.tolist() == values:
            return classes
    raise BadModelFile(f"{fields.where}.values do not fit into {dtype}")
