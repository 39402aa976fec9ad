"""Commands on models in which look-alikes or several rules decide."""

import json

import numpy as np
import pyarrow as pa
import pytest

from picrules import PersonalRuleClassifier
from picrules.cli.folds import _evaluate
from picrules.rules.text import format_share
from tests.cli.running import fit, read_csv, run
from tests.explain import together
from tests.explain.together import MODELS, ask_new
from tests.reports.parsing import cards_of


@pytest.fixture(params=MODELS, ids=lambda make: make.__name__)
def known(request, tmp_path):
    """A fitted estimator, its file, new rows, and these as a file."""
    clf, new, _, _ = ask_new(request.param)
    model, data = tmp_path / "model.pic", tmp_path / "new.csv"
    clf.save(model)
    new.to_csv(data, index=False)
    return clf, model, new, data


def test_predict_gives_what_is_explained(known):
    clf, model, new, data = known
    answers = read_csv(run("predict", model, data).stdout)
    explanations = clf.explain(new)
    assert [answer["prediction"] for answer in answers] == clf.predict(new).tolist()
    assert [answer["rule"] for answer in answers] == [str(each.rule) for each in explanations]
    assert [float(answer["confidence"]) for answer in answers] == pytest.approx(
        [each.confidence for each in explanations]
    )


def test_explain_shows_what_decides(known):
    clf, model, new, data = known
    for row in (1, 4, 15, 16):
        text = run("explain", model, data, "--row", row).stdout
        explanation = clf.explain(new)[row - 1]
        content = json.loads(run("explain", model, data, "--row", row, "--json").stdout)
        for name in ("scorecard", "alike", "rule", "score"):
            assert content[name] == explanation.to_dict()[name]
        assert explanation.tell_alike() in text
        assert ("rules decide together" in text) == (explanation.scorecard is not None)
        if explanation.scorecard is not None:
            assert str(explanation.scorecard) in text
        is_searched = explanation.rule.length > 0 and explanation.alike is None
        assert ("rules looked at" in text) == is_searched
        is_default = explanation.rule.length == 0 and explanation.n_rules == 1
        assert ("gets the most frequent class" in text) == (
            is_default and explanation.alike is None
        )


def test_rules_and_reports_count_all_rows(known, tmp_path):
    clf, model, new, data = known
    content = json.loads(run("rules", model, data, "--json").stdout)
    assert sum(rule["rows"] for rule in content["rules"]) == len(new)
    totals = json.loads(run("report", model, data, "-o", tmp_path / "r.html", "--json").stdout)
    assert totals["rows"] == len(new)
    cards = cards_of((tmp_path / "r.html").read_text())
    assert any("rules decide together" in card for card in cards) == (clf.tuning_.n_rules > 1)


def test_info_says_what_decides(known):
    clf, model, _, _ = known
    text = run("info", model).stdout
    content = json.loads(run("info", model, "--json").stdout)
    members = clf._model.members
    told = [name == "look-alikes" for name in content["decided_by"]]
    assert told == [member.search.alike is not None for member in members]
    line = next(line for line in text.splitlines() if line.startswith("Decides"))
    if len(members) == 1:
        assert line == "Decides     one rule per row, made from its look-alikes"
    else:
        assert f"{len(members)} rules together: " in line
        for member in members:
            features = member.search.features or ()
            assert all(clf.feature_names_in_[feature] in line for feature in features)
    assert f"{clf.tuning_.by_rules[len(members)]:.4f} by leave-one-out" in text
    # What was tuned for short rules is not what look-alikes use.
    assert ("In use" in text) == (content["decided_by"] != ["look-alikes"])


def test_options_of_fit_become_parameters(tmp_path, monkeypatch):
    seen = []
    fitted = PersonalRuleClassifier.fit

    def watch(self, X, y):
        seen.append((self.n_rules, self.look_alikes))
        return fitted(self, X, y)

    monkeypatch.setattr(PersonalRuleClassifier, "fit", watch)
    for words in ([], ["--n-rules", "2", "--no-look-alikes"], ["--n-rules", "auto"]):
        fit(tmp_path, "--max-length", "2", *words)
    fit(tmp_path, "--look-alikes")
    assert seen == [(1, "auto"), (2, False), ("auto", "auto"), (1, True)]


def test_fit_says_what_decides_and_how_good_it_is(tmp_path):
    X, y = together.rings()
    data = tmp_path / "known.csv"
    X.assign(ring=y).to_csv(data, index=False)
    words = ["fit", data, "-t", "ring", "-o", tmp_path / "m.pic", "--jobs", "1"]
    clf = PersonalRuleClassifier(look_alikes=True, cuts=8).fit(X, y)
    text = run(*words, "--look-alikes", "--bins", "8").stdout
    assert "Decides   one rule per row, made from its look-alikes" in text
    told = f"Accuracy  {format_share(clf.tuning_.accuracy)} by mean confidence of left-out rows"
    assert told in text
    text = run(*words, "--no-look-alikes", "--max-length", "2").stdout
    assert "Decides" not in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--n-rules", "0"], "--n-rules is '0'; a whole number from 1, or auto, is accepted"),
        (["--n-rules", "few"], "--n-rules is 'few'; a whole number from 1, or auto"),
        (["--n-rules", "2", "--estimator", "pic"], "--n-rules is given with the estimator 'pic'"),
        (["--no-look-alikes", "--estimator", "fpic"], "it is accepted with 'personal'"),
    ],
)
def test_misuse_is_told(words, said, tmp_path):
    data = tmp_path / "known.csv"
    data.write_text("a,b\n1,x\n2,y\n")
    result = run("fit", data, "-t", "b", "-o", tmp_path / "m.pic", *words, code=2)
    assert said in " ".join(result.stderr.replace("│", " ").split())


def test_evaluate_takes_the_same_options(tmp_path):
    X, y = together.rings(120)
    data = tmp_path / "known.csv"
    X.assign(ring=y).to_csv(data, index=False)
    words = ["--n-rules", "2", "--folds", "2", "--jobs", "1", "--json"]
    content = json.loads(run("evaluate", data, "-t", "ring", *words).stdout)
    assert content["models"]["personal"]["accuracy"] > 0.4


def test_evaluate_counts_the_conditions_of_all_lines():
    X, y = together.hints()
    clf = PersonalRuleClassifier(n_rules=3)
    train, test = np.arange(200), np.arange(200, len(X))
    table = pa.Table.from_pandas(X, preserve_index=False)
    figures = _evaluate(clf, table, y, train, test)
    fitted = PersonalRuleClassifier(n_rules=3).fit(table.take(train), y[train])
    read = [
        sum(len(line.rule.rule.conditions) for line in each.scorecard.lines if line.rule)
        for each in fitted.explain(table.take(test))
    ]
    assert figures["rule_length"] == pytest.approx(np.mean(read))
    assert figures["rule_length"] > 3
