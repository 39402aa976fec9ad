import pickle
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier
from tests import boxes


@pytest.mark.parametrize("estimator", [FPICClassifier(), PICClassifier()], ids=str)
def test_distinct_explanations_stand_for_all(estimator, rng):
    X = rng.integers(0, 3, (80, 4)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:3] = np.nan
    fitted = estimator.fit(X, rng.integers(0, 3, 80))
    explanations = fitted.explain(X)
    distinct, places = explanations.distinct()
    assert [distinct[place] for place in places] == list(explanations)
    assert len({str(explanation) for explanation in distinct}) == len(distinct)
    assert distinct[places[0]].rule.length == 0


def test_one_row_has_one_explanation():
    fitted = FPICClassifier().fit([["a"], ["b"]], [0, 1])
    for cell in ("a", None):
        distinct, places = fitted.explain(np.array([[cell]], object)).distinct()
        assert len(distinct) == 1
        assert places.tolist() == [0]


@pytest.mark.parametrize("estimator", [FPICClassifier(), PersonalRuleClassifier(cuts=4)], ids=str)
def test_a_pickled_explanation_keeps_its_answers_and_leaves_the_rows_behind(estimator, rng):
    """One explanation took its whole batch and all training rows along: 3 MB."""
    X = rng.normal(size=(2000, 6)).round(1)
    fitted = estimator.fit(X, (X[:, 0] + X[:, 1] > 0).astype(int))
    explanation = fitted.explain(X, top=3, trace=True)[7]
    written = pickle.dumps(explanation)
    copy = pickle.loads(written)
    assert copy == explanation
    assert copy.to_dict() == explanation.to_dict()
    assert copy.evidence.rows.tolist() == explanation.evidence.rows.tolist()
    assert len(written) < 5_000 + 40 * explanation.cover_size
    assert pickle.loads(pickle.dumps(copy)).to_json() == explanation.to_json()


def test_top_and_trace_are_searched_for_once(rng, monkeypatch):
    X = rng.integers(0, 3, (60, 4)).astype(float)
    fitted = FPICClassifier().fit(X, rng.integers(0, 2, 60))
    explanations = fitted.explain(X[:2], top=3, trace=True)
    top, trace = explanations[0].top, explanations[0].trace
    monkeypatch.setattr("picrules.explain.cases.rank_rules", None)
    monkeypatch.setattr("picrules.explain.cases.trace_search", None)
    assert explanations[0].top is top
    assert explanations[0].trace is trace


def best_score(clf, X, y, row, label, max_length):
    """The best score of all rules for a class that cover a row, by looking at every one."""
    model, sizes = clf._model, clf.class_sizes_.tolist()
    covers = []
    for feature, count in enumerate(model.conditions.n_conditions):
        made = [model.conditions.condition(feature, position) for position in range(count)]
        every = [one.covers(X[one.feature].to_numpy()) for one in made]
        covers.append([cover for cover in every if cover[row]])
    scores = []
    for length in range(1, max_length + 1):
        for chosen in combinations(covers, length):
            for rule in product(*chosen):
                counts = [(y[np.logical_and.reduce(rule)] == k).sum() for k in clf.classes_]
                at = clf.classes_.tolist().index(label)
                weights = [1.0] * len(sizes)
                scores.append(boxes.score(model.search.setting, counts, sizes, weights, at, 1))
    return max(score for score in scores if score is not None)


@pytest.mark.parametrize(
    "clf",
    [
        PICClassifier(),
        FPICClassifier(max_length=2),
        PersonalRuleClassifier(cuts=4, max_length=2, smoothing=1, min_cover=1),
        PersonalRuleClassifier(cuts=4, max_length=2, smoothing=1, min_cover=1, intervals=True),
    ],
)
def test_no_rule_up_to_the_proven_length_is_better(clf, rng):
    X = pd.DataFrame(rng.integers(0, 6, (40, 3)).astype(float), columns=["a", "b", "c"])
    y = np.where(X["a"] + rng.integers(0, 4, 40) > 4, "many", "few")
    clf.fit(X, y)
    for row, explanation in enumerate(clf.explain(X[:12])):
        length = explanation.proven_length
        assert explanation.rule.length <= length
        best = best_score(clf, X, y, row, explanation.prediction, length)
        assert explanation.score == pytest.approx(best, abs=1e-12)
        said = f"No rule for {explanation.prediction} of up to {length} condition"
        assert said in str(explanation)
        assert explanation.to_dict()["proven_length"] == length
