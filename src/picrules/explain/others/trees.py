"""The leaves of scikit-learn's trees as rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from picrules.explain.others.paths import Path
from picrules.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from picrules.rules.text import Value


def trees_of(model: Any) -> list[Any]:
    """List the classification trees that a model consists of; empty where it is something else."""
    if _is_tree(model):
        return [model]
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
    tell may be on its other side.

    Parameters
    ----------
    tree : DecisionTreeClassifier or the like
        A fitted tree with one output.
    names : list of str
        Names of the features.
    classes : list
        The classes, in the order of the tree's.

    Returns
    -------
    list of Rule
        Conditions on the same feature are one interval; the class is the leaf's most frequent.
    """
    return [
        Rule(path.conditions(names), classes[int(tree.tree_.value[leaf, 0].argmax())])
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


def _is_tree(model: Any) -> bool:
    # Other libraries have a `tree_` of another kind, and regression trees have no classes.
    has_nodes = hasattr(getattr(model, "tree_", None), "children_left")
    return has_nodes and getattr(model, "n_outputs_", None) == 1 and hasattr(model, "classes_")
