"""The rules that decide together as JSON, and back: voices, and the coarser conditions they use."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.conditions import MANY_CODES, Conditions, has_sides
from picrules.encoding.schema import Feature, NumberFeature, Schema, is_ordered_feature
from picrules.encoding.tables import MAX_ROWS
from picrules.engines.base import Alike, Search
from picrules.errors import BadModelFile
from picrules.estimators.between import MOST_PAIRS, MOST_SCORES
from picrules.estimators.fitted import Voice
from picrules.estimators.grids import MOST_RULES
from picrules.estimators.likeness import NARROWEST, WIDEST
from picrules.estimators.scorecards import LONGEST_SET
from picrules.estimators.tuning import TOO_MANY_SCORES
from picrules.persist.contents import LARGEST, check_length, read_measure
from picrules.persist.fields import Fields, is_finite, is_whole
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from picrules.model.between import Pair


def voice_to_content(voice: Voice) -> dict[str, Any]:
    """Write how one rule is searched and what it weighs; a floor only where there is one."""
    search, setting = voice.search, voice.search.setting
    content = {
        "measure": setting.measure,
        "alpha": setting.alpha,
        "smoothing": setting.smoothing,
        "max_length": search.max_length,
        "weight": voice.weight,
        "is_coarse": voice.is_coarse,
    }
    if search.features is not None:
        content["features"] = search.features
    if search.alike is not None:
        content |= {"widths": search.alike.widths, "least": search.alike.least}
    if voice.pairs is not None:
        content["pairs"] = voice.pairs
    return content | ({"floor": voice.floor} if voice.floor > -inf else {})


def read_voices(
    each: Sequence[Fields], fine: Conditions, coarse: Conditions | None, n_classes: int
) -> tuple[Voice, ...]:
    """Read the rules that decide together; the first is the row's own.

    `n_classes` are the classes that settings were chosen on.
    """
    if not 1 <= len(each) <= MOST_RULES:
        raise BadModelFile(f"it has {len(each)} voices; from 1 to {MOST_RULES} are expected")
    voices = tuple(
        _read_voice(fields, fine, coarse, n_classes, n_voices=len(each)) for fields in each
    )
    if voices[0].search.features is not None:
        raise BadModelFile("its first voice has features of its own; that of a row may use all")
    if any(voice.pairs is not None for voice in voices[:-1]) or voices[0].pairs is not None:
        raise BadModelFile("rules between leading classes are not its last voice, after others")
    if coarse is not None and not any(voice.is_coarse for voice in voices):
        raise BadModelFile("it has coarser conditions, but no voice that uses them")
    return voices


def check_lengths(
    voices: Sequence[Voice], fine: Conditions, coarse: Conditions | None, n_classes: int
) -> None:
    """Refuse rules of so many conditions as `fit` would not have tried: no prediction would end."""
    for voice in voices:
        search, conditions = voice.search, coarse if coarse and voice.is_coarse else fine
        if search.alike is None:  # those of look-alikes are not searched
            counts, most = conditions.n_conditions, TOO_MANY_SCORES
            if search.features is not None:  # few features, whose rules were all looked at
                counts, most = counts[list(search.features)], 10 * TOO_MANY_SCORES
            each = n_classes
            if voice.pairs is not None:  # of two classes at a time, categories may have come since
                each, most = 2 * len(voice.pairs), 10 * MOST_SCORES
            check_length(counts.tolist(), search.max_length, int(most / each))


def _read_voice(
    fields: Fields, fine: Conditions, coarse: Conditions | None, n_classes: int, *, n_voices: int
) -> Voice:
    is_coarse = fields.flag("is_coarse")
    conditions = coarse if is_coarse else fine
    if conditions is None:
        raise BadModelFile(f"{fields.where} is coarse, but the model has no coarser conditions")
    setting, features, alike, pairs = read_measure(fields), None, None, None
    longest = max(1, len(conditions.features))
    if "features" in fields:
        features = _read_features(fields, len(conditions.features))
        longest = len(features)
    elif "widths" in fields:
        alike = _read_alike(fields, conditions)
        longest = sum(width > 0 for width in alike.widths)
    elif "pairs" in fields:
        pairs = _read_pairs(fields, n_classes)
    # A single voice without any rule stands for a table from which nothing is learned.
    is_plain = n_voices == 1 and features is None and alike is None
    max_length = fields.whole("max_length", 0 if is_plain else 1, longest)
    weight = fields.number("weight", 0, LARGEST)
    # Several are added up, and what is missing would add up to nothing that can be compared.
    has_floor = n_voices > 1 or "floor" in fields
    floor = fields.number("floor", -LARGEST, LARGEST) if has_floor else -inf
    fields.finish()
    search = Search(setting, max_length, is_by_class=True, features=features, alike=alike)
    return Voice(search, weight, floor, is_coarse, pairs)


def _read_pairs(fields: Fields, n_classes: int) -> tuple[Pair, ...]:
    pairs = fields.items("pairs", _is_pair, "pairs of whole numbers that increase")
    found = tuple((first, second) for first, second in pairs)
    is_known = all(second < n_classes for _, second in found)
    if not 1 <= len(found) <= MOST_PAIRS or list(found) != sorted({*found}) or not is_known:
        raise BadModelFile(
            f"{fields.where}.pairs is {show(pairs)}; 1 to {MOST_PAIRS} different pairs of classes, "
            f"in order, of {n_classes} classes are expected"
        )
    return found


def _is_pair(value: Any) -> bool:
    is_list = isinstance(value, list) and len(value) == 2 and all(map(is_whole, value))
    return is_list and 0 <= value[0] < value[1]


def _read_features(fields: Fields, n_features: int) -> tuple[int, ...]:
    features = fields.items("features", is_whole, "whole numbers")
    if not 1 <= len(features) <= LONGEST_SET or not _do_increase(features, n_features):
        raise BadModelFile(
            f"{fields.where}.features is {show(features)}; 1 to {LONGEST_SET} numbers from 0 to "
            f"{n_features - 1} that increase are expected"
        )
    return tuple(features)


def _read_alike(fields: Fields, conditions: Conditions) -> Alike:
    if not conditions.has_intervals:
        raise BadModelFile(f"{fields.where} has look-alikes, but its conditions have no intervals")
    accepted = f"numbers that are 0 or from {NARROWEST:g} to {WIDEST:g}"
    widths = fields.items("widths", _is_width, accepted)
    if len(widths) != len(conditions.features) or not any(widths):
        raise BadModelFile(
            f"{fields.where}.widths has {len(widths)} numbers, {np.count_nonzero(widths)} of them "
            f"positive; {len(conditions.features)} are expected, one at least positive"
        )
    features = [conditions.schema.features[column] for column in conditions.features]
    for feature, width in zip(features, widths, strict=True):
        if width > 0 and not has_sides(feature):
            raise BadModelFile(
                f"{fields.where}.widths has {width} for {feature.name!r}, whose {feature.n_codes} "
                f"codes have no intervals; 0 is expected with more than {MANY_CODES}"
            )
    is_ordered = tuple(map(is_ordered_feature, features))
    return Alike(tuple(map(float, widths)), is_ordered, fields.whole("least", 1, MAX_ROWS))


def _is_width(value: Any) -> bool:
    return is_finite(value) and (value == 0 or NARROWEST <= value <= WIDEST)


def coarse_to_content(coarse: Conditions, fine: Conditions) -> dict[str, Any]:
    """Write coarser conditions: the positions of their cuts among the finer ones, by column."""
    pairs = zip(coarse.schema.features, fine.schema.features, strict=True)
    cuts = [np.searchsorted(_cuts_of(own), _cuts_of(few)).tolist() for few, own in pairs]
    content = {"cuts": cuts, "has_subsets": coarse.has_subsets}
    return content | ({"has_intervals": True} if coarse.has_intervals else {})


def read_coarse(fields: Fields, fine: Conditions) -> Conditions:
    """Read coarser conditions, each of which is among the finer ones."""
    is_list = lambda value: isinstance(value, list) and all(map(is_whole, value))  # noqa: E731
    cuts = fields.items("cuts", is_list, "lists of whole numbers")
    has_subsets = fields.flag("has_subsets")
    has_intervals = "has_intervals" in fields and fields.flag("has_intervals")
    fields.finish()
    if has_subsets and not fine.has_subsets:
        raise BadModelFile(f"{fields.where} has sets of values, but the finer conditions have none")
    features = fine.schema.features
    if len(cuts) != len(features):
        raise BadModelFile(
            f"{fields.where}.cuts has {len(cuts)} lists; {len(features)}, one per column, are "
            "expected"
        )
    few = tuple(_take_cuts(*pair, fields.where) for pair in zip(features, cuts, strict=True))
    if has_intervals and not _have_intervals_of(few, fine):
        raise BadModelFile(f"{fields.where} has intervals that the finer conditions have not")
    return Conditions(Schema(few), has_subsets, has_intervals=has_intervals)


def _have_intervals_of(few: Sequence[Feature], fine: Conditions) -> bool:
    """Whether the finer conditions have intervals on every feature that has them here."""
    pairs = zip(few, fine.schema.features, strict=True)
    return fine.has_intervals and all(has_sides(own) or not has_sides(each) for each, own in pairs)


def _take_cuts(feature: Feature, positions: list[int], where: str) -> Feature:
    cuts = _cuts_of(feature)
    if not _do_increase(positions, len(cuts)):
        raise BadModelFile(
            f"{where}.cuts of {feature.name!r} are {show(positions)}; positions that increase, "
            f"among {len(cuts)} cuts, are expected"
        )
    if isinstance(feature, NumberFeature):
        return replace(feature, cuts=tuple(cuts[position] for position in positions))
    return feature


def _cuts_of(feature: Feature) -> tuple[float, ...]:
    return feature.cuts if isinstance(feature, NumberFeature) else ()


def _do_increase(positions: list[int], count: int) -> bool:
    """Whether positions are among so many, each after the one before."""
    is_inside = all(0 <= position < count for position in positions)
    return is_inside and all(first < second for first, second in pairwise(positions))
