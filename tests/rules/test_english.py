import math
from datetime import datetime

import pytest

from picrules import Category, Exclusion, Interval, Rule

NOON, LATER = datetime(2020, 3, 1, 12, 30), datetime(2020, 5, 2)
BETWEEN = "seen is after 2020-03-01 12:30:00 and no later than 2020-05-02"


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Interval("age", 41, 60), "age is over 41 and at most 60"),
        (Interval("mean radius", 41.25, math.inf), "mean radius is over 41.25"),
        (Interval("age", -math.inf, 60), "age is at most 60"),
        (Interval("age", -math.inf, math.inf), "age is known"),
        (Interval("seen", NOON, LATER), BETWEEN),
        (Interval("seen", -math.inf, LATER), "seen is no later than 2020-05-02"),
        (Category("odor", ("foul",)), "odor is foul"),
        (Category("odor", ("foul", "pungent")), "odor is foul or pungent"),
        (Category("odor", ("a", "b", "c")), "odor is a, b or c"),
        (Category("rooms", (3, 4.5)), "rooms is 3 or 4.5"),
        (Category("smoker", (True,)), "smoker is true"),
        (Category("smoker", ("true",)), 'smoker is "true"'),
        (Category("rooms", ("3",)), 'rooms is "3"'),
        (Category("place", ("n, e", "n or e")), 'place is "n or e" or "n, e"'),
        (Exclusion("odor", "foul"), "odor is not foul"),
        (Category("this and that", ("日本",)), '"this and that" is 日本'),
        (Category("a", ("",)), 'a is ""'),
        (Category("a", ("Oregon", "St. Paul")), 'a is Oregon or "St. Paul"'),
    ],
)  # fmt: skip
def test_english_of_a_condition(condition, words):
    assert Rule((condition,), "poisonous").to_english() == f"If {words}, then poisonous."


def test_english_of_a_whole_rule():
    conditions = (Interval("age", 41, 60), Category("odor", ("foul", "pungent")), Exclusion("a", 1))
    assert Rule(conditions, False).to_english() == (
        "If age is over 41 and at most 60, and odor is foul or pungent, and a is not 1, then false."
    )


def test_english_of_the_empty_rule():
    assert Rule((), "edible").to_english() == (
        "No rule applies; the most frequent class is edible."
    )
