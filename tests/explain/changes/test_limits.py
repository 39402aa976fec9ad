import pandas as pd
import pytest

from picrules import FPICClassifier
from picrules.errors import BadParameter

TABLE = pd.DataFrame(
    {"age": [20, 30, 50, 60], "job": list("abab"), "d": pd.date_range("2020", periods=4)}
)


@pytest.mark.parametrize(
    ("limit", "part"),
    [
        ({"max_changes": 0}, "max_changes is 0; 1, 2 or 3 is accepted"),
        ({"max_changes": 4}, "max_changes is 4"),
        ({"max_changes": True}, "max_changes is True"),
        ({"top": 0}, "top is 0; a whole number from 1, or None for all, is accepted"),
        ({"max_rows": None}, "max_rows is None; a whole number from 1 is accepted"),
        ({"fixed": "age"}, "fixed is 'age'; a list of column names"),
        ({"fixed": 3}, "fixed is 3"),
        ({"fixed": ["size"]}, "fixed names the column 'size'; the columns are age, job, d"),
        ({"costs": [1]}, r"costs is \[1\]; a dict by column name"),
        ({"costs": {"size": 1}}, "costs names the column 'size'"),
        (
            {"costs": {"age": 0}},
            r"costs\['age'\] is 0; a positive, finite number .*fixed=\['age'\]",
        ),
        ({"costs": {"age": -1}}, "is -1; a positive"),
        ({"costs": {"age": float("inf")}}, "is inf; a positive"),
        ({"costs": {"age": float("nan")}}, "is nan; a positive"),
        ({"costs": {"age": "much"}}, "is 'much'; a positive"),
        ({"ranges": {"size": (1, 2)}}, "ranges names the column 'size'"),
        ({"ranges": {"age": 3}}, r"ranges\['age'\] is 3; a pair of numbers"),
        ({"ranges": {"age": (1, 2, 3)}}, r"is \(1, 2, 3\); a pair of numbers"),
        ({"ranges": {"age": (3, 1)}}, "the lowest new value must not be above the highest"),
        ({"ranges": {"age": ("a", "b")}}, "holds 'a'; a number, or None for an open end"),
        ({"ranges": {"age": (float("nan"), 2)}}, "holds nan; a number"),
        ({"ranges": {"d": (1, 2)}}, "holds 1; a date, or None"),
        ({"ranges": {"job": "a"}}, r"ranges\['job'\] is 'a'; a list of at least one category"),
        ({"ranges": {"job": []}}, "a list of at least one category"),
        ({"ranges": {"job": ["z"]}}, "holds 'z'; the categories are a, b"),
        ({"ranges": {"job": [None]}}, "holds None; the categories are a, b"),
        ({"to": "maybe"}, "to is 'maybe'; None for any other class, or one of .*: n, y"),
        ({"to": ["y"]}, r"to is \['y'\]"),
        ({"min_confidence": 1.5}, "min_confidence is 1.5; a number from 0 to 1, or None"),
        ({"min_confidence": True}, "min_confidence is True; a number from 0 to 1"),
        ({"min_confidence": "high"}, "min_confidence is 'high'; a number from 0 to 1"),
        ({"min_confidence": 0.9}, "min_confidence is 0.9, but this estimator does not know"),
    ],
)
def test_limits_that_cannot_be_are_refused(limit, part):
    clf = FPICClassifier().fit(TABLE, list("nnyy"))
    with pytest.raises(BadParameter, match=part):
        clf.smallest_changes(TABLE.iloc[0], **limit)
