"""A tuned estimator whose training rows come and go: what stays, and what follows anew."""

from __future__ import annotations

from dataclasses import replace
from math import floor
from typing import TYPE_CHECKING

import numpy as np

from picrules.encoding.columns import CategoryColumn, Column, NumberColumn
from picrules.encoding.conditions import has_sides
from picrules.encoding.schema import CategoryFeature, NumberFeature, Schema, is_ordered_feature
from picrules.errors import BadTable
from picrules.estimators import grids, parameters
from picrules.estimators.costs import check_cost_matrix
from picrules.estimators.fingerprint import Fingerprint
from picrules.estimators.fitted import Fitted, make_searcher
from picrules.estimators.kinds import kinds_of_conditions
from picrules.estimators.settling import Growth, find_fingerprint, judge

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Feature
    from picrules.estimators.counted_rows import CountedRows
    from picrules.estimators.fitted import Voice
    from picrules.estimators.grids import Grid
    from picrules.estimators.growing import Held
    from picrules.estimators.personal import PersonalRuleClassifier
    from picrules.estimators.settling import Settled
    from picrules.model.searcher import Searcher


def hold(
    estimator: PersonalRuleClassifier, before: Fitted, held: Held | CountedRows
) -> tuple[Fitted, Searcher]:
    """Learn all that follows from other rows than before, with the settings as they are."""
    grid = grids.check_grid(estimator, held.training.n_rows)
    n_threads = parameters.check_n_jobs(estimator.n_jobs)
    growth = before.growth
    if growth is None:
        growth = Growth.begin(
            before, _make_searcher(estimator, before), grid.random_state, n_threads, grid.offsets
        )
    if growth.now is None:
        growth = replace(growth, now=find_fingerprint(before))
    fitted, searcher = _begin(estimator, before, held, grid)
    growth = _note(growth, held)
    fitted = replace(fitted, growth=growth)
    settled = growth.settle(fitted, searcher, grid.random_state, n_threads)
    return _with_settled(fitted, settled), searcher


def count_all(
    estimator: PersonalRuleClassifier, before: Fitted, held: CountedRows
) -> tuple[Fitted, Searcher]:
    """Learn from counts of all rows what follows from them; settings are those of a sample.

    Classes that the sample has no row of need an offset: without one, rules about so few rows would
    be compared with all others.
    """
    grid = grids.check_grid(estimator, held.training.n_rows)
    fitted, searcher = _begin(estimator, before, held, grid)
    assert fitted.tuning is not None
    has_offset = grid.offsets[0]
    if len(grid.offsets) > 1:
        has_offset = fitted.tuning.chosen.has_offset or len(held.classes) > len(before.classes)
    n_threads = parameters.check_n_jobs(estimator.n_jobs)
    *_, settled = judge(fitted, searcher, grid.random_state, n_threads, has_offset=has_offset)
    return _with_settled(fitted, settled), searcher


def _begin(
    estimator: PersonalRuleClassifier, before: Fitted, held: Held | CountedRows, grid: Grid
) -> tuple[Fitted, Searcher]:
    """Hold other rows than before, with what was chosen."""
    check_cost_matrix(estimator.cost_matrix, held.classes)
    sizes = held.training.class_sizes
    weights = parameters.check_class_weight(estimator.class_weight, held.classes, sizes)
    fitted = replace(
        _fit_to(before, held, grid), class_weights=weights, class_offset=np.zeros(len(weights))
    )
    return fitted, _make_searcher(estimator, fitted)


def _with_settled(fitted: Fitted, settled: Settled) -> Fitted:
    assert fitted.tuning is not None
    return replace(
        fitted, class_offset=settled.offset, calibration=settled.calibration,
        tuning=replace(fitted.tuning, accuracy=settled.accuracy),
    )  # fmt: skip


def extend(estimator: PersonalRuleClassifier, before: Fitted, schema: Schema) -> Conditions:
    """Return the conditions of a schema that has more categories.

    Sets of values and intervals that were asked for, but differed from other conditions in no
    feature, are there as soon as they do.
    """
    conditions = replace(before.conditions, schema=schema)
    if before.coarse is None:
        grid = grids.check_grid(estimator, before.training.n_rows)
        wanted = kinds_of_conditions(schema, grid)
        if len(grid.subsets) == 1:
            conditions = replace(conditions, has_subsets=wanted[0].has_subsets)
        if grid.intervals is not None and len(grid.intervals) == 1:
            conditions = replace(conditions, has_intervals=wanted[0].has_intervals)
    return conditions


def _make_searcher(estimator: PersonalRuleClassifier, fitted: Fitted) -> Searcher:
    limit = parameters.check_memory_limit(estimator.memory_limit)
    return make_searcher(
        estimator, fitted.training, fitted.conditions, fitted.class_weights, fitted.min_cover, limit
    )


