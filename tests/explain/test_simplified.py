"""Shorter rules, against all parts of each rule tried by pandas."""

import json
import pickle
from itertools import combinations

import jsonschema
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier, Rule, summarize
from picrules.errors import BadParameter
from picrules.explain import simplified
from tests.explain.test_contributions import count
from tests.explain.test_details import SCHEMA
from tests.explain.together import MODELS, ask_new, hints, name_of, new_rows

ESTIMATORS = [
    PICClassifier(alpha=0.6),
    FPICClassifier(max_length=3, bins=3, alpha=1.0),
    PersonalRuleClassifier(cuts=4, max_length=3, alpha=0.5, smoothing=1.0),
    PersonalRuleClassifier(cuts=4, max_length=3, measure="precision", class_weight="balanced"),
]


def fitted(estimator):
    X, y = hints(150)
    return clone(estimator).fit(X, y), new_rows(hints, 40), X, y


def precision(rule, table, classes):
    counts = count(rule, table, classes, set(classes))
    return counts.get(rule.label, 0) / max(sum(counts.values()), 1)


def check(explanation, before, given, table, classes):
    """Compare with every part of the rule as it was before."""
    full, rule = before.rule, explanation.rule
    assert explanation.prediction == before.prediction
    assert explanation.confidence == before.confidence
    least = precision(full, table, classes) - given - 1e-12 if full.conditions else 0
    parts = {
        Rule(kept, full.label)
        for length in range(1, full.length)
        for kept in combinations(full.conditions, length)
        if precision(Rule(kept, full.label), table, classes) >= least
    }
    shortest = min((part.length for part in parts), default=full.length)
    assert rule.length == shortest
    if not parts:
        assert (rule, explanation.simplified) == (full, None)
        return
    assert rule in parts
    assert explanation.class_counts == count(rule, table, classes, explanation.class_sizes)
    told = explanation.simplified
    assert told.full.rule == full
    assert (told.full.score, told.full.class_counts) == (before.score, before.class_counts)
    assert {*told.dropped} | {*rule.conditions} == {*full.conditions}
    assert told.cost == pytest.approx(before.precision - explanation.precision)


@pytest.mark.parametrize("make", [*MODELS, *ESTIMATORS], ids=name_of)
@pytest.mark.parametrize("given", [1e-9, 0.05, 1.0])
def test_rules_are_the_shortest_parts_within_the_limit(make, given):
    clf, asked, X, y = ask_new(make) if callable(make) else fitted(make)
    asked = asked[:25]
    explanations = clf.explain(asked, simplify=given)
    for explanation, before in zip(explanations, clf.explain(asked), strict=True):
        check(explanation, before, given, X, y)
    np.testing.assert_array_equal([one.prediction for one in explanations], clf.predict(asked))
    assert any(one.simplified for one in explanations) or given < 1


@pytest.mark.parametrize("make", [MODELS[0], *ESTIMATORS[2:]], ids=name_of)
def test_a_row_that_is_left_out_does_not_count(make):
    clf, *_, X, y = make() if callable(make) else fitted(make)
    shorter, before = clf.leave_one_out(simplify=0.03), clf.leave_one_out()
    for row in range(25):
        check(shorter[row], before[row], 0.03, X.drop(index=row), np.delete(y, row))


@pytest.mark.parametrize("given", [None, 0, 0.0])
def test_nothing_is_given_if_nothing_is_said(given):
    clf, asked, *_ = fitted(ESTIMATORS[2])
    explanations = clf.explain(asked, simplify=given)
    assert list(explanations) == list(clf.explain(asked))
    assert {one.simplified for one in explanations} == {None}


def test_of_equally_short_parts_the_best_by_score_is_taken():
    clf, asked, *_ = fitted(ESTIMATORS[2])
    scores = {}
    for explanation in clf.explain(asked, top=2000):
        scores |= {one.rule: one.score for one in explanation.top}
    compared = 0
    for explanation in clf.explain(asked, simplify=1.0):
        told = explanation.simplified
        if told is None:
            continue
        single = [
            scores.get(Rule((each,), told.full.rule.label)) for each in told.full.rule.conditions
        ]
        if None not in single:
            assert explanation.score == max(single)
            compared += 1
    assert compared > 5


def test_ties_go_to_the_feature_that_comes_first():
    X = pd.DataFrame({"a": list("uuvv"), "b": list("xyxy")})
    clf = FPICClassifier(max_length=2, alpha=1).fit(X, ["no", "yes", "yes", "yes"])
    (explanation,) = clf.explain(X[:1], simplify=0.5)
    assert str(explanation.rule) == "if a = u then no"
    assert explanation.tell_simplified() == (
        "Shortened: with b = x it is 1 of 1 (100%); leaving that out costs 50.0 points of "
        "precision."
    )
    assert explanation.tell_simplified() in str(explanation)
    assert "leaving that out costs 50.0 points" in explanation._repr_html_()
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    validator.validate(json.loads(explanation.to_json()))
    again = pickle.loads(pickle.dumps(explanation))
    assert (again, again.to_dict()) == (explanation, explanation.to_dict())


def test_tables_and_summaries_have_the_shorter_rules():
    clf, asked, *_ = fitted(ESTIMATORS[2])
    explanations = clf.explain(asked, simplify=0.1)
    texts = [str(one.rule) for one in explanations]
    assert explanations.to_frame()["rule"].tolist() == texts
    used = {str(use.rule): use.n_rows for use in summarize(explanations).uses}
    assert used == {text: texts.count(text) for text in texts}
    assert summarize(explanations).mean_length < summarize(clf.explain(asked)).mean_length


def test_very_long_rules_are_cut_first(monkeypatch):
    """Of longer rules not all parts are counted; what is found is still within the limit."""
    clf, asked, X, y = fitted(ESTIMATORS[2])
    monkeypatch.setattr(simplified, "MOST_CONDITIONS", 2)
    for explanation, before in zip(
        clf.explain(asked, simplify=0.1), clf.explain(asked), strict=True
    ):
        assert explanation.prediction == before.prediction
        assert explanation.precision >= before.precision - 0.1 - 1e-12
        if explanation.simplified:
            assert explanation.class_counts == count(
                explanation.rule, X, y, explanation.class_sizes
            )


@pytest.mark.parametrize("given", [-0.1, 1.5, "much", True])
def test_what_is_no_share_is_refused(given):
    clf, asked, *_ = fitted(ESTIMATORS[1])
    with pytest.raises(BadParameter, match=r"simplify is .*; a number from 0 to 1 is accepted"):
        clf.explain(asked, simplify=given)
