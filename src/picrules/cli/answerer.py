"""A model and a file of rows to use it on, chunk by chunk."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import typer

from picrules.cli.answers import COLUMNS
from picrules.cli.output import tell
from picrules.cli.tables.align import Alignment
from picrules.cli.tables.csv_file import show_names
from picrules.cli.tables.kinds import check_columns
from picrules.persist.load import load
from picrules.rules.text import format_name, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from picrules.cli.tables.source import Source


# Chunks are shorter where rows have many cells, or answers the counts of many classes.
_USUAL_ROWS = 50_000
_CELLS_AT_ONCE = 2**22


def open_model(path: str) -> Any:
    """Open a model file that the user named."""
    try:
        return load(path)
    except (FileNotFoundError, IsADirectoryError):
        raise typer.BadParameter(
            f"{path} is not a file; a model file that 'picrules fit' wrote is accepted"
        ) from None


class Answerer:
    """A model that answers for the rows of a file.

    Parameters
    ----------
    model : str
        The model file.
    source : Source
        The rows.
    jobs : int
        How many threads share the work; -1 is all cores.
    target : str or None
        A column of classes, which the model is not expected to use.

    Attributes
    ----------
    clf : estimator
        The model.
    n_rows : int
        How many rows were given so far.
    """

    def __init__(self, model: str, source: Source, jobs: int, target: str | None = None) -> None:
        self.clf = open_model(model).set_params(n_jobs=jobs)
        self.n_rows = 0
        self._source = source
        self._alignment = Alignment(self.clf, source.names)
        self._n_unseen: dict[str, int] = {}
        if self._alignment.is_array:
            # The columns of the array are in the order of the names, which an array cannot say.
            warnings.filterwarnings("ignore", "X does not have valid feature names")
        extra = [name for name in self._alignment.extra if name != target]
        if self._alignment.is_by_position:
            tell("Note: the model was trained without column names, so columns count in order.")
        elif extra:
            tell(f"Note: not used by the model: {show_names(extra)}.")

    def check_kept(self, names: list[str]) -> None:
        """Check the columns that are to be repeated in the output."""
        check_columns("--keep", names, self._source.names)
        for name in names:
            if name in COLUMNS:
                raise typer.BadParameter(
                    f"--keep names the column {name!r}, which the output has itself; rename it"
                )

    def chunks(self, n_rows: int | None) -> Iterator[tuple[pa.Table, Any, int]]:
        """Give chunks of rows, as they are and aligned to the model, and the first row's number."""
        widest = max(len(self._source.names), len(self.clf.classes_))
        usual = max(1, min(_USUAL_ROWS, _CELLS_AT_ONCE // widest))
        for table in self._source.chunks(n_rows or usual):
            first_row = self.n_rows + 1
            X = self._alignment.align(table, first_row)
            self.n_rows += len(table)
            self._count_unseen(table, X)
            yield table, X, first_row

    def tell_unseen(self) -> None:
        """Say which columns held categories that training never saw."""
        for name, count in self._n_unseen.items():
            tell(
                f"Note: {format_name(name)} holds a category that training never saw in "
                f"{plural(count, 'row')}; no rule speaks of it there."
            )

    def _count_unseen(self, table: pa.Table, X: Any) -> None:
        sources = self._alignment.sources
        for number, feature in enumerate(self._alignment.features):
            categories = getattr(feature, "categories", ())
            if not categories or not all(isinstance(value, str) for value in categories):
                continue
            column = table.column(sources[number])
            read = X.column(number) if isinstance(X, pa.Table) else pa.array(X[:, number].tolist())
            count = len(column) - column.null_count - _count_seen(read, categories)
            if count:
                source = sources[number]
                self._n_unseen[source] = self._n_unseen.get(source, 0) + count

    def cells(self, table: pa.Table, X: Any, place: int) -> dict[str, Any]:
        """Return the cells of one row as the model reads them, or as they are if it cannot."""
        cells = {}
        for number, feature in enumerate(self._alignment.features):
            source = self._alignment.sources[number]
            read = X.column(number)[place].as_py() if isinstance(X, pa.Table) else X[place, number]
            cells[feature.name] = table.column(source)[place].as_py() if read is None else read
        return cells


def _count_seen(column: pa.ChunkedArray, categories: tuple[str, ...]) -> int:
    if pa.types.is_null(column.type):
        return 0
    return int(pc.sum(pc.is_in(column, pa.array(categories, column.type))).as_py())
