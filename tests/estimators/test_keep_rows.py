"""Counts in place of rows answer as rows do, and say what they cannot tell."""

import pickle
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import picrules
from picrules import FPICClassifier, PICClassifier
from picrules.engines import blocks
from picrules.engines.sample import RowSample
from picrules.errors import BadParameter, BadTable, NotEnoughMemory, NoTrainingRows
from picrules.estimators.counted_rows import CountedRows
from tests.examples import FEWER

ESTIMATORS = [FPICClassifier, PICClassifier]


def make_table(seed, n_rows=120):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "a": rng.normal(size=n_rows),
        "b": rng.choice(list("xyz"), n_rows),
        "c": rng.integers(0, 3, n_rows).astype(float),
        "d": rng.choice(["u", "v", None], n_rows),
        "e": np.ones(n_rows),
    })  # fmt: skip
    X.loc[rng.random(n_rows) < 0.1, "a"] = np.nan
    y = np.where((X["a"] > 0) & (X["b"] == "x"), "yes", rng.choice(["no", "maybe"], n_rows))
    return X, y


def told(clf, X):
    """Everything that both can tell."""
    answers = [one.to_dict() | {"nearest": []} for one in clf.explain(X, simplify=0.05)]
    return answers, clf.predict(X).tolist(), clf.predict_proba(X).tolist()


@pytest.mark.parametrize("estimator", ESTIMATORS)
@FEWER
@given(
    seed=st.integers(0, 10**6),
    max_length=st.integers(1, 5),
    alpha=st.sampled_from([0.0, 0.5, 0.9, 1.0]),
    n_jobs=st.integers(1, 2),
)
def test_counts_answer_as_rows_do(estimator, seed, max_length, alpha, n_jobs):
    X, y = make_table(seed)
    kept = estimator(alpha, max_length, keep_rows=True).fit(X, y)
    counted = estimator(alpha, max_length, keep_rows=False, n_jobs=n_jobs).fit(X, y)
    asked = pd.concat([X[:15], make_table(seed + 1)[0][:5].assign(b=["x", "y", "z", "new", None])])
    assert told(counted, asked) == told(kept, asked)
    assert counted.class_sizes_.tolist() == kept.class_sizes_.tolist()
    row, changes = asked[:1], {"max_changes": 2}
    for name, arguments in (("what_if", {"a": 0.7}), ("smallest_changes", changes)):
        one, other = (getattr(clf, name)(row, **arguments) for clf in (counted, kept))
        assert str(one) == str(other)


@pytest.mark.parametrize("rows_at_once", [2**19, 7])
def test_weights_are_counted(rows_at_once):
    """Also where more rows come at once than are counted at once."""
    X, y = make_table(3)
    times = np.arange(len(X)) % 4
    with patch.object(blocks, "ROWS_AT_ONCE", rows_at_once):
        counted = FPICClassifier(keep_rows=False).fit(X, y, sample_weight=times)
    assert counted.class_sizes_.sum() == times.sum()
    repeated = FPICClassifier().fit(X.loc[X.index.repeat(times)], y.repeat(times))
    assert told(counted, X) == told(repeated, X)


def test_what_cannot_be_told_says_so():
    X, y = make_table(0)
    clf = FPICClassifier(keep_rows=False).fit(X, y)
    assert str(clf.plan_) == "table engine: counts are kept in place of the rows"
    one = clf.explain(X[:1])[0]
    assert one.to_dict()["nearest"] == []
    assert "<svg" in one._repr_html_() or "<div" in one._repr_html_()
    copy = pickle.loads(pickle.dumps(one))
    assert copy.to_dict() == one.to_dict()
    asking = [
        lambda: one.evidence,
        lambda: clf.explain(X[:1], top=2)[0].top,
        lambda: clf.explain(X[:1], trace=True)[0].trace,
        lambda: clf.stability(X[:1]),
        lambda: clf.significance(X[:1]),
    ]
    for ask in asking:
        with pytest.raises(NoTrainingRows, match="keeps counts in place of its 120 training rows"):
            ask()
    with pytest.raises(NoTrainingRows, match="kept no training rows"):
        _ = copy.evidence


