"""A few of the rules in use that answer most rows as the model does: a plain decision list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.columns import read_columns
from picrules.encoding.schema import CategoryFeature
from picrules.encoding.tables import check_table, is_frame
from picrules.errors import BadTable
from picrules.explain.evidence import find_satisfied
from picrules.explain.summary import summarize
from picrules.explain.tabular import Result, Tabular
from picrules.rules.rule import Rule
from picrules.rules.sql import to_case
from picrules.rules.text import format_share, format_value, list_names, plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.encoding.schema import Schema
    from picrules.explain.explanations import Explanations
    from picrules.rules.text import Value

# Cells of the table of rules and different rows, beyond which the least used rules are left out.
MOST_CELLS = 10**8

# How often all rules of a list are gone through for better ones.
PASSES = 4

# Rules whose rows are added up at once.
AT_ONCE = 256

# Classes that are tried as the default, those that most rows have first.
DEFAULTS_TRIED = 5

COLUMNS = ("rule", "prediction", "rows", "alike", "right")


@dataclass(frozen=True, slots=True, repr=False)
class CompactRule(Result):
    """One line of a compact rule list.

    Attributes
    ----------
    rule : Rule
        The rule.
    n_rows : int
        How many rows it answers: those that it covers and no rule before it does.
    n_alike : int
        How many of them the model answers alike.
    n_right : int or None
        How many of them are of its class, where the classes are known.
    """

    rule: Rule
    n_rows: int
    n_alike: int
    n_right: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as text, and the numbers."""
        return {
            "rule": str(self.rule),
            "prediction": self.rule.label,
            "rows": self.n_rows,
            "alike": self.n_alike,
            "right": self.n_right,
        }


