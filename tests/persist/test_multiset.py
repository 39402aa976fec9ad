"""Model files hold a multiset of training rows: their order stands there only if asked for."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import picrules
from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier
from picrules.engines import training
from picrules.errors import BadModelFile, BadTable, NotEnoughMemory
from picrules.persist.format import from_bytes
from picrules.persist.save import to_array
from picrules.reports.asked import ask
from picrules.reports.cases import list_nearest
from tests.persist.damage import read_parts, write_parts
from tests.persist.models import classes, table

FIXED = {"cuts": 3, "max_length": 1, "alpha": 1, "smoothing": 1, "intervals": False}
ESTIMATORS = [
    PICClassifier(bins=2),
    FPICClassifier(bins=2, max_length=1, engine="bitmap"),
    PersonalRuleClassifier(**FIXED, look_alikes=False),
    PersonalRuleClassifier(**FIXED, look_alikes=True),
    PersonalRuleClassifier(cuts=3, max_length=1, n_rules=2, look_alikes=False),
]
each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)


def bytes_of(clf, tmp_path):
    clf.save(tmp_path / "model.pic")
    return (tmp_path / "model.pic").read_bytes()


def repeated(n_rows=40):
    """Rows of which many are alike."""
    X = table(n_rows)[["size", "is_new", "grade", "mixed"]]
    X["size"] = X["size"].round()
    y = classes(X)
    rows = np.random.default_rng(3).integers(0, n_rows, 2 * n_rows)
    return X.iloc[rows].reset_index(drop=True), y[rows]


@each_estimator
def test_shuffled_rows_give_the_same_bytes(estimator, tmp_path):
    X, y = repeated()
    expected = bytes_of(clone(estimator).fit(X, y), tmp_path)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(X))
        shuffled = clone(estimator).fit(X.iloc[order], y[order])
        assert bytes_of(shuffled, tmp_path) == expected
    assert bytes_of(picrules.load(tmp_path / "model.pic"), tmp_path) == expected


one_row = st.tuples(
    st.sampled_from([0.0, 1.0, 2.5, np.nan]), st.sampled_from(["a", "b", None]), st.booleans()
)


@settings(max_examples=1000, deadline=None)
@given(st.lists(one_row, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_any_order_gives_the_same_bytes(rows, random):
    def to_bytes(rows):
        X, y = np.array([row[:2] for row in rows], object), [row[2] for row in rows]
        return to_array(FPICClassifier(bins=2).fit(X, y))

    shuffled = random.sample(rows, len(rows))
    first, second = (read_parts(bytes(to_bytes(each))) for each in (rows, shuffled))
    assert first[0] == second[0]
    for name in ("codes", "labels", "occurrences"):
        assert np.array_equal(first[1][name], second[1][name])


@each_estimator
@pytest.mark.parametrize("keep_order", [False, True])
def test_what_is_known_of_the_order_is_kept_where_asked(estimator, keep_order, tmp_path):
    X, y = repeated()
    fitted = clone(estimator).fit(X, y)
    fitted.save(tmp_path / "model.pic", keep_order=keep_order)
    loaded = picrules.load(tmp_path / "model.pic")
    assert loaded.predict_proba(X).tobytes() == fitted.predict_proba(X).tobytes()
    own, other = (clf.explain(X.iloc[[0]])[0].evidence for clf in (fitted, loaded))
    assert other.distances.tolist() == own.distances.tolist()
    assert other.labels.tolist() == own.labels.tolist()
    if keep_order:
        assert other.rows.tolist() == own.rows.tolist()
        assert other.values(X).equals(own.values(X))
        return
    with pytest.raises(BadTable, match=r"does not keep where rows stood .* keep_order=True"):
        other.values(X)
    listed = loaded._model.training.row_labels[other.rows]
    assert listed.tolist() == other.labels.tolist()


def test_pickle_keeps_the_order():
    X, y = repeated()
    fitted = FPICClassifier(bins=2).fit(X, y)
    loaded = pickle.loads(pickle.dumps(fitted))
    own, other = (clf.explain(X.iloc[[0]])[0].evidence for clf in (fitted, loaded))
    assert other.rows.tolist() == own.rows.tolist()
    assert other.has_order


def test_rows_are_left_out_in_the_order_of_what_they_hold(tmp_path):
    X, y = repeated()
    fitted = clone(ESTIMATORS[2]).fit(X, y)
    fitted.save(tmp_path / "model.pic")
    loaded = picrules.load(tmp_path / "model.pic")

    def tell(clf):
        training = clf._model.training
        told = [(*codes, label) for codes, label in zip(
            training.row_codes.T.tolist(), training.row_labels.tolist(), strict=True
        )]  # fmt: skip
        left_out = [(each.prediction, str(each.rule), each.score) for each in clf.leave_one_out()]
        return told, list(zip(told, left_out, strict=True))

    rows, answers = tell(loaded)
    assert rows == sorted(rows)
    assert sorted(answers) == sorted(tell(fitted)[1])


def test_the_training_table_tells_where_its_rows_stand(tmp_path):
    X, y = repeated()
    fitted = FPICClassifier(bins=2, max_length=2).fit(X, y)
    fitted.save(tmp_path / "model.pic")
    loaded, rows = picrules.load(tmp_path / "model.pic"), np.arange(len(X))
    expected = list_nearest(ask(fitted, X, y), rows)
    assert list_nearest(ask(loaded, X, y), rows) == expected
    # Without classes it is not known which is which; but no row is near to itself.
    distances = [[near[2] for near in each] for each in list_nearest(ask(loaded, X), rows)]
    assert distances == [[near[2] for near in each] for each in expected]
    changed = [*y[1:], y[0]]
    assert not ask(loaded, X, changed).explanations[0].evidence.has_order


def swap(arrays):
    for name in ("labels", "occurrences"):
        arrays[name][[0, 1]] = arrays[name][[1, 0]]
    arrays["codes"][:, [0, 1]] = arrays["codes"][:, [1, 0]]


def double(arrays):
    arrays["labels"][1], arrays["codes"][:, 1] = arrays["labels"][0], arrays["codes"][:, 0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (swap, "its pairs of row and class are not sorted"),
        (double, "stands there twice"),
        (lambda arrays: arrays["occurrences"].__setitem__(0, 0), "occurrences reach from 0 to"),
        (lambda arrays: arrays["occurrences"].__setitem__(0, 2**62), "to 4611686018427387904; 1"),
        (lambda arrays: arrays["occurrences"].__iadd__(1), "class_sizes are not those"),
        (lambda arrays: arrays["rows"].__setitem__(0, -1), "its rows are not each pair as often"),
        (lambda arrays: arrays["rows"].__setitem__(0, 2**40), "its rows are not each pair as"),
        (lambda arrays: arrays["rows"].__setitem__(slice(None), 0), "its rows are not each pair"),
    ],
)
@pytest.mark.parametrize("mmap", [False, True])
def test_arrays_that_are_no_multiset_are_refused(change, said, mmap, tmp_path):
    X, y = repeated()
    FPICClassifier(bins=2).fit(X, y).save(tmp_path / "model.pic", keep_order=True)
    text, arrays = read_parts((tmp_path / "model.pic").read_bytes())
    change(arrays)
    (tmp_path / "changed.pic").write_bytes(write_parts(text, arrays))
    with pytest.raises(BadModelFile, match=said):
        picrules.load(tmp_path / "changed.pic", mmap=mmap).predict(X)


def test_a_small_file_of_very_many_rows_takes_little_memory(tmp_path, monkeypatch):
    """Two billion rows that are alike are counted, not listed."""
    FPICClassifier().fit([["a"], ["b"]], [0, 1]).save(tmp_path / "model.pic")
    text, arrays = read_parts((tmp_path / "model.pic").read_bytes())
    content, many = from_bytes(text), 2**31 - 2
    content["state"].update(n_rows=many + 1, class_sizes=[many, 1])
    arrays["occurrences"][0] = many
    (tmp_path / "many.pic").write_bytes(write_parts(json.dumps(content).encode(), arrays))
    loaded = picrules.load(tmp_path / "many.pic").set_params(engine="table")
    (explanation,) = loaded.explain([["a"]])
    assert explanation.class_counts == {0: many, 1: 0}
    monkeypatch.setattr(training, "free_memory", lambda: 2**30)
    with pytest.raises(
        NotEnoughMemory, match=r"a list of the 2147483647 training rows takes 16\.0"
    ):
        len(explanation.evidence.rows)
