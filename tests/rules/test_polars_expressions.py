import math
from decimal import Decimal

import hypothesis
import numpy as np
import polars as pl
import pytest
from hypothesis import strategies as st

from picrules import Category, Exclusion, Interval, Rule
from picrules.errors import BadRule
from tests.rules import awkward


def rows(rule, df, known=None):
    expression = eval(rule.to_polars(known), {"__builtins__": {}, "pl": pl})
    return df.with_row_index("the row").filter(expression)["the row"].to_list()


def check(series, conditions, cells):
    for condition in conditions:
        df = pl.DataFrame({condition.feature: series})
        expected = awkward.covered(condition, cells).tolist()
        assert rows(Rule((condition,), 1), df) == expected, condition


@pytest.mark.parametrize("name", awkward.NAMES)
def test_polars_takes_any_name(name):
    df = pl.DataFrame({"a": ["a", "a", "a"], "other": ["b", "b", "b"], name: ["it's", None, "b"]})
    assert rows(Rule((Category(name, ("it's",)),), 1), df) == [0]
    assert rows(Rule((Exclusion(name, "it's"),), 1), df) == [2]


@pytest.mark.parametrize(
    "dtype", [pl.String, pl.Categorical, pl.Enum([*awkward.TEXTS[:-1], "more"])], ids=str
)
def test_polars_selects_the_rows_of_texts(dtype):
    series = pl.Series(awkward.TEXTS, dtype=dtype)
    check(series, awkward.text_conditions("x"), awkward.TEXTS)


def test_polars_selects_the_rows_of_numbers():
    series = pl.Series([*awkward.NUMBERS, None])
    check(series, awkward.number_conditions("x"), [*awkward.NUMBERS, None])


def test_polars_selects_the_rows_of_whole_numbers():
    series = pl.Series(awkward.WHOLES, dtype=pl.Int64)
    check(series, awkward.whole_conditions("x"), awkward.WHOLES)


def test_polars_selects_the_rows_of_short_floats():
    """Polars rounds a number to 32 bits beside a column of 32 bits."""
    series = pl.Series([0.1, 16777216.0, 1 / 3, 41, None, math.nan], dtype=pl.Float32)
    ends = [0.1, 16777217.0, 1 / 3, 41.0, float(np.float32(0.1))]
    conditions = [*awkward.intervals("x", ends), Category("x", (0.1,)), Category("x", (ends[-1],))]
    check(series, conditions, series.cast(pl.Float64).to_list())


def test_polars_selects_the_rows_of_booleans():
    cells = [True, False, None]
    conditions = [*awkward.boolean_conditions("x"), Category("x", (1,)), Exclusion("x", 0)]
    check(pl.Series(cells), conditions, cells)


def test_polars_reads_decimals_and_texts_as_numbers_do():
    cells = [Decimal("0.1"), Decimal("41.0"), None]
    check(pl.Series(cells), awkward.intervals("x", [0.1, 41.0]), cells)
    check(pl.Series(["0.1", "41", None]), awkward.intervals("x", [0.1, 41.0]), cells)


@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Tokyo"])
def test_polars_selects_the_rows_of_moments(zone):
    series = pl.Series(awkward.MOMENTS, dtype=pl.Datetime("us"))
    if zone is not None:
        series = series.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    check(series, awkward.moment_conditions("x"), awkward.MOMENTS)


def test_polars_selects_the_rows_of_days():
    days = [m if m is None else m.replace(hour=0, minute=0, microsecond=0) for m in awkward.MOMENTS]
    check(pl.Series(days).cast(pl.Date), awkward.moment_conditions("x"), days)


def test_polars_reads_moments_to_the_microsecond():
    moment = awkward.MOMENTS[3]
    series = pl.Series([moment], dtype=pl.Datetime("ns")).cast(pl.Int64) + 999
    series = series.cast(pl.Datetime("ns"))
    check(series, awkward.moment_conditions("x"), [moment])


def test_polars_with_known_values_leaves_out_those_never_seen():
    df, rule = pl.DataFrame({"odor": ["foul", "none", "new", None]}), Exclusion("odor", "foul")
    assert rows(Rule((rule,), 1), df) == [1, 2]
    assert rows(Rule((rule,), 1), df, {"odor": ["none", "foul"]}) == [1]
    assert rows(Rule((rule,), 1), df, {"odor": ["foul"]}) == []


def test_polars_of_several_conditions_and_of_none():
    df = pl.DataFrame({"a": [1.5, 2.5, 9.0], "b": ["x", "y", "x"]})
    assert rows(Rule((Interval("a", 1, 3), Category("b", ("x",))), "yes"), df) == [0]
    assert rows(Rule((), "yes"), df) == [0, 1, 2]


def test_polars_refuses_numbers_beside_texts():
    with pytest.raises(BadRule, match=r"'x in \{2, a\}' has numbers beside texts"):
        Rule((Category("x", ("a", 2)),), 1).to_polars()


@awkward.FEWER
@hypothesis.given(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"])), min_size=1),
    st.text(st.characters(exclude_categories=["Cs"])),
)
def test_polars_selects_the_rows_of_any_texts(name, cells, value):
    conditions = [Category(name, (value,)), Exclusion(name, value)]
    check(pl.Series([*cells, value], dtype=pl.String), conditions, [*cells, value])


@awkward.FEWER
@hypothesis.given(st.lists(st.floats(allow_infinity=False), min_size=1), st.data())
def test_polars_selects_the_rows_of_any_numbers(cells, data):
    edge = data.draw(st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(cells))
    hypothesis.assume(not math.isnan(edge))
    check(pl.Series(cells), [*awkward.intervals("x", [edge]), Exclusion("x", edge)], cells)
