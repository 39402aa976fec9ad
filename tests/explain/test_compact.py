"""Compact rule lists, against lists tried one by one, and against databases."""

import sqlite3
from itertools import permutations
from math import e

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier, summarize
from picrules.errors import BadParameter, BadTable
from picrules.explain.compact import Answers
from tests.explain.together import MODELS, ask_new, hints, name_of, new_rows

ESTIMATORS = [
    PICClassifier(alpha=0.6),
    FPICClassifier(max_length=3, bins=3),
    PersonalRuleClassifier(cuts=4, max_length=2, alpha=0.5, smoothing=1.0),
]


def answer(chosen, default, answers):
    """What a list says about each row, rule by rule and row by row."""
    said = []
    for row in range(answers.covers.shape[1]):
        covering = [rule for rule in chosen if answers.covers[rule, row]]
        said.append(answers.labels[covering[0]] if covering else default)
    return np.array(said)


def best_of_all(answers, max_rules):
    """The most rows that any list of at most so many rules answers alike."""
    rules = range(len(answers.labels))
    lists = [made for count in range(max_rules + 1) for made in permutations(rules, count)]
    return max(
        answers.counts[answer(made, default, answers) == answers.predicted].sum()
        for made in lists
        for default in np.unique(answers.predicted)
    )


def random_answers(rng, *, is_pure):
    n_rules, n_rows = 5, 30
    labels, predicted = rng.integers(0, 3, n_rules), rng.integers(0, 3, n_rows)
    covers = rng.random((n_rules, n_rows)) < rng.choice([0.2, 0.5])
    if is_pure:
        covers &= predicted == labels[:, np.newaxis]
    return Answers(covers, labels, predicted, rng.integers(1, 9, n_rows))


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("max_rules", [1, 2, 3])
def test_lists_keep_what_is_promised(seed, max_rules):
    """No list is better than the bound, and none that is made is worse than its beginning."""
    answers = random_answers(np.random.default_rng(seed), is_pure=False)
    best, reached = best_of_all(answers, max_rules), []
    assert answers.bound(max_rules) >= best
    for default in np.unique(answers.predicted).tolist():
        chosen = answers.choose(max_rules, default)
        improved = answers.improve(chosen, default)
        made = answers.prune(improved, default)
        assert len(set(made)) == len(made) <= max_rules
        counts = [answers.count_alike(each, default) for each in ([], chosen, improved, made)]
        assert counts == sorted(counts)
        said = answer(made, default, answers)
        assert counts[-1] == answers.counts[said == answers.predicted].sum()
        np.testing.assert_array_equal(answers.answer(made, default)[1], said)
        reached.append(counts[-1])
    if max_rules == 1:
        assert max(reached) == best


@pytest.mark.parametrize("seed", range(25))
def test_rules_that_contradict_no_prediction_come_near_the_best(seed):
    """Then rows answered alike are a cover, and taking the largest gain has the usual bound."""
    answers = random_answers(np.random.default_rng(seed), is_pure=True)
    for max_rules in (2, 3):
        defaults = np.unique(answers.predicted).tolist()
        reached = max(
            answers.count_alike(answers.choose(max_rules, each), each) for each in defaults
        )
        assert reached >= (1 - 1 / e) * best_of_all(answers, max_rules)


def fitted(estimator):
    X, y = hints(150)
    return clone(estimator).fit(X, y), new_rows(hints, 80), X, y


@pytest.mark.parametrize("make", [*MODELS, *ESTIMATORS], ids=name_of)
def test_numbers_are_those_of_the_predictions(make):
    clf, new, X, y = ask_new(make) if callable(make) else fitted(make)
    asked, known = pd.concat([new, X[:60]], ignore_index=True), [*y[: len(new)], *y[:60]]
    compact = clf.compact_rules(asked, known, max_rules=4)
    used = summarize(clf.explain(asked))
    predicted, said = clf.predict(asked), compact.predict(asked)
    assert len(compact.rules) <= 5
    assert {line.rule for line in compact.rules[:-1]} <= {use.rule for use in used.uses}
    assert compact.n_in_use == sum(use.rule.length > 0 for use in used.uses)
    assert compact.share_alike == np.mean(said == predicted)
    assert compact.accuracy == (np.mean(predicted == known), np.mean(said == known))
    assert compact.n_alike <= compact.most_alike <= len(asked)
    first = np.full(len(asked), len(compact.rules) - 1)
    for line, each in reversed(list(enumerate(compact.rules[:-1]))):
        first[clf.cover(each.rule, asked)] = line
    for line, each in enumerate(compact.rules):
        own = first == line
        assert each.n_rows == own.sum()
        assert each.n_alike == (said == predicted)[own].sum()
        assert each.n_right == (said == known)[own].sum()
    more = clf.compact_rules(asked, max_rules=1000)
    assert more.n_alike >= compact.n_alike
    assert more.accuracy is None


def test_databases_answer_as_the_list():
    clf, new, X, _ = fitted(ESTIMATORS[2])
    table = pd.concat([new, X], ignore_index=True).astype({"town": object})
    compact = clf.compact_rules(table, max_rules=6)
    assert len(compact.rules) > 3
    expected = compact.predict(table).tolist()
    query = f"SELECT {compact.to_sql()} FROM rows_of ORDER BY number"
    table["number"] = range(len(table))
    light = sqlite3.connect(":memory:")
    table.to_sql("rows_of", light, index=False)
    assert [row[0] for row in light.execute(query)] == expected
    light.close()
    duck = duckdb.connect()
    duck.register("rows_of", table)
    assert [row[0] for row in duck.execute(query).fetchall()] == expected


def test_text_names_what_is_kept_and_lost():
    X = pd.DataFrame({"a": list("uuuvvw") * 5, "b": list("xyxxyy") * 5})
    y = list("nynyyn") * 5
    clf = FPICClassifier(max_length=2, alpha=1).fit(X, y)
    compact = clf.compact_rules(X, y, max_rules=1)
    assert str(compact).splitlines() == [
        "1 of 4 rules, and a class for the rest, answer 83.3% of 30 rows as the model does.",
        "No list of at most 1 of them answers more than 83.3%.",
        "Accuracy 83.3% instead of 100%.",
        "   rows   alike  rule",
        "     10    100%  if a = v then y",
        "     20   75.0%  else n",
    ]
    assert compact.default == "n"
    assert compact.to_dict()["rules"][0] == {
        "rule": "if a = v then y", "prediction": "y", "rows": 10, "alike": 10, "right": 10,
    }  # fmt: skip
    assert compact.to_frame("polars")["rows"].to_list() == [10, 20]
    assert "a = v" in compact._repr_html_()


def test_a_model_without_rules_has_a_class_for_all_rows():
    X = pd.DataFrame({"a": [1.0] * 6})
    compact = FPICClassifier().fit(X, list("uuuuvv")).compact_rules(X.assign(a=np.nan))
    assert [str(line.rule) for line in compact.rules] == ["no rule; the most frequent class is u"]
    assert (compact.share_alike, compact.most_alike, compact.n_in_use) == (1.0, 6, 0)


def test_list_reads_columns_by_name_and_refuses_others():
    clf, new, *_ = fitted(ESTIMATORS[1])
    compact = clf.compact_rules(new)
    turned = new[new.columns[::-1]].assign(more=1)
    np.testing.assert_array_equal(compact.predict(turned), compact.predict(new))
    with pytest.raises(BadTable, match="X has 4 of the columns of training"):
        compact.predict(new.drop(columns="a"))
    with pytest.raises(BadParameter, match="max_rules is 0"):
        clf.compact_rules(new, max_rules=0)
