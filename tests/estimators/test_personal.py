"""What only PersonalRuleClassifier does."""

import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import balanced_accuracy_score

from picrules import PersonalRuleClassifier, load
from picrules.errors import BadParameter, BadTable, NotEnoughMemory
from picrules.estimators import personal
from picrules.estimators.progress import listen
from picrules.estimators.tuning import Tuner
from tests.estimators.test_contract import mixed_frame

FEW = settings(max_examples=1 + settings().max_examples // 20)


def small(**changed):
    """One setting of everything, unless said otherwise."""
    fixed = {
        "alpha": 0.9, "smoothing": 1.0, "cuts": 4, "max_length": 2, "subsets": True, "min_cover": 2,
    }  # fmt: skip
    return PersonalRuleClassifier(**(fixed | changed))


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


@FEW
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(5, 30),
    measure=st.sampled_from(["precision", "certainty_factor", "evidence"]),
    class_weight=st.sampled_from([None, {"ham": 3, "spam": 0.7}]),
    intervals=st.booleans(),
)
def test_leave_one_out_is_to_fit_without_the_row(seed, n_rows, measure, class_weight, intervals):
    """Up to cuts and offsets, which are learned once: no offsets here, and cuts at all values."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": rng.integers(0, 4, n_rows).astype(float), "b": rng.choice(list("uvw"), n_rows)}
    )
    X.loc[rng.random(n_rows) < 0.1, "a"] = None
    y = rng.choice(["ham", "jam", "spam"], n_rows)
    y[:3] = ["ham", "jam", "spam"]
    # Two rows of each value keep the cuts and categories in place when one is left out.
    X, y = pd.concat([X, X], ignore_index=True), np.concatenate([y, y])
    fixed = {"class_offset": False, "cuts": 1000, "intervals": intervals}
    clf = small(measure=measure, class_weight=class_weight, **fixed).fit(X, y)
    explained = clf.leave_one_out()
    for row in rng.choice(2 * n_rows, 3, replace=False):
        others = np.arange(2 * n_rows) != row
        refitted = clf.__class__(**clf.get_params()).fit(X[others], y[others])
        (expected,) = refitted.explain(X.iloc[[row]])
        found = explained[int(row)]
        assert (found.rule, found.score) == (expected.rule, expected.score)
        assert found.class_counts == expected.class_counts
        assert (found.precision, found.recall) == (expected.precision, expected.recall)


def test_leave_one_out_accuracy_is_what_tuning_says_without_offset(iris):
    X, y = iris
    clf = small(class_offset=False).fit(X, y)
    found = np.array([explanation.prediction for explanation in clf.leave_one_out()])
    assert (found == y).mean() == clf.tuning_.chosen.score


def test_default_settings_are_chosen_and_can_be_read(iris):
    X, y = iris
    clf = PersonalRuleClassifier(look_alikes=False).fit(X, y)
    tried = pd.DataFrame(clf.tuning_.to_dicts())
    assert set(tried["cuts"]) == {8, 16}
    assert set(tried["max_length"]) >= {2, 3}
    assert clf.tuning_.is_complete
    assert clf.tuning_.chosen.score >= clf.tuning_.default.score
    assert clf.tuning_.chosen.score <= tried["score"].max()
    assert clf.tuning_.chosen.setting == clf.setting_
    assert "leave-one-out accuracy 0.9" in str(clf.tuning_)
    assert (clf.predict(X) == y).mean() > 0.95


def test_a_class_in_the_middle_of_a_number_has_a_rule_with_two_ends(rng):
    X = pd.DataFrame({"x": rng.uniform(-3, 3, 400), "noise": rng.normal(size=400)})
    y = np.where(np.floor(X["x"]) % 2 == 0, "even", "odd")
    chosen = PersonalRuleClassifier(look_alikes=False).fit(X, y)
    assert chosen.tuning_.chosen.has_intervals
    assert {entry["intervals"] for entry in chosen.tuning_.to_dicts()} == {True, False}
    rule = chosen.explain(X[X["x"].between(0.3, 0.7)])[0].rule
    assert any(c.feature == "x" and c.lower > -2 and c.upper < 2 for c in rule.conditions)
    fixed = {"cuts": 16, "max_length": 1, "look_alikes": False}
    with_ends, without = (
        PersonalRuleClassifier(intervals=has_ends, **fixed).fit(X, y).tuning_.chosen.score
        for has_ends in (True, False)
    )
    assert with_ends > without + 0.1
    only = PersonalRuleClassifier(intervals=False, **fixed).fit(X, y).tuning_
    assert not any(candidate.has_intervals for candidate in only.candidates)


def test_intervals_are_left_out_where_they_take_long_or_do_not_fit(rng):
    X, y = rng.normal(size=(60, 150)), np.arange(60) % 2
    fixed = {"look_alikes": False, "smoothing": 1, "alpha": 1, "max_length": 2}

    def cuts_of_intervals(n_features, **settings):
        clf = PersonalRuleClassifier(**fixed, **settings).fit(X[:, :n_features], y)
        return {each.cuts for each in clf.tuning_.candidates if each.has_intervals}

    assert cuts_of_intervals(3) == {8, 16}
    assert cuts_of_intervals(100) == {8}
    assert cuts_of_intervals(150) == set()
    assert cuts_of_intervals(3, cuts=8) == set()
    few = {"memory_limit": 100_000, "engine": "table"}
    assert cuts_of_intervals(3, **few) == {8}
    with pytest.raises(NotEnoughMemory):
        cuts_of_intervals(3, intervals=True, **few)


def test_intervals_of_many_cuts_are_among_the_finer_ones(rng):
    """32 further cuts would leave a feature of 120 codes without intervals."""
    X = rng.normal(size=(400, 2))
    y = (np.abs(X) < 1).all(axis=1)
    fixed = {"max_length": 1, "smoothing": 1, "alpha": 1, "cuts": 120}
    clf = PersonalRuleClassifier(n_rules=3, intervals=True, **fixed).fit(X, y)
    assert clf.tuning_.n_rules > 1
    assert (clf.predict(X) == y).mean() > 0.9


def test_the_best_of_many_settings_knows_that_it_is_flattered(rng):
    """Settings that are right by the toss of a coin: the best of them looks better than that."""
    tosses = (rng.random((20, 100, 400)) < 0.5).astype(np.float32)
    best = [SimpleNamespace(score=float(each.mean(axis=1).max())) for each in tosses]
    honest = [
        one.score - Tuner(None, [], 1, np.inf, values=list(each)).estimate_optimism(one)
        for one, each in zip(best, tosses, strict=True)
    ]
    assert min(one.score for one in best) > 0.54
    assert np.mean(honest) == pytest.approx(0.5, abs=0.02)
    only = Tuner(None, [], 1, np.inf, values=list(tosses[0, :1]))
    assert only.estimate_optimism(SimpleNamespace(score=float(tosses[0, 0].mean()))) < 1e-6


def test_row_order_and_threads_change_nothing(rng):
    X, y = mixed_frame(rng, 250)
    order = rng.permutation(250)
    plain = PersonalRuleClassifier(alpha=[1, 0.9], smoothing=[0.5, 2]).fit(X, y)
    other = PersonalRuleClassifier(alpha=[1, 0.9], smoothing=[0.5, 2], n_jobs=2)
    other.fit(X.iloc[order], y[order])
    assert other.tuning_.to_dicts() == plain.tuning_.to_dicts()
    assert np.array_equal(other.class_offset_, plain.class_offset_)
    assert list(other.explain(X)) == list(plain.explain(X))
    assert np.array_equal(other.predict_proba(X), plain.predict_proba(X))


def test_sample_of_a_large_table_is_seeded(monkeypatch, iris):
    X, y = iris
    monkeypatch.setattr(personal, "JUDGED_ROWS", 60)
    one, again = (small(smoothing=[1, 5]).fit(X, y) for _ in range(2))
    other = small(smoothing=[1, 5], random_state=1).fit(X, y)
    assert one.tuning_.n_rows == 60
    assert one.tuning_.to_dicts() == again.tuning_.to_dicts()
    assert one.tuning_.to_dicts() != other.tuning_.to_dicts()


def test_explanation_says_when_an_offset_decided(rng):
    """The rare class is hard to tell from the frequent one, so it needs an offset to win."""
    n_rows = 600
    y = np.where(rng.random(n_rows) < 0.15, "rare", "frequent")
    X = pd.DataFrame(
        {"x": rng.normal(size=n_rows) + 1.2 * (y == "rare"), "z": rng.normal(size=n_rows)}
    )
    clf = small(measure="precision", smoothing=0, scoring="balanced_accuracy").fit(X, y)
    assert clf.class_offset_[1] > 0
    overruled = [e for e in clf.explain(X) if e.overruled]
    assert overruled
    for explanation in overruled:
        assert explanation.overruled.score > explanation.score
        assert explanation.overruled.rule.label != explanation.prediction
        gap = explanation.overruled.score - explanation.score
        assert explanation.overruled.offset >= gap
        assert "scores higher" in str(explanation)
        assert "the class offset" in str(explanation)
    plain = small(measure="precision", smoothing=0, class_offset=False).fit(X, y)
    assert not any(explanation.overruled for explanation in plain.explain(X))
    assert plain.class_offset_.tolist() == [0, 0]


def test_scorings_choose_by_what_they_say(rng):
    n_rows = 500
    y = np.where(rng.random(n_rows) < 0.1, "rare", "frequent")
    X = pd.DataFrame({"x": rng.normal(size=n_rows) + 1.0 * (y == "rare")})
    balanced, plain = (
        small(scoring=scoring).fit(X, y) for scoring in ("balanced_accuracy", "accuracy")
    )
    scores = [balanced_accuracy_score(y, clf.predict(X)) for clf in (balanced, plain)]
    assert scores[0] > scores[1] + 0.05
    loss = small(scoring="neg_log_loss", smoothing=[1, 50]).fit(X, y)
    assert -0.7 < loss.tuning_.chosen.score < 0


def test_balanced_weights_find_the_rare_class(rng):
    n_rows = 500
    y = np.where(rng.random(n_rows) < 0.1, "rare", "frequent")
    X = pd.DataFrame({"x": rng.normal(size=n_rows) + 1.0 * (y == "rare")})
    plain = small(measure="precision", class_offset=False, smoothing=0).fit(X, y)
    balanced = small(
        measure="precision", class_offset=False, smoothing=0, class_weight="balanced"
    ).fit(X, y)
    assert (balanced.predict(X) == "rare").sum() > (plain.predict(X) == "rare").sum()
    by_hand = dict(zip(balanced.classes_, balanced.class_weight_, strict=True))
    same = small(measure="precision", class_offset=False, smoothing=0, class_weight=by_hand)
    assert list(same.fit(X, y).explain(X)) == list(balanced.explain(X))


def test_probabilities_are_calibrated_where_precision_flatters(rng):
    """Labels by chance: a rule with perfect precision is found for most rows, and means nothing."""
    X = pd.DataFrame(rng.normal(size=(300, 6)), columns=list("abcdef"))
    y = rng.integers(0, 2, 300)
    clf = PersonalRuleClassifier(max_length=3, cuts=8, alpha=1, smoothing=1).fit(X, y)
    asked = pd.DataFrame(rng.normal(size=(300, 6)), columns=list("abcdef"))
    explained = list(clf.explain(asked))
    assert np.mean([explanation.precision for explanation in explained]) > 0.8
    confidences = np.array([explanation.confidence for explanation in explained])
    assert confidences.mean() < 0.62
    assert np.array_equal(confidences, clf.predict_proba(asked).max(axis=1))


def test_dates_and_ordered_categories_have_thresholds():
    days = pd.date_range("2020-01-01", periods=40, freq="D")
    grades = pd.Categorical(list("abcd") * 10, ordered=True)
    X = pd.DataFrame({"day": days, "grade": grades})
    clf = small(cuts=2).fit(X, np.arange(40) >= 20)
    assert str(clf.explain(X.iloc[[3]])[0].rule) == "if day <= 2020-01-20 then False"
    clf = small(cuts=2).fit(X[["grade"]], X["grade"] >= "c")
    assert str(clf.explain(X[["grade"]].iloc[[0]])[0].rule) == 'if grade <= "b" then False'


def test_settings_are_chosen_by_the_rows_that_have_a_say():
    default, other = object(), object()
    is_first = np.arange(200) < 100
    values = [is_first.astype(np.float32), (~is_first).astype(np.float32)]
    tuner = Tuner(None, [], 1, np.inf, candidates=[default, other], values=values)
    assert tuner.choose_by(default, ~is_first) == 1
    assert tuner.choose_by(default, is_first) == 0
    assert tuner.choose_by(other, is_first) == 0
    assert tuner.choose_by(other, np.ones(200, bool)) == 1  # near ties stay with the default


def test_budget_ends_the_tuning_but_not_the_fit(iris):
    X, y = iris
    clf = PersonalRuleClassifier(tuning_budget=1e-9).fit(X, y)
    assert not clf.tuning_.is_complete
    assert "the budget ended" in str(clf.tuning_)
    assert (clf.predict(X) == y).mean() > 0.9
    assert len({each.setting for each in clf.tuning_.candidates}) == 1
    plain, ample = (PersonalRuleClassifier(tuning_budget=each).fit(X, y) for each in (None, 1e6))
    assert np.array_equal(ample.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize(("budget", "n_rows"), [(1e-9, 1000), (None, 1500)])
def test_little_time_finds_the_confidence_by_fewer_rows(budget, n_rows):
    x = np.random.default_rng(0).permutation(1500) / 1500
    clf = small(cuts=2, tuning_budget=budget).fit(x[:, np.newaxis], x > 0.5)
    # All are right, so that all rows of a class are one block of its curve.
    assert sum(curve.sizes.max() for curve in clf.calibration_.curves) == n_rows


def test_column_without_any_condition():
    clf = PersonalRuleClassifier().fit([[1.0], [1.0], [1.0]], ["a", "b", "b"])
    assert clf.predict([[1.0], [2.0]]).tolist() == ["b", "b"]
    assert clf.explain([[1.0]])[0].rule.length == 0
    # Without one of the two rows of b, both classes are as frequent, and the first wins.
    assert [e.prediction for e in clf.leave_one_out()] == ["b", "a", "a"]


def test_pickle_keeps_kept_scores_out_and_every_explanation_in():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    clf = small().fit(X[:300], y[:300])
    explained = list(clf.explain(X[300:]))
    copy = pickle.loads(pickle.dumps(clf))
    assert list(copy.explain(X[300:])) == explained
    assert pickle.loads(pickle.dumps(clf.explain(X[:2])))[1] == clf.explain(X[:2])[1]


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        ("measure", "gini", r"measure is 'gini'; one of \['precision'"),
        ("measure", [], r"measure is \[\]; at least one value"),
        ("alpha", [0.5, 2], "alpha is 2; numbers from 0 to 1, or 'auto'"),
        ("smoothing", -1, "smoothing is -1; numbers from 0.000001 to 1e9, 0 or 'auto'"),
        ("smoothing", 10**400, "smoothing is 1000.*; numbers from 0.000001"),
        ("measure", "auto", "measure is 'auto'; one of"),
        ("max_rules", 10**400, "max_rules is 1000.*; a whole number from 1"),
        ("memory_limit", 10**400, "memory_limit is 1000.*; a positive number"),
        ("smoothing", 0, "smoothing is 0 with the measure 'evidence'; a positive number"),
        ("max_length", 0, "max_length is 0; whole numbers from 1, or 'auto'"),
        ("cuts", 1, "cuts is 1; whole numbers from 2"),
        ("subsets", "yes", "subsets is 'yes'; True, False or 'auto'"),
        ("class_offset", 0.5, "class_offset is 0.5; True, False or 'auto'"),
        ("class_weight", "even", "class_weight is 'even'; None, 'balanced' or a dict"),
        ("class_weight", {"maybe": 2}, "names the class 'maybe'; the classes are 'no', 'yes'"),
        ("class_weight", {"no": 0}, r"class_weight\['no'\] is 0; a positive number"),
        ("min_cover", 0, "min_cover is 0; a whole number from 1"),
        ("scoring", "best", "scoring is 'best'; a name of sklearn.metrics.get_scorer_names"),
        ("max_rules", 0, "max_rules is 0; a whole number from 1"),
        ("tuning_budget", 0, "tuning_budget is 0; a positive number of seconds"),
        ("random_state", -1, "random_state is -1; a whole number from 0"),
        ("engine", "gpu", "engine is 'gpu'"),
        ("n_jobs", 0, "n_jobs is 0"),
        ("verbose", -1, "verbose is -1"),
    ],
)
def test_bad_parameters_are_refused_at_fit(name, value, part):
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["u", "v", "u"]})
    with pytest.raises(BadParameter, match=part):
        PersonalRuleClassifier(**{name: value}).fit(X, ["no", "yes", "no"])


def test_many_different_texts_have_no_exclusions_and_little_memory(rng):
    """An id column once took the square of its values in time and memory."""
    X = pd.DataFrame({"id": [f"c{i}" for i in range(3000)], "x": rng.normal(size=3000)})
    clf = small(subsets=True).fit(X, X["x"] > 0)
    assert clf.conditions_.n_conditions.tolist() == [3000, 6]
    assert (clf.predict(X) == (X["x"] > 0)).mean() > 0.95


def test_wide_tables_are_cut_coarsely_only(rng):
    X = rng.normal(size=(60, 30))
    clf = PersonalRuleClassifier(max_rules=20_000, alpha=1, smoothing=1).fit(X, X[:, 0] > 0)
    assert {candidate.cuts for candidate in clf.tuning_.candidates} == {8}
    asked = PersonalRuleClassifier(max_rules=20_000, cuts=16, alpha=1, smoothing=1, max_length=1)
    assert asked.fit(X, X[:, 0] > 0).tuning_.chosen.cuts == 16


def test_leave_one_out_needs_two_rows():
    with pytest.raises(BadTable, match="there is 1 training row; leave_one_out needs at least 2"):
        PersonalRuleClassifier().fit([[1.0]], ["a"]).leave_one_out()


def test_long_rules_of_wide_tables_can_be_saved(tmp_path, rng):
    """The number of rules was larger than model files accept."""
    X = rng.normal(size=(6, 30))
    clf = PersonalRuleClassifier(max_length=2, cuts=8, alpha=1, smoothing=1).fit(X, [0, 1] * 3)
    chosen = clf.tuning_.chosen
    assert clf.conditions_.count_rules(12)[12] == 2**62
    clf.save(tmp_path / "m.pic")
    assert load(tmp_path / "m.pic").tuning_.chosen == chosen


def test_too_little_memory_is_told_before_the_search(iris):
    X, y = iris
    with pytest.raises(NotEnoughMemory, match="lower max_length"):
        PersonalRuleClassifier(memory_limit=1000).fit(X, y)


def test_progress_of_the_tuning_is_shown_when_asked(capfd, iris):
    X, y = iris
    small(verbose=1).fit(X, y)
    assert "fitting: " in capfd.readouterr().err


def test_progress_says_what_is_tried_and_never_falls(iris):
    X, y = iris
    told = []
    with listen(lambda share, doing: told.append((share, doing))):
        PersonalRuleClassifier(n_rules="auto").fit(X, y)
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert shares[0] < 0.2
    assert shares[-1] == 1
    names = [doing for _, doing in told]
    assert any(each.startswith("8 parts, length 2, ") for each in names)
    assert "look-alikes, part 1 of 5" in names
    assert "several rules, part 1 of 5" in names


def test_the_accuracy_that_is_told_does_not_flatter():
    """Where classes are random, new rows are right half of the time, whatever was chosen."""
    told, flattering = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.normal(size=(200, 4))).add_prefix("x")
        clf = PersonalRuleClassifier(look_alikes=False, max_length=2)
        clf.fit(X, np.repeat(["no", "yes"], 100))
        told.append(clf.tuning_.accuracy)
        flattering.append(clf.tuning_.chosen.score)
    assert np.mean(flattering) > 0.54
    assert abs(np.mean(told) - 0.5) < 0.03
