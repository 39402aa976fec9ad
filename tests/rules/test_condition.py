import math
from datetime import datetime, timedelta

import numpy as np
import pytest

from picrules import Category, Interval, Rule
from picrules.rules.condition import from_microseconds, to_microseconds


def test_interval_holds_its_upper_end_and_not_its_lower():
    assert Interval("x", 1.0, 2.0).covers([1, 1.5, 2, 2.5, math.nan]).tolist() == [
        False, True, True, False, False,
    ]  # fmt: skip


def test_category_never_covers_missing():
    assert Category("x", ("a", 2)).covers(np.array(["a", 2, 2.0, None, "2"], object)).tolist() == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_equal_conditions_are_equal_whatever_the_order_of_values():
    assert Category("x", ("b", "a", "a")) == Category("x", ("a", "b"))
    assert len({Category("x", ("b", "a")), Category("x", ("a", "b"))}) == 1


def test_date_interval_compares_microseconds():
    noon = datetime(2021, 5, 1, 12)
    numbers = [to_microseconds(noon + timedelta(microseconds=step)) for step in (0, 1, 2)]
    interval = Interval("seen", noon, noon + timedelta(microseconds=1))
    assert interval.covers(numbers).tolist() == [False, True, False]
    assert from_microseconds(numbers[0]) == noon


def test_rule_covers_rows_that_satisfy_all_conditions():
    rule = Rule((Category("a", ("x",)), Interval("b", 0.0, 1.0)), "yes")
    covered = rule.covers({"a": ["x", "x", "y"], "b": [0.5, 2, 0.5]}, 3)
    assert covered.tolist() == [True, False, False]
    assert Rule((), "yes").covers({}, 2).tolist() == [True, True]


def test_rules_are_frozen():
    with pytest.raises(AttributeError):
        Rule((), "yes").label = "no"
