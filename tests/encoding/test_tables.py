"""What counts as a table, and what is said about everything else."""

import datetime as dt
import decimal
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from picrules.encoding import tables
from picrules.encoding.columns import Kind
from picrules.encoding.tables import names_of
from picrules.errors import BadCell, BadTable
from tests.encoding.reading import DAY, cells, read, same

NAN = math.nan


def test_record_batches_keep_their_names():
    """They were read as a nameless array."""
    (column,) = read(pa.record_batch({"a": ["x", "y"]}))
    assert (column.name, cells(column)) == ("a", ["x", "y"])


def test_masked_cells_are_missing():
    """The values behind a mask were read as if they were there."""
    mask = [[True], [False]]
    for dtype, given, expected in [
        (float, [9, 2], [NAN, 2]), (int, [9, 2], [NAN, 2]), (bool, [1, 0], [None, False]),
        ("U1", ["a", "b"], [None, "b"]), ("M8[D]", [9, 1], [NAN, DAY]),
    ]:  # fmt: skip
        array = np.ma.array(np.array(given, dtype).reshape(2, 1), mask=mask)
        assert same(cells(read(array)[0]), expected)


def test_booleans_beside_numbers_in_a_list_stay_booleans():
    """NumPy turns [[True, 2.5]] into floats."""
    boolean, number = read([[True, 2.5], [False, 3.5]])
    assert cells(boolean) == [True, False]
    assert number.numbers.tolist() == [2.5, 3.5]
    assert [column.kind.value for column in read([[1, 2.5], [0, 3.5]])] == ["number", "number"]


def test_dates_beside_numbers_in_a_list_stay_dates():
    """NumPy takes the number for a date."""
    for number in (1.5, 1):
        date, other = read([[np.datetime64("1970-01-02"), number]])
        assert (cells(date), cells(other)) == ([DAY], [number])


def test_numbers_beside_texts_in_a_list_stay_numbers():
    """NumPy turns [[1.5, "a"]] into texts, and every number was a category of its own."""
    number, text = read([[1.5, "a"], [2, "b"]])
    assert (number.kind, text.kind) == (Kind.NUMBER, Kind.CATEGORY)
    assert number.numbers.tolist() == [1.5, 2.0]


def test_columns_without_text_names_are_numbered():
    assert [column.name for column in read(pd.DataFrame([[1, 2]]))] == ["x0", "x1"]
    assert [column.name for column in read([[1, 2]])] == ["x0", "x1"]


class CountingName(str):
    """A name that counts how often it is compared."""

    __slots__ = ()
    __hash__ = str.__hash__
    comparisons = 0

    def __eq__(self, other):
        CountingName.comparisons += 1
        return str.__eq__(self, other)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_wide_frames_are_read_with_work_that_grows_with_their_width(make, monkeypatch):
    """Every column listed the names of all columns, and every name was counted among all."""
    names = pd.Index([CountingName(f"g{column}") for column in range(2_000)], dtype=object)
    table = make(pd.DataFrame(np.ones((3, 2_000)), columns=names).assign(text="a"))
    listed = []
    monkeypatch.setattr(tables, "names_of", lambda X: listed.append(X) or names_of(X))
    monkeypatch.setattr(CountingName, "comparisons", 0)
    found = read(table)
    assert len(listed) == 2  # once to check, once to read
    assert CountingName.comparisons < 10 * len(found)
    assert (len(found), found[7].name, found[-1].kind) == (2_001, "g7", Kind.CATEGORY)


@pytest.mark.parametrize(
    ("X", "error", "part"),
    [
        (np.zeros(3), BadTable, "Reshape your data"),
        (np.zeros((2, 2, 2)), BadTable, "3 dimensions"),
        (np.zeros((0, 2)), BadTable, "0 sample"),
        (np.zeros((2, 0)), BadTable, "0 feature"),
        (pd.DataFrame({"a": []}), BadTable, "0 sample"),
        (pd.DataFrame(index=[0, 1]), BadTable, "0 feature"),
        ([[1, 2], [3]], BadTable, "inhomogeneous"),
        ("text", BadTable, "X is a str; a list of rows, an array or a table is accepted"),
        ({"a": [1]}, BadTable, "X is a dict"),
        (None, BadTable, "X is a NoneType"),
        (np.float64(1), BadTable, "X is a float64"),
        (scipy.sparse.eye(2), BadTable, "X is a sparse"),
        (pd.DataFrame([[1, 2]], columns=[5, "a"]), BadTable, "named 5 beside text"),
        (pd.DataFrame([[1, 2]], columns=["a", None]), BadTable, "named (nan|None) beside text"),
        (pd.DataFrame([[1, 2]], columns=[5, NAN]), BadTable, "a column without a name"),
        (pd.DataFrame([[1]], columns=pd.Index([None], dtype=object)), BadTable, "without a name"),
        (np.array([[1j]]), BadTable, "Complex"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), BadTable, "more than one column named 'a'"),
        (pa.table([pa.array([1]), pa.array([1])], ["a", "a"]), BadTable, "named 'a'"),
        (np.broadcast_to(0.0, (2**31, 1)), BadTable, "2147483648 rows"),
        (pl.LazyFrame({"a": [1]}), BadTable, r"collect\(\)"),
        ([[np.inf]], BadTable, "column 'x0' holds inf"),
        (pd.DataFrame({"a": ["x", np.inf]}, dtype=object), BadCell, "'a' holds inf"),
        (np.array([[{"a": 1}]], object), BadCell, "dict"),
        (np.array([[[1]], [[2]]], object), BadTable, "3 dimensions"),
        (pd.DataFrame({"a": [[1], [2]]}), BadCell, r"\[1\]"),
        (pd.DataFrame({"a": [(1,), (2,)]}), BadCell, "tuple"),
        (pl.DataFrame({"a": [[1], [2]]}), BadCell, "List"),
        (pd.DataFrame({"a": pd.to_timedelta([1, 2])}), BadCell, "timedelta64"),
        (np.array([[1]], "m8[s]"), BadCell, "timedelta64"),
        (np.ma.array(np.array([[1]], "m8[s]"), mask=True), BadCell, "timedelta64"),
        (np.array([[1], [[2]]], object), BadCell, r"holds \[2\] \(list\)"),
        (pl.DataFrame({"a": [dt.timedelta(1)]}), BadCell, "Duration"),
        (pd.DataFrame({"a": [1j]}), BadCell, "complex128"),
        (pd.DataFrame({"a": pd.period_range("2020", periods=2)}), BadCell, "period"),
        (np.array([[b"a"]]), BadCell, r"\|S1"),
        (pd.DataFrame({"a": ["x", 10**400]}), BadCell, "finite number"),
        (np.array([[decimal.Decimal("snan")]], object), BadCell, "Decimal"),
        ([[10**400]], BadCell, "finite number"),
    ],
)
def test_unusable_tables_are_refused_with_a_reason(X, error, part):
    with pytest.raises(error, match=part):
        read(X)
