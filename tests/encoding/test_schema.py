import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules import Category, Interval
from picrules.encoding.columns import NumberColumn, read_columns
from picrules.encoding.schema import FEW_CUTS, NumberFeature, learn_schema
from picrules.encoding.tables import check_table
from picrules.errors import BadCell, BadTable

NAN = math.nan


def learn(X, bins=2, categorical=None):
    columns = read_columns(check_table(X))
    return learn_schema(columns, [bins] * len(columns), categorical)


def encode(schema, X):
    return schema.encode(read_columns(check_table(X))).tolist()


def test_outer_parts_take_new_extremes():
    schema = learn([[0.0], [10.0]], bins=5)
    assert encode(schema, [[-99], [2], [2.001], [8], [99], [NAN]]) == [[0, 0, 1, 3, 4, -1]]
    assert schema.features[0].condition(0) == Interval("x0", -math.inf, 2.0)
    assert schema.features[0].condition(4) == Interval("x0", 8.0, math.inf)


@given(
    cuts=st.sets(st.floats(-9, 9), max_size=9),
    numbers=st.lists(st.one_of(st.just(NAN), st.floats(-9, 9)), min_size=1),
    are_many=st.booleans(),
)
def test_code_of_a_number_is_how_many_cuts_lie_below(cuts, numbers, are_many):
    """Few cuts are compared one by one, many by halves."""
    more = tuple(10.0 + at for at in range(FEW_CUTS)) if are_many else ()
    feature = NumberFeature("x", (*sorted(cuts), *more))
    codes = feature.encode(NumberColumn("x", np.array([*numbers, *cuts])))
    expected = [
        -1 if math.isnan(one) else sum(cut < one for cut in cuts) for one in (*numbers, *cuts)
    ]
    assert codes.tolist() == expected


def test_unseen_and_missing_categories_have_no_code():
    schema = learn(np.array([["b"], ["a"], [None]], object))
    assert schema.features[0].categories == ("a", "b")
    assert encode(schema, np.array([["a"], ["c"], [None], [1]], object)) == [[0, -1, -1, -1]]
    assert schema.features[0].condition(1) == Category("x0", ("b",))


def test_ordered_categories_keep_their_order_and_drop_the_unseen():
    sizes = pd.Categorical(["hi", "lo"], ["lo", "mid", "hi"], ordered=True)
    (feature,) = learn(pd.DataFrame({"size": sizes})).features
    assert feature.categories == ("lo", "hi")
    assert feature.is_ordered


def test_numbers_and_dates_can_be_categories():
    X = pd.DataFrame({"zip": [10.0, NAN, 7.5], "day": [dt.datetime(2020, 1, 1), None, None]})
    zips, days = learn(X, categorical={0, 1}).features
    assert zips.categories == (7.5, 10)
    assert str(zips.condition(1)) == "zip = 10"
    assert days.categories == ("2020-01-01",)


def test_booleans_are_numbers_when_others_are_listed_and_text_never_is():
    X = pd.DataFrame({"b": [True, False], "s": ["u", "v"], "n": [1, 2]})
    b, s, n = learn(X, categorical={2}).features
    assert (b.kind, s.kind, n.kind) == ("number", "category", "category")
    assert b.condition(1) == Interval("b", 0.5, math.inf)


def test_date_cuts_are_whole_microseconds():
    X = pd.DataFrame({"day": [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 0, 0, 5)]})
    (feature,) = learn(X, bins=2).features
    assert str(feature.condition(0)) == "day <= 2020-01-01T00:00:00.000002"


def test_a_column_with_no_value_has_no_code():
    schema = learn([[NAN], [NAN]])
    assert schema.n_codes.tolist() == [0]
    assert encode(schema, [[1.0], [NAN]]) == [[-1, -1]]


def test_a_column_with_one_value_has_one_part():
    schema = learn([[3.0], [NAN]])
    assert schema.n_codes.tolist() == [1]
    assert str(schema.features[0].condition(0)) == "x0 is known"
    assert encode(schema, [[1.0], [NAN]]) == [[0, -1]]


def test_numbers_that_became_text_are_read_as_numbers():
    schema = learn(pd.DataFrame({"age": [1, 9]}))
    assert encode(schema, pd.DataFrame({"age": ["2", None]})) == [[0, -1]]
    with pytest.raises(BadCell, match="'age' holds 'old'"):
        encode(schema, pd.DataFrame({"age": ["old"]}))


def test_dates_are_not_numbers():
    schema = learn(pd.DataFrame({"day": [1, 9]}))
    with pytest.raises(BadTable, match="column 'day' holds dates; it held numbers"):
        encode(schema, pd.DataFrame({"day": [dt.datetime(2020, 1, 1)]}))


def test_integer_categories_match_after_missing_made_them_floats():
    schema = learn(pd.DataFrame({"zip": [1, 2]}), categorical={0})
    assert encode(schema, pd.DataFrame({"zip": [2.0, NAN]})) == [[1, -1]]


