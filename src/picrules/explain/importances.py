"""What is lost without each feature: rows judged again as if its value were missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.explain.tabular import Result, Tabular
from picrules.kernels.counting import Asked
from picrules.rules.text import format_difference, format_name, format_share, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from picrules.model.model import Answer, Model

# Features that the text lists.
N_SHOWN = 20

COLUMNS = ("feature", "loss", "error", "changed", "used")


@dataclass(frozen=True, slots=True, repr=False)
class Importance(Result):
    """What is lost without one feature.

    Attributes
    ----------
    feature : str
        The name of the column.
    loss : float
        By how much the accuracy falls when the value of this feature is missing in every judged
        row; negative where it rises.
    error : float
        The standard error of the loss.
    changed : float
        Share of the judged rows whose predicted class changes then.
    used : float
        Share of the judged rows whose rule has a condition on the feature.
    """

    feature: str
    loss: float
    error: float
    changed: float
    used: float

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the numbers as plain values."""
        return self._plain(*COLUMNS)


@dataclass(frozen=True, slots=True, repr=False)
class Importances(Result):
    """What is lost without each feature, on rows whose classes are known.

    Attributes
    ----------
    features : tuple of Importance
        One for each column of the training table, in their order.
    n_rows : int
        How many rows were judged.
    accuracy : float
        Share of them that is predicted right with all features.
    is_left_out : bool
        Whether they are training rows, each judged by the others.
    """

    features: tuple[Importance, ...]
    n_rows: int
    accuracy: float
    is_left_out: bool

    @property
    def ranked(self) -> list[Importance]:
        """The features with the largest loss first, then those used most."""
        return sorted(self.features, key=lambda one: (-one.loss, -one.used))

    @property
    def normalized(self) -> NDArray[np.float64]:
        """The losses in the order of the columns, none below 0, as shares of their sum.

        Zeros where nothing is lost without any feature.
        """
        losses = np.maximum([one.loss for one in self.features], 0.0)
        return losses / (losses.sum() or 1.0)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; the feature with the largest loss first."""
        return {
            **self._plain("n_rows", "accuracy", "is_left_out"),
            "features": [one.to_dict() for one in self.ranked],
        }

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        return COLUMNS, [one.to_dict() for one in self.ranked]

    def _title(self) -> str:
        kind = "training row" if self.is_left_out else "row"
        how = ", each judged by the others" if self.is_left_out else ""
        return f"{plural(self.n_rows, kind)}{how}: accuracy {format_share(self.accuracy)}"

    def __str__(self) -> str:
        lines = [self._title(), "   lost without it  changed    used  feature"]
        for one in self.ranked[:N_SHOWN]:
            lost = f"{format_difference(one.loss)} +-{format_difference(one.error):>6}"
            changed, used = format_share(one.changed), format_share(one.used)
            lines.append(f"{lost:>17}{changed:>9}{used:>8}  {format_name(one.feature)}")
        if len(self.features) > N_SHOWN:
            lines.append(f"... and {len(self.features) - N_SHOWN} more")
        return "\n".join(lines)

    _repr_html_ = Tabular._repr_html_


@dataclass(frozen=True, slots=True)
class Judged:
    """Rows whose classes are known, to ask a model about."""

    model: Model
    codes: NDArray[np.int32]  # (n_features, n_rows)
    labels: NDArray[np.int64]  # (n_rows,)
    is_left_out: bool  # whether they are training rows, each judged by the others

    def ask(self, codes: NDArray[np.int32], rows: NDArray[np.int64]) -> Answer:
        """Ask about some of the rows, with these codes."""
        if not self.is_left_out:
            return self.model.ask(codes)
        return self.model.leave_out(Asked(codes, self.labels[rows]), np.arange(len(rows)))


def judge_training(model: Model, max_rows: int) -> Judged:
    """Judge training rows, at most so many, evenly over all, each by the others.

    Rows are sorted by class and by what they hold, so that the order of the table does not matter.
    """
    codes, labels = model.training.row_codes, model.training.row_labels
    order = np.lexsort([*codes[::-1], labels])
    if len(order) > max_rows:
        order = order[np.arange(max_rows) * len(order) // max_rows]
    return Judged(model, np.ascontiguousarray(codes[:, order]), labels[order], is_left_out=True)


def measure_importances(
    judged: Judged, weights: NDArray[np.float64], report: Callable[[float], None] | None
) -> Importances:
    """Judge rows with all features, and then without each; `weights` are those of the classes."""
    model, labels = judged.model, judged.labels
    # Classes that training never saw weigh 1; they have higher labels than all others.
    worth = np.append(weights, np.ones(max(int(labels.max()) + 1 - len(weights), 0)))[labels]
    worth = worth / worth.mean()
    rows = np.arange(len(labels))
    answer = judged.ask(judged.codes, rows)
    before = answer.decisions.labels[answer.numbers]
    uses = _find_uses(model, answer)
    measured = {}
    for number in range(len(judged.codes)):
        after = before.copy()
        known = judged.codes[number] >= 0
        asked = rows[known & uses.may_change[:, number]]
        if asked.size:
            codes = np.ascontiguousarray(judged.codes[:, asked])
            codes[number] = -1
            again = judged.ask(codes, asked)
            after[asked] = again.decisions.labels[again.numbers]
        lost = worth * ((before == labels) * 1.0 - (after == labels))
        error = float(lost.std() / np.sqrt(len(rows)))
        changed, used = float((after != before).mean()), float(uses.is_used[:, number].mean())
        measured[number] = (float(lost.mean()), error, changed, used)
        if report is not None:
            report(1 / len(judged.codes))
    features = model.conditions.schema.features
    number_of = {column: number for number, column in enumerate(model.conditions.features.tolist())}
    return Importances(
        tuple(
            Importance(feature.name, *measured.get(number_of.get(column, -1), (0.0,) * 4))
            for column, feature in enumerate(features)
        ),
        len(rows),
        float((worth * (before == labels)).mean()),
        judged.is_left_out,
    )


@dataclass(frozen=True, slots=True)
class _Uses:
    """Which features the rules of rows have conditions on; of shape (n_rows, n_features)."""

    is_used: NDArray[np.bool_]  # by the row's own rule
    may_change: NDArray[np.bool_]  # whether the decision may be another without the feature


def _find_uses(model: Model, answer: Answer) -> _Uses:
    """Find the features that matter for each row.

    The best rule for a class stays the best where it does without the feature. So only rows with
    such a rule, for any class, are asked again; where look-alikes or costs decide, or a search
    stops early, all are.
    """
    n_cases, n_features = len(answer.decisions.labels), model.training.n_features
    cases = np.arange(n_cases)
    own = answer.found.first.rules(cases, answer.decisions.slots)
    has_rule = answer.found.first.scores[cases, answer.decisions.slots] > -np.inf
    is_used = _mark(own.features, n_features) & has_rule[:, np.newaxis]
    may_change = np.zeros((n_cases, n_features), np.bool_)
    for member, found in zip(model.members, answer.found.found, strict=True):
        is_by_rules = member.search.alike is None and member.search.is_by_class
        if not is_by_rules or model.costs is not None:  # probabilities go by what is known
            may_change[:] = True
            continue
        for slot in range(found.scores.shape[1]):
            rules = found.rules(cases, np.full(n_cases, slot))
            may_change |= _mark(rules.features, n_features)
    return _Uses(is_used[answer.numbers], may_change[answer.numbers])


def _mark(features: NDArray[np.integer], n_features: int) -> NDArray[np.bool_]:
    """Mark the features of rules, of which -1 stands for none."""
    marked = np.zeros((len(features), n_features + 1), np.bool_)
    marked[np.arange(len(features))[:, np.newaxis], features] = True
    return marked[:, :-1]
