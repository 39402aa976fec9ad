"""Read the rules of other models: trees and forests, imodels' rule lists and sets, and text."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from math import inf, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.errors import BadParameter, BadRuleText
from picrules.rules.condition import Interval
from picrules.rules.parse import parse_rule
from picrules.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from picrules.rules.text import Value

    Reader = Callable[[Any, list[str], list[Value]], list[Rule]]

# What boosting, stacking and voting have where their members do not count alike.
_WEIGHTS = ("estimator_weights_", "final_estimator_", "weights")


def read_rules(
    model: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Value] | None = None,
) -> list[Rule]:
    """Read the rules of another model, or of a text.

    Parameters
    ----------
    model : fitted model or str
        One of:

        - a decision tree or a forest of scikit-learn (or a model made of such trees): a rule for
          each leaf, exact for cells of float32, into which scikit-learn turns all others, and
          for rows without missing cells; trees that learned where missing cells go are refused,
          and trees that carry weights;
        - imodels' `GreedyRuleListClassifier`, `OneRClassifier`, `FastFrugalTreeClassifier` and
          `BayesianRuleListClassifier`: the rules in their order, of which the first that covers
          a row decides; the last has no conditions;
        - imodels' `SkopeRulesClassifier` and `FPSkopeClassifier`: the rules, all for the second
          class, which vote;
        - a text with one rule per line, as `str(rule)` writes it; empty lines and lines that begin
          with `#` are skipped.
    feature_names : sequence of str, optional
        Names of the features; by default those that the model saw, else x0, x1, ...
    class_names : sequence, optional
        Names for the model's classes, in its order; by default the classes themselves.

    Returns
    -------
    list of Rule
        The rules, in the order of the model.

    Examples
    --------
    >>> from picrules import read_rules
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "a", "b"])
    >>> for rule in read_rules(tree, feature_names=["size"]):
    ...     print(rule)
    if size <= 3.5 then a
    if size > 3.5 then b
    """
    if isinstance(model, str):
        return _read_text(model)
    read = _reader_of(model)
    if read is None:
        raise BadParameter(
            f"read_rules got a model of type {type(model).__name__}, whose rules it cannot read "
            "exactly, or which is not fitted; a fitted classification tree or forest of "
            f"scikit-learn, {', '.join(_READERS)} of imodels, or a text is accepted"
        )
    count, seen = int(model.n_features_in_), getattr(model, "feature_names_in_", None)
    own = [f"x{feature}" for feature in range(count)] if seen is None else list(map(str, seen))
    names = _choose_names("feature_names", feature_names, own, count)
    classes = list(model.classes_)
    return read(model, names, _choose_names("class_names", class_names, classes, len(classes)))


def _reader_of(model: Any) -> Reader | None:
    for kind in type(model).__mro__:
        if kind.__name__ in _READERS:
            return _READERS[kind.__name__] if hasattr(model, "rules_") else None
    return _read_trees if _trees_of(model) else None


def _choose_names(role: str, given: Sequence[Any] | None, own: list[Any], count: int) -> list[Any]:
    names = own if given is None else list(given)
    if given is not None and len(names) != count:
        raise BadParameter(f"{role} has {len(names)} names; the model needs {count}")
    return names


def _read_text(text: str) -> list[Rule]:
    rules = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            rules.append(parse_rule(line))
        except BadRuleText as error:
            raise BadRuleText(f"line {number}: {error}") from error
    return rules


def _read_steps(
    model: Any, names: list[str], classes: list[Value], below: str, above: str
) -> list[Rule]:
    """Read a list of single thresholds; each step ends on one of its two sides."""
    *steps, last = model.rules_
    rules = []
    for step in steps:
        symbol = below if step["flip"] else above
        path = Path().narrow(int(step["index_col"]), symbol, float(step["cutoff"]))
        rules.append(path.to_rule(names, classes[int(step["val_right"] > 0.5)]))
    return [*rules, Rule((), classes[int(last["val"] > 0.5)])]


def _read_bayesian_list(model: Any, names: list[str], classes: list[Value]) -> list[Rule]:
    paths = [*map(_path_of, model.rules_without_feature_names_), Path()]
    chosen = [classes[int(theta >= 0.5)] for theta in model.theta]
    return [path.to_rule(names, name) for path, name in zip(paths, chosen, strict=True)]


def _read_votes(model: Any, names: list[str], classes: list[Value]) -> list[Rule]:
    paths = map(_path_of, model.rules_without_feature_names_)
    return [path.to_rule(names, classes[1]) for path in paths if not path.is_empty]


def _path_of(rule: Any) -> Path:
    """Read a rule of imodels: cuts by placeholder (`X_3`) and symbol."""
    path = Path()
    for (placeholder, symbol), cut in rule.agg_dict.items():
        path = path.narrow(int(placeholder.removeprefix("X_")), symbol, float(cut))
    return path


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


def _trees_of(model: Any) -> list[Any]:
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


def _read_trees(model: Any, names: list[str], classes: list[Value]) -> list[Rule]:
    """Read the rule of each leaf that a row can reach, tree by tree, from left to right.

    scikit-learn turns cells into float32 and compares them with thresholds of float64, as these
    rules do with cells of float32. Other cells that lie closer to a threshold than a float32 can
    tell may be on its other side. A row with a missing cell satisfies no condition on it.
    """
    rules = []
    for tree in _trees_of(model):
        _check_learned_without_missing(tree, names)
        for leaf, path in _leaves(tree.tree_):
            if not path.is_empty:
                rules.append(path.to_rule(names, classes[tree.tree_.value[leaf, 0].argmax()]))
    return rules


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


_read_greedy_list = partial(_read_steps, below="<", above=">=")

_READERS: dict[str, Reader] = {
    "GreedyRuleListClassifier": _read_greedy_list,
    "OneRClassifier": _read_greedy_list,
    "FastFrugalTreeClassifier": partial(_read_steps, below="<=", above=">"),
    "BayesianRuleListClassifier": _read_bayesian_list,
    "SkopeRulesClassifier": _read_votes,
    "FPSkopeClassifier": _read_votes,
}
