"""The smallest changes of a row, found by predicting every changed table."""

from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pandas as pd

from picrules.encoding.schema import CategoryFeature


def to_frame(rows, names):
    """A table of cells that keep their Python types."""
    return pd.DataFrame(
        {name: pd.Series([row[name] for row in rows], dtype=object) for name in names}
    )


def cell_of(feature, cell):
    """The part of a feature that a cell lies in; None where it is missing or unseen."""
    if cell is None or cell != cell:
        return None
    if isinstance(feature, CategoryFeature):
        return feature.categories.index(cell) if cell in feature.categories else None
    ends = [bound_of(feature, cut) for cut in feature.cuts]
    return sum(cell > end for end in ends)


def bound_of(feature, cut):
    return pd.Timestamp(0) + pd.Timedelta(cut, "us") if feature.kind == "date" else cut


def values_of(feature):
    """One value of each part, in their order."""
    if isinstance(feature, CategoryFeature):
        return list(feature.categories)
    ends = [bound_of(feature, cut) for cut in feature.cuts]
    if not ends:
        return [pd.Timestamp(0) if feature.kind == "date" else 0.0]
    return [*ends, ends[-1] + (pd.Timedelta(days=9) if feature.kind == "date" else 9)]


def apart(feature, old, new):
    if old is None:
        return 1.0
    if isinstance(feature, CategoryFeature) and not feature.is_ordered:
        return float(old != new)
    return abs(new - old) / max(len(values_of(feature)) - 1, 1)


def smallest_changes(
    clf, row, used, max_changes, *, fixed=(), costs=None, allowed=None, to=None, least=0.0
):
    """All minimal changes, sorted; each a tuple of (feature, part)."""
    features = {feature.name: feature for feature in clf.schema_.features if feature.name in used}
    names = list(features)
    before = clf.predict(to_frame([row], row))[0]
    old = {name: cell_of(features[name], row[name]) for name in names}
    moves = {
        name: [
            (part, value)
            for part, value in enumerate(values_of(features[name]))
            if part != old[name] and name not in fixed
            and (allowed is None or allowed(name, features[name], part))
        ]
        for name in names
    }  # fmt: skip
    found, answers = [], set()
    for size in range(1, max_changes + 1):
        tried = [
            dict(zip(chosen, parts, strict=True))
            for chosen in combinations(names, size)
            for parts in product(*(moves[name] for name in chosen))
        ]
        if not tried:
            continue
        rows = [row | {name: value for name, (_, value) in change.items()} for change in tried]
        table = to_frame(rows, row)
        told = [(each.prediction, (each.confidence or 0.0) >= least) for each in clf.explain(table)]
        for change, (label, is_sure) in zip(tried, told, strict=True):
            parts = tuple((name, part) for name, (part, _) in change.items())
            is_enough = is_sure and (label != before if to is None else label == to != before)
            inner = (part for less in range(1, size) for part in combinations(parts, less))
            if is_enough and not any(smaller in answers for smaller in inner):
                answers.add(parts)
                cost = sum(
                    (costs or {}).get(name, 1.0) * apart(features[name], old[name], part)
                    for name, part in parts
                ) / len(names)  # fmt: skip
                order = [names.index(name) for name, _ in parts], [part for _, part in parts]
                found.append(
                    SimpleNamespace(parts=parts, cost=cost, label=label, key=(
                        size, np.round(cost, 9), *order))
                )  # fmt: skip
    return sorted(found, key=lambda change: change.key)
