"""Check that X is a table: two dimensions, at least one cell, names that can be told apart."""

from __future__ import annotations

from collections import Counter
from datetime import date
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from picrules.encoding.cells import is_missing
from picrules.errors import BadParameter, BadTable, BadTarget
from picrules.rules.text import list_names, show
from picrules.rules.values import EXACT_LIMIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

MAX_ROWS = 2**31 - 1

# Libraries that results can be tables of.
LIBRARIES = ("pandas", "polars", "pyarrow")


def is_frame(X: Any) -> bool:
    """Whether X is a table with named columns that narwhals can read."""
    return not isinstance(X, np.ndarray) and bool(nw.dependencies.is_into_dataframe(X))


def is_series(y: Any) -> bool:
    """Whether y is a column of such a table."""
    return bool(nw.dependencies.is_into_series(y))


def names_of(X: Any) -> list[Any]:
    """Return the column names of a frame."""
    return list(X.column_names if hasattr(X, "column_names") else X.columns)


def without_dictionary(cells: Any) -> Any:
    """Return cells of PyArrow that are positions among some values as these values.

    Old versions do not turn positions without a sign into an array.
    """
    pyarrow = nw.dependencies.get_pyarrow()
    kinds = () if pyarrow is None else (pyarrow.Array, pyarrow.ChunkedArray)
    if isinstance(cells, kinds) and pyarrow.types.is_dictionary(cells.type):
        return cells.cast(cells.type.value_type)
    return cells


def split_column(X: Any, name: str) -> tuple[Any, Any]:
    """Return a frame without one of its columns, and that column."""
    frame = nw.from_native(X, eager_only=True)
    return frame.drop(name).to_native(), frame[name].to_native()


def take_columns(X: Any, names: Sequence[str]) -> Any:
    """Return the named columns of a frame, in this order; it must have all of them."""
    own = set(names_of(X))
    absent = [name for name in names if name not in own]
    if absent:
        raise BadTable(
            f"X lacks the columns {list_names(absent)}; it has {list_names(sorted(map(str, own)))}"
        )
    return nw.from_native(X, eager_only=True).select(*names).to_native()


def join_rows(parts: Sequence[Any]) -> Any:
    """Return the rows of all frames, one after the other."""
    return nw.concat([nw.from_native(part, eager_only=True) for part in parts]).to_native()


def list_cells(X: Any, rows: NDArray[np.int64]) -> list[tuple[Any, ...]]:
    """Return the cells of some rows of a frame."""
    return list(nw.from_native(X, eager_only=True)[rows.tolist()].rows())


def to_column_name(name: Any) -> str:
    """Return the text by which rules name a column; names that are not text are written as one."""
    if isinstance(name, date):
        return name.isoformat().removesuffix("T00:00:00")
    return str(name)


def has_text_names(X: Any) -> bool:
    """Whether X is a frame whose columns all have texts for names."""
    return is_frame(X) and all(isinstance(name, str) for name in names_of(X))


def are_counted(names: list[Any]) -> bool:
    """Whether names are what pandas gives to columns without: 0, 1, 2 and so on."""
    return names == list(range(len(names))) and not any(isinstance(name, bool) for name in names)


def name_columns(X: Any) -> list[str]:
    """Return how rules name the columns of a table: x0, x1, ... where they have no names."""
    names: list[Any] = names_of(X) if is_frame(X) else list(range(X.shape[1]))
    if isinstance(names[0], str):
        return names
    if are_counted(names):
        return [f"x{position}" for position in names]
    texts = [to_column_name(name) for name in names]
    check_distinct(texts, "X has more than one column")
    return texts


def check_same_columns(X: Any, known: list[str]) -> None:
    """Refuse a frame whose columns have other names than those known, or another order.

    Names that are all text are scikit-learn's to check, where the model has such; here they are
    refused if only the order differs.
    """
    if not is_frame(X) or are_counted(names_of(X)):
        return
    texts = name_columns(X)
    if texts == known or (has_text_names(X) and sorted(texts) != sorted(known)):
        return
    raise BadTable(
        f"X has the columns {list_names(texts)}; the model was trained on {list_names(known)} and "
        "takes them in this order; if only the names differ, X.to_numpy() is accepted"
    )


def check_table(X: Any, *, may_be_empty: bool = False) -> Any:
    """Return X as a frame or an array of two dimensions, or say what is wrong.

    A table without rows is accepted where it `may_be_empty`.
    """
    if hasattr(X, "collect_schema") and hasattr(X, "collect"):
        raise BadTable(f"X is a lazy {type(X).__name__}; call X.collect() first")
    if hasattr(X, "toarray"):
        raise BadTable(f"X is a sparse {type(X).__name__}; call X.toarray() first")
    pyarrow = nw.dependencies.get_pyarrow()
    if pyarrow is not None and isinstance(X, pyarrow.RecordBatch):
        X = pyarrow.Table.from_batches([X])
    if is_frame(X):
        check_names(names_of(X))
    else:
        X = _to_array(X)
    check_shape(*X.shape, may_be_empty=may_be_empty)
    return X


def check_target(name: str, names: list[Any]) -> None:
    """Refuse the name of a column of classes that not exactly one column has."""
    n_columns = names.count(name)
    if n_columns != 1:
        texts = [to_column_name(each) for each in names if each != name]
        close = get_close_matches(name, texts, 1) if n_columns == 0 else []
        guess = f"; did you mean {show(close[0])}?" if close and close[0] != name else ""
        known = list_names(list(map(to_column_name, names))) if names else "none"
        raise BadTarget(f"X has {n_columns} columns {show(name)}; its columns are {known}{guess}")


