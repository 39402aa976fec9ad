"""Rows by column name: their codes are those of a table with the same cells."""

import datetime as dt
import decimal
import enum
import math
from collections import OrderedDict

import numpy as np
import pandas as pd
import pytest

from picrules.encoding.columns import Kind, read_arrays
from picrules.encoding.conditions import Conditions
from picrules.encoding.row import RowCoder, to_rows
from picrules.encoding.schema import CategoryFeature, NumberFeature, Schema
from picrules.errors import BadTable, PicrulesError

DAY = 24 * 3600 * 1e6
FEATURES = {
    "number": NumberFeature("a", (-1.0, 0.5, 2.0**53, 1e200)),
    "no cuts": NumberFeature("a", ()),
    "date": NumberFeature("a", (0.0, DAY), Kind.DATE),
    "never known": NumberFeature("a", (), is_empty=True),
    "texts": CategoryFeature("a", ("", "1", "b", "ü")),
    "mixed": CategoryFeature("a", ("1", 1, 2.5, False)),
    "ordered": CategoryFeature("a", (3, 1, 2), is_ordered=True),
}


class Colour(str, enum.Enum):  # noqa: UP042
    B = "b"


CELLS = [
    None, math.nan, pd.NA, pd.NaT, 0.5, math.nextafter(0.5, 1), 1, 0, -1, True, False, np.True_,
    np.float32(0.5), np.int64(7), 2**53, 2**53 + 1, -(2**60), 10**400, 1e300, math.inf, "b", "",
    "1", "0.5", "x", np.str_("b"), Colour.B, b"b", decimal.Decimal("0.5"), dt.date(1970, 1, 2),
    dt.datetime(1970, 1, 1), np.datetime64("1970-01-02"), [1], {}, 1j,
]  # fmt: skip


@pytest.mark.parametrize("cell", CELLS, ids=repr)
@pytest.mark.parametrize("feature", FEATURES.values(), ids=FEATURES)
def test_a_cell_has_the_code_that_it_has_in_a_table(feature, cell):
    conditions = Conditions(Schema((feature, NumberFeature("other", (1.0,)))), is_single=True)
    table = np.empty((1, 2), object)
    table[0] = cell, 2.0
    try:
        expected = conditions.encode(read_arrays(["a", "other"], table))
    except PicrulesError as error:
        with pytest.raises(type(error)) as caught:
            RowCoder(conditions).encode([{"a": cell, "other": 2.0}])
        assert str(caught.value) == str(error)
        return
    codes = RowCoder(conditions).encode([{"other": 2.0, "a": cell}])
    assert codes.dtype == np.int32
    assert codes.flags.c_contiguous
    assert codes.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"a": 1}, "row has no cell named 'b'; one for each column is accepted, None where"),
        ({"a": 1, "b": 2, "c": 3}, "row has a cell named 'c'; the columns are a, b"),
        ({"a": 1, "B": 2}, "row has a cell named 'B'"),
        ({}, "row has no cell named 'a'"),
        ([1, 2], r"one of the rows is \[1, 2\]; a dict with the column names is accepted"),
    ],
)
def test_a_row_with_other_cells_than_the_columns_is_refused(row, message):
    features = (NumberFeature("a", (0.0,)), NumberFeature("b", (0.0,)))
    with pytest.raises(BadTable, match=message):
        RowCoder(Conditions(Schema(features))).encode([row])


def test_rows_by_name_are_told_from_tables():
    row = {"a": 1}
    assert to_rows(row) == [row]
    assert to_rows(OrderedDict(row)) == [row]
    assert to_rows([row, row]) == [row, row]
    assert to_rows((row,)) == [row]
    for table in ([[1]], [], np.ones((1, 1)), pd.DataFrame(row, index=[0]), pd.Series(row), 3):
        assert to_rows(table) is None
