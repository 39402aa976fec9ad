"""What the rules of many cases say, as columns: the entries of `Explanation.to_row` at once."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.rules.rule import write_rule
from picrules.rules.text import format_value
from picrules.scoring.statistics import wilson_intervals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.explain.cases import Cases


def tell_rules(cases: Cases, chosen: NDArray[np.int64]) -> dict[str, list[Any]]:
    """Return the columns of some cases that tell their rules, as `Explanation.to_row` has them."""
    model, rules = cases.model, cases.rules.take(chosen)
    labels, left_out = cases.decisions.labels[chosen], cases.left_out[chosen]
    is_empty = rules.lengths == 0
    sizes = _without(np.tile(model.class_sizes, (len(chosen), 1)), left_out)
    counts = np.where(is_empty[:, np.newaxis], sizes, _without(rules.counts, left_out))
    rows = np.arange(len(chosen))
    hits, cover_sizes, class_sizes = counts[rows, labels], counts.sum(axis=1), sizes[rows, labels]
    scores = cases.scores[chosen]
    for row in np.flatnonzero(is_empty).tolist():
        scores[row] = model.score_empty(int(labels[row]), sizes[row])
    with np.errstate(invalid="ignore", divide="ignore"):  # NaN without any row
        precisions, shares = hits / cover_sizes, class_sizes / sizes.sum(axis=1)
        recalls, lifts = hits / class_sizes, precisions / shares
    lower, upper = wilson_intervals(hits, cover_sizes)
    columns = {
        "length": rules.lengths, "score": scores, "cover_size": cover_sizes, "hits": hits,
        "precision": precisions, "lower": lower, "upper": upper, "recall": recalls, "lift": lifts,
    }  # fmt: skip
    return {
        "prediction": [model.classes[label] for label in labels.tolist()],
        "rule": _write_rules(cases, chosen),
        **{name: column.tolist() for name, column in columns.items()},
    }


def _without(counts: NDArray[np.int64], left_out: NDArray[np.int64]) -> NDArray[np.int64]:
    """Take rows that are left out off the class counts of their rules."""
    rows = np.flatnonzero(left_out >= 0)
    if rows.size == 0:
        return counts
    counts = counts.copy()
    counts[rows, left_out[rows]] -= 1
    return counts


def _write_rules(cases: Cases, chosen: NDArray[np.int64]) -> list[str]:
    """Write the rules of some cases; the text of each condition is made once."""
    model, rules = cases.model, cases.rules.take(chosen)
    names = [format_value(name) for name in model.classes]
    # Each condition has a key; that of none is -1.
    n_positions = int(rules.positions.max(initial=0)) + 1
    keys, numbers = np.unique(
        np.where(
            rules.features >= 0, rules.features.astype(np.int64) * n_positions + rules.positions, -1
        ),
        return_inverse=True,
    )
    texts = np.array(
        [
            str(model.conditions.condition(*divmod(key, n_positions))) if key >= 0 else ""
            for key in keys.tolist()
        ],
        object,
    )
    labels, numbers = cases.decisions.labels[chosen], numbers.reshape(rules.features.shape)
    told = np.empty(len(chosen), object)
    for length in np.unique(rules.lengths).tolist():
        own = np.flatnonzero(rules.lengths == length)
        # Column by column: lists of lists would be gone through again and again for garbage.
        columns = [texts[numbers[own, part]].tolist() for part in range(length)]
        conditions = zip(*columns, strict=True) if length else repeat((), len(own))
        told[own] = [
            write_rule(each, names[label])
            for each, label in zip(conditions, labels[own].tolist(), strict=True)
        ]
    written: list[str] = told.tolist()
    return written
