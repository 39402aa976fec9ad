import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from picrules import FPICClassifier, Rule, compare_rules, parse_rule, read_rules
from picrules.errors import BadParameter, BadRule, BadRuleText

# Rows of the paper's table of common and personalized rules on mushroom.
MINE = read_rules("""
if odor = a then e
if odor = f then p
if bruises = f and gill size = n then p
if odor = f then e
""")
OTHERS = {
    "one": read_rules("if odor = a then e\nif odor = f and bruises = f then p"),
    "two": read_rules("if bruises = f and ring = 1 and gill size = n then p\nif odor = f then p"),
    "three": [],
}


def test_common_rules_are_part_of_a_rule_of_the_same_class():
    found = compare_rules(MINE, OTHERS)
    assert found.common == [(MINE[0], ["one"]), (MINE[1], ["one", "two"]), (MINE[2], ["two"])]
    assert found.personalized == [MINE[3]]
    assert (found.n_common, found.n_personalized) == (3, 1)


def test_longer_rules_are_not_part_of_shorter_ones():
    longer = parse_rule("if odor = f and bruises = f then p")
    assert compare_rules([longer], [parse_rule("if odor = f then p")]).personalized == [longer]


def test_conditions_from_two_rules_do_not_make_one():
    rule = parse_rule("if a = 1 and b = 1 then p")
    theirs = read_rules("if a = 1 and c = 1 then p\nif b = 1 then p\nif a = 1 and b = 1 then e")
    assert compare_rules([rule], theirs).common == []


def test_rules_without_a_name_are_theirs_and_the_empty_rule_is_none():
    found = compare_rules([*MINE[:2], Rule((), "e"), MINE[0]], MINE)
    assert found.common == [(MINE[0], ["theirs"]), (MINE[1], ["theirs"])]
    assert found.personalized == []


@st.composite
def rules(draw):
    names = draw(st.sets(st.sampled_from("abc"), min_size=1))
    text = " and ".join(f"{name} = {draw(st.integers(1, 2))}" for name in sorted(names))
    return parse_rule(f"if {text} then {draw(st.sampled_from('pe'))}")


@given(st.lists(rules()), st.lists(rules()))
def test_comparison_agrees_with_the_definition(mine, theirs):
    found = compare_rules(iter(mine), iter(theirs))
    is_common = {
        r: any(set(r.conditions) <= set(s.conditions) and r.label == s.label for s in theirs)
        for r in mine
    }
    assert [rule for rule, _ in found.common] == [r for r, common in is_common.items() if common]
    assert found.personalized == [r for r, common in is_common.items() if not common]


def test_explanations_are_compared_by_their_rules(rng):
    X = pd.DataFrame(rng.integers(0, 3, (60, 3)).astype(str), columns=list("abc"))
    clf = FPICClassifier(max_length=2).fit(X, np.where(X["a"] == X["b"], "same", "other"))
    explanations = clf.explain(X)
    found = compare_rules(explanations, {"itself": list(explanations)[:30]})
    assert found == compare_rules(
        list(explanations), {"itself": [e.rule for e in explanations][:30]}
    )
    assert found.n_common >= len({explanation.rule for explanation in explanations[:30]})
    assert found.n_common + found.n_personalized == len({e.rule for e in explanations})


def test_comparison_as_text_json_and_table():
    found = compare_rules(MINE, OTHERS)
    assert str(found).splitlines()[0] == "3 common rules, 1 personalized rule"
    assert "  common        if odor = f then p  (one, two)" in str(found)
    assert "  personalized  if odor = f then e" in str(found)
    content = found.to_dict()
    assert json.loads(json.dumps(content)) == content
    assert content["rules"][3] == {
        "rule": "if odor = f then e", "class": "e", "length": 1, "is_common": False, "found_in": [],
    }  # fmt: skip
    assert found.to_frame().to_dict("records") == content["rules"]
    assert compare_rules([], []).to_frame().columns.tolist() == list(content["rules"][0])


def test_what_is_no_rule_is_refused():
    with pytest.raises(BadRule, match=r"got 'if a = 1 then b' \(str\) where a Rule"):
        compare_rules(["if a = 1 then b"], [])


TREE = DecisionTreeClassifier().fit([[1], [2], [3]], ["no", "yes", "yes"])
FOREST = RandomForestClassifier(3, random_state=0).fit([[1], [2], [3]], ["no", "yes", "yes"])
TEXT = "if x0 > 1.5 then yes  \n# no more\n"


@pytest.mark.parametrize("source", [TREE, FOREST, TEXT], ids=["tree", "forest", "text"])
def test_texts_and_models_are_compared_by_their_rules(source):
    """A text was taken for a list of letters, a tree gave a TypeError."""
    mine, theirs = read_rules("if x0 > 1.5 then yes\nif x0 <= 9 then no"), read_rules(source)
    assert compare_rules(mine, source) == compare_rules(mine, theirs)
    assert compare_rules(mine, {"s": source}) == compare_rules(mine, {"s": theirs})
    assert compare_rules(source, mine) == compare_rules(theirs, mine)
    assert compare_rules(mine, source).common == [(mine[0], ["theirs"])]


def test_texts_and_models_that_cannot_be_read_are_refused():
    with pytest.raises(BadRuleText, match="line 1"):
        compare_rules([], {"text": "foul is bad"})
    with pytest.raises(BadParameter, match="type LogisticRegression, whose rules it cannot"):
        compare_rules([], LogisticRegression().fit([[1], [2]], [1, 2]))


@pytest.mark.parametrize(
    "source",
    [None, 7, MINE[0], FPICClassifier().fit([[1], [2]], [1, 2])],
    ids=lambda source: type(source).__name__,
)
def test_what_has_no_rules_is_refused(source):
    match = rf"got an object of type {type(source).__name__}; rules .* is accepted"
    for arguments in ([], source), ([], {"named": source}), (source, []):
        with pytest.raises(BadParameter, match=match):
            compare_rules(*arguments)
