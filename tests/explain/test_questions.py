"""Questions about rows that look-alikes or several rules decide: all are answered as before."""

import pickle

import numpy as np
import pytest

from picrules import PersonalRuleClassifier, compare_rules, summarize
from tests.explain import together
from tests.explain.together import MODELS, ask_new


@pytest.mark.parametrize("make", MODELS)
def test_what_if_says_what_would_be_predicted(make):
    clf, new, X, _ = ask_new(make)
    changed = new.copy()
    name = X.columns[0]
    changed[name] = X[name].max()
    expected = clf.predict(changed)
    for row in range(10, 20):
        told = clf.what_if(new.iloc[row], {name: X[name].max()})
        assert told.after.prediction == expected[row]
        assert told.before == clf.explain(new)[row]
        n_more = told.after.n_rules - 1
        assert (f"; {n_more} more rule" in str(told)) == (n_more > 0)


@pytest.mark.parametrize("make", MODELS)
def test_smallest_changes_change_the_prediction(make):
    clf, new, _, _ = ask_new(make)
    n_found = 0
    for row in range(10, 14):
        changes = clf.smallest_changes(new.iloc[row], max_changes=1, top=3)
        for change in changes:
            n_found += 1
            other = new.iloc[[row]].copy()
            for name, value in change.values.items():
                other[name] = value
            assert clf.predict(other)[0] == change.explanation.prediction
            assert change.explanation.prediction != changes.before.prediction
    assert n_found > 0


@pytest.mark.parametrize("make", MODELS)
def test_significance_compares_what_decides(make):
    """The score of the first rule alone was compared with the sum of all."""
    clf, new, _, _ = ask_new(make)
    found = clf.significance(new[:20], 19)
    _, values = clf._model.predict(clf._model.encode(clf._read_rows(new[:20])))
    assert found.n_rules == len(clf._model.members)
    assert found.p_values[0] == 1
    assert np.isneginf(values[0])
    assert found.p_values[10:].min() <= 0.1
    assert ("rules that are together as good" in str(found[12])) == (found.n_rules > 1)
    assert found[12].to_dict()["n_rules"] == found.n_rules


def test_labels_at_random_are_not_significant():
    X, y = together.rings(150)
    y = np.random.default_rng(0).permutation(y)
    clf = PersonalRuleClassifier(n_rules=2).fit(X, y)
    new = together.rings(60, seed=5)[0]
    assert np.median(clf.significance(new, 19).p_values) > 0.1


@pytest.mark.parametrize("make", MODELS)
def test_stability_and_summaries_count_rows(make):
    clf, new, _, _ = ask_new(make)
    stability = clf.stability(new[8:14], 5)
    explanations = clf.explain(new)
    assert [each.rule for each in stability] == [each.rule for each in explanations[8:14]]
    assert all(sum(each.classes.values()) == pytest.approx(1) for each in stability)
    summary = summarize(explanations)
    assert summary.n_rows == len(new)
    assert {use.rule for use in summary.uses} == {each.rule for each in explanations}
    assert compare_rules(explanations, explanations).to_dict()


@pytest.mark.parametrize("make", MODELS)
def test_a_pickled_model_says_the_same(make):
    clf, new, _, _ = ask_new(make)
    copy = pickle.loads(pickle.dumps(clf))
    assert [each.to_dict() for each in copy.explain(new)] == [
        each.to_dict() for each in clf.explain(new)
    ]
    together = pickle.loads(pickle.dumps(clf.explain(new)))
    assert str(together) == str(clf.explain(new))
