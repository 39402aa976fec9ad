"""What each condition adds, against the training table counted by pandas without that condition."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier, Rule, parse_rule
from tests.explain.together import MODELS, ask_new, hints, new_rows

ESTIMATORS = [
    PICClassifier(alpha=0.6),
    FPICClassifier(max_length=3, bins=3),
    PersonalRuleClassifier(cuts=4, max_length=3, alpha=0.5, smoothing=1.0),
    PersonalRuleClassifier(cuts=4, max_length=2, measure="precision", class_weight="balanced"),
]


def count(rule, table, classes, names):
    """Class counts of the rows that the printed conditions select; pandas evaluates the text."""
    covered = classes
    if rule.conditions:
        mask = eval(rule.to_pandas(), {"__builtins__": {}, "df": table, "pd": pd})
        covered = classes[mask.to_numpy(bool)]
    return {name: int((covered == name).sum()) for name in names}


def check(explanation, table, classes, names):
    assert len(explanation.contributions) == explanation.rule.length
    for at, contribution in enumerate(explanation.contributions):
        conditions = list(explanation.rule.conditions)
        assert contribution.condition == conditions.pop(at)
        without = contribution.without
        assert without.rule == Rule(tuple(conditions), explanation.prediction)
        assert without.class_counts == count(without.rule, table, classes, names)
        assert without.class_sizes == explanation.class_sizes
        precision = without.class_counts[explanation.prediction] / without.cover_size
        assert contribution.gain == explanation.precision - precision


def fitted(estimator):
    X, y = hints(150)
    return clone(estimator).fit(X, y), new_rows(hints, 20), X, y


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_counts_are_those_of_the_table_without_the_condition(estimator):
    clf, asked, X, y = fitted(estimator)
    for explanation in clf.explain(asked):
        check(explanation, X, y, clf.classes_)


@pytest.mark.parametrize("make", MODELS)
def test_counts_where_look_alikes_or_several_rules_decide(make):
    clf, asked, X, y = ask_new(make)
    explanations = clf.explain(asked)[:25]
    assert max(explanation.rule.length for explanation in explanations) > 1
    for explanation in explanations:
        check(explanation, X, y, clf.classes_)


@pytest.mark.parametrize("make", MODELS)
def test_a_row_that_is_left_out_does_not_count(make):
    check_left_out(*make())


@pytest.mark.parametrize("estimator", ESTIMATORS[2:], ids=str)
def test_a_row_that_is_left_out_of_short_rules_does_not_count(estimator):
    clf, _, X, y = fitted(estimator)
    check_left_out(clf, X, y)


def check_left_out(clf, X, y):
    for row, explanation in enumerate(clf.leave_one_out()[:25]):
        check(explanation, X.drop(index=row), np.delete(y, row), clf.classes_)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_score_is_the_one_that_a_rule_of_its_own_has(estimator):
    """Where the shorter rule is the rule of a row, or one of its best, the scores are the same."""
    clf, asked, *_ = fitted(estimator)
    found = {}
    for explanation in clf.explain(asked, top=200):
        found |= {one.rule: one.score for one in explanation.top}
    compared = 0
    for explanation in clf.explain(asked):
        scores = {one.without.rule: one.without.score for one in explanation.contributions}
        for rule in scores.keys() & found.keys():
            assert scores[rule] == found[rule]
            compared += 1
    assert compared > 0


def test_the_rule_without_conditions_has_none_to_do_without():
    clf, asked, *_ = fitted(ESTIMATORS[1])
    explanation = clf.explain(asked)[0]  # of which nothing is known
    assert explanation.rule.length == 0
    assert explanation.contributions == ()


def test_text_says_what_would_be_without_the_condition():
    X = pd.DataFrame({"a": list("uuuvv"), "b": list("xyxxy")})
    clf = FPICClassifier(max_length=2, alpha=1).fit(X, ["no", "yes", "no", "yes", "yes"])
    (explanation,) = clf.explain(X[:1])
    assert explanation.rule == parse_rule("if a = u and b = x then no")
    assert [str(each) for each in explanation.contributions] == [
        "without a = u: 2 of 3 are no (66.7% instead of 100%)",
        "without b = x: 2 of 3 are no (66.7% instead of 100%)",
    ]


def test_pickled_explanation_keeps_them():
    clf, asked, *_ = fitted(ESTIMATORS[2])
    explanation = clf.explain(asked)[5]
    assert pickle.loads(pickle.dumps(explanation)).contributions == explanation.contributions
