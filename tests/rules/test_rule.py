import pickle
from copy import deepcopy
from datetime import date
from itertools import permutations

import numpy as np
import pytest

from picrules import Category, Interval, Rule
from picrules.errors import BadRule

FOUL = Category("odor", ("foul",))
SMALL = Interval("height", 0.5, 4.5)
OLD = Interval("age", 40, 90)


def test_rule_covers_rows_that_satisfy_all_conditions():
    rule = Rule((Category("a", ("x",)), Interval("b", 0.0, 1.0)), "yes")
    covered = rule.covers({"a": ["x", "x", "y"], "b": [0.5, 2, 0.5]}, 3)
    assert covered.tolist() == [True, False, False]
    assert Rule((), "yes").covers({}, 2).tolist() == [True, True]


def test_rules_are_frozen():
    with pytest.raises(AttributeError):
        Rule((), "yes").label = "no"


def test_rules_are_equal_whatever_the_order_of_conditions():
    rules = {Rule(order, "p") for order in permutations((FOUL, SMALL, OLD))}
    assert len(rules) == 1


def test_rule_text_keeps_the_order_of_conditions():
    assert str(Rule((FOUL, OLD), "p")) == "if odor = foul and 40 < age <= 90 then p"
    assert str(Rule((OLD, FOUL), "p")) == "if 40 < age <= 90 and odor = foul then p"
    assert Rule((OLD, FOUL), "p").conditions == (OLD, FOUL)


def test_rules_differ_by_class_and_conditions():
    rules = [Rule((FOUL,), "p"), Rule((FOUL,), "e"), Rule((FOUL, OLD), "p"), Rule((), "p")]
    assert len(set(rules)) == len(rules)
    assert Rule((), "p") != "p"


def test_rule_survives_copies_and_pickles():
    rule = Rule((FOUL, OLD), 1)
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert deepcopy(rule) == rule


def test_rule_keeps_plain_values():
    rule = Rule([FOUL], np.int64(1))
    assert rule.conditions == (FOUL,)
    assert type(rule.label) is int
    assert str(rule) == "if odor = foul then 1"


@pytest.mark.parametrize(
    ("conditions", "part"),
    [
        (FOUL, "which is not a tuple"),
        ("odor = foul", r"condition of a rule is 'o' \(str\)"),
        ((FOUL, 5), r"condition of a rule is 5 \(int\)"),
        ((FOUL, OLD, Interval("odor", 0, 1)), "two conditions on one feature, 'odor'"),
    ],
)
def test_rule_refuses_conditions_that_do_not_fit(conditions, part):
    with pytest.raises(BadRule, match=part):
        Rule(conditions, "p")


@pytest.mark.parametrize("label", [b"p", None, date(2020, 1, 1), float("nan"), ("p",)])
def test_rule_refuses_classes_that_have_no_text(label):
    with pytest.raises(BadRule, match=r"the class of a rule is .*; a text, a boolean or a finite"):
        Rule((FOUL,), label)
