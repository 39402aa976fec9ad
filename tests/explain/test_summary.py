import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from picrules import (
    Category,
    FPICClassifier,
    PersonalRuleClassifier,
    PICClassifier,
    Rule,
    Summary,
    summarize,
)
from picrules.errors import BadParameter
from picrules.explain.explanation import Explanation


@pytest.fixture
def table(rng):
    X = pd.DataFrame(rng.integers(0, 4, (120, 3)).astype(str), columns=list("abc"))
    return X, np.where((X["a"] == X["b"]) | (X["c"] == "0"), "yes", "no")


@pytest.mark.parametrize("make", [PICClassifier, FPICClassifier, PersonalRuleClassifier])
def test_summary_counts_the_rules_of_the_rows(make, table):
    X, y = table
    explanations = make().fit(X[:80], y[:80]).explain(X)
    summary = summarize(explanations)
    rows = Counter(explanation.rule for explanation in explanations)
    assert {use.rule: use.n_rows for use in summary.uses} == rows
    assert summary.n_rows == len(X)
    assert summary.n_rules == len(rows)
    assert summary.mean_length == np.mean([e.rule.length for e in explanations])
    order = sorted(rows, key=lambda rule: (-rows[rule], str(rule)))
    assert [use.rule for use in summary.uses] == order
    assert summary == summarize(list(explanations)) == summarize(iter(explanations))


def test_summary_shows_the_numbers_of_the_rule(table):
    X, y = table
    explanations = FPICClassifier().fit(X, y).explain(X)
    of_rule = {str(explanation.rule): explanation for explanation in explanations}
    for record in summarize(explanations).to_dict()["rules"]:
        explanation = of_rule[record["rule"]]
        for name in ("prediction", "score", "precision", "recall", "cover_size"):
            assert record[name] == getattr(explanation, name)
        assert record["length"] == explanation.rule.length
        assert record["share"] == record["rows"] / len(X)


def explanation(text, label="yes"):
    rule = Rule((Category("a", (text,)),) if text else (), label)
    counts = {name: 8 if name == label else 2 for name in ("yes", "no")}
    return Explanation(rule, 0.9, counts, {"yes": 16, "no": 16})


def test_shared_and_personal_rules_and_rows_without_one():
    summary = summarize([explanation(text) for text in ["x", "y", None, "x", "z", None]])
    assert [use.rule for use in summary.shared] == [explanation("x").rule]
    assert [use.rule for use in summary.personal] == [explanation("y").rule, explanation("z").rule]
    assert (summary.n_rules, summary.n_uncovered) == (4, 2)
    assert summary.coverage == pytest.approx(4 / 6)
    assert summary.mean_length == pytest.approx(4 / 6)


def test_summaries_of_parts_add_up(table):
    X, y = table
    clf = FPICClassifier().fit(X[:60], y[:60])
    parts = [summarize(clf.explain(X[start : start + 7])) for start in range(0, len(X), 7)]
    assert sum(parts, Summary()) == Summary.total(iter(parts)) == summarize(clf.explain(X))
    with pytest.raises(TypeError):
        Summary() + 1


def test_summary_as_text_json_and_table():
    summary = summarize([explanation("x"), explanation("x"), explanation("it's", "no")])
    content = summary.to_dict()
    assert json.loads(json.dumps(content)) == content
    assert {name: value for name, value in content.items() if name != "rules"} == {
        "rows": 3, "n_rules": 2, "mean_length": 1.0, "coverage": 1.0, "rows_without_rule": 0,
        "shared_rules": 1, "personal_rules": 1,
    }  # fmt: skip
    assert summary.to_frame().to_dict("records") == content["rules"]
    assert str(summary).splitlines() == [
        "3 rows, 2 rules, 1.00 conditions per row on average",
        "100% of the rows have a rule: 1 shared rule, 1 personal rule",
        "",
        "   rows       share  confidence   precision   cover  rule",
        "      2       66.7%   not known       80.0%      10  if a = x then yes",
        "      1       33.3%   not known       80.0%      10  if a = it's then no",
    ]
    assert summary.to_lines(top=1)[-1] == "        ... and 1 more"


def test_summary_of_nothing_is_empty():
    summary = summarize([])
    assert summary == Summary()
    assert summary.to_dict()["coverage"] == 0
    assert summary.to_frame().empty
    assert str(summary).startswith("0 rows, 0 rules")


def test_what_is_no_explanation_is_refused():
    with pytest.raises(BadParameter, match=r"got 'yes' \(str\) where an Explanation is expected"):
        summarize(["yes"])
