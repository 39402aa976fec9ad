"""Rows added and taken away: as if one fit had seen the rows that remain."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import picrules
from picrules import FPICClassifier, PICClassifier
from picrules.errors import BadTable, BadTarget
from tests.examples import FEWER

ESTIMATORS = [
    PICClassifier(engine="table"),
    PICClassifier(engine="bitmap", max_length=2),
    FPICClassifier(engine="table", max_length=2),
    FPICClassifier(engine="bitmap"),
    PICClassifier(max_length=3, keep_rows=False),
    FPICClassifier(max_length=2, keep_rows=False),
]
# These rows stay, so that one fit on what remains has the same cuts.
PINNED = pd.DataFrame({"size": [0.0, 10.0], "kind": ["a", None], "ward": ["x", "y"]}, dtype=object)
PINNED["size"] = PINNED["size"].astype(float)
CELLS = {
    "size": [0.0, 1.0, 3.0, 5.0, 9.0, 10.0, np.nan],
    "kind": ["a", "b", "c", "Z", None],
    "ward": ["x", "y"],
}
CLASSES = ["no", "yes", "maybe"]

one_row = st.tuples(*(st.sampled_from(cells) for cells in CELLS.values()), st.sampled_from(CLASSES))
batches = st.lists(one_row, min_size=1, max_size=6)


def to_table(rows):
    X = pd.DataFrame([row[:-1] for row in rows], columns=list(CELLS))
    X = X.astype({"size": float, "kind": object, "ward": object})
    return X, np.array([row[-1] for row in rows], object)


def say(clf):
    X = pd.DataFrame(
        [(size, kind, ward) for size in (0.0, 3.5, 99.0, np.nan) for kind in ("a", "c", None)
         for ward in ("x", "y")], columns=list(CELLS),
    ).astype({"size": float, "kind": object, "ward": object})  # fmt: skip
    told = [
        (each.prediction, str(each.rule), each.score, each.class_counts)
        for each in clf.explain(X)
    ]  # fmt: skip
    return told, clf.predict_proba(X).tolist(), clf.class_sizes_.tolist(), clf.classes_.tolist()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@FEWER
@given(data=st.data())
def test_any_way_to_the_same_rows_gives_the_model_of_one_fit(estimator, data):
    rows = [(*row, "no") for row in PINNED.itertuples(index=False)]
    if not estimator.keep_rows:  # a column must have two values then, or none comes
        rows[1] = (10.0, "b", "y", "no")
    rows += data.draw(batches)
    clf = clone(estimator).fit(*to_table(rows))
    for _ in range(data.draw(st.integers(1, 4))):
        if data.draw(st.booleans()) and len(rows) > 2:
            gone = data.draw(st.sets(st.sampled_from(range(2, len(rows))), min_size=1))
            clf.forget(*to_table([rows[at] for at in sorted(gone)]))
            rows = [row for at, row in enumerate(rows) if at not in gone]
        else:
            more = data.draw(batches)
            clf.partial_fit(*to_table(more))
            rows += more
        assert say(clf) == say(clone(estimator).fit(*to_table(rows)))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_growing_goes_on_after_a_file(estimator, tmp_path):
    first = [(0.0, "a", "x", "no"), (10.0, "b", "y", "yes")]
    more = [(10.0, "b", "x", "no"), (5.0, "q", "y", "maybe")]
    clone(estimator).fit(*to_table(first)).save(tmp_path / "model.pic")
    clf = picrules.load(tmp_path / "model.pic").partial_fit(*to_table(more))
    clf.save(tmp_path / "model.pic")
    clf = picrules.load(tmp_path / "model.pic")
    assert say(clf) == say(clone(estimator).fit(*to_table(first + more)))
    assert say(clf.forget(*to_table(more))) == say(clone(estimator).fit(*to_table(first)))


@pytest.mark.parametrize(
    ("gone", "named"),
    [
        ([(0.0, "a", "x", "no"), (0.0, "a", "x", "yes")], "row 1 with the class 'yes'"),
        ([(0.0, "a", "x", "no")] * 3, "row 2 with the class 'no'"),
        ([(9.0, "a", "x", "no")], "row 0 with the class 'no'"),
        ([(0.0, "new", "x", "no")], "row 0 with the class 'no'"),
        ([(0.0, None, "x", "no")], "row 0 with the class 'no'"),
        ([(0.0, "a", "x", "never")], "row 0 with the class 'never'"),
    ],
)
def test_rows_that_were_never_added_are_named_and_nothing_changes(gone, named):
    clf = FPICClassifier().fit(*to_table([(0.0, "a", "x", "no")] * 2 + [(10.0, "b", "y", "yes")]))
    before = say(clf)
    with pytest.raises(BadTable, match=f"{named} is not among the training rows, or not as often"):
        clf.forget(*to_table(gone))
    assert say(clf) == before


def test_rows_that_come_and_go_must_be_some_and_in_memory():
    """It was said that a lazy frame has no named columns, and that no rows have another class."""
    table = pl.DataFrame({"a": ["u", "v"], "y": ["no", "yes"]})
    with pytest.raises(BadTarget, match="y holds the class 'yes'; classes has"):
        FPICClassifier().partial_fit(table.lazy(), "y", classes=["no", "maybe"])
    clf = FPICClassifier().partial_fit(table.lazy(), "y", classes=["no", "yes"])
    before = say_of(clf, table)
    for method in (clf.partial_fit, clf.forget):
        with pytest.raises(BadTable, match=r"X is a lazy LazyFrame; rows .* as X.collect\(\)"):
            method(table.lazy(), "y")
        with pytest.raises(BadTable, match="X has no rows; at least one row to add or to take"):
            method(table.head(0), "y")
    assert say_of(clf, table) == before


def say_of(clf, table):
    return [(str(one), one.class_counts) for one in clf.explain(table.drop("y"))]


def test_the_last_row_cannot_be_forgotten():
    clf = FPICClassifier().fit([["a"]], ["no"])
    with pytest.raises(BadTable, match="no training row would be left"):
        clf.forget([["a"]], ["no"])


def test_classes_that_were_not_told_are_refused():
    clf = FPICClassifier()
    with pytest.raises(BadTarget, match="y holds the class 'b'; classes has"):
        clf.partial_fit([[1], [2]], ["a", "b"], classes=["a", "c"])
    assert not hasattr(clf, "classes_")
    clf.partial_fit([[1], [2]], ["a", "c"], classes=["a", "c"])
    with pytest.raises(BadTarget, match="y holds numbers; the classes so far are text"):
        clf.partial_fit([[1]], [7])
    assert clf.class_sizes_.tolist() == [1, 1]


def test_ordered_categories_are_extended_in_the_order_that_the_column_tells():
    grades = pd.CategoricalDtype(list("CBA"), ordered=True)
    X = pd.DataFrame({"grade": pd.Series(["A", "C"], dtype=grades)})
    clf = FPICClassifier().fit(X, [0, 1])
    clf.partial_fit(pd.DataFrame({"grade": pd.Series(["B"], dtype=grades)}), [1])
    assert clf.schema_.features[0].categories == ("C", "B", "A")
    assert clf.explain(X.iloc[[0]])[0].class_counts == {0: 1, 1: 0}
    with pytest.raises(BadTable, match="column 'grade' holds 'D', which is new; its categories"):
        clf.partial_fit(pd.DataFrame({"grade": ["D"]}), [1])


def test_a_column_that_was_empty_gets_its_first_categories():
    X = pd.DataFrame({"kind": pd.Series([None, None], dtype="category"), "ward": ["x", "y"]})
    clf = FPICClassifier().fit(X, [0, 1])
    more = pd.DataFrame({"kind": pd.Series(["a", "b"], dtype="category"), "ward": ["x", "x"]})
    clf.partial_fit(more, [0, 1])
    assert clf.explain(more)[1].prediction == 1
