"""A tuned model with counts in place of rows: it answers as one with rows that chose the same."""

import pickle
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import picrules
from picrules import PersonalRuleClassifier, report
from picrules.engines.batches import row_bytes
from picrules.engines.sample import RowSample
from picrules.errors import BadParameter, BadTable, NotEnoughMemory, NoTrainingRows
from tests.estimators.test_keep_rows import make_table, told
from tests.examples import at_most

FIXED = {
    "cuts": 4, "max_length": 2, "alpha": 1, "smoothing": 1, "subsets": True, "intervals": False,
    "look_alikes": False, "min_cover": 2,
}  # fmt: skip
ESTIMATORS = [
    PersonalRuleClassifier(**FIXED, class_offset=True),
    PersonalRuleClassifier(**FIXED | {"intervals": True}, class_weight="balanced"),
    PersonalRuleClassifier(**FIXED | {"measure": "certainty_factor", "max_length": 3}),
    PersonalRuleClassifier(
        cuts=[3, 4], max_length=[1, 2], alpha=1, smoothing=[1, 9], look_alikes=False
    ),
]
few = at_most(4)


def learned(clf):
    """What follows from the rows, and what was chosen by them."""
    tuning = clf.tuning_
    return (
        clf.class_offset_.tolist(), clf.class_sizes_.tolist(), tuning.accuracy, str(tuning.chosen),
        clf.classes_.tolist(), clf.schema_, clf.max_length_, clf.drift_.share,
    )  # fmt: skip


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@few
@given(seed=st.integers(0, 10**6), n_jobs=st.integers(1, 2))
def test_counts_answer_as_rows_do(estimator, seed, n_jobs):
    X, y = make_table(seed)
    kept = clone(estimator).fit(X, y)
    counted = clone(estimator).set_params(keep_rows=False, n_jobs=n_jobs).fit(X, y)
    assert counted._fitted.training.counts is not None
    assert str(counted.plan_) == "table engine: counts are kept in place of the rows"
    asked = pd.concat([X[:8], make_table(seed + 1)[0][:4].assign(b=["x", "y", "new", None])])
    assert told(counted, asked) == told(kept, asked)
    assert learned(counted) == learned(kept)
    row, changes = asked[:1], {"max_changes": 2}
    for name, arguments in (("what_if", {"a": 0.7}), ("smallest_changes", changes)):
        one, other = (getattr(clf, name)(row, **arguments) for clf in (counted, kept))
        assert str(one) == str(other)


@pytest.mark.parametrize("estimator", ESTIMATORS[:2], ids=str)
@few
@given(seed=st.integers(0, 10**6), steps=st.lists(st.booleans(), min_size=1, max_size=3))
def test_counts_add_and_forget_as_rows_do(estimator, seed, steps):
    """In whatever parts they come and go, saved and loaded in between."""
    X, y = make_table(seed)
    clfs = [clone(estimator).set_params(keep_rows=kept).fit(X, y) for kept in (True, False)]
    rng, added = np.random.default_rng(seed), []
    for is_adding in steps:
        if is_adding or not added:
            more = make_table(seed + len(added) + 1, 30)
            new = rng.choice(["x", "new", "a"], 30)
            added.append((more[0].assign(b=new), np.where(new == "new", "other", more[1])))
            clfs = [clf.partial_fit(*added[-1]) for clf in clfs]
        else:
            gone = added.pop(int(rng.integers(len(added))))
            clfs = [clf.forget(*gone) for clf in clfs]
        kept, counted = clfs = [pickle.loads(pickle.dumps(clf)) for clf in clfs]
        assert counted._fitted.training.counts is not None
        assert learned(counted) == learned(kept)
        assert str(counted.drift_) == str(kept.drift_)
    assert told(counted, X[:6]) == told(kept, X[:6])


def test_a_file_of_counts_says_the_same(tmp_path):
    X, y = make_table(4)
    clf = clone(ESTIMATORS[0]).set_params(keep_rows=False).fit(X, y).partial_fit(X[:9], y[:9])
    clf.save(tmp_path / "one.pic")
    again = picrules.load(tmp_path / "one.pic")
    assert told(again, X) == told(clf, X)
    assert str(again.tuning_).split("\n")[1:] == str(clf.tuning_).split("\n")[1:]
    again.forget(X[:9], y[:9])  # the rows are those again that settings were chosen on
    assert again.drift_.share == 0
    assert told(again, X) == told(clone(clf).fit(X, y), X)