@dataclass(frozen=True, slots=True, repr=False)
class CompactRules(Result):
    """At most so many rules that answer rows as the model does, as far as they can.

    The first rule that covers a row answers it. The last one has no conditions: its class is for
    all other rows. `clf.compact_rules(X)` makes the list.

    Attributes
    ----------
    rules : tuple of CompactRule
        In their order, the one without conditions last.
    n_rows : int
        How many rows the list was made for.
    n_in_use : int
        How many rules the model uses for them.
    n_alike : int
        How many rows the list answers as the model does.
    most_alike : int
        No list of as many of these rules answers more rows alike.
    n_right : tuple of int, or None
        How many rows the model, and the list, answer right, where the classes are known.
    schema : Schema
        How cells are read.
    max_rules : int
        How many rules were asked for at most, beside the last one.
    """

    rules: tuple[CompactRule, ...]
    n_rows: int
    n_in_use: int
    n_alike: int
    most_alike: int
    n_right: tuple[int, int] | None
    schema: Schema
    max_rules: int

    @property
    def default(self) -> Value:
        """The class of rows that no rule with conditions covers."""
        return self.rules[-1].rule.label

    @property
    def share_alike(self) -> float:
        """Share of the rows that the list answers as the model does."""
        return self.n_alike / self.n_rows

    @property
    def most_share_alike(self) -> float:
        """What `share_alike` cannot exceed, whichever rules are taken."""
        return self.most_alike / self.n_rows

    @property
    def accuracy(self) -> tuple[float, float] | None:
        """Share of the rows that the model, and the list, answer right, where that is known."""
        return self.n_right and (self.n_right[0] / self.n_rows, self.n_right[1] / self.n_rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """Answer rows by the list alone.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        array of shape (n_rows,)
            The class of the first rule that covers each row.
        """
        columns = self._read(X)
        cells, n_rows = self.schema.read(columns), len(columns[0])
        covers = np.array([line.rule.covers(cells, n_rows) for line in self.rules])
        labels = [line.rule.label for line in self.rules]
        is_text = any(isinstance(label, str) for label in labels)
        classes = np.array(labels, object if is_text else None)
        answers: NDArray[Any] = classes[covers.argmax(axis=0)]
        return answers

    def _read(self, X: Any) -> list[Column]:
        """Read the columns of the training table, in its order."""
        X = check_table(X)
        columns, names = read_columns(X), [feature.name for feature in self.schema.features]
        if is_frame(X):
            by_name = {column.name: column for column in columns}
            columns = [by_name[name] for name in names if name in by_name]
        if len(columns) != len(names):
            seen = list_names([column.name for column in columns])
            raise BadTable(
                f"X has {len(columns)} of the columns of training ({seen}); all {len(names)} are "
                f"accepted: {list_names(names)}"
            )
        return columns

    def to_sql(self) -> str:
        """Write the list as a SQL `CASE` that gives the class of a row, for DuckDB and SQLite.

        Columns must have the types that the model saw; see `Rule.to_sql`.

        Returns
        -------
        str
            The expression, to stand in a `SELECT`.
        """
        known = {
            feature.name: feature.categories
            for feature in self.schema.features
            if isinstance(feature, CategoryFeature)
        }
        branches = [(line.rule.to_sql(known), line.rule.label) for line in self.rules[:-1]]
        return to_case(branches, self.default)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; `rules` has the lines in their order."""
        return {
            **self._plain("default", "n_rows", "n_in_use", "n_alike", "most_alike"),
            **self._plain("share_alike", "most_share_alike", "accuracy"),
            "rules": [line.to_dict() for line in self.rules],
        }

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        return COLUMNS, [line.to_dict() for line in self.rules]

    def _tell(self) -> list[str]:
        """Say what is kept and what is lost, in sentences."""
        n_kept, rows = len(self.rules) - 1, plural(self.n_rows, "row")
        rules, alike = plural(self.n_in_use, "rule"), format_share(self.share_alike)
        answer = f"answer {alike} of {rows}"
        most = f"at most {self.max_rules:,} of them answers more than"
        told = [
            f"{n_kept:,} of {rules}, and a class for the rest, {answer} as the model does.",
        ]
        if self.most_alike < self.n_rows:
            told.append(f"No list of {most} {format_share(self.most_share_alike)}.")
        if self.accuracy is not None:
            model, own = map(format_share, self.accuracy)
            told.append(f"Accuracy {own} instead of {model}.")
        return told

    def __str__(self) -> str:
        lines = [*self._tell(), "   rows   alike  rule"]
        for line in self.rules:
            text = str(line.rule) if line.rule.conditions else f"else {format_value(self.default)}"
            lines.append(f"{line.n_rows:7,} {self._share(line):>7}  {text}")
        return "\n".join(lines)

    def _title(self) -> str:
        return " ".join(self._tell())

    _repr_html_ = Tabular._repr_html_

    @staticmethod
    def _share(line: CompactRule) -> str:
        return format_share(line.n_alike / line.n_rows) if line.n_rows else "-"


@dataclass(frozen=True)
class Answers:
    """Different rows, what the model says about them, and which rules cover them."""

    covers: NDArray[np.bool_]  # (n_rules, n_different)
    labels: NDArray[np.int64]  # (n_rules,): the class of each rule
    predicted: NDArray[np.int64]  # (n_different,)
    counts: NDArray[np.int64]  # (n_different,): how many rows each is

    @cached_property
    def agrees(self) -> NDArray[np.bool_]:
        """Where a rule covers a row that the model gives its class."""
        is_own: NDArray[np.bool_] = self.predicted == self.labels[:, np.newaxis]
        return self.covers & is_own

    def choose(self, max_rules: int, default: int) -> list[int]:
        """Choose rules, the last chosen standing first, each by what it gains then.

        A rule in front of the others answers all rows that it covers. It gains those that the
        model gives its class, and loses those that were answered alike before.
        """
        alike = (self.predicted == default) * self.counts
        gains = _add_up(self.agrees, self.counts) - _add_up(self.covers, alike)
        chosen: list[int] = []
        while len(chosen) < max_rules and gains.max(initial=0) > 0:
            best = int(gains.argmax())
            # In front it answers all that it covers; where it stood before, nothing is left to it.
            chosen = [*(each for each in chosen if each != best), best]
            changed = np.flatnonzero(self.covers[best])
            after = self.agrees[best, changed] * self.counts[changed]
            gains -= _add_up(self.covers[:, changed], after - alike[changed])
            alike[changed] = after
        return chosen[::-1]

    def answer(
        self, chosen: list[int], default: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the line of a list that answers each different row, and its class."""
        lines = np.full(len(self.predicted), len(chosen))
        for line, rule in reversed(list(enumerate(chosen))):
            lines[self.covers[rule]] = line
        return lines, np.append(self.labels[chosen], default)[lines]

    def count_alike(self, chosen: list[int], default: int) -> int:
        """Count the rows that a list answers as the model does."""
        _, answered = self.answer(chosen, default)
        return int(self.counts[answered == self.predicted].sum())

    def improve(self, chosen: list[int], default: int) -> list[int]:
        """Exchange one rule after the other for the best in its place, as long as that helps."""
        for _ in range(PASSES):
            before = chosen
            for line in range(len(chosen)):
                rest = chosen[:line] + chosen[line + 1 :]
                rows = np.flatnonzero(~self.covers[rest[:line]].any(axis=0))
                _, answered = self.answer(rest, default)
                alike = (answered == self.predicted)[rows] * self.counts[rows]
                own = _add_up(self.agrees[:, rows], self.counts[rows])
                gains = own - _add_up(self.covers[:, rows], alike)
                gains[rest] = -1
                best = int(gains.argmax())
                if gains[best] > gains[chosen[line]]:
                    chosen = [*rest[:line], best, *rest[line:]]
            if chosen == before:
                break
        return chosen

    def prune(self, chosen: list[int], default: int) -> list[int]:
        """Drop rules without which no fewer rows are answered alike."""
        reached = self.count_alike(chosen, default)
        for rule in chosen:
            rest = [each for each in chosen if each != rule]
            if self.count_alike(rest, default) >= reached:
                chosen = rest
        return chosen

    def bound(self, max_rules: int) -> int:
        """Return a number of rows that no list of so many of these rules exceeds, alike.

        A row is answered alike only by the default, or where a rule of its class covers it. The
        more rules there are, the fewer such rows one more adds; so no so many rules have more
        than any set of rules has, and the largest gains beside it.
        """
        return max(self._bound(max_rules, each) for each in np.unique(self.predicted).tolist())

    def _bound(self, max_rules: int, default: int) -> int:
        left = np.where(self.predicted == default, 0, self.counts)
        gains = _add_up(self.agrees, left)
        bound = int(self.counts.sum())
        while True:
            reached = int(self.counts.sum() - left.sum())
            bound = min(bound, reached + int(np.sort(gains)[::-1][:max_rules].sum()))
            if gains.max(initial=0) == 0:
                return bound
            covered = np.flatnonzero(self.agrees[gains.argmax()] & (left > 0))
            gains -= _add_up(self.agrees[:, covered], left[covered])
            left[covered] = 0


def _add_up(covers: NDArray[np.bool_], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add up the counts of the rows that each rule covers."""
    sums = np.empty(len(covers), np.int64)
    for start in range(0, len(covers), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        # Whole numbers are exact as floats, and far faster to multiply.
        sums[part] = covers[part].astype(np.float64) @ counts.astype(np.float64)
    return sums


def compact_rules(
    explanations: Explanations, truth: NDArray[np.int64] | None, max_rules: int
) -> CompactRules:
    """Choose at most so many of the rules in use; `truth` has the true labels of the rows."""
    if not len(explanations):
        raise BadTable("X has no rows; at least one row is accepted, to choose rules for")
    rules, answers = _collect(explanations)
    sizes = np.bincount(explanations.labels)
    frequent = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    lists = [
        (answers.choose(max_rules, default), default)
        for default in frequent[:DEFAULTS_TRIED].tolist()
    ]
    chosen, default = max(lists, key=lambda made: answers.count_alike(*made))
    chosen = answers.prune(answers.improve(chosen, default), default)
    cases = explanations.cases
    lines, answered = (each[cases.numbers] for each in answers.answer(chosen, default))
    is_alike, n_lines = answered == explanations.labels, len(chosen) + 1
    counts = [np.bincount(lines, minlength=n_lines), np.bincount(lines, is_alike, n_lines)]
    n_right = None
    if truth is not None:
        counts.append(np.bincount(lines, answered == truth, n_lines))
        n_right = int((explanations.labels == truth).sum()), int((answered == truth).sum())
    used = [*(rules[number] for number in chosen), Rule((), cases.model.classes[default])]
    numbers = [each.astype(np.int64).tolist() for each in counts]
    return CompactRules(
        tuple(
            CompactRule(rule, *(each[line] for each in numbers)) for line, rule in enumerate(used)
        ),
        len(lines), len(rules), int(is_alike.sum()), answers.bound(max_rules), n_right,
        cases.model.conditions.schema, max_rules,
    )  # fmt: skip


def _collect(explanations: Explanations) -> tuple[list[Rule], Answers]:
    """Return the rules in use that have conditions, and what they say about different rows."""
    cases = explanations.cases
    counts = np.bincount(cases.numbers, minlength=len(cases.decisions.labels))
    uses = [use for use in summarize(explanations).uses if use.rule.length > 0]
    rules = [use.rule for use in uses[: max(MOST_CELLS // len(counts), 1)]]
    covers = np.empty((len(rules), len(counts)), np.bool_)
    for own, rule in zip(covers, rules, strict=True):
        own[:] = find_satisfied(cases.model, rule, cases.case_codes).all(axis=0)
    labels = np.array([cases.model.classes.index(rule.label) for rule in rules], np.int64)
    return rules, Answers(covers, labels, cases.decisions.labels, counts)