ODD, EVEN = ([["u", "u", "u"], ["u", "v", "v"], ["v", "u", "v"], ["v", "v", "u"]],
             [["v", "v", "v"], ["v", "u", "u"], ["u", "v", "u"], ["u", "u", "v"]])  # fmt: skip


@pytest.mark.parametrize("n_more", [0, 3])
@pytest.mark.parametrize("most", [20_000, 2])
def test_rows_that_no_count_of_pairs_of_features_tells_apart(most, n_more, tmp_path):
    """Rows that were never added went, and the file of what was left could not be opened."""
    X, y = ODD * 2 + [ODD[0]] * n_more + [["w", "w", "w"]], ["no"] * (8 + n_more) + ["yes"]
    with patch.object(RowSample.__init__, "__defaults__", (most,)):
        clf = FPICClassifier(max_length=2, keep_rows=False).fit(X, y)
        before = told(clf, X)
        with pytest.raises(BadTable, match="with the class 'no' is not among the training rows"):
            clf.forget(EVEN * 2, ["no"] * 8)
        assert told(clf, X) == before
        clf.forget(ODD, ["no"] * 4).save(tmp_path / "model.pic")
        assert told(picrules.load(tmp_path / "model.pic"), X) == told(clf, X)


def test_the_last_row_of_the_sample_stays():
    """A model without any could not be saved, and took no row into its sample again."""
    X, y = ODD + EVEN, ["no", "yes"] * 4
    with patch.object(RowSample.__init__, "__defaults__", (1,)):
        clf = FPICClassifier(max_length=1, keep_rows=False).fit(X, y)
        before, sampled = told(clf, X), clf._fitted.training
        own = [[each.categories[code] for each, code in zip(
            clf.schema_.features, sampled.codes[:, 0].tolist(), strict=True)]]  # fmt: skip
        with pytest.raises(BadTable, match="no row of the sample would be left"):
            clf.forget(own, clf.classes_[sampled.labels])
        assert told(clf, X) == before


def test_rows_without_any_condition_are_kept(tmp_path):
    """Counts of no feature at all could not be saved; a class has one row then."""
    X, y = pd.DataFrame({"a": [np.nan] * 5, "b": [None] * 5}), ["no", "yes", "no", "no", "yes"]
    X = X.astype({"b": "string"})
    clf = FPICClassifier(keep_rows=False).fit(X, y)
    clf.save(tmp_path / "model.pic")
    loaded = picrules.load(tmp_path / "model.pic")
    assert str(loaded.explain(X)[0].rule) == str(clf.explain(X)[0].rule)
    assert loaded.explain(X)[0].class_counts == {"no": 3, "yes": 2}
    more = pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]})
    grown = loaded.partial_fit(more, ["yes", "no"])
    assert grown.explain(more)[0].class_counts == {"no": 0, "yes": 1}
    assert grown._fitted.training.counts is not None
    grown.save(tmp_path / "model.pic")
    assert told(picrules.load(tmp_path / "model.pic"), more) == told(grown, more)


def test_auto_counts_only_where_rows_do_not_fit():
    X, y = make_table(0, 60_000)
    clf = FPICClassifier(max_length=1, bins={"a": 500})
    kept = clone(clf).fit(X, y)
    assert kept._fitted.training.counts is None
    counted = clf.set_params(memory_limit=300_000).fit(X, y)
    assert counted._fitted.training.counts is not None
    assert told(counted, X[:20]) == told(kept, X[:20])


