import json
from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from picrules import FPICClassifier, PersonalRuleClassifier
from picrules.errors import BadCell, BadParameter, BadTable
from tests.explain.changes.asking import ESTIMATORS, make_table

MONDAY = datetime(2021, 3, 1)


def set_cells(frame, **cells):
    """The table with other cells, one by one."""
    changed = frame.copy()
    for name, cell in cells.items():
        kind = changed[name].dtype
        changed[name] = pd.Series([cell] * len(frame), frame.index, kind if cell is None else None)
    return changed


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_if_is_what_explain_says_of_the_changed_table(estimator, n_classes, rng):
    X, y = make_table(rng, n_classes=n_classes)
    clf = clone(estimator).fit(X, y)
    new = [
        {"age": 70},
        {"age": 20.5, "my job": "clerk"},
        {"seen": MONDAY, "weight": None},
        {"size": "large", "my job": "astronaut"},
        {"my job": None, "age": 18, "weight": 120.25},
    ]
    for position, cells in enumerate(new):
        row = X.iloc[[position]]
        answer = clf.what_if(row, cells)
        assert answer.before == clf.explain(row)[0]
        assert answer.after == clf.explain(set_cells(row, **cells))[0]
        before, after = clf.predict(row)[0], clf.predict(set_cells(row, **cells))[0]
        assert answer.is_changed == (before != after)
        assert list(answer.changes) == list(cells)
        assert all(answer.changes[name][1] == cell for name, cell in cells.items())


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_every_form_of_a_row_gives_the_same_answer(estimator, rng):
    X, y = make_table(rng)
    clf = clone(estimator).fit(X, y)
    for position in range(8):
        row = X.iloc[[position]]
        cells = {name: row[name].iloc[0] for name in X}
        arrow = pa.Table.from_pandas(row, preserve_index=False)
        forms = [
            pl.from_pandas(X)[position], arrow, arrow.to_batches()[0], X.iloc[position], cells,
            dict(reversed(cells.items())), list(cells.values()), tuple(cells.values()),
            row.to_numpy(), row.to_numpy()[0], X.iloc[position].sample(frac=1, random_state=0),
        ]  # fmt: skip
        expected = clf.what_if(row, {"my job": "none"}, age=50)
        for form in forms:
            assert clf.what_if(form, {"my job": "none"}, age=50) == expected


def test_rows_of_numbers_without_names():
    X = np.array([[1.0, 5.0], [2.0, np.nan], [8.0, 5.0], [9.0, 1.0]])
    clf = FPICClassifier(bins=2).fit(X, [0, 0, 1, 1])
    for row in (X[0], X[:1], [1.0, 5.0], pd.Series([1.0, 5.0]), pl.Series([1.0, 5.0]),
                pa.chunked_array([[1.0, 5.0]]), {"x0": 1, "x1": 5},
                np.ma.array([1.0, 5.0], mask=[False, False])):  # fmt: skip
        answer = clf.what_if(row, x0=7)
        assert (answer.before.prediction, answer.after.prediction) == (0, 1)
        assert answer.changes == {"x0": (1, 7)}


def test_columns_may_have_the_names_of_the_arguments():
    X = pd.DataFrame({"self": [1, 2, 8, 9], "row": list("abab"), "changes": [1, 1, 1, 2]})
    clf = FPICClassifier(bins=2).fit(X, list("nnyy"))
    answer = clf.what_if(X.iloc[0], self=9, row="b", changes=2)
    assert answer.is_changed
    assert answer.changes == {"self": (1, 9), "row": ("a", "b"), "changes": (1, 2)}


def test_text_tells_what_changed_and_why():
    X = pd.DataFrame({"age": [20, 30, 50, 60], "my job": ["a", "b", "a", None]})
    clf = FPICClassifier(bins=2).fit(X, ["no", "no", "yes", "yes"])
    assert str(clf.what_if(X.iloc[0], age=55)) == (
        "With age = 55 instead of 20, the prediction changes from no to yes.\n"
        "  Before: no, because age <= 40 (2 of 2 training rows like this).\n"
        "  After: yes, because age > 40 (2 of 2 training rows like this)."
    )
    assert str(clf.what_if(X.iloc[0], {"my job": "<0", "age": 20})) == (
        'With my job = "<0" instead of a and age = 20 as before, the prediction stays no.\n'
        "  The reason is the same: no, because age <= 40 (2 of 2 training rows like this).\n"
        '  Training never saw my job = "<0", so it satisfies no condition.'
    )
    text = str(clf.what_if(X.iloc[0], {"my job": None}, age=None))
    assert text.startswith("With my job = missing instead of a and age = missing instead of 20,")
    assert "the most frequent class, because no rule covers this row" in text


