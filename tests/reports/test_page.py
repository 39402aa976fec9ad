import base64
import datetime as dt
import hashlib
import json
import os

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import picrules
from picrules import FPICClassifier, PersonalRuleClassifier
from picrules.errors import BadParameter, BadTarget
from picrules.estimators import rule_classifier
from picrules.explain import scored_rule
from picrules.reports.page import to_page, to_script_json
from tests.reports.parsing import HOSTILE, parse
from tests.reports.tables import people

OURS = {
    "html", "head", "meta", "title", "style", "body", "header", "h1", "p", "nav", "a",
    "noscript", "main", "div", "section", "h2", "dialog", "script",
}  # fmt: skip


def hostile_report(path):
    values = [HOSTILE[number % len(HOSTILE)] for number in range(40)]
    X = pd.DataFrame({HOSTILE[0]: values, HOSTILE[4]: values[::-1]}, dtype=object)
    y = np.array([HOSTILE[number % 4] for number in range(40)], object)
    return picrules.report(FPICClassifier().fit(X, y), X, y, path)


def test_what_comes_from_the_data_stays_data(tmp_path):
    content = hostile_report(tmp_path / "r.html")
    parsed = parse((tmp_path / "r.html").read_text("utf-8"))
    assert parsed.names == OURS
    assert len(parsed.scripts) == 3
    assert json.loads(parsed.scripts[0]) == json.loads(json.dumps(to_page(content)))
    assert "<" not in parsed.scripts[0] + parsed.scripts[2]
    assert HOSTILE[3] not in parsed.styles


def test_only_the_script_of_the_page_may_run_and_nothing_is_loaded(tmp_path):
    hostile_report(tmp_path / "r.html")
    parsed = parse((tmp_path / "r.html").read_text("utf-8"))
    policy = next(
        attributes["content"]
        for name, attributes in parsed.elements
        if name == "meta" and "http-equiv" in attributes
    )
    digest = base64.b64encode(hashlib.sha256(parsed.scripts[1].encode()).digest()).decode()
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; ")
    assert f"script-src 'sha256-{digest}';" in policy
    assert not {"src", "srcset", "action"} & parsed.attributes
    links = [attributes["href"] for name, attributes in parsed.elements if name == "a"]
    assert all(link.startswith("#") for link in links)
    assert "innerHTML" not in parsed.scripts[1]


@pytest.mark.parametrize("text", HOSTILE)
def test_json_in_a_script_reads_back(text):
    written = to_script_json({text: [text]})
    assert json.loads(written) == {text: [text]}
    assert not set(written) & set("<>&")
    assert written.isascii()


def test_the_same_report_has_the_same_bytes(tmp_path):
    X, y = people()
    fitted = FPICClassifier().fit(X, y)
    for name in ("a.html", "b.html"):
        picrules.report(fitted, X, y, tmp_path / name, about={"date": "2024-05-01"})
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["a.html", "b.html"]


@pytest.mark.slow
def test_a_table_like_the_mushrooms_makes_less_than_3_megabytes(tmp_path, rng):
    kinds = rng.integers(0, 6, (40, 22))
    X = kinds[rng.integers(0, 40, 8124)]
    X = np.where(rng.random(X.shape) < 0.2, rng.integers(0, 6, X.shape), X).astype(str)
    X = pd.DataFrame(X, columns=[f"feature number {number}" for number in range(22)])
    y = np.where(X.iloc[:, 3].to_numpy() > "2", "edible", "poisonous")
    fitted = FPICClassifier(max_length=2).fit(X, y)
    content = picrules.report(fitted, X, y, tmp_path / "r.html")
    assert len(content["cases"]["row"]) == 8124
    assert len(content["cases"]["nearest"][0]) == 5
    assert (tmp_path / "r.html").stat().st_size < 3_000_000


