"""Look-alikes and scorecards: what is chosen, and that leave-one-out is what refits say."""

import numpy as np
import pandas as pd
import pytest

from picrules import PersonalRuleClassifier, load
from picrules.estimators import likeness
from picrules.estimators.scorecards import RIDGE, weigh
from tests.estimators.refits import FAST, ask_without


def table(seed, n_rows=160):
    """Numbers and a category with missing values; the class depends on their sum and on a ring."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 4)).round(2), columns=list("abcd"))
    X["kind"] = rng.choice(["u", "v", "w"], n_rows)
    ring = np.hypot(X["a"], X["b"])
    y = np.select([ring < 0.9, X["c"] + (X["kind"] == "u") > 0.5], ["in", "up"], "out")
    X = X.mask(rng.random(X.shape) < 0.05)
    return X, y


@pytest.fixture(scope="module", params=[0, 1])
def card(request):
    X, y = table(request.param)
    clf = PersonalRuleClassifier(n_rules=4, look_alikes=True, **FAST).fit(X, y)
    assert len(clf._model.members) > 1
    return clf, X, y


def test_leave_one_out_is_what_a_model_without_the_row_says(card):
    clf, _, _ = card
    model = clf._model
    answer = model.leave_one_out()
    for row in range(0, model.training.n_rows, 7):
        expected = ask_without(model, row)
        number = answer.numbers[row]
        assert np.allclose(answer.found.scores[number], expected.found.scores[0], atol=1e-12)
        assert answer.decisions.labels[number] == expected.decisions.labels[0]


def test_threads_rows_in_another_order_and_files_change_nothing(card, tmp_path):
    clf, X, y = card
    expected = clf.predict_proba(X)
    order = np.random.default_rng(5).permutation(len(y))
    again = PersonalRuleClassifier(n_rules=4, look_alikes=True, n_jobs=2, **FAST)
    again.fit(X.iloc[order], y[order])
    assert np.array_equal(again.predict_proba(X), expected)
    clf.save(tmp_path / "card.pic")
    assert np.array_equal(load(tmp_path / "card.pic").predict_proba(X), expected)
    assert [str(each) for each in again.explain(X[:9])] == [str(e) for e in clf.explain(X[:9])]


def test_rules_of_all_members_select_the_rows_that_they_count(card):
    """Recounted from the table, by what is printed."""
    clf, X, y = card
    model = clf._model
    answer = model.ask(model.encode(clf._read_rows(X[:20])))
    for member, found in zip(model.members, answer.found.found, strict=True):
        numbers = np.arange(len(answer.decisions.labels))
        rules = found.rules(numbers, answer.decisions.labels)
        for at in numbers[rules.lengths > 0]:
            length = rules.lengths[at]
            own = zip(rules.features[at, :length], rules.positions[at, :length], strict=True)
            is_in = np.ones(len(y), bool)
            for feature, position in own:
                condition = model.conditions.condition(int(feature), int(position))
                is_in &= np.asarray(condition.covers(X[condition.feature].to_numpy(object)))
            among = range(3) if member.pairs is None else answer.found.between.pairs[at]
            counted = [
                int((y[is_in] == name).sum()) if label in among else 0
                for label, name in enumerate(clf.classes_)
            ]
            assert counted == rules.counts[at].tolist()


def test_rows_that_hold_the_same_are_judged_as_new_rows_are():
    """Four of ten rows hold the same and are of both classes; the rest is a matter of a sum."""

    def draw(seed, n_rows):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n_rows, 4)).round(2)
        y = X.sum(axis=1) + rng.normal(size=n_rows) > 0
        is_same = rng.random(n_rows) < 0.4
        X[is_same], y[is_same] = -9, rng.random(is_same.sum()) < 0.45
        return X, np.where(y, "good", "bad")

    X, y = draw(0, 800)
    clf = PersonalRuleClassifier(n_rules=3, **FAST).fit(X, y)
    new, truth = draw(1, 20_000)
    is_right = (clf.predict(new) == truth).mean()
    assert clf.tuning_.n_rules > 1
    # Three standard errors of a share of 800 rows.
    assert clf.tuning_.by_rules[clf.tuning_.n_rules] == pytest.approx(is_right, abs=0.05)
    assert clf.tuning_.accuracy == pytest.approx(is_right, abs=0.05)


def test_look_alikes_win_where_a_class_lives_in_the_middle():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, (600, 2)).round(3), columns=["a", "b"])
    y = np.where((X.a * 4).round().astype(int) + (X.b * 4).round().astype(int) & 1, "odd", "even")
    clf = PersonalRuleClassifier(intervals=False).fit(X[:450], y[:450])
    plain = PersonalRuleClassifier(intervals=False, look_alikes=False).fit(X[:450], y[:450])
    assert clf._model.search.alike is not None
    assert clf.tuning_.is_alike
    told = str(clf.tuning_)
    assert "one rule decides, grown from a row's look-alikes, accuracy 0." in told
    assert "best short rule: cuts=" in told
    assert "chosen: cuts=" in str(plain.tuning_)
    accuracy = (clf.predict(X[450:]) == y[450:]).mean()
    assert accuracy > (plain.predict(X[450:]) == y[450:]).mean() + 0.1


def test_nothing_is_learned_from_noise(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 80))
    y = np.where(rng.random(60) < 0.35, "few", "many")
    clf = PersonalRuleClassifier(n_rules="auto").fit(X, y)
    assert clf._model.search.max_length == 0
    assert set(clf.predict(X)) == {"many"}
    assert clf.tuning_.n_rules == 0
    assert "nothing is learned" in str(clf.tuning_)
    explanation = clf.explain(X[:1])[0]
    assert (explanation.rule.length, explanation.is_learned) == (0, False)
    assert "no rule is better than the larger class here" in str(explanation)
    clf.save(tmp_path / "nothing.pic")
    again = load(tmp_path / "nothing.pic")
    assert again.explain(X[:1])[0] == explanation
    assert again.tuning_.n_rules == 0
    share = (y == "many").mean()
    assert clf.predict_proba(X).max(axis=1) == pytest.approx(share, abs=0.05)


@pytest.mark.parametrize("n_rules", [0, 101, 2.5, "many", True, None])
def test_bad_numbers_of_rules_are_refused(n_rules):
    with pytest.raises(ValueError, match=r"n_rules is .*a whole number from 1 to 100, or 'auto'"):
        PersonalRuleClassifier(n_rules=n_rules).fit([[1], [2]], [0, 1])


@pytest.mark.parametrize("look_alikes", [2, "yes", [True, False], None])
def test_bad_look_alikes_are_refused(look_alikes):
    with pytest.raises(ValueError, match=r"look_alikes is .*True, False or 'auto'"):
        PersonalRuleClassifier(look_alikes=look_alikes).fit([[1], [2]], [0, 1])


def test_weights_are_where_the_likelihood_does_not_rise(rng):
    """By finite differences of the likelihood, written down anew."""
    labels = rng.integers(0, 3, 300)
    voices = [rng.normal(size=(300, 3)) + 1.5 * np.eye(3)[labels], rng.normal(size=(300, 3))]
    weights = weigh(voices, labels, np.ones(300))

    def lost(own, offset):
        total = own[0] * voices[0] + own[1] * voices[1] + offset
        logs = total - np.log(np.exp(total).sum(axis=1, keepdims=True))
        ridge = RIDGE * (own**2).sum() / 2 + 0.05 * (offset**2).sum() / 2
        return ridge - logs[np.arange(300), labels].sum()

    here = lost(weights.voices, weights.offset)
    for step in (-0.02, 0.02):
        for at in range(2):
            moved = weights.voices.copy()
            moved[at] = max(0.0, moved[at] + step)
            assert lost(moved, weights.offset) >= here - 1e-3
        for at in range(3):
            assert lost(weights.voices, weights.offset + step * np.eye(3)[at]) >= here - 1e-3
    assert weights.voices[0] > 5 * weights.voices[1]


def test_ordered_categories_with_very_many_values_have_no_side(tmp_path):
    """Their intervals would grow with the square of the values."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 300, 400)
    ends = [f"v{value:03}" for value in range(300)]
    X = pd.DataFrame(
        {
            "level": pd.Categorical([ends[value] for value in values], ends, ordered=True),
            "x": rng.uniform(-1, 1, 400).round(2),
        }
    )
    y = np.where((X.x * 5).round() % 2 == 0, "even", "odd")
    clf = PersonalRuleClassifier(look_alikes=True, n_rules=2, **FAST).fit(X, y)
    assert len(clf.conditions_.steps_of(0)) < 1000
    for member in clf._model.members:
        assert member.search.alike is None or member.search.alike.widths[0] == 0
    clf.save(tmp_path / "many.pic")
    assert np.array_equal(load(tmp_path / "many.pic").predict_proba(X), clf.predict_proba(X))


def test_ties_between_look_alikes_are_not_settled_by_the_class_left_out(monkeypatch):
    """Labels that say nothing, in equally large classes: about one in four can be right.

    Small boxes often hold several classes equally often.
    """
    monkeypatch.setattr(likeness, "LEASTS", np.array([3]))
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.uniform(size=(400, 3)).round(3), columns=list("abc"))
    y = rng.permutation(np.repeat(["a", "b", "c", "d"], 100))
    clf = PersonalRuleClassifier(look_alikes=True, n_rules=2, **FAST).fit(X, y)
    assert max(clf.tuning_.by_rules.values()) < 0.31  # chance, and less than three standard errors
