import json
from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier, load
from picrules.encoding.schema import CategoryFeature
from picrules.explain.changes import search
from picrules.rules.text import format_share
from tests.explain.changes import brute_changes
from tests.explain.changes.asking import ESTIMATORS, make_table

ALL = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)


def rows_to_ask(X):
    """Some rows as dicts: as they are, with gaps, and with a category never seen."""
    rows = [
        {name: None if pd.isna(cell) else cell for name, cell in X.iloc[row].items()}
        for row in range(4)
    ]
    rows[1] |= {"age": None, "seen": None, "size": None}
    rows[2] |= {"my job": "astronaut"}
    rows[3] |= dict.fromkeys(rows[3])
    return rows


def used_by(clf):
    return {feature.name for feature in clf._model.features}


def new_values(change):
    return change.values  # noqa: PD011  (not a pandas object)


def parts_of(clf, change):
    """The parts that a change moves into, by its conditions."""
    features = {feature.name: feature for feature in clf.schema_.features}
    return tuple(
        (condition.feature, brute_changes.cell_of(
            features[condition.feature], new_values(change)[condition.feature]))
        for condition in change.conditions
    )  # fmt: skip


def check(clf, row, found, expected, top=None, one_each=False):
    """The answers are those of brute force, and their values do what they promise."""
    assert [parts_of(clf, change) for change in found] == [e.parts for e in expected[:top]]
    assert np.allclose([change.cost for change in found], [e.cost for e in expected[:top]])
    for change, other in zip(found, expected, strict=False):
        changed = brute_changes.to_frame([row | new_values(change)], row)
        assert clf.predict(changed)[0] == change.explanation.prediction == other.label
        assert clf.explain(changed)[0] == change.explanation
        assert clf.what_if(row, new_values(change)).after == change.explanation
        assert change.n_changes == len(new_values(change)) == len(change.conditions)
        assert change.old_values == {name: row[name] for name in new_values(change)}
        for condition in change.conditions:
            column = clf.schema_.read(clf._read_row(row | new_values(change)))[condition.feature]
            assert condition.covers(column).all()
            assert not condition.covers(clf.schema_.read(clf._read_row(row))[condition.feature])[0]


@ALL
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_changes_are_those_of_brute_force(estimator, n_classes, seed):
    X, y = make_table(np.random.default_rng(seed), n_classes=n_classes)
    clf = clone(estimator).fit(X, y)
    for row in rows_to_ask(X):
        found = clf.smallest_changes(row, top=None, one_each=False)
        cheapest = {frozenset(change.values): change for change in reversed(found)}
        given = clf.smallest_changes(row, top=None)
        assert {frozenset(change.values): change for change in given} == cheapest
        assert [change for change in found if change in list(given)] == list(given)
        assert found.is_complete
        check(clf, row, found, brute_changes.smallest_changes(clf, row, used_by(clf), 3))
        one = clf.smallest_changes(row, max_changes=1, top=None, one_each=False)
        assert list(one) == [change for change in found if change.n_changes == 1]
        assert list(clf.smallest_changes(row, top=3, one_each=False)) == list(found[:3])


@ALL
def test_limits_are_respected(estimator, rng):
    X, y = make_table(rng, n_classes=3)
    clf = clone(estimator).fit(X, y)
    ends = (datetime(2020, 6, 1), datetime(2021, 2, 1))
    ranges = {"age": (30, 52.5), "my job": ["it's", "none"], "seen": ends, "weight": (60, None)}

    def allowed(name, feature, part):
        if name not in ranges:
            return True
        if isinstance(feature, CategoryFeature):
            return feature.categories[part] in ranges[name]
        cuts = [brute_changes.bound_of(feature, cut) for cut in feature.cuts]
        low, high = ranges[name]
        return (part == len(cuts) or low <= cuts[part]) and (
            part == 0 or high is None or high > cuts[part - 1]
        )

    costs = {"age": 7.5, "my job": 0.01, "seen": 2}
    for row in rows_to_ask(X):
        for to in (None, *clf.classes_):
            found = clf.smallest_changes(
                row,
                max_changes=2,
                fixed=["size"],
                costs=costs,
                ranges=ranges,
                to=to,
                top=None,
                one_each=False,
            )
            expected = brute_changes.smallest_changes(
                clf, row, used_by(clf), 2, fixed=["size"], costs=costs, allowed=allowed, to=to
            )
            check(clf, row, found, expected)
            for change in found:
                assert "size" not in new_values(change)
                assert 30 <= new_values(change).get("age", 30) <= 52.5
                assert new_values(change).get("weight", 60) >= 60
                assert new_values(change).get("my job", "none") in ("it's", "none")
                assert ends[0] <= new_values(change).get("seen", ends[0]) <= ends[1]


