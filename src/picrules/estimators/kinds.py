"""The kinds of conditions that a grid leaves to try, and finer ones for look-alikes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from picrules.encoding.conditions import Conditions, has_sides
from picrules.encoding.schema import (
    CategoryFeature,
    Feature,
    NumberFeature,
    Schema,
    is_ordered_feature,
)

if TYPE_CHECKING:
    from picrules.estimators.grids import Grid


def kinds_of_conditions(schema: Schema, grid: Grid) -> list[Conditions]:
    """Return the conditions to try; none that differ from others in no feature."""
    intervals = (False, True) if grid.intervals is None else grid.intervals
    wanted = {
        (has_subsets and _has_subsets(schema), has_intervals and _has_intervals(schema)): None
        for has_intervals in intervals
        for has_subsets in grid.subsets
    }
    return [Conditions(schema, subsets, has_intervals=ends) for subsets, ends in wanted]


def _has_subsets(schema: Schema) -> bool:
    """Whether sets of values would differ from single values in some feature."""
    return any(
        isinstance(feature, CategoryFeature) and not feature.is_ordered and feature.n_codes > 2
        for feature in schema.features
    )


def _has_intervals(schema: Schema) -> bool:
    """Whether intervals would differ from thresholds in some feature."""
    return any(
        is_ordered_feature(feature) and feature.n_codes > 2 and has_sides(feature)
        for feature in schema.features
    )


def refine(schema: Schema, coarse: Conditions) -> Conditions:
    """Return conditions with intervals between the cuts of a schema and of coarser conditions."""
    pairs = zip(schema.features, coarse.schema.features, strict=True)
    features = tuple(_join_cuts(fine, own) for fine, own in pairs)
    return Conditions(Schema(features), coarse.has_subsets, has_intervals=True)


def _join_cuts(fine: Feature, coarse: Feature) -> Feature:
    """Return a feature with the cuts of both, if that leaves it intervals; else the coarser."""
    if not isinstance(fine, NumberFeature) or not isinstance(coarse, NumberFeature):
        return fine
    joined = replace(fine, cuts=tuple(sorted({*fine.cuts, *coarse.cuts})))
    return joined if has_sides(joined) else coarse
