"""Many explanations at once: a table of them, and their different rules."""

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier
from tests.explain.together import by_look_alikes, by_mixed_scorecard, by_scorecard, hints


def with_unknown_rows(X):
    """The rows, some of them twice, and one about which nothing is known."""
    some = pd.concat([X[:60], X[20:41]], ignore_index=True)
    some.iloc[-1] = None
    return some


def asked():
    X, y = hints()
    new = with_unknown_rows(X)
    numbers = np.array([3, 5, 7])[np.unique(y, return_inverse=True)[1]]
    short = PersonalRuleClassifier(max_length=2, cuts=4).fit(X, y == "ash")
    return {
        "PIC": PICClassifier().fit(X, y).explain(new),
        "fPIC, classes are numbers": FPICClassifier(max_length=2).fit(X, numbers).explain(new),
        "personal, classes are booleans": short.explain(new),
        "left out": short.leave_one_out(),
        "simplified": short.explain(new, simplify=0.05),
        "look-alikes": by_look_alikes()[0].explain(with_unknown_rows(by_look_alikes()[1])),
        "look-alikes, left out": by_look_alikes()[0].leave_one_out(),
        "scorecard": by_scorecard()[0].explain(new),
        "mixed scorecard": by_mixed_scorecard()[0].explain(
            with_unknown_rows(by_mixed_scorecard()[1])
        ),
    }


@pytest.fixture(scope="module")
def explanations():
    return asked()


NAMES = [
    "PIC", "fPIC, classes are numbers", "personal, classes are booleans", "left out",
    "simplified",    "look-alikes", "look-alikes, left out", "scorecard", "mixed scorecard",
]  # fmt: skip


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", NAMES)
def test_the_table_has_what_each_explanation_says(explanations, name, library):
    one_by_one = [explanation.to_row() for explanation in explanations[name]]
    columns = {name: [row[name] for row in one_by_one] for name in one_by_one[0]}
    plain = nw.from_dict(columns, backend=library)
    found = nw.from_native(explanations[name].to_frame(library))
    assert found.schema == plain.schema
    assert found.columns == plain.columns
    for column in plain.columns:
        assert list(map(repr, found[column].to_list())) == list(
            map(repr, plain[column].to_list())
        ), column
    if library == "pandas":
        assert found.to_native().index.tolist() == list(range(len(one_by_one)))


@pytest.mark.parametrize("name", NAMES)
def test_different_rules_are_those_of_the_explanations(explanations, name):
    distinct, which = explanations[name].distinct()
    rules = [explanation.rule for explanation in explanations[name]]
    assert [distinct[number].rule for number in which.tolist()] == rules
    assert len({explanation.rule for explanation in distinct}) == len(distinct) == len(set(rules))
    first_rows = [rules.index(explanation.rule) for explanation in distinct]
    assert [explanation.source[1] for explanation in distinct] == first_rows
