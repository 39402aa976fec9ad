"""Every kind of table and column that users bring."""

import datetime as dt
import decimal
import math
import zoneinfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from picrules.encoding.columns import Kind, to_categories
from picrules.errors import BadCell
from tests.encoding.reading import DAY, cells, read, same

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
    "nulls": (Kind.NUMBER, [None, None], [NAN, NAN]),
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


@pytest.mark.parametrize(
    "dtype", [pl.Int8, pl.UInt64, pl.Int128, pl.Float32, pl.Decimal(10, 2)], ids=str
)
def test_polars_numbers_of_every_width(dtype):
    (column,) = read(pl.DataFrame({"a": pl.Series([7, None], dtype=dtype)}))
    assert same(cells(column), [7.0, NAN])


def test_object_columns_are_read_cell_by_cell():
    X = np.array(
        [[1, "a", dt.date(1970, 1, 2), True, decimal.Decimal("1.5"), 1, np.float64(2)],
         [None, NAN, pd.NaT, pd.NA, NAN, "x", np.int64(3)]], object
    )  # fmt: skip
    kinds = [column.kind.value for column in read(X)]
    assert kinds == ["number", "category", "date", "category", "number", "category", "number"]
    assert cells(read(X)[5]) == [1, "x"]
    objects = pl.Series("a", [1, "x"], dtype=pl.Object)
    assert cells(read(pl.DataFrame([objects]))[0]) == [1, "x"]


BIG = [2**60, 2**60 + 1, None]


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (np.array([[2**60], [2**60 + 1]]), BIG[:2]),
        (np.array([[2**63], [2**63 + 1]], np.uint64), [2**63, 2**63 + 1]),
        (np.ma.array([[2**60], [2**60 + 1], [0]], mask=[[0], [0], [1]]), BIG),
        ([[2**60], [2**60 + 1], [None]], BIG),
        ([[2**60 + 1], [0.5]], [2**60 + 1, 0.5]),
        (pd.DataFrame({"id": pd.array(BIG, "Int64")}), BIG),
        (pd.DataFrame({"id": pd.array(BIG, pd.ArrowDtype(pa.decimal128(20, 0)))}), BIG),
        (pl.DataFrame({"id": BIG}), BIG),
        (pa.table({"id": BIG}), BIG),
    ],
    ids=["array", "unsigned", "masked", "list", "list with floats", "Int64", "decimal", "polars",
         "pyarrow"],
)  # fmt: skip
def test_integers_that_floats_would_merge_are_kept(X, expected):
    """2**60 and 2**60 + 1 are one float, and were one category."""
    (column,) = read(X)
    assert column.kind is Kind.NUMBER
    assert cells(to_categories("id", column.cells)) == expected


def test_only_large_integers_are_kept_beside_the_numbers():
    assert [column.cells for column in read(np.array([[2**53 - 1, -5]]))] == [None, None]
    assert read([[2.0**60]])[0].cells is None


FAR_DATES = {
    "numpy": lambda days: days.reshape(-1, 1),
    "pandas": lambda days: pd.DataFrame({"x0": days.astype("M8[s]")}),
    "zoned": lambda days: pd.DataFrame(
        {"x0": pd.Series(days.astype("M8[s]")).dt.tz_localize("UTC")}
    ),
    "polars": lambda days: pl.DataFrame({"x0": days}),
    "pyarrow": lambda days: pa.table({"x0": pa.array(days)}),
    "dictionary": lambda days: pa.table({"x0": pa.array(days).dictionary_encode()}),
    "arrow in pandas": lambda days: pa.table({"x0": pa.array(days)}).to_pandas(
        types_mapper=pd.ArrowDtype
    ),
}


@pytest.mark.parametrize("make", FAR_DATES.values(), ids=FAR_DATES)
@pytest.mark.parametrize("far", ["10000-01-01", "0000-12-31", "2000000-01-01"])
def test_dates_that_python_does_not_have_are_refused(make, far):
    """They raised OverflowError or ValueError of whichever library came first."""
    with pytest.raises(BadCell, match=r"column 'x0' holds (the|a) date"):
        read(make(np.array(["2020-01-01", far], "M8[D]")))


def test_moments_of_a_repeated_hour_differ():
    """Python calls them equal, so the first one in the column stood for both."""
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    hours = [[dt.datetime(2020, 10, 25, 2, 30, tzinfo=berlin, fold=fold)] for fold in (0, 1)]
    (dates,) = read(np.array(hours, object))
    assert dates.numbers[1] - dates.numbers[0] == 3600e6
    (mixed,) = read(np.array([*hours, ["x"]], object))
    assert cells(mixed) == ["2020-10-25T00:30:00", "2020-10-25T01:30:00", "x"]


ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Argentina/Buenos_Aires",
    "America/Port-au-Prince",
    "Etc/GMT+5",
    ZONE,
    dt.timezone(dt.timedelta(minutes=-90), "a zone!"),
]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_moments_of_pandas_are_read_in_every_zone(zone, unit):
    """Zones such as America/New_York, whose names narwhals does not know, were refused."""
    moments = [dt.datetime(1970, 1, 2, tzinfo=dt.UTC), dt.datetime(2020, 7, 1, 6, tzinfo=dt.UTC)]
    series = pd.Series(pd.DatetimeIndex([*moments, None]).tz_convert(zone).as_unit(unit))
    assert series[0].utcoffset() == moments[0].astimezone(series.dt.tz).utcoffset()
    (column,) = read(pd.DataFrame({"d": series}))
    assert column.kind is Kind.DATE
    assert same(cells(column), [*(moment.timestamp() * 1e6 for moment in moments), NAN])


@pytest.mark.parametrize("given", [[True, 1, "x"], [1, True, "x"]])
def test_a_number_stands_for_an_equal_boolean(given):
    """The first of the two in the column decided how both were written, and the column's kind."""
    (column,) = read(pd.DataFrame({"a": given}, dtype=object))
    assert [repr(cell) for cell in cells(column)] == ["1", "1", "'x'"]
    (column,) = read(pd.DataFrame({"a": given[:2]}, dtype=object))
    assert column.kind is Kind.CATEGORY
    assert repr(column.values) == "(1,)"


def test_types_without_a_name_in_narwhals_are_read_by_numpy():
    assert cells(read(pa.table({"d": pa.array([dt.date(1970, 1, 2)], pa.date64())}))[0]) == [DAY]
    assert cells(read(pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 2.0])}))[0]) == [0, 2]


def test_categoricals_of_dates_are_written_as_dates_are():
    days = pd.Categorical(pd.to_datetime(["1970-01-02", "1970-01-01"]), ordered=True)
    (column,) = read(pd.DataFrame({"d": days}))
    assert cells(column) == ["1970-01-02", "1970-01-01"]
    assert column.order == ("1970-01-01", "1970-01-02")


def test_arrays_of_texts_and_dates():
    assert cells(read(np.array([["a"], ["b"]]))[0]) == ["a", "b"]
    dates = np.array([["1970-01-02"], ["NaT"]], "datetime64[D]")
    assert same(cells(read(dates)[0]), [DAY, NAN])