@pytest.mark.parametrize(
    "estimator", [FPICClassifier(), PersonalRuleClassifier(cuts=4, max_length=2)], ids=str
)
def test_the_table_is_read_once_and_no_p_value_is_computed(estimator, tmp_path, monkeypatch):
    """It was read three times, and thousands of p-values were computed that no page shows."""
    X, y = people()
    fitted = estimator.fit(X, y)
    reads, p_values = [], []
    read_columns, p_value = rule_classifier.read_columns, scored_rule.fisher_p_value
    monkeypatch.setattr(
        rule_classifier, "read_columns", lambda X: reads.append(len(X)) or read_columns(X)
    )
    monkeypatch.setattr(
        scored_rule, "fisher_p_value", lambda *args: p_values.append(args) or p_value(*args)
    )
    picrules.report(fitted, X, y, tmp_path / "r.html")
    assert reads == [len(X)]
    assert p_values == []


def test_a_page_holds_what_it_draws_and_numbers_stay(tmp_path):
    X, y = people()
    content = picrules.report(PersonalRuleClassifier(max_length=2).fit(X, y), X, y, tmp_path / "r")
    page = to_page(content)
    n_used = len(page["rules"])
    assert page["rules"] == content["rules"][:n_used]
    assert {rule["rows"] for rule in content["rules"][n_used:]} <= {0}
    assert max(page["cases"]["rule"]) < n_used
    assert set(page["cases"]) == {"row", "rule", "class", "confidence", "flags"}


def test_a_report_says_what_it_is_about(tmp_path):
    X, y = people()
    fitted = FPICClassifier(max_length=1).fit(X, y)
    told = picrules.report(fitted, X, pd.Series(y, name="known"), tmp_path / "r")["about"]
    assert (told["model"], told["target"], told["data"]) == ("FPICClassifier", "known", None)
    assert dt.date.fromisoformat(told["date"])
    named = {"model": "m.pic", "target": "k", "data": "d.csv", "date": "1 May"}
    assert picrules.report(fitted, X, y, tmp_path / "r", about=named)["about"] == named
    for wrong in ("m.pic", {"name": "m.pic"}, {"model": 7}):
        with pytest.raises(BadParameter, match=r"about .*; a dict of texts with the keys model, "):
            picrules.report(fitted, X, y, tmp_path / "r", about=wrong)


def test_rows_are_counted_from_where_they_are_told_to(tmp_path):
    X, y = people()
    content = picrules.report(FPICClassifier().fit(X, y), X, path=tmp_path / "r", first_row=1)
    assert content["first_row"] == 1
    assert content["cases"]["class"] is None


def test_whole_numbers_of_numpy_are_accepted(tmp_path):
    X, y = people()
    numbers = {"max_cases": np.int64(5), "first_row": np.int32(1)}
    content = picrules.report(FPICClassifier().fit(X, y), X, y, tmp_path / "r", **numbers)
    assert len(content["cases"]["row"]) == 5
    assert type(content["first_row"]) is int


def test_what_cannot_be_is_told_in_a_sentence(tmp_path):
    X, y = people()
    fitted = FPICClassifier().fit(X, y)
    path = tmp_path / "r.html"
    with pytest.raises(BadParameter, match="which is a folder; a file in it is accepted"):
        picrules.report(fitted, X, y, tmp_path)
    with pytest.raises(BadParameter, match="there is no folder"):
        picrules.report(fitted, X, y, tmp_path / "nowhere" / "r.html")
    with pytest.raises(BadTarget, match="X has 120 rows and y has 119"):
        picrules.report(fitted, X, y[:-1], path)
    with pytest.raises(ValueError, match="feature names should match"):
        picrules.report(fitted, X.rename(columns={"age": "years"}), y, path)
    with pytest.raises(BadParameter, match="max_cases is 0; a whole number from 1 to"):
        picrules.report(fitted, X, y, path, max_cases=0)
    with pytest.raises(BadParameter, match="first_row is True"):
        picrules.report(fitted, X, y, path, first_row=True)
    for wrong in (None, DecisionTreeClassifier(), FPICClassifier):
        with pytest.raises(BadParameter, match=r"clf is .*; a fitted estimator of this library"):
            picrules.report(wrong, X, y, path)
    for wrong in (None, 7, b"r.html"):
        with pytest.raises(BadParameter, match=r"path is .*; a str or a path is accepted"):
            picrules.report(fitted, X, y, wrong)
    for forgotten in (str(path), path):
        with pytest.raises(BadParameter, match=r"y is '.*r\.html'; .*report\(clf, X, None, path\)"):
            picrules.report(fitted, X, forgotten)
    assert os.listdir(tmp_path) == []
