"""The best rules whatever their class, the search told, and all of it as JSON."""

import json
from itertools import combinations
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier, parse_rule
from picrules.errors import BadParameter

SCHEMA = Path(__file__).parents[2] / "docs" / "explanation.schema.json"
ESTIMATORS = [
    PICClassifier(alpha=0.6),
    FPICClassifier(max_length=3, bins=3),
    PersonalRuleClassifier(cuts=4, max_length=2, alpha=0.5, smoothing=1.0),
    PersonalRuleClassifier(cuts=4, max_length=2, measure="precision", class_weight="balanced"),
]


@pytest.fixture
def table(rng):
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 12, 150).round(),
            "job": rng.choice(["clerk", "cook", "smith", None], 150),
            "town": rng.choice(["a", "b"], 150),
            "height": rng.normal(170, 9, 150),
        }
    )
    X.loc[rng.random(150) < 0.2, "age"] = np.nan
    y = np.where(X["age"] > 45, "old", np.where(X["town"] == "a", "here", "there"))
    y[rng.random(150) < 0.2] = "here"
    return X, y


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_the_first_of_the_top_is_the_rule_of_the_prediction(estimator, table):
    X, y = table
    clf = estimator.fit(X, y)
    for explanation in clf.explain(X[:40], top=4):
        if explanation.rule.length == 0:
            assert explanation.top == ()
            continue
        first = explanation.top[0]
        assert (first.rule, first.score) == (explanation.rule, explanation.score)
        assert first.class_counts == explanation.class_counts
        values = [one.value for one in explanation.top]
        assert values == sorted(values, reverse=True)
        assert len({one.rule for one in explanation.top}) == len(explanation.top) <= 4
        same = [one.rule.label == explanation.prediction for one in explanation.top]
        assert explanation.agreement == np.mean(same)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_rules_of_a_diverse_top_cover_other_rows(estimator, table):
    X, y = table
    clf = estimator.fit(X, y)
    for explanation in clf.explain(X[:10], top=4, max_overlap=0.3):
        covers = [clf.cover(one.rule, X) for one in explanation.top]
        for one, other in combinations(covers, 2):
            assert (one & other).sum() / (one | other).sum() <= 0.3


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_the_trace_accounts_for_every_rule_and_ends_at_the_answer(estimator, table):
    X, y = table
    clf = estimator.fit(X, y)
    for explanation in clf.explain(X[:20], trace=True):
        trace = explanation.trace
        for level in trace.levels:
            skipped = level.cannot_beat + level.same_cover + level.too_small
            assert level.looked_at + skipped == level.possible
        assert trace.levels[-1].best.rule == explanation.rule
        assert trace.levels[-1].best.score == explanation.score
        assert f"Looked at {trace.n_looked_at:,} of {trace.n_possible:,} rules" in str(trace)


def test_row_without_a_rule_has_nothing_to_tell(table):
    X, y = table
    bare = X[:1].assign(age=np.nan, job=None, town=None, height=np.nan)
    for estimator in ESTIMATORS:
        (explanation,) = estimator.fit(X, y).explain(bare, top=3, trace=True)
        assert str(explanation.trace) == "No rule covers this row."
        assert explanation.top == ()
        assert "score -0.000" not in str(explanation)
        if explanation.confidence is not None:
            assert explanation.confidence == pytest.approx(explanation.share, abs=0.02)


def test_possible_rules_of_fpic_are_the_sets_of_known_features(table):
    X, y = table
    clf = FPICClassifier(max_length=3, bins=3).fit(X, y)
    for (_, row), explanation in zip(
        X[:20].iterrows(), clf.explain(X[:20], trace=True), strict=True
    ):
        n_known = int(row.notna().sum())
        expected = [len(list(combinations(range(n_known), length))) for length in (1, 2, 3)]
        assert [level.possible for level in explanation.trace.levels] == expected


def test_what_is_not_asked_for_is_not_there(table):
    X, y = table
    (explanation,) = FPICClassifier().fit(X, y).explain(X[:1])
    assert explanation.top == ()
    assert explanation.agreement is None
    assert explanation.trace is None


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_json_is_as_the_schema_says(estimator, table):
    X, y = table
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    clf = estimator.fit(X, y)
    rows = X[:5].copy()
    rows.loc[0] = None
    for explanation in clf.explain(rows, top=2, trace=True):
        content = json.loads(explanation.to_json())
        validator.validate(content)
        assert content == explanation.to_dict()
        assert parse_rule(content["rule"]) == explanation.rule


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"top": -1}, "top is -1; a whole number from 0 to 10000 is accepted"),
        ({"top": 2.5}, "top is 2.5;"),
        ({"max_overlap": 1.5}, "max_overlap is 1.5; a number from 0 to 1 is accepted"),
        ({"trace": "yes"}, "trace is 'yes'; True or False is accepted"),
    ],
)
def test_wrong_wishes_are_told(wanted, said, table):
    X, y = table
    with pytest.raises(BadParameter, match=said):
        FPICClassifier().fit(X, y).explain(X, **wanted)