def test_categories_that_come_must_fit_too():
    """Counts grew past every limit."""
    X, y = make_table(0)
    clf = FPICClassifier(max_length=2, keep_rows=False, memory_limit=30_000).fit(X, y)
    before = told(clf, X)
    more = X.assign(b=[f"new {number}" for number in range(len(X))])
    with pytest.raises(NotEnoughMemory, match="leave out columns with many values"):
        clf.partial_fit(more, y)
    assert told(clf, X) == before
    assert clf.partial_fit(X.assign(b="one more"), y).class_sizes_.sum() == 2 * len(X)


def test_what_does_not_fit_says_what_to_lower():
    X, y = make_table(0)
    with pytest.raises(
        NotEnoughMemory, match=r"up to 3 features need .* allows 1 kB; lower max_len"
    ):
        FPICClassifier(keep_rows=False, memory_limit=1000).fit(X, y)
    with pytest.raises(BadParameter, match="keep_rows is 'no'; True, False or 'auto'"):
        FPICClassifier(keep_rows="no").fit(X, y)
    with pytest.raises(BadParameter, match="bitmaps are of rows"):
        FPICClassifier(keep_rows=False, engine="bitmap").fit(X, y)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@FEWER
@given(seed=st.integers(0, 10**6), steps=st.lists(st.booleans(), min_size=1, max_size=4))
def test_counts_add_and_forget_as_rows_do(estimator, seed, steps):
    X, y = make_table(seed)
    clfs = [estimator(max_length=2, keep_rows=kept).fit(X, y) for kept in (True, False)]
    rng = np.random.default_rng(seed)
    added = []
    for is_adding in steps:
        if is_adding or not added:
            more = make_table(seed + len(added) + 1, 30)
            new = rng.choice(["x", "new", "a"], 30)
            added.append((more[0].assign(b=new), np.where(new == "new", "other", more[1])))
            for clf in clfs:
                clf.partial_fit(*added[-1])
        else:
            gone = added.pop(int(rng.integers(len(added))))
            for clf in clfs:
                clf.forget(*gone)
        kept, counted = clfs
        assert counted.classes_.tolist() == kept.classes_.tolist()
    assert told(counted, X[:10]) == told(kept, X[:10])


def test_a_row_that_was_never_added_changes_no_counts():
    X, y = make_table(0)
    clf = FPICClassifier(keep_rows=False).fit(X, y)
    before = told(clf, X)
    for rows, row in (([0, 1, 1, 2], 2), ([3, 4], 1)):
        gone, classes = X.iloc[rows].copy(), y[rows].copy()
        if row == 1:
            gone.iloc[1, 1] = "never"
        with pytest.raises(BadTable, match=f"row {row} with the class .* is not among"):
            clf.forget(gone, classes)
    with pytest.raises(BadTable, match="no training row would be left"):
        clf.forget(X, y)
    assert told(clf, X) == before


@pytest.mark.parametrize("row", [0, 1, 63, 700, 999])
def test_the_first_row_that_was_never_added_is_found_by_halving(row):
    """Rows were tried from the last one back, each by a count of all before it.

    Those that the sample would hold are looked up; here it holds one pair of two, or both.
    """
    X, y = pd.DataFrame({"a": list("uv") * 500}), np.array(["no", "yes"] * 500)
    gone, counted, count = np.array(y), [], CountedRows._count
    gone[row:] = np.where(y[row:] == "no", "yes", "no")

    def note(rows, codes, labels, *times):
        counted.append(len(labels))
        return count(rows, codes, labels, *times)

    for most in (1, 2):
        with patch.object(RowSample.__init__, "__defaults__", (most,)):
            clf = FPICClassifier(keep_rows=False).fit(X, y)
            assert clf._fitted.training.n_pairs == most
        counted.clear()
        with (
            patch.object(CountedRows, "_count", note),
            pytest.raises(BadTable, match=f"^row {row} with the class"),
        ):
            clf.forget(X, gone)
        assert len(counted) <= 3 + np.log2(len(X))
