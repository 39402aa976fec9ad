import math
from datetime import UTC
from decimal import Decimal

import hypothesis
import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from picrules import Category, Exclusion, Interval, Rule
from tests.rules import awkward

PANDAS = int(pd.__version__.partition(".")[0])


def rows(rule, df, known=None):
    mask = eval(rule.to_pandas(known), {"__builtins__": {}, "df": df, "pd": pd})
    assert not mask.isna().any()
    return df.reset_index(drop=True).index[mask.to_numpy(bool)].tolist()


def check(series, conditions, cells):
    for condition in conditions:
        df = pd.DataFrame({condition.feature: series})
        expected = awkward.covered(condition, cells).tolist()
        assert rows(Rule((condition,), 1), df) == expected, condition


@pytest.mark.parametrize("name", awkward.NAMES)
def test_pandas_takes_any_name(name):
    check(pd.Series(["it's", None, "b"]), [Category(name, ("it's",))], ["it's", None, "b"])
    check(pd.Series([1.0, None, 3.0]), [Interval(name, 2, 4)], [1.0, None, 3.0])


@pytest.mark.parametrize("dtype", [object, "str", "string", "category", "string[pyarrow]"])
def test_pandas_selects_the_rows_of_texts(dtype):
    series = pd.Series(awkward.TEXTS, dtype=object).astype(dtype)
    # Before pandas 3, "str" is no type with missing cells: it writes None as a text.
    is_written_out = dtype == "str" and PANDAS < 3
    texts = list(map(str, awkward.TEXTS)) if is_written_out else awkward.TEXTS
    check(series, awkward.text_conditions("x"), texts)


@pytest.mark.parametrize("dtype", ["float64", "Float64", object])
def test_pandas_selects_the_rows_of_numbers(dtype):
    series = pd.Series(awkward.NUMBERS, dtype=dtype)
    check(series, awkward.number_conditions("x"), awkward.NUMBERS)


@pytest.mark.parametrize("dtype", ["Int64", object])
def test_pandas_selects_the_rows_of_whole_numbers(dtype):
    series = pd.Series(awkward.WHOLES, dtype=dtype)
    check(series, awkward.whole_conditions("x"), awkward.WHOLES)
    check(series[:-1].astype("int64"), awkward.whole_conditions("x"), awkward.WHOLES[:-1])


def test_pandas_selects_the_rows_of_short_floats():
    """pandas rounds a number to 32 bits beside a column of 32 bits."""
    series = pd.Series([0.1, 16777216.0, 1 / 3, 41, None], dtype="float32")
    ends = [0.1, 16777217.0, 1 / 3, 41.0, float(np.float32(0.1))]
    conditions = [*awkward.intervals("x", ends), Category("x", (0.1,)), Category("x", (ends[-1],))]
    check(series, conditions, series.astype(float).tolist())


@pytest.mark.parametrize("dtype", ["boolean", object, "bool[pyarrow]"])
def test_pandas_selects_the_rows_of_booleans(dtype):
    cells = [True, False, None]
    conditions = [*awkward.boolean_conditions("x"), Category("x", (1,)), Exclusion("x", 0)]
    check(pd.Series(cells, dtype=dtype), conditions, cells)


def test_pandas_selects_the_rows_of_a_mixed_column():
    cells = [1, True, "1", 1.0, 2.5, 2**60 + 1, float(2**60), Decimal("2.5"), None, math.nan]
    conditions = [
        condition
        for value in (1, True, "1", 2.5, 2**60 + 1)
        for condition in (
            Category("x", (value,)),
            Category("x", (value, "a")),
            Exclusion("x", value),
        )
    ]
    check(pd.Series(cells, dtype=object), conditions, cells)


def test_pandas_reads_decimals_and_texts_as_numbers_do():
    cells = [Decimal("0.1"), Decimal("41"), None]
    check(pd.Series(cells), awkward.intervals("x", [0.1, 41.0]), cells)
    check(pd.Series(["0.1", "41", None]), awkward.intervals("x", [0.1, 41.0]), cells)


def moments_read_from_objects():
    """The moments that `pd.to_datetime` accepts in a column that is not of NumPy's dates.

    Before pandas 3 it reads them as nanoseconds, which reach from 1677 to 2262.
    """
    if PANDAS >= 3:
        return awkward.MOMENTS
    return [moment for moment in awkward.MOMENTS if not moment or 1677 < moment.year < 2262]


@pytest.mark.parametrize("dtype", ["datetime64[us]", "timestamp[us][pyarrow]", object])
def test_pandas_selects_the_rows_of_moments(dtype):
    moments = awkward.MOMENTS if dtype == "datetime64[us]" else moments_read_from_objects()
    series = pd.Series(moments, dtype=object).astype(dtype)
    check(series, awkward.moment_conditions("x"), moments)


def test_pandas_selects_the_rows_of_moments_with_a_zone():
    series = pd.Series(awkward.MOMENTS, dtype="datetime64[us]").dt.tz_localize("UTC")
    series = series[awkward.MOMENTS.index(None) != series.index]
    cells = awkward.MOMENTS[:-1]
    check(series.dt.tz_convert("Asia/Tokyo"), awkward.moment_conditions("x"), cells)
    cells = moments_read_from_objects()[:-1]
    zoned = [moment.replace(tzinfo=UTC) for moment in cells]
    check(pd.Series(zoned, dtype=object), awkward.moment_conditions("x"), cells)


def test_pandas_reads_moments_to_the_microsecond():
    series = pd.Series(np.array(["2020-03-01T00:00:00.000000999", "NaT"], "datetime64[ns]"))
    check(series, awkward.moment_conditions("x"), [series[0].floor("us").to_pydatetime(), None])


def test_pandas_with_known_values_leaves_out_those_never_seen():
    df, rule = pd.DataFrame({"odor": ["foul", "none", "new", None]}), Exclusion("odor", "foul")
    assert rows(Rule((rule,), 1), df) == [1, 2]
    assert rows(Rule((rule,), 1), df, {"odor": ["none", "foul"]}) == [1]
    assert rows(Rule((rule,), 1), df, {"odor": ["foul"]}) == []


def test_pandas_of_several_conditions_and_of_none():
    df = pd.DataFrame({"a": [1.5, 2.5, 9.0], "b": ["x", "y", "x"]}, index=[7, 7, 2])
    rule = Rule((Interval("a", 1, 3), Category("b", ("x",))), "yes")
    assert rows(rule, df) == [0]
    assert rows(Rule((Exclusion("b", "y"), Interval("a", 2, math.inf)), "yes"), df) == [2]
    assert rows(Rule((), "yes"), df) == [0, 1, 2]


@awkward.FEWER
@hypothesis.given(st.text(), st.lists(st.none() | st.text(), min_size=1), st.text())
def test_pandas_selects_the_rows_of_any_texts(name, cells, value):
    conditions = [Category(name, (value,)), Exclusion(name, value)]
    check(pd.Series([*cells, value], dtype=object), conditions, [*cells, value])


@awkward.FEWER
@hypothesis.given(st.lists(st.floats(allow_infinity=False), min_size=1), st.data())
def test_pandas_selects_the_rows_of_any_numbers(cells, data):
    edge = data.draw(st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(cells))
    hypothesis.assume(not math.isnan(edge))
    check(pd.Series(cells), [*awkward.intervals("x", [edge]), Exclusion("x", edge)], cells)