@ALL
def test_order_of_the_training_rows_and_threads_do_not_matter(estimator, rng):
    X, y = make_table(rng)
    order = rng.permutation(len(y))
    clf = clone(estimator).fit(X, y)
    other = clone(estimator).set_params(n_jobs=2).fit(X.iloc[order], y[order])
    for row in rows_to_ask(X):
        assert clf.smallest_changes(row) == other.smallest_changes(row)
        assert clf.what_if(row, age=50) == other.what_if(row, age=50)


@ALL
def test_chunks_do_not_matter(estimator, rng, monkeypatch):
    X, y = make_table(rng)
    clf = clone(estimator).fit(X, y)
    expected = [clf.smallest_changes(row, top=None, one_each=False) for row in rows_to_ask(X)]
    monkeypatch.setattr(search, "CHUNK_ROWS", 7)
    assert [
        clf.smallest_changes(row, top=None, one_each=False) for row in rows_to_ask(X)
    ] == expected


def test_a_limit_of_rows_is_kept_and_told(rng):
    X = rng.integers(0, 3, (80, 6)).astype(float)
    y = (X[:, :3].sum(axis=1) > 3).astype(int)
    clf = FPICClassifier(bins=3).fit(X, y)
    row = X[int(np.flatnonzero(clf.predict(X) == 0)[0])]
    everything = clf.smallest_changes(row, top=None, one_each=False)
    n_singles = 12  # two other parts of each feature
    assert everything.is_complete
    assert everything.levels[0].n_tried == n_singles
    for limit in (5, n_singles, n_singles + 9):
        part = clf.smallest_changes(row, top=None, one_each=False, max_rows=limit)
        assert not part.is_complete
        assert part.n_tried == limit
        assert set(map(str, part)) <= set(map(str, everything))
    exact = clf.smallest_changes(row, top=None, one_each=False, max_rows=everything.n_tried)
    assert exact == everything
    short = clf.smallest_changes(row, top=None, one_each=False, max_rows=everything.n_tried - 1)
    assert not short.is_complete
    size = ["", "one feature", "two features", "three features"][short.levels[-1].n_changes]
    assert f"Changes of {size} were not all tried" in str(short)


def test_a_limit_leaves_the_dearest_untried():
    """All changes among the cheapest features are tried before any with a dearer one."""
    X = np.array([[a, b, c, d] for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)])
    clf = FPICClassifier(bins=2, max_length=3).fit(X, X[:, 0] & X[:, 2])
    costs = {"x0": 1, "x1": 3, "x2": 2, "x3": 4}
    found = clf.smallest_changes([0, 0, 0, 0], costs=costs, max_rows=5)
    assert not found.is_complete
    assert new_values(found[0]) == {"x0": 1, "x2": 1}


def test_text_says_what_is_enough_and_what_is_not():
    X = pd.DataFrame({"age": [20, 30, 50, 60] * 2, "my job": ["a", "b", "a", "b"] * 2})
    y = ["no", "no", "no", "yes"] * 2
    clf = FPICClassifier(bins=2, alpha=1).fit(X, y)
    found = clf.smallest_changes({"age": 25, "my job": "a"})
    assert str(found) == (
        "Now no, because age <= 40 (4 of 4 training rows like this).\n"
        "  1. age > 40 (now 25; say 41) and my job = b (now a): yes, because age > 40 and "
        "my job = b (2 of 2 training rows like this).\n"
        "No change of one feature is enough for another class.\n"
        "No other change of up to three features is enough."
    )
    text = str(clf.smallest_changes({"age": 25, "my job": "a"}, fixed=["age"], to="yes"))
    assert text.endswith("No change of one, two or three features is enough for yes.")
    already = clf.smallest_changes({"age": 25, "my job": "a"}, to="no")
    assert str(already).endswith("The prediction is no already.")
    assert (len(already), already.n_tried, already.is_complete) == (0, 0, True)
    both = clf.smallest_changes({"age": 55, "my job": None}, top=1)
    assert "(now missing)" in str(both)


def test_one_class_or_nothing_to_change():
    X = [[1, "a"], [2, "b"]]
    alone = FPICClassifier().fit(X, ["no", "no"]).smallest_changes(X[0])
    assert (len(alone), alone.n_tried, alone.is_complete) == (0, 0, True)
    clf = FPICClassifier().fit(X, ["no", "yes"])
    assert len(clf.smallest_changes(X[0], fixed=["x0", "x1"])) == 0
    empty = PersonalRuleClassifier(cuts=2, max_length=1).fit([[7.0]] * 6, [0, 1] * 3)
    assert len(empty.smallest_changes([7.0])) == 0


@ALL
def test_a_model_file_answers_alike(estimator, rng, tmp_path):
    X, y = make_table(rng)
    clf = clone(estimator).fit(X, y)
    clf.save(tmp_path / "model.pic")
    loaded = load(tmp_path / "model.pic")
    for row in rows_to_ask(X):
        assert loaded.smallest_changes(row) == clf.smallest_changes(row)
        assert loaded.what_if(row, age=50) == clf.what_if(row, age=50)


