"""One explanation per row, made when it is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from picrules.encoding.tables import make_frame
from picrules.engines.training import find_distinct
from picrules.explain.cases import Cases, Details
from picrules.explain.distribution import to_card
from picrules.explain.explanation import Explanation
from picrules.explain.rule_columns import tell_rules
from picrules.explain.silent import name_silent
from picrules.explain.tabular import FEW_SHOWN, RowResults, list_records, take_head

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from picrules.explain.silent import Cells
    from picrules.model.model import Model
    from picrules.model.searcher import Report
    from picrules.rules.rule import Rule


class Explanations(RowResults[Explanation]):
    """One explanation per row, made when it is looked at.

    `explain(X)` gives them: a sequence of `Explanation`, with `to_frame`, that `summarize` takes.

    Parameters
    ----------
    cases : Cases
        The rows, and what a model found for them.
    rows : int64 array or None
        Which of these; None for all.
    row_index : pandas index or None
        That of the rows, where they came as a pandas table.
    """

    def __init__(
        self, cases: Cases, rows: NDArray[np.int64] | None = None, row_index: Any = None
    ) -> None:
        self.cases, self.rows, self.row_index = cases, rows, row_index

    @classmethod
    def of(
        cls,
        model: Model,
        codes: NDArray[np.int32],
        report: Report | None = None,
        details: Details | None = None,
        row_index: Any = None,
        cells: Cells | None = None,
    ) -> Self:
        """Ask a model about rows; users call `explain`.

        Parameters
        ----------
        model, codes, report, details, row_index, cells
            The model; int32 codes of shape (n_features, n_rows); what to call with the share of
            the work that was just done; what is told beside the rule; the rows' pandas index; the
            cells of the rows, to name those that training never saw.

        Returns
        -------
        Explanations
            One per row.
        """
        cases = Cases(model, model.ask(codes, report), details or Details(), cells)
        return cls(cases, None, row_index)

    def __len__(self) -> int:
        return len(self.cases) if self.rows is None else len(self.rows)

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The case of each row."""
        numbers = self.cases.numbers
        return numbers if self.rows is None else numbers[self.rows]

    @property
    def labels(self) -> NDArray[np.int64]:
        """The predicted classes, as positions in `classes_`."""
        return self.cases.decisions.labels.take(self.numbers)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each class, for each row, as `predict_proba` gives it."""
        return self.cases.probabilities[self.numbers]

    @property
    def confidences(self) -> NDArray[np.float64]:
        """How often predictions like that of each row are right."""
        return self.cases.confidences.take(self.numbers)

    @property
    def is_overruled(self) -> NDArray[np.bool_]:
        """Whether the class offsets decided, against a rule that scores higher; for each row."""
        return self.cases.is_overruled[self.numbers]

    def distinct(self) -> tuple[list[Explanation], NDArray[np.int64]]:
        """Return an explanation for each different rule, and which of them each row has.

        Returns
        -------
        tuple
            A list of explanations, each of the first row with its rule; and an array with a
            position in this list for each row.
        """
        first, numbers = self._number_rules()
        explanations = [self._result(row) for row in first.tolist()]
        if self.cases.details.simplify == 0:
            return explanations, numbers
        # Different rules may have become one by leaving conditions out.
        first_of: dict[Rule, int] = {}
        for at in np.argsort(first).tolist():
            first_of.setdefault(explanations[at].rule, at)
        number_of = {rule: number for number, rule in enumerate(first_of)}
        merged = np.array([number_of[explanation.rule] for explanation in explanations], np.int64)
        return [explanations[at] for at in first_of.values()], merged[numbers]

    def _number_rules(
        self, more: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first row with each different rule, and the number of each row's rule.

        Rules of cases that differ in `more`, from -1 on, differ.
        """
        if len(self) == 0:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        cases, rules = self.cases, self.cases.rules
        parts = range(int(rules.lengths.max(initial=0)))
        columns = [cases.decisions.labels, rules.lengths]
        columns += [each[:, part] for each in (rules.features, rules.positions) for part in parts]
        columns += [] if more is None else [more]
        keys = [np.ascontiguousarray(column, np.int32) for column in columns]
        first, numbers = find_distinct(keys, [int(key.max()) + 1 for key in keys], len(keys[0]))
        # In the order of the keys, whatever the order of the rows.
        order = np.lexsort([key[first] for key in reversed(keys)])
        rank = np.argsort(order)
        of_rows = (rank if numbers is None else rank[numbers])[self.numbers]
        if self.rows is not None:  # some rules may be of other rows only
            order, of_rows = np.unique(of_rows, return_inverse=True)
        rows = np.arange(len(of_rows))
        first_rows = np.zeros(len(order), np.int64)
        first_rows[of_rows[::-1]] = rows[::-1]  # the last one written stays: the first row
        return first_rows, of_rows

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a table with one row for each row that was asked about.

        Texts and numbers are made once for each different rule.

        Parameters
        ----------
        library : str
            "pandas", "polars" or "pyarrow"; it must be installed.

        Returns
        -------
        frame
            A column for each entry of `Explanation.to_row`.
        """
        cases = self.cases
        columns, numbers = self.tell_rules()
        n_rules = np.where(cases.is_weighed, len(cases.model.members), 1)[self.numbers]
        own: dict[str, Any] = {"n_rules": n_rules}
        texts, which = self.name_silent()
        if cases.model.has_confidence:
            own["confidence"] = self.confidences
        empty: list[Any] = [None] * len(columns["rule"])
        by_rule = {"prediction": columns.pop("prediction"), "confidence": empty, **columns}
        own["silent"] = np.array(texts)[which]
        late = {"n_rules": empty, "silent": empty}
        return make_frame(by_rule | late, library, numbers, own, self.row_index)

    def name_silent(self) -> tuple[list[str], NDArray[np.int64]]:
        """Name the features whose values could not speak, in a text for each different set.

        Returns
        -------
        tuple
            The texts, the first of them empty; and an array with a position in them for each row.
        """
        texts, which = name_silent(self.cases.model, self.cases.case_codes)
        return texts, which[self.numbers]

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        return list_records(self)

    def tell_rules(self) -> tuple[dict[str, list[Any]], NDArray[np.int64]]:
        """Return what is known about each different rule, and which of them each row has.

        Returns
        -------
        tuple
            Columns with one entry for each different rule, those of `Explanation.to_row` that do
            not depend on the row; and an array with a position in them for each row.
        """
        cases = self.cases
        first, numbers = self._number_rules(cases.left_out)
        if cases.details.simplify == 0 or not len(first):
            return tell_rules(cases, self.numbers[first]), numbers
        rows = [self._result(row).to_row() for row in first.tolist()]
        names = [name for name in rows[0] if name not in ("confidence", "n_rules", "silent")]
        return {name: [row[name] for row in rows] for name in names}, numbers

    def _result(self, row: int) -> Explanation:
        return self.cases.explain(row if self.rows is None else int(self.rows[row]))

    def _take(self, rows: range) -> Explanations:
        own = np.arange(len(self.cases)) if self.rows is None else self.rows
        chosen = np.array(rows, np.int64)
        index = None if self.row_index is None else self.row_index[chosen]
        return Explanations(self.cases, own[chosen], index)

    def _repr_html_(self) -> str:
        """Return the first few cards for notebooks."""
        # Pictures lie above what they draw: docs/decisions/layers.md
        from picrules.reports.card import CARDS_SHOWN, draw_cards  # noqa: PLC0415

        shown = [to_card(explanation) for explanation in self[:CARDS_SHOWN]]
        return draw_cards(shown, len(self) - len(shown))

    def __repr__(self) -> str:
        return f"<{len(self)} explanations>"

    def __str__(self) -> str:
        return "\n".join(take_head(map(str, self), len(self), FEW_SHOWN))
