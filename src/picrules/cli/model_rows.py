"""The rows of a file as a model takes them, chunk by chunk."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import typer

from picrules.cli.align import align_classes, align_column, find_sources, needs_objects
from picrules.cli.options import check_columns
from picrules.cli.output import show_names, tell
from picrules.cli.training import read_target
from picrules.encoding.columns import Kind
from picrules.errors import BadDataFile
from picrules.persist.load import load
from picrules.reports.asked import Asked, ask
from picrules.rules.text import format_name, list_names, plural

if TYPE_CHECKING:
    from collections.abc import Generator

    from picrules.cli.tables.source import Source

# Chunks are shorter where rows have many cells, or answers the counts of many classes.
_USUAL_ROWS, _FIRST_ROWS = 2**16, 2**13
_CELLS_AT_ONCE = 2**22
_ALL_ROWS = 2**31


def open_model(path: str) -> Any:
    """Open a model file that the user named."""
    try:
        return load(path)
    except (FileNotFoundError, IsADirectoryError):
        raise typer.BadParameter(
            f"{path} is not a file; a model file that 'picrules fit' wrote is accepted"
        ) from None


class ModelRows:
    """A model, or the file of one, and the rows of a file as this model takes them.

    `n_rows` counts the rows that were given so far. A column `target` need not be one that the
    model uses.
    """

    def __init__(
        self, model: Any, source: Source, jobs: int | None, target: str | None = None
    ) -> None:
        self.clf = open_model(model) if isinstance(model, str) else model
        if jobs is not None:
            self.clf.set_params(n_jobs=jobs)
        self.n_rows, self._target = 0, target
        check_columns("--target", [] if target is None else [target], source.names)
        self._source, self._features = source, self.clf.schema_.features
        has_names = hasattr(self.clf, "feature_names_in_")
        self._names = [feature.name for feature in self._features]
        self._sources = find_sources(source.names, self._names, has_names=has_names)
        self.n_unseen: Counter[str] = Counter()
        # An array holds what no column of one type can; a model without names takes arrays alone.
        self._is_array = not has_names or any(map(needs_objects, self._features))
        if self._is_array:
            # The columns of the array are in the order of the names, which an array cannot say.
            warnings.filterwarnings("ignore", "X does not have valid feature names")
        used = {*self._sources, target}
        extra = [name for name in source.names if name not in used]
        if self._sources != self._names:
            tell("Note: the model was trained without column names, so columns count in order.")
        elif extra:
            tell(f"Note: not used by the model: {show_names(extra)}.")

    def chunks(self, n_rows: int | None) -> Generator[tuple[pa.Table, Any, int], None, None]:
        """Give chunks of rows, as they are and aligned to the model, and the first row's number."""
        widest = max(len(self._source.names), len(self.clf.classes_))
        usual = max(1, min(_USUAL_ROWS, _CELLS_AT_ONCE // widest))
        sizes = (usual, min(_FIRST_ROWS, usual)) if n_rows is None else (n_rows,)
        for table in self._source.chunks(*sizes):
            first_row = self.n_rows + 1
            self.n_rows += len(table)
            yield table, self._align(table, first_row), first_row

    def whole(self) -> tuple[pa.Table, Any, list[Any] | None]:
        """Return all rows at once, as they are and aligned, and their classes if they have any."""
        ((table, X, _),) = self.chunks(_ALL_ROWS)
        if self._target is None:
            return table, X, None
        classes = read_target(self._target, table.column(self._target)).tolist()
        return table, X, align_classes(self._target, classes, self.clf.classes_.tolist())

    def _align(self, table: pa.Table, first_row: int) -> Any:
        columns = [
            align_column(feature, name, table.column(name), self._source, first_row)
            for feature, name in zip(self._features, self._sources, strict=True)
        ]
        if not self._is_array:
            return pa.Table.from_arrays(columns, self._names)
        lists = [one if isinstance(one, list) else one.to_pylist() for one in columns]
        return np.array(lists, object).T

    def check_all_kept(self, table: pa.Table, X: Any) -> None:
        """Refuse cells that alignment made missing: they would be learned as missing."""
        for at, (feature, source) in enumerate(zip(self._features, self._sources, strict=True)):
            column = X[:, at] if self._is_array else X.column(at)
            n_missing = (
                sum(cell is None for cell in column) if self._is_array else column.null_count
            )
            if feature.kind is Kind.CATEGORY and n_missing > table.column(source).null_count:
                raise BadDataFile(
                    f"the column {source!r} holds a category that the model does not know, of "
                    f"another type than {list_names(list(map(repr, feature.categories)))}"
                )

    def ask(self, table: pa.Table, X: Any, y: Any = None) -> Asked:
        """Ask the model about a chunk, and count the categories that training never saw."""
        asked = ask(self.clf, X, y)
        for feature, source, codes in zip(self._features, self._sources, asked.codes, strict=True):
            categories = getattr(feature, "categories", ())
            if categories and all(isinstance(value, str) for value in categories):
                # Counted in the file: alignment makes some of these cells missing.
                n_known = len(table) - table.column(source).null_count
                self.n_unseen[source] += n_known - int((codes >= 0).sum())
        return asked

    def tell_unseen(self) -> None:
        """Say which columns held categories that training never saw."""
        for name, count in self.n_unseen.items():
            if count:
                tell(
                    f"Note: {format_name(name)} holds a category that training never saw in "
                    f"{plural(count, 'row')}; no rule speaks of it there."
                )

    def cells(self, table: pa.Table, X: Any, position: int) -> dict[str, Any]:
        """Return the cells of one row as the model reads them, or as they are if it cannot."""
        cells = X[position] if self._is_array else [one[position].as_py() for one in X.columns]
        return {
            name: table.column(source)[position].as_py() if cell is None else cell
            for name, source, cell in zip(self._names, self._sources, cells, strict=True)
        }
