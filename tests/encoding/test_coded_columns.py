"""Columns that hold codes already, or text: read by their distinct values, as cell by cell."""

import datetime as dt
import math

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from picrules.encoding import columns
from picrules.encoding.columns import to_categories
from picrules.errors import BadCell
from tests.encoding.reading import cells, read

TEXTS = ["b", "", None, "a", "b", "ü", None, "a"]
ZONE = dt.timezone(dt.timedelta(hours=1))
MOMENTS = [dt.datetime(2020, 1, 2, hour, tzinfo=ZONE) for hour in (1, 2, 1)]


def arrow_dictionary(codes, values, index=None, *, ordered=False):
    return pa.DictionaryArray.from_arrays(pa.array(codes, index), pa.array(values), ordered=ordered)


AWKWARD = {
    "pandas category": pd.Series(pd.Categorical(TEXTS, ["z", "ü", "b", "a", ""])),
    "pandas numbers": pd.Series(pd.Categorical([3, None, 1.5, 3], [7, 3, 1.5])),
    "pandas mixed": pd.Series(pd.Categorical(["1", 1, None, True], ["1", 1, 2.5])),
    "pandas dates": pd.Series(pd.Categorical(pd.to_datetime(["2020-01-02", None, "2020-01-01"]))),
    "pandas zoned": pd.Series(pd.Categorical(pd.DatetimeIndex(MOMENTS))),
    "pandas ordered": pd.Series(pd.Categorical(["b", None], ["c", "b", "a"], ordered=True)),
    "pandas booleans": pd.Series(pd.Categorical([True, False, None])),
    "pandas all missing": pd.Series(pd.Categorical([None, None], ["a"])),
    "pandas slice": pd.Series(pd.Categorical(TEXTS))[2:5],
    "pandas texts": pd.Series(TEXTS),
    "pandas string": pd.Series(TEXTS, dtype="string"),
    "pandas boolean": pd.Series([True, None, False], dtype="boolean"),
    "arrow dictionary in pandas": pd.Series(
        pd.array(TEXTS, pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())))
    ),
    "arrow text in pandas": pd.Series(pd.array(TEXTS, pd.ArrowDtype(pa.large_string()))),
    "polars texts": pl.Series(TEXTS),
    "polars texts, all missing": pl.Series([None, None], dtype=pl.String),
    "polars booleans": pl.Series([True, None, False]),
    "polars categorical": pl.Series(TEXTS, dtype=pl.Categorical),
    "polars slice": pl.Series(TEXTS, dtype=pl.Categorical)[3:6],
    "polars missing": pl.Series([None], dtype=pl.Categorical),
    "polars enum": pl.Series(["b", None, "a", "b"], dtype=pl.Enum(["c", "b", "x", "a"])),
    "polars in parts": pl.Series(["b", None], dtype=pl.Categorical).append(
        pl.Series(["a", "b"], dtype=pl.Categorical)
    ),
    "arrow texts": pa.chunked_array([TEXTS, ["c", None], pa.array([], pa.string()), ["b"]]),
    "arrow booleans": pa.chunked_array([[True, None], [False, True]]),
    "arrow large texts": pa.chunked_array([pa.array(TEXTS, pa.large_string())]),
    "arrow dictionary": pa.chunked_array([arrow_dictionary([1, None, 0, 1], ["a", "b", "z"])]),
    "unsigned codes": pa.chunked_array([arrow_dictionary([1, None, 0], ["a", "b"], pa.uint8())]),
    "two dictionaries": pa.chunked_array(
        [arrow_dictionary([0, 1, None], ["a", "b"]), arrow_dictionary([0, 2], ["b", "x", "c"])]
    ),
    "null in a dictionary": pa.chunked_array(
        [arrow_dictionary([0, 1, None], ["a", None]), arrow_dictionary([1, 0], [None, "a"])]
    ),
    "twice in a dictionary": pa.chunked_array([arrow_dictionary([0, 1, 2], ["a", "b", "a"])]),
    "NaN beside null": pa.chunked_array([arrow_dictionary([0, 1, 2, None], [1.5, math.nan, None])]),
    "numbers": pa.chunked_array([arrow_dictionary([0, 1, 2], [1.0, 2.5, -0.0])]),
    "long numbers": pa.chunked_array([arrow_dictionary([0, 1, 0], [2**60, 2**60 + 1])]),
    "booleans": pa.chunked_array([arrow_dictionary([0, 1, None], [True, False])]),
    "moments": pa.chunked_array([pa.array(MOMENTS).dictionary_encode()]),
    "slice": pa.chunked_array([arrow_dictionary([0, 1, 2, 1], ["a", "b", "c"])]).slice(1, 2),
}  # fmt: skip


def to_frame(series):
    if isinstance(series, pd.Series):
        return pd.DataFrame({"a": series})
    return pl.DataFrame({"a": series}) if isinstance(series, pl.Series) else pa.table({"a": series})


@pytest.mark.parametrize("series", AWKWARD.values(), ids=AWKWARD)
def test_codes_stand_for_the_values_that_the_cells_have(series):
    (column,) = read(to_frame(series))
    plain = to_categories("a", nw.from_native(series, series_only=True).to_list())
    assert list(map(repr, cells(column))) == list(map(repr, cells(plain)))
    assert set(column.values) == set(plain.values)
    assert column.positions.dtype == np.int32


MANY = ["a", "b", None, "c"] * 100


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(MANY, dtype="category"), pd.Series(MANY, dtype="string"), pl.Series(MANY),
        pl.Series(MANY, dtype=pl.Categorical), pl.Series(MANY, dtype=pl.Enum(["a", "b", "c"])),
        pa.chunked_array([MANY]), pa.chunked_array([pa.array(MANY).dictionary_encode()] * 3),
        pl.Series([True, None] * 100), pa.chunked_array([[True, None] * 100]),
        pd.Series([True, False] * 100),
    ],
)  # fmt: skip
def test_only_distinct_values_are_looked_at(series, monkeypatch):
    """Lists of all cells took 60% of fit and predict on a table of categories."""
    looked_at = []

    def spy(name, values):
        looked_at.append(len(values))
        return to_categories(name, values)

    monkeypatch.setattr(columns, "to_categories", spy)
    read(to_frame(series))
    assert looked_at
    assert max(looked_at) <= 3


def test_only_used_entries_of_a_dictionary_must_be_readable():
    days = pa.array(np.array(["2020-01-01", "20000-01-01"], "M8[D]"))
    (column,) = read(pa.table({"a": pa.DictionaryArray.from_arrays(pa.array([0, 0]), days)}))
    assert cells(column) == ["2020-01-01", "2020-01-01"]
    with pytest.raises(BadCell, match="date"):
        read(pa.table({"a": pa.DictionaryArray.from_arrays(pa.array([0, 1]), days)}))
