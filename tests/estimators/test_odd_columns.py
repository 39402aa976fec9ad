"""Tables without rows, and columns of types that have to be turned into others."""

from datetime import time, timedelta

import numpy as np
import pandas as pd
import pytest

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier, report, summarize
from picrules.errors import BadCell, BadTable, BadTarget

ESTIMATORS = [
    FPICClassifier(),
    PICClassifier(),
    PersonalRuleClassifier(cuts=4),
    PersonalRuleClassifier(cuts=4, n_rules=3),
]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    days, jobs = pd.date_range("2020", periods=60), rng.choice(list("xyz"), 60)
    X = pd.DataFrame({"a": rng.normal(size=60).round(2), "day": days, "job": jobs})
    return X, np.where(X.a > 0, "p", "n")


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_a_table_without_rows_has_an_empty_answer(estimator, table):
    X, y = table
    clf = estimator.fit(X, y)
    none, whole = clf.explain(X[:0]), clf.explain(X)
    assert clf.predict(X[:0]).tolist() == []
    assert clf.predict(X[:0]).dtype == clf.predict(X).dtype
    assert clf.predict_proba(X[:0]).shape == (0, 2)
    assert (list(none), str(none)) == ([], "")
    for library in ("pandas", "polars", "pyarrow"):
        assert none.to_frame(library).shape == (0, whole.to_frame().shape[1])
    assert list(none.to_frame().columns) == list(whole.to_frame().columns)
    assert whole[:0].to_frame().shape == none.to_frame().shape
    assert summarize(none).n_rows == 0
    assert len(clf.significance(X[:0], 3)) == len(clf.stability(X[:0], 3)) == 0
    with pytest.raises(BadTable, match="0 sample"):
        clf.fit(X[:0], y[:0])


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_what_is_made_of_many_rows_says_that_there_are_none(estimator, table, tmp_path):
    """A list of rules and a report failed by a division by zero, importances by no class known."""
    X, y = table
    clf = estimator.fit(X, y)
    with pytest.raises(BadTable, match="X has no rows; at least one row is accepted"):
        clf.compact_rules(X[:0])
    with pytest.raises(BadTarget, match="X and y have no rows; at least one row is accepted"):
        clf.importances(X[:0], y[:0])
    assert report(clf, X[:0], None, tmp_path / "none.html")["rows"] == 0


@pytest.mark.parametrize(
    ("cells", "advice"),
    [
        (pd.to_timedelta(range(60), "s"), r"turn durations into numbers, as by .*total_seconds"),
        ([timedelta(hours=hour) for hour in range(60)], "turn durations into numbers"),
        (pd.period_range("2020", periods=60), r"turn periods into dates, as by .*start_time"),
        (pd.interval_range(0, 60), r"turn intervals into numbers, as by .*mid"),
        ([time(1, minute) for minute in range(60)], "turn times of a day into numbers"),
    ],
    ids=["timedelta64", "timedelta", "Period", "Interval", "time"],
)
def test_types_that_are_not_read_say_what_to_convert_to(cells, advice, table):
    with pytest.raises(BadCell, match=f"column 'c' .*{advice}"):
        FPICClassifier().fit(pd.DataFrame({"c": cells}), table[1])


def test_what_if_takes_the_dates_that_rules_print(table):
    X, _ = table
    clf = FPICClassifier(max_length=1).fit(X, np.where(X.day > "2020-01-20", "p", "n"))
    texts = [str(feature.condition(0)) for feature in clf.schema_.features if feature.name == "day"]
    moment = texts[0].split(" <= ")[1]
    row = X.iloc[0]
    assert clf.what_if(row, day=moment) == clf.what_if(row, day=pd.Timestamp(moment))
    assert clf.what_if(row, day="2020-02-10").after.prediction == "p"
    with pytest.raises(BadCell, match="'soon'; a date or missing is expected"):
        clf.what_if(row, day="soon")


def test_a_missing_folder_is_named(table, tmp_path):
    clf = FPICClassifier().fit(*table)
    with pytest.raises(FileNotFoundError, match=r"no such folder to write .*nowhere'$"):
        clf.save(tmp_path / "nowhere" / "model.pic")
