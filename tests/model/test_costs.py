"""Costs of errors, against every class tried for every row."""

import json
import pickle
import zipfile

import jsonschema
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from picrules import FPICClassifier, PersonalRuleClassifier, load, report
from picrules.errors import BadModelFile, BadParameter
from picrules.model.costs import find_cheapest
from tests.cli.running import fit, rows, run, write_csv
from tests.explain.test_details import SCHEMA
from tests.explain.together import by_look_alikes, by_short_scorecard, hints, new_rows

COSTS = {"ash": {"beech": 9, "cedar": 2}, "cedar": {"ash": 0.5}}


def short_rules():
    X, y = hints(150)
    return PersonalRuleClassifier(cuts=4, max_length=2, smoothing=1).fit(X, y), X, y


def with_costs(make):
    """A model of its own, rows it never saw, and its costs as rows and columns."""
    clf, X, _ = make()
    clf = pickle.loads(pickle.dumps(clf))
    names = clf.classes_.tolist()
    costs = COSTS if "ash" in names else {"even": {"odd": 3}}
    matrix = np.array([
        [costs.get(true, {}).get(each, float(true != each)) for each in names] for true in names
    ])  # fmt: skip
    return clf, X, costs, matrix


@pytest.mark.parametrize("make", [short_rules, by_look_alikes, by_short_scorecard])
def test_the_class_is_predicted_that_costs_least(make):
    clf, X, costs, matrix = with_costs(make)
    asked = pd.concat([new_rows(hints), X]) if "ash" in clf.classes_ else X
    before, probabilities = clf.predict(asked), clf.predict_proba(asked)
    clf.set_params(cost_matrix=costs)
    after = clf.predict(asked)
    np.testing.assert_array_equal(clf.predict_proba(asked), probabilities)
    for row, (own, found) in enumerate(zip(probabilities, after, strict=True)):
        expected = [
            sum(own[true] * matrix[true, each] for true in range(len(own)))
            for each in range(len(own))
        ]
        assert expected[clf.classes_.tolist().index(found)] <= min(expected) + 1e-9
        assert found == before[row] or expected[clf.classes_.tolist().index(before[row])] > min(
            expected
        )
    assert (after != before).any()
    assert [one.prediction for one in clf.explain(asked)] == after.tolist()
    clf.set_params(cost_matrix=matrix, n_jobs=2)
    np.testing.assert_array_equal(clf.predict(asked), after)
    clf.set_params(cost_matrix=None)
    np.testing.assert_array_equal(clf.predict(asked), before)


@pytest.mark.parametrize("make", [short_rules, by_look_alikes, by_short_scorecard])
def test_explanations_say_that_costs_decided(make):
    clf, X, costs, matrix = with_costs(make)
    before, probabilities = clf.predict(X), clf.predict_proba(X)
    explanations = clf.set_params(cost_matrix=costs).explain(X)
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    n_told = 0
    for row, explanation in enumerate(explanations):
        told = explanation.by_cost
        assert (told is None) == (explanation.prediction == before[row])
        if told is None:
            continue
        n_told += 1
        own, other = (
            clf.classes_.tolist().index(each) for each in (explanation.prediction, before[row])
        )
        assert told.instead == before[row]
        assert told.probability == pytest.approx(probabilities[row, other])
        assert told.cost == pytest.approx(probabilities[row] @ matrix[:, own])
        assert told.cost_instead == pytest.approx(probabilities[row] @ matrix[:, other])
        assert explanation.overruled is None
        assert f"Costs decided: {told.instead} is likelier" in str(explanation)
        assert "Costs decided" in explanation._repr_html_()
        validator.validate(json.loads(explanation.to_json()))
        assert pickle.loads(pickle.dumps(explanation)).by_cost == told
    assert n_told > 0


def test_left_out_rows_and_importances_go_by_costs():
    clf, _, costs, matrix = with_costs(short_rules)
    shares = clf.leave_one_out().probabilities
    plain = clf.importances(max_rows=50)
    clf.set_params(cost_matrix=costs)
    left_out = clf.leave_one_out()
    expected = shares @ matrix
    chosen = left_out.labels
    assert (expected[np.arange(len(chosen)), chosen] <= expected.min(axis=1) + 1e-9).all()
    assert clf.importances(max_rows=50).accuracy != plain.accuracy


