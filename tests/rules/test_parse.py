import math
from datetime import datetime

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from picrules import Category, Exclusion, Interval, Rule, parse_rule
from picrules.errors import BadRule, BadRuleText

ODD_NUMBERS = ["nan", "-NaN", "inf", "+Infinity", "1_0", "1_0.5", "\u0661\u0662", "\uff15", "1e400"]
NAMES = st.one_of(
    st.text(),
    st.sampled_from(["mean radius", "if", "and", "in", "is known", "7", "a = b", "x <= 3", "{"]),
    st.sampled_from(["!", "a!", "a !", "!=", "a != b", "a!=b", ">=", "x >= 3", "==", "9" * 400]),
    st.sampled_from(ODD_NUMBERS),
)  # fmt: skip
FINITE = st.floats(allow_nan=False, allow_infinity=False)
PLAIN_VALUES = st.one_of(NAMES, st.booleans(), st.integers(), FINITE)
FINITE_SINGLES = st.floats(allow_nan=False, allow_infinity=False, width=32)
NUMPY_VALUES = st.one_of(
    NAMES.map(np.str_),
    st.booleans().map(np.bool_),
    st.integers(-(2**63), 2**63 - 1).map(np.int64),
    st.integers(0, 255).map(np.uint8),
    FINITE.map(np.float64),
    FINITE_SINGLES.map(np.float32),
)
VALUES = st.one_of(PLAIN_VALUES, NUMPY_VALUES)
NUMBERS = st.one_of(FINITE, st.integers(-(2**63), 2**63), FINITE_SINGLES.map(np.float32))
MOMENTS = st.one_of(
    st.datetimes(),
    st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1), timezones=st.timezones()),
)
CATEGORIES = st.builds(
    Category, st.one_of(NAMES, NAMES.map(np.str_)), st.lists(VALUES, min_size=1, max_size=3)
)

EXCLUSIONS = st.builds(Exclusion, NAMES, VALUES)


@st.composite
def intervals(draw, ends):
    """Intervals with an end open, with both, and with none."""
    below = draw(st.one_of(st.just(-math.inf), ends))
    above = draw(st.one_of(st.just(math.inf), ends))
    try:
        return Interval(draw(NAMES), below, above)
    except BadRule:
        assume(False)  # the ends are not in order


CONDITIONS = st.one_of(CATEGORIES, EXCLUSIONS, intervals(NUMBERS), intervals(MOMENTS))
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
    assert str(parsed) == str(rule)


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
        (Rule((Exclusion("odor", "a b"),), "p"), "if odor != a b then p"),
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
        ("if age > nan then p", "'nan' is not a bound"),
        ("if age <= inf then p", "'inf' is not a bound"),
        ("if age <= 1_0 then p", "'1_0' is not a bound"),
        ("if age = nan then p", "'nan' could be a number or a text"),
        ("if age = inf then p", "'inf' could be a number or a text"),
        ("if age = 1_0 then p", "'1_0' could be a number or a text"),
        ("if age = 5 then -Infinity", "'-Infinity' could be a number or a text"),
        ("if 5 < age <= 3 then p", "are 5 and 3; a lower end below the upper end"),
        ("if 3 < age <= 2020-01-01 then p", "two numbers, two moments or two categories"),
        ("if age > 0001-01-01T00:00:00+02:00 then p", "years 1 to 9999"),
        ("if age in {,} then p", "a comma without a value"),
        ("if age in {1,,2} then p", "'{ 1 , , 2 }' has a comma without a value"),
        ("if age in {1,} then p", "a comma without a value"),
        ("if age in {} then p", "is not a set of values"),
        (f"if age > {'9' * 5000} then p", r"\.\.\. is too large a number"),
        (f"if age = {'9' * 5000} then p", r"\.\.\. is too large a number"),
        (f"if age = {'9' * 310} then p", "is too large a number"),
        ("if age = 1 then -1e400", "'-1e400' is too large a number"),
        ("if age = 1 then >=", "put it in double quotes"),
    ],
)
def test_bad_rule_text_is_refused_with_a_reason(text, part):
    with pytest.raises(BadRuleText, match=part):
        parse_rule(text)


@pytest.mark.parametrize(
    ("condition", "part"),
    [
        ("a >= 5", "'a >= 5' uses '>='"),
        ("a>=5", "'a >= 5' uses '>='"),
        ("a == 5", "'a == 5' uses '=='"),
        ("a < 5", "'a < 5' uses '<' without '<='"),
        ("5 < a", "'5 < a' uses '<' without '<='"),
        ("1 < a < 5", "'1 < a < 5' uses '<' without '<='"),
    ],
)
def test_operator_that_rules_do_not_have_is_named(condition, part):
    with pytest.raises(BadRuleText, match=f"^{part}; write 'NAME = VALUE', .* or 'NAME is known'"):
        parse_rule(f"if {condition} then p")


@pytest.mark.parametrize("text", [5, None, b"if a = b then c", ["if"], Rule((), "p")])
def test_only_a_text_is_parsed(text):
    with pytest.raises(BadRuleText, match=r"is not a text; a rule as str\(rule\)"):
        parse_rule(text)


@pytest.mark.parametrize("word", [*ODD_NUMBERS, "9" * 5000])
def test_text_that_python_reads_as_a_number_stays_a_text(word):
    rule = Rule((Category(word, (word,)),), word)
    assert str(rule) == f'if "{word}" = "{word}" then "{word}"'
    assert parse_rule(str(rule)) == rule


def test_bound_with_a_zone_keeps_its_offset():
    rule = parse_rule("if seen > 2020-01-01T02:00+02:00 then p")
    assert str(rule) == "if seen > 2020-01-01T02:00+02:00 then p"
    there = parse_rule("if seen > 2019-12-31T19:00-05:00 then p")
    assert rule == there
    assert hash(rule) == hash(there)
    assert str(there) == "if seen > 2019-12-31T19:00-05:00 then p"
    assert rule.to_sql() == there.to_sql() == parse_rule("if seen > 2020-01-01 then p").to_sql()


WORDS = st.one_of(
    st.sampled_from(["a", "b", "1", "-2.5", "2020-01-01", '"x"', "nan", "is", "known", "in", "no"]),
    st.sampled_from(["=", "<", "<=", ">", "{", "}", ",", "and", "then", "!=", ">=", "True", '"']),
    st.text(max_size=3),
)


@given(words=st.lists(WORDS, max_size=12), label=WORDS)
def test_any_text_is_a_rule_or_is_refused(words, label):
    try:
        rule = parse_rule(f"if {' '.join(words)} then {label}")
    except BadRuleText:
        return
    assert parse_rule(str(rule)) == rule
