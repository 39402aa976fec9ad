"""Paths of thresholds as rules, and the leaves of scikit-learn's trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.errors import BadParameter
from picrules.rules.condition import Interval
from picrules.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from picrules.rules.text import Value

# What boosting, stacking and voting have where their members do not count alike.
_WEIGHTS = ("estimator_weights_", "final_estimator_", "weights")


@dataclass(frozen=True, slots=True)
class Path:
    """What a row must satisfy so far: `lower < x <= upper` for some features."""

    # The two ends by position of the feature, in the order in which the features came.
    ends: dict[int, tuple[float, float]] = field(default_factory=dict)

    def narrow(self, feature: int, symbol: str, cut: float) -> Path:
        """Return the path with one more claim, `x <= cut`, `x > cut`, `x < cut` or `x >= cut`."""
        if symbol in ("<", ">="):
            cut = nextafter(cut, -inf)  # x < cut is x <= the number before it
        lower, upper = self.ends.get(feature, (-inf, inf))
        ends = (lower, min(upper, cut)) if symbol[0] == "<" else (max(lower, cut), upper)
        return Path({**self.ends, feature: ends})

    @property
    def is_empty(self) -> bool:
        """Whether no row can be inside."""
        return any(lower >= upper for lower, upper in self.ends.values())

    def to_rule(self, names: list[str], predicted: Value) -> Rule:
        """Return the rule with one condition per feature, and the class that it predicts."""
        conditions = (Interval(names[feature], *ends) for feature, ends in self.ends.items())
        return Rule(tuple(conditions), predicted)


def trees_of(model: Any) -> list[Any]:
    """List the classification trees that make up a model, in their order.

    Empty where they carry weights, and where the model is something else.
    """
    if _is_tree(model):
        return [model]
    if any(getattr(model, weights, None) is not None for weights in _WEIGHTS):
        return []
    # Trees of a bagging classifier may have features of their own.
    members = [] if hasattr(model, "estimators_features_") else getattr(model, "estimators_", None)
    if members is None:
        members = [getattr(model, "estimator_", None)]  # a tree whose leaves were shrunk
    members = list(members)
    n_classes = len(getattr(model, "classes_", ()))
    is_forest = all(_is_tree(member) and member.n_classes_ == n_classes for member in members)
    return members if is_forest else []


def leaf_rules(tree: Any, names: list[str], classes: list[Value]) -> list[Rule]:
    """Read the rule of each leaf that a row can reach, from left to right.

    scikit-learn turns cells into float32 and compares them with thresholds of float64, as these
    rules do with cells of float32. Other cells that lie closer to a threshold than a float32 can
    tell may be on its other side. A row with a missing cell satisfies no condition on it.
    """
    _check_learned_without_missing(tree, names)
    return [
        path.to_rule(names, classes[int(tree.tree_.value[leaf, 0].argmax())])
        for leaf, path in _leaves(tree.tree_)
        if not path.is_empty
    ]


def _leaves(nodes: Any) -> Iterator[tuple[int, Path]]:
    """Walk a tree without recursion: some are deeper than Python's stack."""
    open_nodes = [(0, Path())]
    while open_nodes:
        node, path = open_nodes.pop()
        left, right = int(nodes.children_left[node]), int(nodes.children_right[node])
        if left == right:
            yield node, path
            continue
        feature, cut = int(nodes.feature[node]), float(nodes.threshold[node])
        open_nodes.append((right, path.narrow(feature, ">", cut)))
        open_nodes.append((left, path.narrow(feature, "<=", cut)))


def _check_learned_without_missing(tree: Any, names: list[str]) -> None:
    nodes = tree.tree_
    splits = np.flatnonzero(nodes.children_left != nodes.children_right)
    sizes = nodes.n_node_samples
    # Without missing values in training all splits send them to the side with more rows.
    larger = sizes[nodes.children_left[splits]] > sizes[nodes.children_right[splits]]
    is_learned = nodes.missing_go_to_left[splits] != larger
    is_learned |= np.isinf(nodes.threshold[splits])  # between known and missing cells
    if is_learned.any():
        name = names[int(nodes.feature[splits[is_learned.argmax()]])]
        raise BadParameter(
            f"read_rules got a {type(tree).__name__} that learned where rows with a missing "
            f"{name!r} go, which rules cannot say, as they cover no such row; trees trained "
            "without missing values are accepted"
        )


def _is_tree(model: Any) -> bool:
    # Other libraries have a `tree_` of another kind, and regression trees have no classes.
    has_nodes = hasattr(getattr(model, "tree_", None), "children_left")
    return has_nodes and getattr(model, "n_outputs_", None) == 1 and hasattr(model, "classes_")