def check_names(names: list[Any]) -> None:
    """Refuse column names that cannot be told apart, or of which only some are text."""
    is_text = [isinstance(name, str) for name in names]
    if any(is_text) and not all(is_text):
        other = names[is_text.index(False)]
        raise BadTable(
            f"X has a column named {other!r} beside text; all names must be text, or none"
        )
    if not any(is_text) and any(map(is_missing, names)):
        raise BadTable("X has a column without a name; give every column a name")
    check_distinct(names, "X has more than one column")


def check_distinct(names: list[Any], problem: str) -> None:
    """Refuse names of which two are equal."""
    for name, count in Counter(names).most_common(1):
        if count > 1:
            raise BadTable(f"{problem} named {name!r}; names must differ")


def check_shape(n_rows: int, n_columns: int, *, may_be_empty: bool = False) -> None:
    """Refuse a table without columns, without rows where that may not be, or with too many rows."""
    if n_rows > MAX_ROWS:
        raise BadTable(f"X has {n_rows} rows; at most {MAX_ROWS} are accepted")
    for count, what in ((n_rows, "sample"), (n_columns, "feature")):
        if count == 0 and not (may_be_empty and what == "sample"):
            raise BadTable(
                f"Found array with 0 {what}(s) (shape=({n_rows}, {n_columns})) "
                "while a minimum of 1 is required."
            )


def _to_array(X: Any) -> NDArray[Any]:
    array = _fill_masked(X) if isinstance(X, np.ma.MaskedArray) else _rows_to_array(X)
    if array.dtype.kind == "c":
        raise BadTable("X holds complex numbers (Complex data not supported); use real numbers")
    if array.ndim == 0:
        raise BadTable(
            f"X is a {type(X).__name__}; a list of rows, an array or a table is accepted"
        )
    if array.ndim == 1:
        raise BadTable(
            f"X has 1 dimension (shape {array.shape}) where rows and columns are expected; "
            "Reshape your data by X.reshape(-1, 1) into one column or X.reshape(1, -1) into one row"
        )
    if array.ndim > 2:
        raise BadTable(f"X has {array.ndim} dimensions (shape {array.shape}); two are accepted")
    return array


def _fill_masked(X: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    if X.dtype.kind in "fc":
        return np.asarray(X.filled(np.nan))
    if X.dtype.kind == "M":
        return np.asarray(X.filled(X.dtype.type("NaT", np.datetime_data(X.dtype))))
    if X.dtype.kind == "m":
        return X.data  # refused, whatever is masked
    cells = X.data.astype(object)
    cells[np.ma.getmaskarray(X)] = None
    return cells


def _rows_to_array(X: Any) -> NDArray[Any]:
    try:
        array = np.asarray(X)
    except ValueError:
        raise BadTable(
            "X has rows of different lengths (an inhomogeneous shape); every row must have "
            "the same number of cells"
        ) from None
    is_list = isinstance(X, list | tuple) and array.ndim == 2
    return np.asarray(X, object) if is_list and _hides_types(X, array) else array


def _hides_types(rows: Any, array: NDArray[Any]) -> bool:
    """Whether NumPy turned cells of a list into other types: numbers into text, True into 1."""
    if array.dtype.kind not in "iuf" or not array.size:
        return array.dtype.kind in "UMm"
    # Looking at the type of every cell takes as long as making the array; few columns can hide any.
    may_be_boolean = ((array == 0) | (array == 1)).all(axis=0)
    may_be_merged = (np.abs(array) >= EXACT_LIMIT).any(axis=0) & (array.dtype.kind == "f")
    return _has_type(rows, may_be_boolean, bool | np.bool_) or _has_type(
        rows, may_be_merged, int | np.integer
    )


def _has_type(rows: Any, is_suspect: NDArray[np.bool_], kind: Any) -> bool:
    """Whether a cell of the suspect columns has a type."""
    return any(
        issubclass(found, kind)
        for column in np.flatnonzero(is_suspect).tolist()
        for found in {type(row[column]) for row in rows if isinstance(row, list | tuple)}
    )


def take_rows(X: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of a table, as a table of the same kind."""
    X = check_table(X)
    if not is_frame(X):
        return X[rows]
    return nw.from_native(X, eager_only=True)[rows.tolist()].to_native()


def make_frame(
    columns: Mapping[str, list[Any]],
    library: str,
    rows: NDArray[np.int64] | None = None,
    more: Mapping[str, NDArray[Any]] | None = None,
    index: Any = None,
) -> Any:
    """Make a table of the cells of named columns: a frame of one of `LIBRARIES`.

    With `rows` it has these rows of them, some several times, and columns `more` instead of those
    with their names. `index` is the pandas index of its rows.
    """
    if library not in LIBRARIES:
        raise BadParameter(f"library is {library!r}; {', '.join(LIBRARIES)} are accepted")
    frame = nw.from_dict(columns, backend=library)  # type: ignore[arg-type]
    if rows is not None:
        frame = nw.maybe_reset_index(frame[rows])
    for name, cells in (more or {}).items():
        frame = frame.with_columns(nw.new_series(name, cells, backend=library))  # type: ignore[arg-type]
    native = frame.to_native()
    return native.set_axis(index) if index is not None and library == "pandas" else native


def index_of(X: Any) -> Any:
    """Return the index of a pandas table; None for other tables."""
    return X.index if nw.dependencies.is_pandas_dataframe(X) else None