def test_many_categories_are_no_burden():
    """Pairs of values of one column were looked at, though a row has only one of them."""
    names = [f"v{number}" for number in range(3000)]
    X = pd.DataFrame({"name": names, "x": [0, 1] * 1500, "z": [0, 0, 1, 1] * 750})
    clf = FPICClassifier(bins=2, max_length=1).fit(X, X["x"] & X["z"])
    found = clf.smallest_changes({"name": "v0", "x": 0, "z": 0}, top=None, one_each=False)
    assert [level.n_possible for level in found.levels] == [3001, 2999 * 2 + 1, 2999]


def test_results_can_be_read_by_programs(rng):
    X, y = make_table(rng)
    clf = clone(ESTIMATORS[2]).fit(X, y)
    found = clf.smallest_changes(rows_to_ask(X)[1], top=None, one_each=False)
    read = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [len(change["changes"]) for change in read["changes"]] == [c.n_changes for c in found]
    assert read["changes"][0]["explanation"]["prediction"] == found[0].explanation.prediction
    for library in ("pandas", "polars", "pyarrow"):
        frame = found.to_frame(library)
        assert frame.shape == (len(found), 8)
        assert list(map(float, list(frame["cost"].to_numpy()))) == [c.cost for c in found]


@pytest.mark.parametrize("estimator", [PICClassifier(), ESTIMATORS[2]], ids=str)
def test_an_interrupt_leaves_the_estimator_usable(estimator, rng, monkeypatch):
    X, y = make_table(rng)
    clf = clone(estimator).fit(X, y)
    expected = clf.smallest_changes(X.iloc[0])

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(clf._model), "predict", interrupt)
        with pytest.raises(KeyboardInterrupt):
            clf.smallest_changes(X.iloc[0])
    assert clf.smallest_changes(X.iloc[0]) == expected


def test_progress_is_shown_on_stderr(rng, capsys):
    X, y = make_table(rng)
    clf = FPICClassifier(verbose=1).fit(X, y)
    found = clf.smallest_changes(X.iloc[0])
    printed = capsys.readouterr()
    assert "changes" in printed.err
    assert printed.out == ""
    assert found == clf.set_params(verbose=0).smallest_changes(X.iloc[0])


@pytest.mark.parametrize("settings", [
    {}, {"class_weight": "balanced"},
    {"cost_matrix": {"class 0": {"class 1": 8}, "class 1": {"class 2": 3}}, "n_rules": 3},
])  # fmt: skip
@pytest.mark.parametrize("seed", [0, 1])
def test_changes_that_are_sure_enough_are_those_of_brute_force(settings, seed):
    """Where classes had weights or errors costs, some kept the class, and some were less sure."""
    X, y = make_table(np.random.default_rng(seed), n_classes=3 if settings else 2)
    clf = clone(ESTIMATORS[2]).set_params(**settings).fit(X, y)
    n_answers = []
    for row in rows_to_ask(X):
        for least in (0.0, 0.6 if settings else 0.8):
            found = clf.smallest_changes(row, 2, top=None, one_each=False, min_confidence=least)
            expected = brute_changes.smallest_changes(clf, row, used_by(clf), 2, least=least)
            check(clf, row, found, expected)
            assert all(change.explanation.confidence >= least for change in found)
            n_answers.append(len(found))
    assert settings or n_answers[0::2] != n_answers[1::2]


def test_a_class_that_is_not_sure_enough_is_made_so(rng):
    X = pd.DataFrame(rng.integers(0, 2, (600, 2)), columns=["a", "b"])
    is_yes = np.where(X.b == 1, X.a == 1, rng.random(600) < 0.4 + 0.3 * X.a)
    clf = PersonalRuleClassifier(look_alikes=False).fit(X, np.where(is_yes, "yes", "no"))
    found = clf.smallest_changes({"a": 1, "b": 0}, to="yes", min_confidence=0.9)
    assert found.before.prediction == "yes"
    assert found.before.confidence < 0.9
    assert [str(change.conditions[0]) for change in found] == ["b > 0"]
    assert found[0].explanation.prediction == "yes"
    assert found[0].explanation.confidence >= 0.9
    assert f"Now yes (confidence {format_share(found.before.confidence)})" in str(found)
    assert "already" in str(clf.smallest_changes({"a": 1, "b": 1}, to="yes", min_confidence=0.9))


def test_a_confidence_that_no_change_reaches_is_named():
    X, y = make_table(np.random.default_rng(2))
    clf = clone(ESTIMATORS[2]).fit(X, y)
    found = clf.smallest_changes(X.iloc[0], max_changes=1, min_confidence=1)
    assert "is enough for another class with a confidence of 100% or more" in str(found)
