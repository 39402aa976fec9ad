import datetime as dt
import math

import numpy as np
import pandas as pd
import pytest

from picrules import Category, Interval
from picrules.encoding.columns import check_table, read_columns
from picrules.encoding.schema import learn_schema
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
    assert days.categories == ("2020-01-01T00:00:00",)


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
