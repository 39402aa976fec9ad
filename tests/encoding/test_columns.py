"""Every kind of table and column that users bring."""

import datetime as dt
import decimal
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from picrules.encoding.columns import Kind, check_table, read_columns
from picrules.errors import BadCell, BadTable


def read(X):
    return read_columns(check_table(X))


def cells(column):
    return column.cells() if column.kind is Kind.CATEGORY else column.numbers.tolist()


def same(cells, expected):
    return len(cells) == len(expected) and all(
        left == right or (right != right and left != left)
        for left, right in zip(list(cells), expected, strict=True)
    )


DAY = 24 * 3600 * 1e6
NAN = math.nan
DATES = [dt.datetime(1970, 1, 2), None]
ZONE = dt.timezone(dt.timedelta(hours=1))

COLUMNS = {
    "integers": (Kind.NUMBER, [1, 2], [1.0, 2.0]),
    "floats": (Kind.NUMBER, [1.5, None], [1.5, NAN]),
    "booleans": (Kind.CATEGORY, [True, None], [True, None]),
    "texts": (Kind.CATEGORY, ["a", None], ["a", None]),
    "dates": (Kind.DATE, [dt.date(1970, 1, 2), None], [DAY, NAN]),
    "moments": (Kind.DATE, DATES, [DAY, NAN]),
    "zoned": (Kind.DATE, [dt.datetime(1970, 1, 2, 1, tzinfo=ZONE), None], [DAY, NAN]),
    "all missing": (Kind.NUMBER, [NAN, NAN], [NAN, NAN]),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"]
)
def test_frames_of_every_kind_read_alike(make, name):
    kind, given, expected = COLUMNS[name]
    (column,) = read(make({name: given}))
    assert (column.name, column.kind) == (name, kind)
    assert same(cells(column), expected)


@pytest.mark.parametrize(
    ("series", "order"),
    [
        (pd.Series(pd.Categorical(["lo", "hi", None])), None),
        (pl.Series(["lo", "hi", None], dtype=pl.Categorical), None),
        (pd.Series(pd.Categorical(["lo", "hi", None], ["lo", "mid", "hi"], ordered=True)), "order"),
        (pl.Series(["lo", "hi", None], dtype=pl.Enum(["lo", "mid", "hi"])), "order"),
    ],
    ids=["pandas", "polars", "pandas ordered", "polars enum"],
)
def test_categoricals_keep_their_order_if_they_have_one(series, order):
    make = pd.DataFrame if isinstance(series, pd.Series) else pl.DataFrame
    (column,) = read(make({"size": series}))
    assert column.kind is Kind.CATEGORY
    assert cells(column) == ["lo", "hi", None]
    assert column.order == (("lo", "mid", "hi") if order else None)


def test_ordered_arrow_dictionary_keeps_its_order():
    array = pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), ["lo", "hi"], ordered=True)
    (column,) = read(pa.table({"size": array}))
    assert cells(column) == ["hi", "lo", None]
    assert column.order == ("lo", "hi")


def test_nullable_pandas_types_have_missing_cells():
    frame = pd.DataFrame(
        {"n": pd.array([1, None], "Int64"), "b": pd.array([True, None], "boolean"),
         "s": pd.array(["a", None], "string"), "d": pd.to_datetime(["1970-01-02", None])}
    )  # fmt: skip
    n, b, s, d = read(frame)
    assert same(cells(n), [1.0, NAN])
    assert cells(b) == [True, None]
    assert cells(s) == ["a", None]
    assert same(cells(d), [DAY, NAN])


def test_object_columns_are_read_cell_by_cell():
    X = np.array(
        [[1, "a", dt.date(1970, 1, 2), True, decimal.Decimal("1.5"), 1, np.float64(2)],
         [None, NAN, pd.NaT, pd.NA, NAN, "x", np.int64(3)]], object
    )  # fmt: skip
    kinds = [column.kind.value for column in read(X)]
    assert kinds == ["number", "category", "date", "category", "number", "category", "number"]
    assert cells(read(X)[5]) == [1, "x"]


def test_arrays_of_texts_and_dates():
    assert cells(read(np.array([["a"], ["b"]]))[0]) == ["a", "b"]
    dates = np.array([["1970-01-02"], ["NaT"]], "datetime64[D]")
    assert same(cells(read(dates)[0]), [DAY, NAN])


def test_numbers_beside_texts_in_a_list_stay_numbers():
    """NumPy turns [[1.5, "a"]] into texts, and every number was a category of its own."""
    number, text = read([[1.5, "a"], [2, "b"]])
    assert (number.kind, text.kind) == (Kind.NUMBER, Kind.CATEGORY)
    assert number.numbers.tolist() == [1.5, 2.0]


def test_columns_without_text_names_are_numbered():
    assert [column.name for column in read(pd.DataFrame([[1, 2]]))] == ["x0", "x1"]
    assert [column.name for column in read([[1, 2]])] == ["x0", "x1"]


@pytest.mark.parametrize(
    ("X", "error", "part"),
    [
        (np.zeros(3), BadTable, "Reshape your data"),
        (np.zeros((2, 2, 2)), BadTable, "dim 3"),
        (np.zeros((0, 2)), BadTable, "0 sample"),
        (np.zeros((2, 0)), BadTable, "0 feature"),
        (pd.DataFrame({"a": []}), BadTable, "0 sample"),
        (pd.DataFrame(index=[0, 1]), BadTable, "0 feature"),
        ([[1, 2], [3]], BadTable, "inhomogeneous"),
        ("text", BadTable, "Reshape|scalar"),
        (np.array([[1j]]), BadTable, "Complex"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), BadTable, "more than one column named 'a'"),
        (pa.table([pa.array([1]), pa.array([1])], ["a", "a"]), BadTable, "named 'a'"),
        (np.broadcast_to(0.0, (2**31, 1)), BadTable, "2147483648 rows"),
        (pl.LazyFrame({"a": [1]}), BadTable, r"collect\(\)"),
        ([[np.inf]], BadTable, "column 'x0' holds inf"),
        (pd.DataFrame({"a": ["x", np.inf]}, dtype=object), BadCell, "'a' holds inf"),
        (np.array([[{"a": 1}]], object), BadCell, "dict"),
        (np.array([[[1]], [[2]]], object), BadTable, "dim 3"),
        (pd.DataFrame({"a": [[1], [2]]}), BadCell, r"\[1\]"),
        (pd.DataFrame({"a": [(1,), (2,)]}), BadCell, "tuple"),
        (pl.DataFrame({"a": [[1], [2]]}), BadCell, "List"),
        (pd.DataFrame({"a": pd.to_timedelta([1, 2])}), BadCell, "Duration"),
        ([[10**400]], BadCell, "finite number"),
    ],
)
def test_unusable_tables_are_refused_with_a_reason(X, error, part):
    with pytest.raises(error, match=part):
        read(X)
