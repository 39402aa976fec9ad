"""One explanation per row, made when it is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from picrules.explain.cases import Cases, Details
from picrules.explain.explanation import Explanation
from picrules.explain.tabular import RowResults

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.model.model import Model
    from picrules.model.searcher import Report


class Explanations(RowResults[Explanation]):
    """One explanation per row, made when it is looked at.

    `explain(X)` gives them: a sequence of `Explanation`, with `to_frame`, that `summarize` takes.

    Parameters
    ----------
    cases : Cases
        The rows, and what a model found for them.
    """

    def __init__(self, cases: Cases) -> None:
        self.cases = cases

    @classmethod
    def of(
        cls,
        model: Model,
        codes: NDArray[np.int32],
        report: Report | None = None,
        details: Details | None = None,
        columns: Sequence[Column] | None = None,
    ) -> Self:
        """Ask a model about rows; users call `explain`.

        Parameters
        ----------
        model, codes, report, details, columns
            The model; int32 codes of shape (n_features, n_rows); what to call with the share of
            the work that was just done; what is told beside the rule; the cells of the rows, to
            name those that training never saw.

        Returns
        -------
        Explanations
            One per row.
        """
        return cls(Cases(model, model.ask(codes, report), details or Details(), columns))

    def __len__(self) -> int:
        return len(self.cases)

    @property
    def labels(self) -> NDArray[np.int64]:
        """The predicted classes, as positions in `classes_`."""
        return self.cases.decisions.labels.take(self.cases.numbers)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each class, for each row, as `predict_proba` gives it."""
        return self.cases.probabilities[self.cases.numbers]

    @property
    def confidences(self) -> NDArray[np.float64]:
        """The probability of each row's predicted class."""
        labels = self.labels[:, np.newaxis]
        return np.take_along_axis(self.probabilities, labels, axis=1)[:, 0]

    @property
    def is_overruled(self) -> NDArray[np.bool_]:
        """Whether the class offsets decided, against a rule that scores higher; for each row."""
        return self.cases.is_overruled[self.cases.numbers]

    def distinct(self) -> tuple[list[Explanation], NDArray[np.int64]]:
        """Return an explanation for each different rule, and which of them each row has.

        Returns
        -------
        tuple
            A list of explanations, each of the first row with its rule; and an array with a
            position in this list for each row.
        """
        cases, rules = self.cases, self.cases.rules
        width = int(rules.lengths.max(initial=0))
        conditions = rules.features[:, :width], rules.positions[:, :width]
        keys = np.column_stack([cases.decisions.labels, rules.lengths, *conditions])
        _, numbers = np.unique(keys, axis=0, return_inverse=True)
        of_rows = numbers.reshape(-1)[cases.numbers]
        _, first, indices = np.unique(of_rows, return_index=True, return_inverse=True)
        return [self._result(row) for row in first.tolist()], indices.reshape(-1)

    def _result(self, row: int) -> Explanation:
        return self.cases.explain(row)

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        rows = [explanation.to_row() for explanation in self]
        return rows[0], rows

    def _repr_html_(self) -> str:
        """Return the first few cards for notebooks."""
        # Pictures lie above what they draw: docs/decisions/layers.md
        from picrules.reports.card import CARDS_SHOWN, draw_cards  # noqa: PLC0415

        shown = [explanation.to_dict() for explanation in self[:CARDS_SHOWN]]
        return draw_cards(shown, len(self) - len(shown))

    def __repr__(self) -> str:
        return f"<{len(self)} explanations>"

    def __str__(self) -> str:
        return "\n".join(str(explanation) for explanation in self)
