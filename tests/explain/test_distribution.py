"""Where a row lies in its conditions' features, counted from the raw table."""

import pickle

import numpy as np
import pandas as pd
import pytest

from picrules import Category, FPICClassifier, Interval, PersonalRuleClassifier, Rule
from picrules.encoding.columns import read_columns
from picrules.explain.distribution import find_distribution, picture_columns, to_card
from tests.reports.tables import doubtful, people

ESTIMATORS = [
    FPICClassifier(max_length=2),
    PersonalRuleClassifier(cuts=6, max_length=2, look_alikes=False),
    PersonalRuleClassifier(cuts=6, max_length=2, look_alikes=True),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_a_row_lies_where_its_condition_holds(estimator):
    X, y = people()
    clf = estimator.fit(X, y)
    new = doubtful(people(60, seed=5)[0])
    for row, explanation in enumerate(clf.explain(new)):
        told = to_card(explanation)
        assert {**told, "conditions": None} == {**explanation.to_dict(), "conditions": None}
        for condition, entry in zip(explanation.rule.conditions, told["conditions"], strict=True):
            found = entry["distribution"]
            assert found["parts"][found["own"]]["holds"]
            n_held = sum(sum(part["counts"]) for part in found["parts"] if part["holds"])
            assert n_held == clf.cover(Rule((condition,), explanation.prediction), X).sum()
            cell = new[condition.feature].iloc[row]
            text = str(cell.date()) if isinstance(cell, pd.Timestamp) else str(cell)
            assert entry["cell"] == text.removesuffix(".0")


def test_cuts_stand_before_the_parts_they_divide():
    X = pd.DataFrame({"age": np.arange(80.0), "kind": ["a", "b"] * 40})
    clf = FPICClassifier(bins=4).fit(X, X["age"] > 30)
    model = clf._ready_model
    parts = [str(clf.schema_.features[0].condition(code)) for code in range(4)]
    assert parts[1] == "19.75 < age <= 39.5"
    between = find_distribution(model, Interval("age", 19.75, 39.5))
    assert between.cuts == ((1, "19.75"), (2, "39.5"))
    assert [part.holds for part in between.parts] == [False, True, False, False]
    assert between.parts[1].counts == (11, 9)
    assert find_distribution(model, Interval("age", -np.inf, 39.5)).cuts == ((2, "39.5"),)
    assert find_distribution(model, Category("kind", ("a",))).cuts == ()


def test_a_changed_row_does_not_show_the_old_cell():
    """Changes keep the cells of the row that they were made from."""
    X, y = people()
    clf = PersonalRuleClassifier(cuts=6, max_length=2, look_alikes=False).fit(X, y)
    changes = clf.smallest_changes(X.iloc[0])
    cells = []
    for change in changes:
        told = to_card(change.explanation)["conditions"]
        cells += [one["cell"] for one in told if one["feature"] in change.old_values]
    assert set(cells) == {None}


def test_a_pickled_explanation_has_the_same_card():
    X, y = people()
    explanation = FPICClassifier(max_length=1).fit(X, y).explain(X)[0]
    copy = pickle.loads(pickle.dumps(explanation))
    assert to_card(copy) == to_card(explanation)
    assert "distribution" in to_card(copy)["conditions"][0]


def test_columns_are_pictured_without_classes():
    X, _ = people()
    age, colour, *_ = picture_columns(read_columns(X))
    assert sum(part.n_rows for part in age.parts) == X["age"].notna().sum()
    counts = X["colour"].value_counts()
    assert [part.n_rows for part in colour.parts] == [counts[one] for one in sorted(counts.index)]
