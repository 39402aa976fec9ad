import math
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from picrules import Category, Interval, Rule, parse_rule
from picrules.errors import BadRuleText

NAMES = st.one_of(
    st.text(),
    st.sampled_from(["mean radius", "if", "and", "in", "is known", "7", "a = b", "x <= 3", "{"]),
)  # fmt: skip
VALUES = st.one_of(NAMES, st.booleans(), st.integers(), st.floats(allow_nan=False, width=64))
FINITE = st.floats(allow_nan=False, allow_infinity=False)
CATEGORIES = st.builds(Category, NAMES, st.lists(VALUES, min_size=1, max_size=3).map(tuple))
NUMBER_INTERVALS = st.builds(
    Interval, NAMES, st.one_of(st.just(-math.inf), FINITE), st.one_of(st.just(math.inf), FINITE)
)
DATE_INTERVALS = st.builds(
    Interval, NAMES, st.datetimes(), st.one_of(st.just(math.inf), st.datetimes())
)
CONDITIONS = st.one_of(CATEGORIES, NUMBER_INTERVALS, DATE_INTERVALS)
RULES = st.builds(
    Rule,
    st.lists(CONDITIONS, max_size=4, unique_by=lambda condition: condition.feature).map(tuple),
    VALUES,
)


@given(rule=RULES)
def test_rule_text_parses_back_to_the_same_rule(rule):
    parsed = parse_rule(str(rule))
    assert parsed == rule
    assert hash(parsed) == hash(rule)


@given(rule=RULES)
def test_rule_text_is_one_printable_line(rule):
    assert str(rule).isprintable()


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Rule((Category("odor", ("foul",)),), "p"), "if odor = foul then p"),
        (
            Rule((Category("colour", ("red", "blue")), Interval("mean radius", 0.5, 14.2)), 1),
            "if colour in {blue, red} and 0.5 < mean radius <= 14.2 then 1",
        ),
        (Rule((Interval("age", 40.0, math.inf),), True), "if age > 40 then True"),
        (Rule((Interval("age", -math.inf, math.inf),), "yes"), "if age is known then yes"),
        (Rule((Category("checking", ("<0",)),), "bad"), 'if checking = "<0" then bad'),
        (Rule((Category("zip", ("7",)),), "7"), 'if zip = "7" then "7"'),
        (
            Rule((Interval("seen", datetime(2020, 1, 2), datetime(2020, 1, 2, 13, 30)),), "ill"),
            "if 2020-01-02 < seen <= 2020-01-02T13:30:00 then ill",
        ),
        (Rule((), "no"), "no rule; the most frequent class is no"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_rule_text_reads_like_a_sentence(rule, text):
    assert str(rule) == text
    assert parse_rule(text) == rule


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "is not a rule"),
        ("odor = foul", "is not a rule"),
        ("if odor = foul then", "a value is missing"),
        ("if odor foul then p", "is not a condition"),
        ("if and odor = foul then p", "without a condition"),
        ("if odor = foul and then p", "without a condition"),
        ("if then p", "without a condition"),
        ("if odor = foul and odor = none then p", "two conditions on one feature"),
        ("if odor = 'foul' = p then p", "is not one value"),
        ("if age <= many then p", "is not a bound"),
        ("if 3 = 4 then p", "name of a feature"),
        ("if odor in foul then p", "is not a set of values"),
        ('if odor = "foul then p', "never closed"),
        ('if odor = "\\x" then p', "JSON quotes"),
        ("if odor = < then p", "put it in double quotes"),
    ],
)
def test_bad_rule_text_is_refused_with_a_reason(text, part):
    with pytest.raises(BadRuleText, match=part):
        parse_rule(text)
