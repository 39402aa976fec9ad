import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.proportion import proportion_confint

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier
from picrules.errors import BadTarget
from picrules.explain.explanation import NEAREST_SHOWN
from picrules.reports import cases, content
from picrules.reports.asked import ask
from picrules.reports.cases import FLAGS
from picrules.reports.content import collect
from picrules.rules.text import format_value
from tests.reports.tables import doubtful, people

ESTIMATORS = [
    PICClassifier(),
    FPICClassifier(max_length=2),
    PersonalRuleClassifier(max_length=2, cuts=8, smoothing=1),
]


@pytest.fixture(scope="module", params=ESTIMATORS, ids=str)
def asked(request):
    X, y = people()
    fitted = request.param.fit(X, y)
    new, known = people(80, seed=5)
    new = doubtful(new)
    return fitted, new, known, collect(ask(fitted, new, known), 10_000, 0)


def text_of(report, number):
    rule = report["rules"][number]
    reason = " and ".join(report["conditions"][index]["text"] for index in rule["conditions"])
    name = report["classes"][rule["class"]]["name"]
    return f"if {reason} then {name}" if reason else f"no rule; the most frequent class is {name}"


def test_cases_are_the_explanations(asked):
    fitted, X, _, report = asked
    listed = report["cases"]
    assert listed["row"] == list(range(80))
    for case, explanation in enumerate(fitted.explain(X)):
        rule = report["rules"][listed["rule"][case]]
        assert text_of(report, listed["rule"][case]) == str(explanation.rule)
        assert rule["precision"] == explanation.precision
        assert rule["interval"] == pytest.approx(explanation.interval, abs=1e-5)
        assert rule["recall"] == explanation.recall
        assert (rule["hits"], rule["cover_size"]) == (explanation.hits, explanation.cover_size)
        assert dict(rule["counts"]) == {
            label: count for label, count in enumerate(explanation.class_counts.values()) if count
        }
        assert [text_of(report, number) for number in listed["contrast"][case]] == [
            str(other.rule) for other in explanation.contrast[: cases.N_OTHERS]
        ]


def test_nearest_rows_are_the_evidence(asked):
    fitted, X, _, report = asked
    classes = fitted.classes_.tolist()
    for told, explanation in zip(report["cases"]["nearest"], fitted.explain(X), strict=True):
        expected = explanation.evidence.to_dicts(NEAREST_SHOWN)
        assert [entry[0] for entry in told] == [entry["row"] for entry in expected]
        assert [classes[entry[1]] for entry in told] == [entry["class"] for entry in expected]
        assert [entry[2] for entry in told] == [round(e["distance"], 3) for e in expected]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_no_training_row_is_near_to_itself(estimator):
    X, y = people()
    X, y = pd.concat([X, X[:1], X[:1]]), np.append(y, [y[0], y[0]])  # rows at distance 0
    fitted = estimator.fit(X, y)
    told = collect(ask(fitted, X, None), 10_000, 0)["cases"]["nearest"]
    for row, (near, explanation) in enumerate(zip(told, fitted.explain(X), strict=True)):
        rows = [one for one in explanation.evidence.rows.tolist() if one != row]
        assert [entry[0] for entry in near] == rows[:NEAREST_SHOWN]
    assert {120, 121} <= {entry[0] for entry in told[0]}
    part = collect(ask(fitted, X[:50], None), 10_000, 0)["cases"]["nearest"]
    assert part[0][0][2] == 0


def test_confidences_are_the_probabilities(asked):
    fitted, X, _, report = asked
    if not isinstance(fitted, PersonalRuleClassifier):  # a smoothed precision is no confidence
        assert report["cases"]["confidence"] is None
        assert {rule["confidence"] for rule in report["rules"]} == {None}
        return
    highest = fitted.predict_proba(X).max(axis=1)
    assert report["cases"]["confidence"] == highest.tolist()
    which = np.array(report["cases"]["rule"])
    for number, rule in enumerate(report["rules"]):
        own = highest[which == number]
        assert (rule["confidence"] is None) == (len(own) == 0)
        assert rule["confidence"] == (pytest.approx(own.mean()) if len(own) else None)


