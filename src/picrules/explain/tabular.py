"""Results in four forms: a short text, a table, a view for notebooks, and plain values for JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain, islice
from typing import Any, ClassVar, TypeVar, overload

from picrules.encoding.tables import make_frame
from picrules.rules.rule import Rule
from picrules.rules.text import format_bound

Entry = TypeVar("Entry")

# Entries of a long result that its text and its view show; fewer where each takes several lines.
N_SHOWN = 10
FEW_SHOWN = 5

_LONGEST_REPR = 150

_PLAIN = frozenset({str, bool, int, float, type(None)})


def take_head(lines: Iterable[str], total: int, most: int = N_SHOWN) -> list[str]:
    """Return the first lines, and how many more there are of `total`."""
    shown = list(islice(lines, most))
    return [*shown, f"... and {total - most:,} more"] if total > most else shown


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
        columns = {name: [row[name] for row in rows] for name in names}
        return make_frame(columns, library, index=self._row_index())

    @abstractmethod
    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        """Return the names of the columns, and the cells of each row by name."""

    def _row_index(self) -> Any:
        """Return the pandas index of the rows that were asked about; None where there is none."""
        return None

    def _title(self) -> str:
        """Return what stands above the table in the view."""
        return str(self).partition("\n")[0]

    def __repr__(self) -> str:
        text = self._title().strip().rstrip(".,")
        short = text if len(text) <= _LONGEST_REPR else f"{text[: _LONGEST_REPR - 3]}..."
        return f"<{type(self).__name__}: {short}>"

    def _repr_html_(self) -> str | None:
        """Return a view for notebooks: the head of the table."""
        # Pictures lie above what they draw: docs/decisions/layers.md
        from picrules.reports.view import draw_table  # noqa: PLC0415

        names, records = self._to_records()
        if isinstance(self, Sequence):
            return draw_table(self._title(), names, islice(records, N_SHOWN), len(self))
        rows = list(records)
        return draw_table(self._title(), names, rows[:N_SHOWN], len(rows))


class Result(Tabular):
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

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        """Return one row: the entries for JSON that are single values."""
        row = {
            name: value
            for name, value in self.to_dict().items()
            if not isinstance(value, list | dict)
        }
        return row, [row]

    def __str__(self) -> str:
        (row,) = self._to_records()[1]
        return ", ".join(f"{name} {value}" for name, value in row.items() if value is not None)

    def _repr_html_(self) -> str | None:
        """Return a view for notebooks: the text."""
        from picrules.reports.view import draw_text  # noqa: PLC0415  (as in `Tabular`)

        return draw_text(str(self))


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


def list_records(entries: Sequence[Any]) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
    """Return the rows of several results one after the other, and the names of their columns."""
    rows = chain.from_iterable(entry._to_records()[1] for entry in entries)  # noqa: SLF001
    return (entries[0]._to_records()[0] if entries else ()), rows  # noqa: SLF001


class Results(Tabular, tuple[Entry, ...]):
    """Some results in order: a tuple with a text, a table and a view.

    `explanation.top` and `explanation.contrast` are such, and a slice of `clf.significance(X)`.

    Parameters
    ----------
    iterable : iterable of results
        The results.
    """

    __slots__ = ()

    @overload  # type: ignore[override]
    def __getitem__(self, position: int) -> Entry: ...

    @overload
    def __getitem__(self, position: slice) -> Results[Entry]: ...

    def __getitem__(self, position: int | slice) -> Entry | Results[Entry]:
        found: Any = tuple.__getitem__(self, position)
        return Results(found) if isinstance(position, slice) else found

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        return list_records(self)

    def _title(self) -> str:
        return f"{len(self):,} {'entry' if len(self) == 1 else 'entries'}"

    def __str__(self) -> str:
        return "\n".join(take_head(map(str, self), len(self)))

    def __repr__(self) -> str:
        return tuple.__repr__(self)


class RowResults(Tabular, Sequence[Entry]):
    """Results in order, most often one per row, each made when it is looked at."""

    _columns: ClassVar[tuple[str, ...]]  # entries of each result's `to_dict` that make the table

    @abstractmethod
    def _result(self, row: int) -> Entry:
        """Make the result of one row."""

    @overload
    def __getitem__(self, position: int) -> Entry: ...

    @overload
    def __getitem__(self, position: slice) -> Any: ...

    def __getitem__(self, position: int | slice) -> Any:
        rows = range(len(self))[position]
        return self._result(rows) if isinstance(rows, int) else self._take(rows)

    def _take(self, rows: range) -> Any:
        """Return some of the results; they have a text, a table and a view, too."""
        return Results(self._result(row) for row in rows)

    def _to_records(self) -> tuple[Iterable[str], Iterable[dict[str, Any]]]:
        results: Sequence[Any] = self
        return self._columns, (result.to_dict() for result in results)

    # Of the two that it could be by its parents, the view is that of the table.
    _repr_html_ = Tabular._repr_html_

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]
