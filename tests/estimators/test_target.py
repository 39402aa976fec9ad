"""Every kind of y that users bring."""

import datetime as dt
import decimal
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from picrules.errors import BadTarget
from picrules.estimators.target import encode_target

NAN = math.nan
TEXTS, BOOLEANS, INTEGERS = ["b", "a"], [True, False], [2, 1]


@pytest.mark.parametrize("y", [TEXTS, BOOLEANS, INTEGERS], ids=["texts", "booleans", "integers"])
@pytest.mark.parametrize(
    "make",
    [
        list, tuple, np.array, lambda y: np.array(y, object), pd.Series, pd.Index,
        lambda y: pd.Series(y).convert_dtypes(), lambda y: pd.Series(y, dtype=object),
        lambda y: pd.Series(pd.Categorical(y)),
        lambda y: pd.Series(y).convert_dtypes(dtype_backend="pyarrow"),
        pl.Series, pa.array, lambda y: pa.chunked_array([y[:1], y[1:]]),
        lambda y: np.ma.array(y, mask=False),
    ],
    ids=["list", "tuple", "array", "objects", "pandas", "index", "nullable", "pandas objects",
         "categorical", "arrow in pandas", "polars", "pyarrow", "chunked", "masked"],
)  # fmt: skip
def test_every_container_gives_the_same_classes(make, y):
    """Nullable pandas booleans and integers were objects that scikit-learn does not know."""
    classes, labels = encode_target(make(y), 2)
    assert [(value, type(value)) for value in classes.tolist()] == [
        (value, type(value)) for value in sorted(y)
    ]
    assert labels.tolist() == [1, 0]


@pytest.mark.parametrize(
    "y",
    [
        ["x", NAN], ["x", None], ["x", pd.NA], [1, pd.NA], [1.0, NAN], (True, None),
        np.array(["x", NAN], object), pd.Series(["x", None]), pd.Series(["x", None], dtype=object),
        pd.Series([1, None], dtype="Int64"), pd.Series([True, None], dtype="boolean"),
        pd.Series(["x", None], dtype="category"), pl.Series(["x", None]), pl.Series([1, None]),
        pl.Series([True, None]), pa.array(["x", None]), pa.chunked_array([[1, None]]),
        np.ma.array([1, 2], mask=[False, True]), np.ma.array(["x", "y"], mask=[False, True]),
    ],
)  # fmt: skip
def test_a_row_without_a_class_is_named(y):
    """NaN among texts in a list became the class "nan"; masked classes were learned."""
    with pytest.raises(BadTarget, match=r"y holds .* in row 1; every row must have a class"):
        encode_target(y, 2)


@pytest.mark.parametrize(
    ("y", "part"),
    [
        (["x", 1], "mixes text and numbers .'x' and 1.; classes of one kind are accepted"),
        ([True, 2], "mixes booleans and numbers"),
        (np.array(["2020", "2021"], "M8[Y]"), "holds dates; text, booleans or whole numbers"),
        (np.array([1, 2], "m8[s]"), "holds durations"),
        (pd.Series(pd.to_datetime(["2020", "2021"])), "holds dates"),
        (pl.Series([dt.date(2020, 1, 1)] * 2), "holds dates"),
        ([dt.date(2020, 1, 1)] * 2, r"\(date\) in row 0; text, booleans or whole"),
        ([dt.timedelta(1)] * 2, r"\(timedelta\) in row 0"),
        ([1j, 2], r"\(complex\) in row 0"),
        ([2**70, 1], "a number of more than 64 bits"),
        ([10**400, 1.5], "a number of more than 64 bits"),
        ([b"a", b"b"], "bytes"),
        ([0.5, 1.2], "Unknown label type: continuous"),
        ([math.inf, 1.0], "Input y contains infinity"),
        ("ab", "1d array"),
        ({"a": 1}, "1d array"),
        ([["a"], ["b", "c"]], "inhomogeneous"),
        ([1, 2, 3], "X has 2 rows and y has 3"),
        (None, "fit requires y to be passed, but the target y is None"),
    ],
)
def test_unusable_targets_are_refused_with_a_reason(y, part):
    """["x", 1, 2.5] became the texts "x", "1" and "2.5"; dates were classes of their own."""
    with pytest.raises(BadTarget, match=part):
        encode_target(y, 2)


def test_whole_floats_and_decimals_are_classes():
    for y in ([1.0, 2.0], [1, 2.0], [decimal.Decimal(1), 2]):
        assert encode_target(y, 2)[0].tolist() == [1.0, 2.0]


def test_one_column_is_a_target_with_a_warning():
    for y in ([["a"], ["b"]], pd.DataFrame({"y": ["a", "b"]}), pl.DataFrame({"y": ["a", "b"]})):
        with pytest.warns(DataConversionWarning):
            assert encode_target(y, 2)[0].tolist() == ["a", "b"]


def test_texts_of_other_types_are_plain_texts():
    assert [type(name) for name in encode_target(["a", np.str_("b")], 2)[0]] == [str, str]
