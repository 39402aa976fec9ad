"""Conditions as sets of codes: which there are, how they print, and what they hold."""

import numpy as np
import pandas as pd
import pytest

from picrules.encoding.columns import read_columns
from picrules.encoding.conditions import Conditions
from picrules.encoding.cuts import cut_at_quantiles
from picrules.encoding.schema import CategoryFeature, NumberFeature, Schema, learn_schema
from picrules.kernels.boxes import member_of


def texts(feature, has_subsets):
    conditions = Conditions(Schema((feature,)), has_subsets)
    count = conditions.n_conditions.sum()
    return [str(conditions.condition(0, position)) for position in range(count)]


def members_of(sets, feature, code):
    """The conditions that hold a code, as kernels find them."""
    at = int(sets.n_codes[:feature].sum()) + code
    find = getattr(member_of, "py_func", member_of)  # only kernels can call what is compiled
    return [find(sets, feature, code, place, at) for place in range(sets.n_members[at])]


def test_ordered_features_have_thresholds_smaller_sets_first():
    assert texts(NumberFeature("x", (1.0, 2.5)), has_subsets=False) == [
        "x <= 1", "x <= 2.5", "x > 2.5", "x > 1",
    ]  # fmt: skip
    assert texts(CategoryFeature("g", ("C", "B", "A"), is_ordered=True), has_subsets=False) == [
        "g = C", 'g <= "B"', "g = A", 'g > "C"',
    ]  # fmt: skip


def test_categories_have_values_and_sets_of_few_values_or_exclusions_of_many():
    assert texts(CategoryFeature("c", ("u", "v", "w")), has_subsets=False) == [
        "c = u", "c = v", "c = w",
    ]  # fmt: skip
    assert texts(CategoryFeature("c", ("u", "v", "w")), has_subsets=True)[3:] == [
        "c in {u, v}", "c in {u, w}", "c in {v, w}",
    ]  # fmt: skip
    many = texts(CategoryFeature("c", tuple("uvwxyz")), has_subsets=True)
    assert many[6:] == [f"c != {value}" for value in "uvwxyz"]
    five = texts(CategoryFeature("c", tuple("vwxyz")), has_subsets=True)
    assert len(five) == len(set(five)) == 2**5 - 2


def test_conditions_of_the_paper_are_single_codes_whatever_the_feature():
    schema = Schema(
        (
            NumberFeature("none", (), is_empty=True),
            NumberFeature("x", (1.0, 2.5)),
            CategoryFeature("g", ("C", "B"), is_ordered=True),
            NumberFeature("same", ()),
        )
    )
    conditions = Conditions(schema, is_single=True)
    assert conditions.features.tolist() == [1, 2, 3]
    printed = [
        [str(conditions.condition(feature, position)) for position in range(count)]
        for feature, count in enumerate(conditions.n_conditions)
    ]
    assert printed[:2] == [["x <= 1", "1 < x <= 2.5", "x > 2.5"], ["g = C", "g = B"]]
    assert conditions.condition(2, 0) == schema.features[3].condition(0)
    members = [members_of(conditions.sets, *each) for each in [(0, 2), (1, 0), (1, 1), (2, 0)]]
    assert members == [[2], [0], [1], [0]]
    assert conditions.count_rules(3) == [1, 6, 11, 6]


@pytest.mark.parametrize(
    "feature",
    [
        NumberFeature("x", ()),
        NumberFeature("x", (), is_empty=True),
        CategoryFeature("x", ()),
        CategoryFeature("x", ("one",), is_ordered=True),
    ],
)
def test_features_that_tell_nothing_apart_have_no_condition(feature):
    conditions = Conditions(Schema((feature, NumberFeature("y", (1.0,)))), True)
    assert conditions.features.tolist() == [1]
    assert str(conditions.condition(0, 0)) == "y <= 1"


def test_members_of_a_code_are_the_conditions_that_cover_it():
    X = pd.DataFrame(
        {
            "size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            "day": pd.to_datetime(["2020-01-05", "2020-03-01"] * 3),
            "few": list("uvwuvw"),
            "many": list("abcdef"),
        }
    )
    columns = read_columns(X)
    schema = learn_schema(columns, [4] * 4, None, cut_at_quantiles)
    conditions, codes = Conditions(schema, True), schema.encode(columns)
    cells = schema.read(columns)
    sets = conditions.sets
    for number, feature in enumerate(conditions.features.tolist()):
        for row in range(6):
            members = members_of(sets, number, codes[feature, row])
            covering = [
                position
                for position in range(conditions.n_conditions[number])
                if (condition := conditions.condition(number, position)).covers(
                    cells[condition.feature]
                )[row]
            ]
            assert members == covering


def test_number_of_rules_is_counted_by_length():
    features = (NumberFeature("x", (1.0,)), CategoryFeature("c", ("u", "v", "w")))
    conditions = Conditions(Schema(features), False)
    assert conditions.count_rules(3) == [1, 5, 6, 0]


def test_value_never_seen_satisfies_not_even_an_exclusion():
    columns = read_columns(pd.DataFrame({"c": list("uvwxyz")}))
    schema = learn_schema(columns, [2], None)
    asked = read_columns(pd.DataFrame({"c": ["u", "new", None]}))
    excluding_v = Conditions(schema, True).condition(0, 7)
    assert str(excluding_v) == "c != v"
    assert excluding_v.covers(schema.read(asked)["c"]).tolist() == [True, False, False]
    assert np.array_equal(schema.encode(asked)[0], [0, -1, -1])