def test_what_needs_rows_says_so(tmp_path):
    X, y = make_table(0)
    clf = PersonalRuleClassifier(keep_rows=False, cuts=4, max_length=2).fit(X, y)
    assert "look-alikes and several rules were not tried" in str(clf.tuning_)
    asking = [
        clf.retune, clf.leave_one_out, clf.importances, lambda: clf.feature_importances_,
        lambda: clf.explain(X[:1])[0].evidence, lambda: clf.stability(X[:1]),
        lambda: clf.significance(X[:1]),
    ]  # fmt: skip
    for ask in asking:
        with pytest.raises(NoTrainingRows, match="keeps counts in place of its 120 training rows"):
            ask()
    assert clf.importances(X, y).n_rows == 120
    content = report(clf, X[:30], y[:30], tmp_path / "report.html")
    assert [each["by"] for each in content["performance"]] == ["this table"]


def test_the_last_row_of_the_sample_stays():
    """Without one nothing tells how sure the model is; all is as it was then."""
    X, y = make_table(1)
    with patch.object(RowSample.__init__, "__defaults__", (3,)):
        clf = clone(ESTIMATORS[0]).set_params(keep_rows=False).fit(X, y)
        before, training = told(clf, X), clf._fitted.training
        assert training.n_pairs == 3
        codes = clf._model.encode(clf._read_rows(X))
        labels = np.searchsorted(clf.classes_, y)
        pairs = zip(training.codes.T, training.labels, strict=True)
        is_in = np.array([
            (codes == own[:, np.newaxis]).all(axis=0) & (labels == label) for own, label in pairs
        ])  # fmt: skip
        with pytest.raises(BadTable, match="no row of the sample would be left"):
            clf.forget(X[is_in.any(axis=0)], y[is_in.any(axis=0)])
        assert told(clf, X) == before
        assert clf.forget(X[is_in[0]], y[is_in[0]]).predict(X).shape == (120,)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"look_alikes": True}, "look_alikes is True and keep_rows is False"),
        ({"n_rules": 3}, "n_rules is 3 and keep_rows is False"),
        ({"engine": "bitmap"}, "bitmaps are of rows"),
        ({"keep_rows": "no"}, "keep_rows is 'no'; True, False or 'auto'"),
    ],
)
def test_settings_that_need_rows_are_refused(settings, message):
    with pytest.raises(BadParameter, match=message):
        PersonalRuleClassifier(**{"keep_rows": False} | settings).fit(*make_table(0))


def test_lengths_whose_counts_do_not_fit_are_not_tried():
    X, y = make_table(0, 40)
    X["f"] = X["g"] = np.arange(40.0)
    clf = PersonalRuleClassifier(**FIXED | {"max_length": [1, 2, 3], "cuts": 40}, keep_rows=False)
    for limit, longest in ((None, 3), (1_500_000, 2)):
        clf.set_params(memory_limit=limit).fit(X, y)
        assert {each.max_length for each in clf.tuning_.candidates} == set(range(1, longest + 1))
    with pytest.raises(NotEnoughMemory, match=r"up to 1 features need .* allows 100 bytes"):
        clf.set_params(memory_limit=100).fit(X, y)
    clf.set_params(cuts=[40, 3], max_length=3, memory_limit=1_500_000).fit(X, y)
    assert {each.cuts for each in clf.tuning_.candidates} == {3}


def test_auto_counts_where_rows_do_not_fit():
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.integers(0, 3, (5000, 12))), rng.integers(0, 2, 5000)
    clf = PersonalRuleClassifier(**FIXED | {"max_length": 1})
    kept = clone(clf).fit(X, y)
    assert kept._fitted.training.counts is None
    rows = kept._fitted.training
    size = rows.n_pairs * row_bytes(rows.n_features)
    counted = clf.set_params(memory_limit=size - 1, engine="table").fit(X, y)
    assert counted._fitted.training.counts is not None
    assert told(counted, X[:20]) == told(kept, X[:20])
