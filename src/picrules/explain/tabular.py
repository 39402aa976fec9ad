"""Results that can be a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from picrules.encoding.tables import make_frame

if TYPE_CHECKING:
    from collections.abc import Iterable


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
