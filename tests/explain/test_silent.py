"""Values that could not speak in tables, and models of one class."""

import io
import re

import numpy as np
import pandas as pd
import pytest

from picrules import FPICClassifier, PersonalRuleClassifier, score_rule, summarize
from picrules.rules.text import format_name
from tests.cli.running import read_csv, run

ESTIMATORS = [FPICClassifier(max_length=1), PersonalRuleClassifier(cuts=4, max_length=1)]


def make_table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=80), "in b": rng.choice(list("xyz"), 80)})
    return X, np.where(X.a + (X["in b"] == "x") > 0.3, "yes", "no")


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_tables_name_the_values_that_could_not_speak(estimator, tmp_path):
    X, y = make_table()
    clf, new = estimator.fit(X, y), X[:5].copy()
    new.loc[1, "in b"] = "NEW"
    new.loc[[2, 3], "a"] = np.nan
    new.loc[3, "in b"] = None
    name = format_name("in b")
    expected = ["", name, "a", f"a and {name}", ""]
    explanations = clf.explain(new)
    assert explanations.to_frame()["silent"].tolist() == expected
    assert explanations.to_frame("polars")["silent"].to_list() == expected
    assert explanations[1:4].to_frame()["silent"].tolist() == expected[1:4]
    assert [each.to_row()["silent"] for each in explanations] == expected
    clf.save(tmp_path / "m.pic")
    new.to_csv(tmp_path / "new.csv", index=False)
    answers = read_csv(run("predict", tmp_path / "m.pic", tmp_path / "new.csv").stdout)
    assert [answer["silent"] for answer in answers] == expected


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_table_of_names_alone_has_an_empty_answer(estimator, tmp_path):
    X, y = make_table()
    estimator.fit(X, y).save(tmp_path / "m.pic")
    X[:0].to_csv(tmp_path / "none.csv", index=False)
    X[:0].to_parquet(tmp_path / "none.parquet")
    X.to_csv(tmp_path / "all.csv", index=False)
    full = run("predict", tmp_path / "m.pic", tmp_path / "all.csv").stdout
    for name in ("none.csv", "none.parquet"):
        answer = run("predict", tmp_path / "m.pic", tmp_path / name).stdout
        assert answer.splitlines() == full.splitlines()[:1]
        run("predict", tmp_path / "m.pic", tmp_path / name, "-o", tmp_path / "a.parquet")
        written = pd.read_parquet(tmp_path / "a.parquet")
        assert written.columns.tolist() == pd.read_csv(io.StringIO(full)).columns.tolist()
        assert len(written) == 0


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_of_one_class_nothing_is_known(estimator, tmp_path):
    X, y = make_table()
    clf = estimator.fit(X, ["only"] * len(y))
    explanations = clf.explain(X)
    assert "nothing is known" in str(explanations[0])
    assert "100%" not in str(explanations[0])
    assert "Precision" not in explanations[0]._repr_html_()
    assert "<span>100%</span>" not in explanations[0]._repr_html_()
    assert explanations[0].to_dict()["confidence"] is None
    assert explanations.to_frame()["confidence"].isna().all()
    clf.save(tmp_path / "m.pic")
    X.to_csv(tmp_path / "all.csv", index=False)
    answers = read_csv(run("predict", tmp_path / "m.pic", tmp_path / "all.csv").stdout)
    assert {answer["confidence"] for answer in answers} == {""}
    told = run("explain", tmp_path / "m.pic", tmp_path / "all.csv", "--row", 1).stdout
    assert "nothing is known" in told
    assert "100%" not in told


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_of_one_class_no_summary_has_a_share_of_right_rows(estimator, tmp_path):
    X, y = make_table()
    clf = estimator.fit(X, ["only"] * len(y))
    told = str(summarize(clf.explain(X)))
    assert "nothing is known" in told
    assert not re.search(r"not known +\d+(\.\d)?%", told)  # confidence and precision alike
    assert "nothing is known" in str(score_rule("if a > 0 then only", X, ["only"] * len(y)))
    compact = str(clf.compact_rules(X))
    assert "answers more than" not in compact
    clf.save(tmp_path / "m.pic")
    X.to_csv(tmp_path / "all.csv", index=False)
    files = (tmp_path / "m.pic", tmp_path / "all.csv")
    assert "nothing is known" in run("rules", *files).stdout
    assert "Accuracy" not in run("report", *files, "-o", tmp_path / "r.html").stdout
    assert "Score" not in run("info", tmp_path / "m.pic").stdout
    assert "how much less is not known" not in run("explain", *files, "--row", 1).stdout