def test_rules_are_counted_over_all_rows_whatever_is_listed(asked):
    fitted, X, known, report = asked
    few = collect(ask(fitted, X, known), 7, 0)
    assert len(few["cases"]["row"]) == 7
    for whole in (report, few):
        used = [rule["rows"] for rule in whole["rules"] if rule["rows"]]
        assert sum(used) == 80
        assert used == sorted(used, reverse=True)
    for name in ("rows", "model", "classes", "columns", "performance", "warnings", "mean_length"):
        assert few[name] == report[name]
    lengths = [explanation.rule.length for explanation in fitted.explain(X)]
    assert report["mean_length"] == pytest.approx(np.mean(lengths))


def test_rules_tell_how_many_of_their_rows_are_right(asked):
    fitted, X, known, report = asked
    told = {text_of(report, number): rule for number, rule in enumerate(report["rules"])}
    frame = pd.DataFrame({"rule": [str(one.rule) for one in fitted.explain(X)], "known": known})
    frame["is_right"] = fitted.predict(X) == known
    for text, rows in frame.groupby("rule"):
        right = told.pop(text)["right"]
        assert right["rows"] == rows["is_right"].sum()
        lower, upper = proportion_confint(right["rows"], len(rows), alpha=0.05, method="wilson")
        assert right["interval"] == pytest.approx([lower, upper], abs=1e-5)
    assert {rule["right"] for rule in told.values()} <= {None}  # those that decide no row
    unknown = collect(ask(fitted, X), 7, 0)
    assert {rule["right"] for rule in unknown["rules"]} == {None}


def test_doubtful_rows_are_flagged_and_listed_first(asked):
    fitted, X, known, report = asked
    predicted = fitted.predict(X)
    flags = np.array(report["cases"]["flags"])
    has = {flag: (flags >> bit & 1).astype(bool) for bit, flag in enumerate(FLAGS)}
    assert has["wrong prediction"].tolist() == (predicted != known).tolist()
    explanations = list(fitted.explain(X))
    assert has["no rule"].tolist() == [one.rule.length == 0 for one in explanations]
    assert has["no rule"][2]
    assert np.flatnonzero(has["value never seen in training"]).tolist() == [1]
    overruled = [one.overruled is not None for one in explanations]
    assert has["another class scores higher"].tolist() == overruled
    assert {entry["flag"]: entry["rows"] for entry in report["warnings"]["rows"]} == {
        flag: int(claims.sum()) for flag, claims in has.items()
    }
    assert report["warnings"]["unseen"] == [
        {"column": "colour", "rows": 1, "values": ["ultraviolet"]}
    ]
    n_doubtful = int((flags > 0).sum())
    first = collect(ask(fitted, X, known), n_doubtful, 0)["cases"]["row"]
    assert first == np.flatnonzero(flags > 0).tolist()


def test_weak_rules_say_why():
    X = [["a"]] * 4 + [["b"]] * 60 + [["c"]] * 60
    y = ["no"] * 4 + ["no", "yes"] * 60
    report = collect(ask(FPICClassifier().fit(X, y), X, y), 10_000, 0)
    reasons = {text_of(report, number): rule["weak"] for number, rule in enumerate(report["rules"])}
    assert reasons["if x0 = a then no"] == "It rests on 4 training rows."
    assert "could be chance: the share of its class is" in " ".join(reasons.values())
    flagged = next(e["rows"] for e in report["warnings"]["rows"] if e["flag"] == "weak rule")
    assert flagged == sum(rule["rows"] for rule in report["rules"] if rule["weak"])


def test_cells_are_those_of_the_table(asked):
    _, X, _, report = asked
    for name, cells in zip(X.columns, report["cases"]["cells"], strict=True):
        for row, cell in enumerate(X[name]):
            told = (
                cells["numbers"][row]
                if "numbers" in cells
                else [*cells["texts"], None][cells["codes"][row]]
            )
            if pd.isna(cell):
                assert told is None
            elif isinstance(cell, pd.Timestamp):
                assert told == str(cell.date())
            else:
                assert told == (format_value(cell) if isinstance(cell, str) else cell)
    missing = [column["missing"] for column in report["columns"]]
    assert missing == X.isna().sum().tolist()


