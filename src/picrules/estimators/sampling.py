"""Choose cuts and settings on a sample of rows that are too many for memory, and count all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from picrules.encoding.columns import read_columns
from picrules.encoding.schema import NumberFeature, Schema
from picrules.engines.holding import rows_fit
from picrules.errors import BadTable
from picrules.estimators import grids, parameters, sources
from picrules.estimators.costs import check_cost_matrix
from picrules.estimators.counted_rows import CountedRows
from picrules.estimators.regrowing import count_all, extend
from picrules.estimators.target import encode_target, place_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.schema import Feature
    from picrules.estimators.fitted import Fitted
    from picrules.estimators.personal import PersonalRuleClassifier
    from picrules.estimators.sources import Source
    from picrules.model.searcher import Searcher


def is_sampling(estimator: PersonalRuleClassifier, source: Source) -> bool:
    """Whether all rows are to be counted only, and are too many to be collected."""
    keep_rows = parameters.check_keep_rows(estimator.keep_rows)
    if keep_rows == "auto" and estimator.engine != "bitmap":
        limit = parameters.check_memory_limit(estimator.memory_limit)
        keep_rows = rows_fit(source.n_rows, len(source.names), limit)
        # Who asks for what needs rows has asked for rows.
        keep_rows |= estimator.look_alikes not in ("auto", False)
        keep_rows |= estimator.n_rules not in ("auto", 1)
    return keep_rows is False and source.n_rows > sources.MOST_COLLECTED


def learn_by_sample(estimator: PersonalRuleClassifier, source: Source) -> tuple[Fitted, Searcher]:
    """Choose cuts and settings on a sample of the rows, and count all rows by them."""
    names, grid = source.names, grids.check_grid(estimator, source.n_rows)
    categorical = parameters.check_categorical_features(estimator.categorical_features, names)
    X, y = source.sample(sources.MOST_COLLECTED, grid.random_state)
    classes, labels = encode_target(y, len(X))
    of_sample = _without_others(estimator, classes, source.classes)
    chosen, _ = of_sample._learn(read_columns(X), classes, labels)  # noqa: SLF001
    if not chosen.can_count:
        raise BadTable(
            f"in a sample of {len(X):,} rows no column has two values; keep_rows=True is accepted"
        )
    whole = source.learn_schema([2] * len(names), categorical)
    conditions = extend(estimator, chosen, join_schemas(chosen.conditions.schema, whole))
    holding = estimator._make_holding(  # noqa: SLF001
        conditions, chosen.search.max_length, source.classes
    )
    held = CountedRows.hold(source.gather(conditions, holding), conditions, source.classes)
    return count_all(estimator, chosen, held)


def _without_others(
    estimator: PersonalRuleClassifier, classes: NDArray[Any], all_classes: NDArray[Any]
) -> PersonalRuleClassifier:
    """Return an estimator that knows of no classes but those that a sample has.

    What it is told of the others is for them alone, once all rows are counted.
    """
    costs, weights = check_cost_matrix(estimator.cost_matrix, all_classes), estimator.class_weight
    if costs is not None:
        place = place_classes(classes, all_classes)
        costs = costs[np.ix_(place, place)]
    if isinstance(weights, dict):
        others = set(all_classes.tolist()) - set(classes.tolist())
        weights = {label: weight for label, weight in weights.items() if label not in others}
    own: PersonalRuleClassifier = clone(estimator)
    own.set_params(cost_matrix=costs, class_weight=weights)
    return own


def join_schemas(sampled: Schema, whole: Schema) -> Schema:
    """Return a schema with the cuts of a sample of the rows, and the categories of all."""
    return Schema(tuple(map(_join, sampled.features, whole.features)))


def _join(sampled: Feature, whole: Feature) -> Feature:
    if not isinstance(whole, NumberFeature):
        return whole
    is_known = isinstance(sampled, NumberFeature) and not sampled.is_empty
    return sampled if is_known else replace(whole, cuts=())
