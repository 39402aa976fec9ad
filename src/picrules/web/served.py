"""What is served: a model, and a table to work through. It is replaced whole, never changed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.cli.info import describe_model
from picrules.encoding.columns import CategoryColumn
from picrules.encoding.row import plain_cell
from picrules.explain.cases import Details
from picrules.explain.chance.significance import check_chance
from picrules.explain.chance.stability import check_stability
from picrules.explain.changes.limits import check_limits
from picrules.explain.changes.search import ChangeSearch
from picrules.explain.changes.what_if import ask_what_if
from picrules.explain.explanations import Explanations
from picrules.explain.scored_rule import ScoredRule
from picrules.explain.tabular import to_plain
from picrules.reports.cases import FLAGS, find_unseen, flag_rows
from picrules.reports.content import collect
from picrules.reports.rule_list import find_weakness
from picrules.web.rows import RowReader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.explain.chance.significance import RowSignificance
    from picrules.explain.chance.stability import Stability
    from picrules.explain.changes.change import Changes
    from picrules.explain.changes.what_if import WhatIf
    from picrules.explain.explanation import Explanation
    from picrules.explain.summary import RuleUse
    from picrules.reports.asked import Asked
    from picrules.web.rows import Cells

# The number of the first row of a table, as on the command line.
FIRST_ROW = 1


@dataclass(frozen=True, slots=True)
class Told:
    """A row of the table in one line."""

    prediction: Any
    truth: Any  # None where it is not known
    confidence: float
    rule: str
    flags: list[str]


@dataclass(eq=False)
class Served:
    """A model with its name and fingerprint, and what it says about a table.

    Parameters
    ----------
    clf : estimator
        The fitted estimator.
    name : str
        What people call it: the name of its file.
    fingerprint : str
        The SHA-256 of its file.
    asked : Asked or None
        The table, if there is one.
    target : str or None
        The column of the classes in it.
    """

    clf: Any
    name: str
    fingerprint: str
    asked: Asked | None = None
    table_name: str = ""
    target: str | None = None

    def __post_init__(self) -> None:
        self.reader = RowReader(self.clf.schema_)
        # Rows come as columns, not as a table.
        self._model = self.clf._ready_model  # noqa: SLF001
        if self.asked is not None:  # it may know where the training rows stand in the table
            self._model = self.asked.explanations.cases.model
        self._lock = Lock()

    @property
    def classes(self) -> list[Any]:
        """The classes that are predicted."""
        classes: list[Any] = self.clf.classes_.tolist()
        return classes

    @property
    def n_rows(self) -> int:
        """How many rows the table has."""
        return 0 if self.asked is None else self.asked.n_rows

    @cached_property
    def content(self) -> dict[str, Any]:
        """What a report of the table says: accuracy, warnings, rules, model."""
        with self._lock:
            assert self.asked is not None
            return collect(self.asked, 1, FIRST_ROW)

    @cached_property
    def rules(self) -> list[dict[str, Any]]:
        """The rules in use over the table, the most used first, as in a report.

        `rows` are those that a rule decides, `right` how many of these are of its class (None where
        the classes are not known), and `weak` says why it should not be trusted much.
        """
        return [
            {
                **ScoredRule.to_dict(use.explanation),
                "rows": use.n_rows,
                "right": None if judged["right"] is None else judged["right"]["rows"],
                "weak": judged["weak"],
            }
            for use, judged in zip(self._uses, self.content["rules"], strict=False)
        ]

    @cached_property
    def _uses(self) -> tuple[RuleUse, ...]:
        assert self.asked is not None
        return self.asked.summary.uses

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """For each row of the table, the position of its rule in `rules`."""
        assert self.asked is not None
        place_of = {use.rule: place for place, use in enumerate(self._uses)}
        places = [place_of[explanation.rule] for explanation in self.asked.distinct]
        return np.array(places)[self.asked.which]

    @cached_property
    def flags(self) -> NDArray[np.int64]:
        """The flags of each row of the table: the sum of 2 ** i for the i-th of `FLAGS`."""
        assert self.asked is not None
        is_weak = np.array([bool(find_weakness(one)) for one in self.asked.distinct])
        is_unseen, _ = find_unseen(self.asked)
        return flag_rows(self.asked, is_weak, is_unseen)

    @cached_property
    def confidences(self) -> NDArray[np.float64]:
        """The confidence of each row of the table."""
        assert self.asked is not None
        return self.asked.explanations.confidences

    @property
    def sureness(self) -> str:
        """What `confidences` are: of the paper's estimators shares of the rules' training rows."""
        return "confidence" if self._model.has_confidence else "probability"

    @property
    def has_rows(self) -> bool:
        """Whether the model keeps its training rows, and not only counts of them."""
        return self._model.training.counts is None

    @property
    def has_truth(self) -> bool:
        """Whether the classes of the rows of the table are known."""
        return self.asked is not None and self.asked.truth is not None

    @property
    def is_training(self) -> bool:
        """Whether the table cannot be told from the training table."""
        return any(judged.get("is_training") for judged in self.content["performance"])

    def tell(self, number: int) -> Told:
        """Tell a row of the table in one line."""
        assert self.asked is not None
        row = number - FIRST_ROW
        flags = [name for bit, name in enumerate(FLAGS) if self.flags[row] >> bit & 1]
        rule = self._uses[self.places[row]].rule
        return Told(
            rule.label, self.truth_of(number), float(self.confidences[row]), str(rule), flags
        )

    @property
    def example(self) -> Cells:
        """A row: the first of the table, or one whose cells the model knows."""
        return self.reader.make_example() if self.asked is None else self.cells_of(FIRST_ROW)

    def warm_up(self) -> None:
        """Answer once, and find what the pages show of the table, before somebody waits for it."""
        _ = self.explain_one(self.example).confidence
        if self.asked is not None:
            _ = self.rules, self.places, self.flags, self.confidences

    def describe(self) -> dict[str, Any]:
        """Return what a program needs to know about the model."""
        return {"model": self.fingerprint, "name": self.name, **describe_model(self.clf)}

    def explain(self, rows: Sequence[Cells], details: Details | None = None) -> Explanations:
        """Explain rows given as cells."""
        columns = self.reader.to_columns(rows)
        return Explanations.of(
            self._model, self._model.encode(columns), None, details, cells=columns
        )

    def explain_one(self, cells: Cells, **details: Any) -> Explanation:
        """Explain one row given as cells, with `top` rules or a `trace`."""
        return self.explain([cells], Details(**details))[0]

    def what_if(self, cells: Cells, changes: dict[str, Any]) -> WhatIf:
        """Tell what the prediction for a row would be if some of its values were others."""
        return ask_what_if(self._model, self._to_columns(cells), changes)

    def find_changes(self, cells: Cells, **limits: Any) -> Changes:
        """Find the smallest changes of a row that change its class."""
        known = {
            "max_changes": 3, "fixed": (), "costs": None, "ranges": None, "to": None, "top": 5,
            "max_rows": 200_000, "one_each": True,
        } | limits  # fmt: skip
        checked = check_limits(self._model, *known.values())
        search = ChangeSearch(self._model, self._to_columns(cells), checked)
        with self._tell_progress(search.n_steps) as report:
            return search.run(report)

    def check_chance(self, cells: Cells, n_permutations: int) -> RowSignificance:
        """Check how often chance alone gives the row a rule as good."""
        with self._tell_progress(n_permutations) as report:
            return check_chance(self._model, self._encode(cells), n_permutations, 0, report)[0]

    def check_stability(self, cells: Cells, n_resamples: int) -> Stability:
        """Check what becomes of the row when the training rows are drawn again."""
        with self._tell_progress(n_resamples) as report:
            return check_stability(self._model, self._encode(cells), n_resamples, 0, report)[0]

    def cells_of(self, number: int) -> Cells:
        """Return the cells of a row of the table; `number` counts from the first row."""
        assert self.asked is not None
        row = number - FIRST_ROW
        return [
            plain_cell(feature, _take(column, row))
            for feature, column in zip(self.reader.features, self.asked.columns, strict=True)
        ]

    def truth_of(self, number: int) -> Any:
        """Return the class of a row of the table, None where it is not known."""
        if self.asked is None or self.asked.truth is None:
            return None
        return [*self.classes, *self.asked.unknown][self.asked.truth[number - FIRST_ROW]]

    def to_row(self, cells: Cells) -> dict[str, Any]:
        """Return cells as a row for JSON."""
        return {name: to_plain(cell) for name, cell in zip(self.reader.names, cells, strict=True)}

    def _to_columns(self, cells: Cells) -> list[Column]:
        return self.reader.to_columns([cells])

    def _encode(self, cells: Cells) -> NDArray[np.int32]:
        codes: NDArray[np.int32] = self._model.encode(self._to_columns(cells))
        return codes

    def _tell_progress(self, n_steps: int) -> Any:
        return self.clf._show_progress(n_steps, "steps")  # noqa: SLF001


def _take(column: Column, row: int) -> Column:
    """Return a column of one row."""
    if isinstance(column, CategoryColumn):
        return replace(column, positions=column.positions[[row]])
    cells = None if column.cells is None else [column.cells[row]]
    return replace(column, numbers=column.numbers[[row]], cells=cells)


def find_fingerprint(path: Path) -> str:
    """Return the SHA-256 of a model file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