def _note(growth: Growth, held: Held | CountedRows) -> Growth:
    """Note which rows came or went last."""
    change, now = held.change, growth.now
    assert change is not None
    assert now is not None
    own = Fingerprint.of(change.conditions, change.classes, *change.rows)
    n_rows = int(change.rows[2].sum())
    if change.is_added:
        return replace(growth, now=now + own, n_added=growth.n_added + n_rows)
    return replace(growth, now=now - own, n_forgotten=growth.n_forgotten + n_rows)


def _fit_to(before: Fitted, held: Held | CountedRows, grid: Grid) -> Fitted:
    """Give what was chosen the features and classes of the rows that are held."""
    fitted = replace(
        before, classes=held.classes, conditions=held.conditions, training=held.training
    )
    if before.conditions.schema == held.conditions.schema:
        return fitted
    coarse = before.coarse
    if coarse is not None:
        pairs = zip(coarse.schema.features, held.conditions.schema.features, strict=True)
        schema = Schema(tuple(map(_with_categories, *zip(*pairs, strict=True))))
        coarse = replace(coarse, schema=schema)
    assert before.tuning is not None
    voices = tuple(_turn(voice, before, held.conditions, coarse, grid) for voice in before.voices)
    chosen = before.tuning.chosen
    if coarse is None and voices[0].search.alike is None:
        chosen = replace(
            chosen, has_subsets=held.conditions.has_subsets,
            has_intervals=held.conditions.has_intervals,
            max_length=max(voices[0].search.max_length, 1),
        )  # fmt: skip
    candidates = tuple(
        chosen if each == before.tuning.chosen else each for each in before.tuning.candidates
    )
    default = before.tuning.default
    default = chosen if default == before.tuning.chosen else default
    tuning = replace(before.tuning, candidates=candidates, chosen=chosen, default=default)
    return replace(fitted, voices=voices, coarse=coarse, tuning=tuning)


def _with_categories(own: Feature, extended: Feature) -> Feature:
    return extended if isinstance(extended, CategoryFeature) else own


def _turn(
    voice: Voice, before: Fitted, fine: Conditions, coarse: Conditions | None, grid: Grid
) -> Voice:
    """Give a voice the numbers that its features have among those that have conditions now."""
    search = voice.search
    old = before.coarse if voice.is_coarse else before.conditions
    new = coarse if voice.is_coarse else fine
    assert old is not None
    assert new is not None
    place = np.searchsorted(new.features, old.features)
    if search.features is not None:
        search = replace(search, features=tuple(place[list(search.features)].tolist()))
    elif search.alike is not None:
        features = [new.schema.features[column] for column in new.features]
        widths = np.zeros(len(features))
        widths[place] = search.alike.widths
        widths[[not has_sides(feature) for feature in features]] = 0
        if not widths.any():
            raise BadTable("its categories in order are too many now for look-alikes; fit again")
        is_ordered = tuple(map(is_ordered_feature, features))
        alike = replace(search.alike, widths=tuple(widths.tolist()), is_ordered=is_ordered)
        search = replace(search, alike=alike)
    elif voice.pairs is None and len(grid.lengths or ()) == 1 and search.max_length > 0:
        (given,) = grid.lengths or (search.max_length,)
        longest = min(given, max(1, len(new.features)))
        search = replace(search, max_length=longest)
    return replace(voice, search=search)


def to_columns(fitted: Fitted) -> list[Column]:
    """Return the training rows as a table: of numbers, which part of the range each is in."""
    schema = fitted.conditions.schema
    codes = fitted.conditions.spread(fitted.training.row_codes)
    return [_to_column(*pair) for pair in zip(schema.features, codes, strict=True)]


def _to_column(feature: Feature, codes: NDArray[np.int32]) -> Column:
    if isinstance(feature, NumberFeature):
        return NumberColumn(feature.name, np.where(codes < 0, np.nan, codes))
    present = np.unique(codes[codes >= 0])
    values = tuple(feature.categories[code] for code in present.tolist())
    positions = np.where(codes < 0, -1, np.searchsorted(present, codes)).astype(np.int32)
    order = feature.categories if feature.is_ordered else None
    return CategoryColumn(feature.name, positions, values, order)


def to_schema(parts: Schema, before: Schema) -> Schema:
    """Return a schema of parts of the range as one of numbers, whose cuts these parts were."""
    return Schema(tuple(map(_to_feature, parts.features, before.features)))


def _to_feature(parts: Feature, before: Feature) -> Feature:
    if not isinstance(parts, NumberFeature):
        return parts
    assert isinstance(before, NumberFeature)
    cuts = tuple(before.cuts[floor(cut)] for cut in parts.cuts)
    return replace(before, cuts=cuts, is_empty=parts.is_empty)