def test_files_keep_costs(tmp_path):
    clf, X, costs, matrix = with_costs(short_rules)
    for number, given in enumerate((costs, matrix.tolist(), matrix)):
        clf.set_params(cost_matrix=given).save(tmp_path / f"{number}.pic")
        again = load(tmp_path / f"{number}.pic")
        np.testing.assert_array_equal(again.predict(X), clf.predict(X))
        with zipfile.ZipFile(tmp_path / f"{number}.pic") as file:
            assert json.loads(file.read("model.json"))["format"] == 4
    clf.set_params(cost_matrix=[[1, 2]])
    with pytest.raises(BadModelFile, match="cost_matrix"):
        clf.save(tmp_path / "wrong.pic")
    report(again, X, None, tmp_path / "report.html")


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ("high", "cost_matrix is 'high'; a dict such as"),
        (
            [[0, 1], [1, 0]],
            r"3 rows of 3 numbers from -1e\+09 to 1e\+09, one row per true class, is accepted",
        ),
        (np.full((3, 3), np.nan), "one row per true class, is accepted"),
        ({"oak": {"ash": 1}}, "cost_matrix names the class 'oak'; the classes are 'ash', 'beech'"),
        ({"ash": {"oak": 1}}, "cost_matrix names the class 'oak'"),
        ({"ash": 3}, r"cost_matrix\['ash'\] is 3; a dict from predicted class to cost is"),
        ({"ash": {"beech": "much"}}, r"cost_matrix\['ash'\]\['beech'\] is 'much'; a number from"),
    ],
)
def test_costs_that_are_none_are_refused(costs, said):
    X, y = hints(60)
    with pytest.raises(BadParameter, match=said):
        PersonalRuleClassifier(cuts=4, max_length=1, cost_matrix=costs).fit(X, y)


def test_ties_keep_what_is_predicted_without_costs():
    shares = np.array([[0.5, 0.5, 0.0], [0.2, 0.4, 0.4]])
    costs = 1.0 - np.eye(3)
    sizes = np.array([5, 1, 9])
    assert find_cheapest(shares, costs, np.array([1, 1]), sizes).tolist() == [1, 1]
    assert find_cheapest(shares, costs, np.array([2, 0]), sizes).tolist() == [0, 2]
    assert find_cheapest(shares, costs * 0, np.array([2, 0]), sizes).tolist() == [2, 0]


def test_command_reads_costs_from_json(tmp_path):
    (tmp_path / "costs.json").write_text('{"yes": {"no": 50}}')
    model = fit(tmp_path, "--costs", tmp_path / "costs.json")
    clf = load(model)
    assert clf.cost_matrix == {"yes": {"no": 50}}
    new = write_csv(tmp_path / "new.csv", rows(40))
    found = json.loads(run("explain", model, new, "--row", 1, "--json").stdout)
    assert "by_cost" in found
    texts = [run("explain", model, new, "--row", row).stdout for row in range(1, 41)]
    told = [
        json.loads(run("explain", model, new, "--row", row, "--json").stdout)
        for row in range(1, 41)
    ]
    assert [one["by_cost"] is not None for one in told] == [
        "Costs decided" in text for text in texts
    ]
    (tmp_path / "wrong.json").write_text("[1]")
    data, out = write_csv(tmp_path / "d.csv"), tmp_path / "m.pic"
    for path, said in (("wrong.json", "which holds"), ("none.json", "cannot be read")):
        words = ("fit", data, "-o", out, "-t", "class", "--costs", tmp_path / path)
        assert said in run(*words, code=2).stderr
    words = ("fit", data, "-o", out, "-t", "class", "--estimator", "pic")
    assert "accepted with 'personal'" in run(*words, "--costs", "x.json", code=2).stderr


def test_other_estimators_have_no_costs():
    assert "cost_matrix" not in FPICClassifier().get_params()
    assert clone(PersonalRuleClassifier(cost_matrix=COSTS)).cost_matrix == COSTS
