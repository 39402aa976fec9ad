"""Rows by column name, one or several, and questions that are asked at the same time."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier
from picrules.errors import BadTable
from tests.explain.together import by_look_alikes, by_scorecard, hints, new_rows, rings


def short():
    X, y = hints()
    return PersonalRuleClassifier(max_length=2, cuts=4).fit(X, y)


MODELS = {
    "PIC": lambda: (PICClassifier().fit(*hints()), hints),
    "fPIC": lambda: (FPICClassifier(max_length=2).fit(*hints()), hints),
    "short rules": lambda: (short(), hints),
    "look-alikes": lambda: (by_look_alikes()[0], rings),
    "scorecard": lambda: (by_scorecard()[0], hints),
}


def as_dicts(X):
    """The rows as dicts of plain values; missing cells are None or NaN."""
    return [dict(zip(X.columns, row, strict=True)) for row in X.itertuples(index=False, name=None)]


@pytest.mark.parametrize("name", MODELS)
def test_rows_by_name_have_the_answers_of_the_table(name):
    clf, table = MODELS[name]()
    X = new_rows(table)
    rows = as_dicts(X)
    expected = clf.explain(X)
    assert clf.explain(rows) == expected
    assert clf.predict(rows).tolist() == clf.predict(X).tolist()
    assert np.array_equal(clf.predict_proba(rows), clf.predict_proba(X))
    for row, explanation in zip(rows, expected, strict=True):
        assert clf.answer(row) == explanation
        assert clf.predict(row).tolist() == [explanation.prediction]
    assert clf.answer(X[3:4]) == expected[3]


def test_one_answer_is_for_one_row():
    clf, table = MODELS["fPIC"]()
    rows = as_dicts(new_rows(table))
    with pytest.raises(BadTable, match=r"row has 2 rows; explain\(X\) answers several"):
        clf.answer(rows[:2])
    with pytest.raises(BadTable, match="row has no cell named 'town'"):
        clf.answer({name: cell for name, cell in rows[0].items() if name != "town"})


@pytest.mark.parametrize("name", MODELS)
def test_questions_at_the_same_time_do_not_disturb_each_other(name):
    """The number of threads was stored on the model, where another question changed it."""
    clf, table = MODELS[name]()
    rows = as_dicts(new_rows(table))
    expected = list(clf.explain(rows))
    n_threads = clf._model.n_threads
    with ThreadPoolExecutor(4) as pool:
        clf.set_params(n_jobs=2)
        together = pool.map(clf.explain, [rows] * 4)
        alone = pool.map(clf.answer, rows * 2)
        assert [list(each) for each in together] == [expected] * 4
        assert list(alone) == expected * 2
    clf.set_params(n_jobs=None)
    assert clf._model.n_threads == n_threads


def test_columns_without_names_are_called_by_their_position():
    clf = FPICClassifier().fit(np.array([[1.0, 5.0], [2.0, 6.0]]), ["a", "b"])
    assert clf.predict({"x0": 1.0, "x1": 5.0}).tolist() == ["a"]
    frame = pd.DataFrame({"x": [1, 2, 3, 4]})
    assert PICClassifier().fit(frame, [0, 0, 1, 1]).answer({"x": 4}).prediction == 1