DAY = dt.date(2020, 1, 1)
SAME_DAY = dt.datetime(2020, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1)))
CELLS = {
    "numbers": [0, 1, 1.0, 0.5, 2**60, 2**60 + 1, 2.0**60, Decimal(1), Decimal("0.1"), 0.1],
    "dates": [DAY, dt.datetime(2020, 1, 1), SAME_DAY, pd.Timestamp(DAY), np.datetime64(DAY, "ns")],
    "categories": [True, False, "1", "x", "2020-01-01"],
    "missing": [None, NAN, pd.NA, pd.NaT],
}


def one_column(cells):
    array = np.empty((len(cells), 1), object)
    array[:, 0] = cells
    return array


@st.composite
def object_columns(draw):
    kinds = draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, unique=True))
    choices = [cell for kind in kinds for cell in CELLS[kind]]
    return one_column(draw(st.lists(st.sampled_from(choices), min_size=1, max_size=8)))


@given(X=object_columns(), categorical=st.sampled_from([None, (), (0,)]))
def test_a_code_depends_on_its_cell_alone(X, categorical):
    """A date was a category beside "unknown" in training, and unknown itself in a batch of one."""
    schema = learn(X, categorical=categorical)
    together = encode(schema, X)[0]
    assert [encode(schema, row.reshape(1, 1))[0][0] for row in X] == together
    known = [code for code, cell in zip(together, X[:, 0], strict=True) if not pd.isna(cell)]
    assert -1 not in known
    again = learn(X[::-1], categorical=categorical)
    assert repr(again) == repr(schema)


def test_a_date_beside_text_is_found_again_when_it_comes_alone():
    X = pd.DataFrame({"d": [DAY, "unknown"] * 4})
    schema = learn(X)
    assert schema.features[0].categories == ("2020-01-01", "unknown")
    for day in (X[:1], pd.DataFrame({"d": pd.to_datetime(["2020-01-01"])}),
                pl.DataFrame({"d": [DAY]}), pa.table({"d": [SAME_DAY]}),
                pd.DataFrame({"d": pd.Categorical([pd.Timestamp(DAY)])})):  # fmt: skip
        assert encode(schema, day) == [[0]]
        assert schema.read(read_columns(check_table(day))) == {"d": ["2020-01-01"]}


@pytest.mark.parametrize(
    "cells", [["2020"], [True], [DAY], [5], [None], ["x", DAY]], ids=lambda cells: repr(cells[0])
)
@pytest.mark.parametrize(
    "X", [[[NAN]], pl.DataFrame({"x0": [None]}), pa.table({"x0": pa.nulls(3)})]
)
def test_a_feature_that_was_all_missing_takes_anything(X, cells):
    """Texts and dates were complaints about a column that no rule can use."""
    schema = learn(X)
    assert schema.n_codes.tolist() == [0]
    cells = one_column(cells) if isinstance(X, list) else pd.DataFrame({"x0": cells})
    assert encode(schema, cells) == [[-1] * len(cells)]
    (numbers,) = schema.read(read_columns(check_table(cells))).values()
    assert np.isnan(numbers).all()


def test_integers_that_floats_would_merge_are_categories_of_their_own():
    """Both were the float 2**60, and the rule said so."""
    X = pd.DataFrame({"id": np.repeat([2**60, 2**60 + 1], 4)})
    schema = learn(X, categorical={0})
    assert schema.features[0].categories == (2**60, 2**60 + 1)
    assert encode(schema, X) == [[0] * 4 + [1] * 4]
    assert encode(schema, pd.DataFrame({"id": [2**60 + 1]})) == [[1]]


@pytest.mark.parametrize(
    ("cells", "error", "part"),
    [
        (["2020"], BadCell, "'2020'; a date or missing is expected"),
        ([True], BadCell, "True; a date or missing is expected"),
        ([DAY, "x"], BadCell, "'x'; a date or missing is expected"),
        ([DAY, 1], BadCell, "1; a date or missing"),
        (["2020-01-01"], BadCell, "'2020-01-01'; a date or missing"),
        ([1.5], BadTable, "numbers; it held dates in training"),
    ],
)
def test_a_date_feature_takes_dates_only(cells, error, part):
    """The text "2020" was read as 2020 microseconds after 1970."""
    schema = learn(pd.DataFrame({"d": [DAY, dt.date(2021, 1, 1)]}))
    assert encode(schema, pd.DataFrame({"d": [None, DAY]}, dtype=object)) == [[-1, 0]]
    assert encode(schema, pd.DataFrame({"d": pd.array([None], "string")})) == [[-1]]
    with pytest.raises(error, match=f"column 'd' holds {part}"):
        encode(schema, pd.DataFrame({"d": cells}, dtype=object))


def test_numbers_in_texts_have_no_underscores():
    """Python reads "1_0" as 10."""
    schema = learn(pd.DataFrame({"age": [1, 9]}))
    with pytest.raises(BadCell, match="column 'age' holds '1_0' where a finite number"):
        encode(schema, pd.DataFrame({"age": ["1_0"]}))