def test_wide_tables_keep_the_columns_that_rules_speak_of(monkeypatch, rng):
    monkeypatch.setattr(content, "MAX_CELLS", 200)
    X = pd.DataFrame(rng.integers(0, 5, (100, 6)), columns=list("abcdef"))
    y = X["f"] > 2
    report = collect(ask(FPICClassifier(max_length=1).fit(X, y), X, None), 10_000, 0)
    kept = [cells is not None for cells in report["cases"]["cells"]]
    assert kept[5]
    assert sum(kept) == 2


def test_large_numbers_are_texts():
    """A browser would round them."""
    X = np.array([[2**60 + 1], [2**60 + 3]], object)
    report = collect(ask(FPICClassifier().fit(X, [0, 1]), X, None), 10, 0)
    assert report["cases"]["cells"][0]["texts"] == [str(2**60 + 1), str(2**60 + 3)]


def test_nearest_rows_are_left_out_where_they_take_too_long(monkeypatch):
    monkeypatch.setattr(cases, "MAX_COMPARED", 10)
    X, y = people()
    report = collect(ask(FPICClassifier(max_length=1).fit(X, y), X, y), 10_000, 0)
    assert report["cases"]["nearest"] is None


def test_classes_that_training_never_saw_are_wrong_and_told():
    X, y = people()
    fitted = FPICClassifier(max_length=1).fit(X, y)
    y = y.copy()
    y[0] = "new"
    report = collect(ask(fitted, X, y), 10_000, 0)
    assert report["classes"][-1] == {"name": "new", "rows": 0}
    assert report["cases"]["flags"][0] & 1
    assert report["warnings"]["unknown_class"] == 1
    assert collect(ask(fitted, X, None), 10, 0)["warnings"]["unknown_class"] == 0
    judged = report["performance"][0]
    assert judged["n_right"] == (fitted.predict(X) == y).sum()


def test_classes_of_another_spelling_are_refused():
    X, y = people()
    fitted = FPICClassifier(max_length=1).fit(X, y)
    spelled = [str(one).upper() for one in y]
    said = "y holds the classes 'MAYBE', 'NO', 'YES', none of which .* 'maybe', 'no', 'yes'"
    with pytest.raises(BadTarget, match=said):
        ask(fitted, X, spelled)
    numbered = FPICClassifier(max_length=1).fit(X, np.arange(120) % 15)
    with pytest.raises(BadTarget, match=r"'yes', none of .* 8, 9, \.\.\.$"):
        ask(numbered, X, y)


def test_performance_says_what_it_was_measured_on():
    X, y = people()
    fitted = PersonalRuleClassifier(max_length=1, cuts=8).fit(X, y)
    alone = collect(ask(fitted, X, None), 10, 0)["performance"]
    assert [judged["by"] for judged in alone] == ["leave-one-out"]
    left_out = [one.prediction for one in fitted.leave_one_out()]
    assert alone[0]["accuracy"] == pytest.approx(np.mean(np.array(left_out, object) == y))
    both = collect(ask(fitted, X, y), 10, 0)["performance"]
    assert both[0] == alone[0]
    assert both[1]["is_training"]
    paper = FPICClassifier(max_length=1).fit(X, y)
    assert collect(ask(paper, X, None), 10, 0)["performance"] == []


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_training_rows_are_known_in_any_order(estimator, rng):
    """Counted one by one, each training row once."""
    X, y = people()
    fitted = estimator.fit(X, y)
    codes = fitted.explain(X).cases.codes.T.tolist()
    new, known = people(60, seed=8)
    mixed, classes = pd.concat([X[:30], new]), np.concatenate([y[:30], known])
    tables = [
        (X, y),
        (X[::-1], y[::-1]),
        (X[:50], y[:50]),
        (pd.concat([X, X[:1]]), np.append(y, y[0])),
        (X, rng.permutation(y)),
        (mixed, classes),
    ]
    for table, truth in tables:
        left = list(zip(codes, y, strict=True))
        n_known = 0
        asked = fitted.explain(table).cases.codes.T.tolist()
        for row in zip(asked, truth, strict=True):
            if row in left:
                left.remove(row)
                n_known += 1
        judged = collect(ask(fitted, table, truth), 10, 0)["performance"][-1]
        assert judged["n_training_rows"] == n_known
        assert judged["is_training"] == (n_known == len(table))
    first = [collect(ask(fitted, *table), 10, 0)["performance"][-1] for table in tables[:4]]
    assert [judged["is_training"] for judged in first] == [True, True, True, False]
    assert first[3]["n_training_rows"] == 120