def test_columns_that_no_rule_uses_are_noted():
    X = pd.DataFrame({"age": [20, 30, 50, 60] * 3, "same": 7, "empty": [None] * 12})
    clf = PersonalRuleClassifier(cuts=2, max_length=1).fit(X, ["no", "no", "yes", "yes"] * 3)
    answer = clf.what_if(X.iloc[0], same=8, empty="x")
    assert not answer.is_changed
    assert answer.changes == {"same": (7, 8), "empty": (None, "x")}
    assert [note.split(":")[0] for note in answer.notes] == [
        "No rule can speak of same", "No rule can speak of empty",
    ]  # fmt: skip


def test_dictionary_is_plain_json(rng):
    X, y = make_table(rng)
    clf = clone(ESTIMATORS[2]).fit(X, y)
    answer = clf.what_if(X.iloc[[1]], seen=MONDAY, age=np.int64(30))
    read = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    assert [change["new"] for change in read["changes"]] == ["2021-03-01", 30]
    assert read["after"]["prediction"] == answer.after.prediction


TABLE = pd.DataFrame({"age": [20, 30, 50, 60], "job": list("abab"), "d": [MONDAY] * 4})


@pytest.mark.parametrize(
    ("row", "part"),
    [
        (5, r"row is 5 \(int\); a table of one row, a dict or Series"),
        (None, "row is None"),
        (TABLE, "row has 4 rows; a table of one row"),
        (TABLE[:0], "0 sample"),
        ([1, "a"], "row has 2 cells; one for each of the 3 columns is accepted: age, job, d"),
        ({"age": 1, "job": "a"}, "row has no cell named 'd'"),
        ({"age": 1, "job": "a", "d": MONDAY, "z": 1}, "row has a cell named 'z'; the columns are"),
        (pd.Series([1, 2], ["age", "age"]), "more than one cell named 'age'"),
        ([[1], [1, 2]], "different lengths"),
    ],
)
def test_what_is_no_row_is_refused(row, part):
    clf = FPICClassifier().fit(TABLE, list("nnyy"))
    with pytest.raises(BadTable, match=part):
        clf.what_if(row, age=3)


@pytest.mark.parametrize(
    ("error", "changes", "values", "part"),
    [
        (BadParameter, None, {"size": 1}, "there is no column 'size'; the columns are age, job, d"),
        (BadParameter, {3: 1}, {}, "there is no column '3'"),
        (BadParameter, None, {}, "no new value is given"),
        (BadParameter, {}, {}, "no new value is given"),
        (BadParameter, [1], {}, r"changes is \[1\] \(list\); a dict"),
        (BadParameter, {"age": 1}, {"age": 2}, "'age' is given twice"),
        (BadCell, None, {"age": "old"}, "column 'age' holds 'old' where a finite number"),
        (BadCell, None, {"age": float("inf")}, "column 'age' holds inf"),
        (BadCell, None, {"age": [1]}, r"column 'age' holds \[1\] \(list\)"),
        (BadTable, None, {"age": MONDAY}, "column 'age' holds dates; it held numbers"),
        (BadTable, None, {"d": 3}, "column 'd' holds numbers; it held dates"),
        (BadCell, None, {"d": "soon"}, "column 'd' holds 'soon'; a date or missing is expected"),
        (BadCell, None, {"job": {}}, "column 'job' holds {}"),
    ],
)
def test_values_that_a_column_cannot_hold_are_refused(error, changes, values, part):
    clf = FPICClassifier().fit(TABLE, list("nnyy"))
    with pytest.raises(error, match=part):
        clf.what_if(TABLE.iloc[0], changes, **values)


def test_an_estimator_must_be_fitted():
    for ask in (FPICClassifier().what_if, FPICClassifier().smallest_changes):
        with pytest.raises(NotFittedError):
            ask([1])


def test_a_table_must_have_the_columns_of_training():
    clf = FPICClassifier().fit(TABLE, list("nnyy"))
    with pytest.raises(ValueError, match="must be in the same order"):
        clf.what_if(TABLE[["job", "age", "d"]][:1], age=3)
