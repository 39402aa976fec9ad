"""What a person may want to correct: odd cells, columns that only name or count the rows."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from picrules.cli.tables import cells
from picrules.rules.text import show

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.cli.options import Learning
    from picrules.cli.tables.source import Source
    from picrules.cli.training import TrainingFile

_FEW_ROWS = 20
# A column that holds numbers but for so many texts, in this share of its cells, has odd cells.
_N_ODD, _ODD_SHARE = 3, 0.01
_NAMING_SHARE = 0.9  # of different cells
_NAMES = ("id", "index", "row", "number", "nr", "no", "key")


def find_hints(training: TrainingFile, learning: Learning, source: Source) -> list[str]:
    """Say what is odd about columns, and which option may help."""
    hints = [
        _hint(name, training.X.column(name), kind, source)
        for name, kind in training.kinds.items()
        if name not in learning.categorical
    ]
    return [hint for hint in hints if hint is not None]


def _hint(name: str, column: pa.ChunkedArray, kind: str, source: Source) -> str | None:
    if len(column) < _FEW_ROWS or cells.is_empty(column):
        return None
    if kind == "number":
        return _hint_count(name, column)
    if kind == "category" and cells.is_text(column):
        return _hint_odd(name, column, source) or _hint_names(name, column)
    return None


def _hint_odd(name: str, column: pa.ChunkedArray, source: Source) -> str | None:
    """Point out numbers or dates among which few cells are none, so that all are categories."""
    texts = pa.chunked_array([column.chunk(0).dictionary])
    as_numbers = partial(cells.as_numbers, decimal=source.decimal)
    for what, read in (("numbers", as_numbers), ("dates", cells.as_dates)):
        odd = list(islice(cells.find_unlike(texts, read), _N_ODD + 1))
        if not odd and what == "numbers":
            return f"{show(name)} holds numbers as text; --numeric {show(name)} reads them so"
        codes = _codes(column)
        is_odd = np.zeros(len(texts) + 1, np.bool_)  # the last is for missing cells
        is_odd[odd] = True
        n_odd = int(is_odd[codes].sum()) if len(odd) <= _N_ODD else 0
        if 0 < n_odd <= _ODD_SHARE * len(column):
            row = int(is_odd[codes].argmax())
            cell = show(column[row].as_py())
            count = "one cell is none" if n_odd == 1 else f"{n_odd} cells are none"
            return (
                f"{show(name)} is a category because {count} of its {what}: {cell} in "
                f"{source.where(row + 1)}; mend it, or say --missing {cell} if it stands for a "
                "missing value"
            )
    return None


def _codes(column: pa.ChunkedArray) -> NDArray[np.int32]:
    """Return the position of each cell in the dictionary; -1 is missing."""
    parts = [chunk.indices.fill_null(-1).to_numpy() for chunk in column.chunks]
    return np.concatenate(parts)


def _hint_names(name: str, column: pa.ChunkedArray) -> str | None:
    """Point out texts that differ in almost every row."""
    n_known = len(column) - column.null_count
    n_different = len(column.chunk(0).dictionary)
    if n_different <= _NAMING_SHARE * n_known:
        return None
    text = f"{show(name)} has {n_different} different texts in {n_known} rows"
    return f"{text}, so rules hardly use it; --ignore {show(name)} leaves it out"


def _hint_count(name: str, column: pa.ChunkedArray) -> str | None:
    """Point out whole numbers that count or name the rows."""
    numbers = column.to_numpy()
    if not pa.types.is_integer(column.type):  # long whole numbers are not all known as floats
        numbers = np.asarray(numbers, np.float64)
    for some in (numbers[:1000], numbers):  # most columns are none of it from the start
        if column.null_count or not np.isfinite(some).all() or (some % 1).any():
            return None
    is_rising = bool((np.diff(numbers) > 0).all())
    is_named = name.lower().replace("_", " ").split(" ")[-1] in _NAMES
    if not is_rising and not is_named and np.ptp(numbers) != len(numbers) - 1:
        return None
    if len(np.unique(numbers)) < len(numbers):
        return None
    how = "rises from row to row" if is_rising else "has another whole number in every row"
    return (
        f"{show(name)} {how}, as a number of the row does; if it says nothing about the class, "
        f"--ignore {show(name)} leaves it out"
    )
