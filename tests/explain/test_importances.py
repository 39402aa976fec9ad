"""What is lost without each feature, against rows asked one by one with the value missing."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier, load
from picrules.errors import BadParameter, BadTable
from tests.explain.together import MODELS, hints, name_of, rings

ESTIMATORS = [
    PICClassifier(alpha=0.6),
    FPICClassifier(max_length=3, bins=3),
    PersonalRuleClassifier(cuts=4, max_length=3, alpha=0.5, smoothing=1.0),
    PersonalRuleClassifier(cuts=4, max_length=2, measure="precision", class_weight="balanced"),
]


def fitted(estimator):
    X, y = hints(150)
    return clone(estimator).fit(X, y), X, y


def check(importances, predicted, without, rows, known, weights):
    """Compare with predictions with all features, and by feature without it."""
    worth = np.array([weights[name] for name in known])
    worth /= worth.mean()
    right = worth * (predicted == known)
    assert importances.accuracy == pytest.approx(right.mean())
    assert importances.n_rows == len(rows)
    for one in importances.features:
        lost = right - worth * (without[one.feature] == known)
        assert one.loss == pytest.approx(lost.mean(), abs=1e-12)
        assert one.error == pytest.approx(lost.std() / np.sqrt(len(rows)))
        assert one.changed == pytest.approx((without[one.feature] != predicted).mean())
        uses = [one.feature in {each.feature for each in rule.conditions} for rule in rows]
        assert one.used == pytest.approx(np.mean(uses))


def weights_of(clf):
    return dict(zip(clf.classes_, getattr(clf, "class_weight_", np.ones(9)), strict=False))


@pytest.mark.parametrize("make", [*MODELS, *ESTIMATORS], ids=name_of)
def test_losses_are_those_of_rows_without_the_value(make):
    clf, X, _ = make() if callable(make) else fitted(make)
    asked, known = (rings if "colour" in X else hints)(60, seed=3)
    without = {name: clf.predict(asked.assign(**{name: None})) for name in X}
    rules = [explanation.rule for explanation in clf.explain(asked)]
    importances = clf.importances(asked, known)
    assert not importances.is_left_out
    check(importances, clf.predict(asked), without, rules, known, weights_of(clf))


@pytest.mark.parametrize("make", [*MODELS, *ESTIMATORS[2:]], ids=name_of)
def test_training_rows_are_judged_by_the_others(make):
    """Each row is asked of a model that was never shown it."""
    clf, X, y = make() if callable(make) else fitted(make)
    X, y = X[:40], y[:40]
    clf = type(clf)(**clf.get_params()).fit(X, y) if not callable(make) else clf
    model, names = clf._model, [feature.name for feature in clf._model.features]
    codes, labels = model.training.row_codes, model.training.row_labels
    rows = np.lexsort([*codes[::-1], labels])
    rows = rows[np.arange(20) * len(rows) // 20]
    predicted, without = [], {name: [] for name in names}
    for row in rows:
        other = model.trained_on(np.delete(codes, row, axis=1), np.delete(labels, row))
        one = codes[:, [row]]
        predicted.append(other.predict(one)[0][0])
        for number, name in enumerate(names):
            masked = one.copy()
            masked[number] = -1
            without[name].append(other.predict(masked)[0][0])
    left_out = clf.leave_one_out()
    rules = [left_out[row].rule for row in rows]
    found = {name: clf.classes_[column] for name, column in without.items()}
    found |= {name: clf.classes_[predicted] for name in X if name not in names}
    known = clf.classes_[labels[rows]]
    importances = clf.importances(max_rows=20)
    assert importances.is_left_out
    check(importances, clf.classes_[predicted], found, rules, known, weights_of(clf))


def test_shares_follow_the_convention_of_scikit_learn(tmp_path):
    clf, X, y = fitted(ESTIMATORS[2])
    losses = np.maximum([one.loss for one in clf.importances().features], 0)
    np.testing.assert_allclose(clf.feature_importances_, losses / losses.sum())
    selected = SelectFromModel(clone(clf), threshold=-np.inf, max_features=2).fit(
        X[["a", "b", "c"]], y
    )
    assert selected.transform(X[["a", "b", "c"]]).shape == (150, 2)
    clf.save(tmp_path / "m.pic")
    np.testing.assert_array_equal(
        load(tmp_path / "m.pic").feature_importances_, clf.feature_importances_
    )
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = clone(clf).fit(X.iloc[order], y[order])
    assert shuffled.importances(max_rows=40) == clf.importances(max_rows=40)
    clf.fit(X[["a"]], y)
    assert clf.feature_importances_.tolist() == [1.0]


def test_columns_that_say_nothing_have_no_importance():
    X = pd.DataFrame({"same": 1.0, "told": list("ab") * 30})
    clf = PersonalRuleClassifier(cuts=2).fit(X, list("ab") * 30)
    assert clf.feature_importances_.tolist() == [0.0, 1.0]
    nothing = PersonalRuleClassifier(cuts=2).fit(X[["same"]], ["a"] * 60)
    assert nothing.feature_importances_.tolist() == [0.0]


def test_text_table_and_plain_values_agree():
    clf, X, y = fitted(ESTIMATORS[1])
    importances = clf.importances(X, y)
    first, _, *lines = str(importances).splitlines()
    assert first == f"150 rows: accuracy {importances.accuracy:.1%}"
    ranked = [one.feature for one in importances.ranked]
    assert [line.split()[-1] for line in lines] == ranked
    assert importances.to_frame()["feature"].tolist() == ranked
    assert [one["feature"] for one in importances.to_dict()["features"]] == ranked
    assert ranked[0] in importances._repr_html_()


def test_what_cannot_be_judged_is_told():
    clf, X, y = fitted(ESTIMATORS[1])
    with pytest.raises(BadParameter, match="FPICClassifier has no leave-one-out"):
        clf.importances()
    with pytest.raises(BadParameter, match="X was given without y"):
        clf.importances(X)
    with pytest.raises(BadParameter, match="max_rows is 0"):
        clf.importances(X, y, max_rows=0)
    with pytest.raises(NotFittedError):
        PersonalRuleClassifier().feature_importances_  # noqa: B018
    one = PersonalRuleClassifier(cuts=2).fit([[1.0]], ["a"])
    with pytest.raises(BadTable, match="there is 1 training row"):
        one.importances()
    unseen = clf.importances(X[:3], ["ash", "unheard of", "beech"])
    assert unseen.accuracy == np.mean(clf.predict(X[:3]) == ["ash", "unheard of", "beech"])
