"""Results that can be a table, and results that have one entry per row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from picrules.encoding.tables import make_frame

if TYPE_CHECKING:
    from collections.abc import Iterable

Result = TypeVar("Result")


class Tabular(ABC):
    """A result that can be a table with one row for each of its parts."""

    __slots__ = ()

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a table with one row for each row, rule or change of this result.

        Parameters
        ----------
        library : str
            "pandas", "polars" or "pyarrow"; it must be installed.

        Returns
        -------
        frame
            A column for each thing that is known about all of them.
        """
        names, records = self._to_records()
        rows = list(records)
        return make_frame({name: [row[name] for row in rows] for name in names}, library)

    @abstractmethod
    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        """Return the names of the columns, and the cells of each row by name."""


class RowResults(Tabular, Sequence[Result]):
    """One result per row, made when it is looked at; each has `to_row`, its cells by column."""

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
        results: Sequence[Any] = self
        rows = [result.to_row() for result in results]
        return rows[0], rows

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]
