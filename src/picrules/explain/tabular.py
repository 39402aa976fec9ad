"""Results as plain values, results as a table, and results that have one entry per row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, ClassVar, TypeVar, overload

from picrules.encoding.tables import make_frame
from picrules.rules.rule import Rule
from picrules.rules.text import format_bound

Entry = TypeVar("Entry")

_PLAIN = frozenset({str, bool, int, float, type(None)})


class Result(ABC):
    """A result that JSON can hold."""

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON.

        Returns
        -------
        dict
            Texts, numbers, booleans and None, and lists and dicts of them; the documentation
            (explanations.md, what-if.md, chance.md) says what each entry means.
        """

    def _plain(self, *names: str) -> dict[str, Any]:
        """Return attributes as plain values, by their names."""
        return {name: to_plain(getattr(self, name)) for name in names}


def to_plain(value: Any) -> Any:
    """Write rules and dates as text, results as dicts and tuples as lists; all else is plain."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, tuple):
        return [to_plain(entry) for entry in value]
    if isinstance(value, datetime):
        return format_bound(value)
    if isinstance(value, Rule):
        return str(value)
    return value.to_dict() if isinstance(value, Result) else value


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


class RowResults(Tabular, Sequence[Entry]):
    """Results in order, most often one per row, each made when it is looked at."""

    _columns: ClassVar[tuple[str, ...]]  # entries of each result's `to_dict` that make the table

    @abstractmethod
    def _result(self, row: int) -> Entry:
        """Make the result of one row."""

    @overload
    def __getitem__(self, position: int) -> Entry: ...

    @overload
    def __getitem__(self, position: slice) -> list[Entry]: ...

    def __getitem__(self, position: int | slice) -> Entry | list[Entry]:
        rows = range(len(self))[position]
        return self._result(rows) if isinstance(rows, int) else [self._result(row) for row in rows]

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        results: Sequence[Any] = self
        return self._columns, (result.to_dict() for result in results)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]
