"""Columns whose names are not texts are matched by what they are."""

from datetime import date

import numpy as np
import pandas as pd
import pytest

import picrules
from picrules import FPICClassifier, PersonalRuleClassifier
from picrules.errors import BadParameter, BadTable

NAMES = {
    "years": [2019, 2020, 2021],
    "pairs": [("a", 1), ("a", 2), ("b", 1)],
    "days": [date(2020, 1, 1), date(2020, 2, 1), date(2020, 3, 1)],
    "moments": list(pd.date_range("2020", periods=3, freq="MS")),
    "halves": [0.5, 1.5, 2.5],
}
TEXTS = {
    "years": ["2019", "2020", "2021"],
    "pairs": ["('a', 1)", "('a', 2)", "('b', 1)"],
    "days": ["2020-01-01", "2020-02-01", "2020-03-01"],
    "moments": ["2020-01-01", "2020-02-01", "2020-03-01"],
    "halves": ["0.5", "1.5", "2.5"],
}


def make(names):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 3)).round(2))
    X.columns = pd.Index(names, tupleize_cols=False)
    return X, np.where(X.iloc[:, 0] > 0, "up", "down")


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("estimator", [FPICClassifier(), PersonalRuleClassifier(cuts=4)], ids=str)
def test_names_stand_in_rules_and_other_orders_are_refused(kind, estimator, tmp_path):
    """Columns 2019, 2020 and 2021 became x0, x1 and x2, and were then taken in any order."""
    X, y = make(NAMES[kind])
    clf = estimator.fit(X, y)
    assert not hasattr(clf, "feature_names_in_")
    assert [feature.name for feature in clf.schema_.features] == TEXTS[kind]
    clf.save(tmp_path / "model.pic")
    for model in (clf, picrules.load(tmp_path / "model.pic")):
        used = {condition.feature for condition in model.explain(X)[0].rule.conditions}
        assert used <= set(TEXTS[kind])
        assert model.predict(X).tolist() == model.predict(X.to_numpy()).tolist()
        for wrong in (X.iloc[:, [2, 0, 1]], X.set_axis([2019, 2020, 1999], axis=1)):
            with pytest.raises(BadTable, match="takes them in this order"):
                model.predict(wrong)
        rule = model.explain(X)[0].rule
        assert picrules.parse_rule(str(rule)) == rule
        assert model.cover(rule, X).sum() == model.explain(X)[0].cover_size


@pytest.mark.parametrize("kind", NAMES)
def test_names_that_are_no_texts_name_columns_everywhere(kind):
    names = NAMES[kind]
    X, y = make(names)
    third = 2 if kind == "pairs" else names[2]  # a list of pairs reads as a table
    clf = FPICClassifier(bins={names[1]: 2}, categorical_features=[third]).fit(X, y)
    assert len(clf.schema_.features[1].cuts) == 1
    assert clf.schema_.features[2].kind == "category"
    row = X.iloc[0]
    changed = clf.what_if(row, {names[0]: -5})
    assert changed.changes == {TEXTS[kind][0]: (row.iloc[0], -5)}
    assert clf.what_if(dict(row.items()), {names[0]: -5}) == changed
    assert clf.answer(dict(row.items())) == clf.explain(X)[0]
    found = clf.smallest_changes(row, fixed=names[1:], costs={names[0]: 2})
    assert {condition.feature for change in found for condition in change.conditions} == {
        TEXTS[kind][0]
    }
    with pytest.raises(BadParameter, match="fixed names the column 'other'"):
        clf.smallest_changes(row, fixed=["other"])


def test_a_row_in_another_order_is_matched_by_its_names():
    X, y = make(NAMES["years"])
    clf = FPICClassifier().fit(X, y)
    row = X.iloc[0]
    assert clf.what_if(row[::-1], {2019: 1}) == clf.what_if(row, {2019: 1})


def test_columns_that_are_only_counted_have_no_names():
    X, y = make([0, 1, 2])
    clf = FPICClassifier().fit(X, y)
    assert [feature.name for feature in clf.schema_.features] == ["x0", "x1", "x2"]
    assert clf.predict(X).tolist() == clf.predict(X.to_numpy()).tolist()
    with pytest.raises(BadTable, match=r"X has the columns 2, 0, 1; the model was trained on x0"):
        clf.predict(X[[2, 0, 1]])


def test_texts_in_another_order_are_refused_where_training_had_numbers():
    X, y = make(NAMES["years"])
    clf = FPICClassifier().fit(X, y)
    with pytest.raises(BadTable, match="takes them in this order"):
        clf.predict(X.set_axis(["2020", "2019", "2021"], axis=1))


def test_a_model_with_texts_refuses_other_names():
    X, y = make(["a", "b", "c"])
    clf = FPICClassifier().fit(X, y)
    assert clf.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(BadTable, match="trained on a, b, c"):
        clf.predict(X.set_axis([2019, 2020, 2021], axis=1))
    with pytest.raises(ValueError, match="same order"):
        clf.predict(X[["c", "a", "b"]])


def test_names_that_are_written_alike_are_refused():
    X, y = make([date(2020, 1, 1), pd.Timestamp("2020-01-01 00:00"), 3])
    with pytest.raises(BadTable, match="more than one column named"):
        FPICClassifier().fit(X, y)
