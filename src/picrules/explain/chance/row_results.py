"""What an analysis says about each row of a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

import numpy as np

from picrules.engines.searcher import distinct_columns
from picrules.explain.tabular import Tabular

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from picrules.explain.model import Model


class RowResult(Protocol):
    """What is said about one row."""

    def to_row(self) -> dict[str, Any]:
        """Return what `RowResults.to_frame` has one column each for."""
        ...


Result = TypeVar("Result", bound=RowResult)


class RowResults(Tabular, Sequence[Result]):
    """One result a row, made when it is looked at."""

    @abstractmethod
    def _result(self, row: int) -> Result:
        """Make the result of one row."""

    @overload
    def __getitem__(self, position: int) -> Result: ...

    @overload
    def __getitem__(self, position: slice) -> list[Result]: ...

    def __getitem__(self, position: int | slice) -> Result | list[Result]:
        rows = range(len(self))[position]
        return self._result(rows) if isinstance(rows, int) else [self._result(row) for row in rows]

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        rows = [result.to_row() for result in self]
        return rows[0], rows

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


def distinct_rows(
    model: Model, codes: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the rows that differ, and the place of each row among them.

    Parameters
    ----------
    model : Model
        Says how many codes each feature has.
    codes : int32 array of shape (n_features, n_rows)
        The rows.

    Returns
    -------
    tuple
        The codes of the distinct rows, and a place for each row.
    """
    n_codes = np.array([feature.n_codes for feature in model.features], np.int64)
    distinct, places = distinct_columns(codes, n_codes)
    return distinct, np.arange(codes.shape[1]) if places is None else places
