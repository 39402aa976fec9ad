"""Lazy frames of every kind give the models that tables in memory give."""

import numpy as np
import polars as pl
import pytest
from pyarrow import parquet
from sklearn.base import clone

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier
from picrules.errors import BadParameter, BadTable, BadTarget
from tests.distributed.frames import (
    LAZY,
    awkward,
    open_files,
    open_kind,
    quiet,
    to_arrow,
    to_pandas,
)

pytestmark = quiet

ESTIMATORS = [
    FPICClassifier(),
    PICClassifier(bins={"age": 7, "seen": 3}, categorical_features=["count", "smokes"]),
    FPICClassifier(bins=300, max_length=1),
    PersonalRuleClassifier(max_length=2, cuts=8),
]


@pytest.fixture(scope="module", params=LAZY)
def to_lazy(request):
    with open_kind(request.param) as convert:
        yield convert


def rules_of(clf, table):
    return [(str(one), one.class_counts) for one in clf.explain(table.drop(["state"]))]


def file_of(clf, folder):
    clf.save(folder / "model.pic")
    return (folder / "model.pic").read_bytes()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_every_kind_of_frame_gives_the_same_file(estimator, to_lazy, tmp_path):
    """The three kinds in memory as well, and rows in another order."""
    table = awkward()
    expected = file_of(estimator.fit(to_pandas(table), "state"), tmp_path)
    assert file_of(estimator.fit(pl.from_arrow(table), "state"), tmp_path) == expected
    assert file_of(estimator.fit(table, "state"), tmp_path) == expected
    shuffled = table.take(np.random.default_rng(3).permutation(len(table)))
    assert file_of(estimator.fit(to_lazy(shuffled), "state"), tmp_path) == expected
    assert estimator.feature_names_in_.tolist() == table.column_names[:-1]
    assert rules_of(estimator, table) == rules_of(clone(estimator).fit(table, "state"), table)


@pytest.mark.parametrize("estimator", ESTIMATORS[:2], ids=str)
def test_polars_tells_the_order_of_categories(estimator, tmp_path):
    sizes = pl.Series(["S", "XL", None, "M", "S", "L"] * 4, dtype=pl.Enum(["S", "M", "L", "XL"]))
    colours = pl.Series(["red", None, "blue"] * 8, dtype=pl.Categorical)
    frame = pl.DataFrame({"age": range(24), "size": sizes, "hue": colours, "y": [1, 2, 2] * 8})
    clf = clone(estimator).set_params(bins=3, categorical_features="from_dtype")
    expected = file_of(clf.fit(frame, "y"), tmp_path)
    assert file_of(clf.fit(frame.lazy(), "y"), tmp_path) == expected
    assert clf.schema_.features[1].categories == ("S", "M", "L", "XL")
    assert clf.schema_.features[1].is_ordered


@pytest.mark.parametrize("estimator", ESTIMATORS[2:], ids=str)
def test_answers_are_a_frame_of_the_same_kind(estimator, to_lazy):
    """Columns that the model does not use stand beside them."""
    table = awkward()
    X, frame = table.drop(["state"]), to_lazy(table)
    clf = clone(estimator).fit(table, "state")
    predicted, told = clf.predict(frame), clf.explain(frame).to_frame()
    assert type(predicted) is type(told) is type(clf.predict_proba(frame)) is type(frame)
    assert to_arrow(predicted).to_pydict() == {
        "state": table["state"].to_pylist(), "prediction": clf.predict(X).tolist(),
    }  # fmt: skip
    shares = to_arrow(clf.predict_proba(frame)).drop(["state"])
    assert shares.column_names == ["probability_ill", "probability_well"]
    assert np.array_equal(np.column_stack(shares.columns), clf.predict_proba(X))
    expected = pl.from_arrow(clf.explain(X).to_frame("pyarrow"))
    found = pl.from_arrow(to_arrow(told).drop(["state"]))
    assert found.columns == expected.columns
    assert found.fill_nan(None).equals(expected.cast(found.schema).fill_nan(None))


def test_rows_with_nothing_but_features_have_answers(to_lazy):
    """Of Polars they failed."""
    table = awkward()
    clf = FPICClassifier(max_length=1).fit(table, "state")
    X = table.drop(["state"])
    predicted = to_arrow(clf.predict(to_lazy(X)))
    assert predicted.to_pydict() == {"prediction": clf.predict(X).tolist()}
    told = to_arrow(clf.explain(to_lazy(X)).to_frame())
    assert told["rule"].to_pylist() == clf.explain(X).to_frame("pyarrow")["rule"].to_pylist()


def test_answers_need_the_columns_of_training(to_lazy):
    table = awkward()
    clf = FPICClassifier(max_length=1).fit(table, "state")
    with pytest.raises(BadTable, match="X lacks the columns town, day; the model was trained on"):
        clf.predict(to_lazy(table.drop(["town", "day"])))
    named = table.rename_columns([*table.column_names[:-1], "rule"])
    with pytest.raises(BadTable, match="X has a column named 'rule', as the answers have"):
        clf.explain(to_lazy(named)).to_frame()
    with pytest.raises(BadParameter, match="top or trace is given with a lazy X"):
        clf.explain(to_lazy(table), top=3)


def test_a_failed_fit_changes_nothing(to_lazy):
    table = awkward()
    clf = FPICClassifier().fit(to_lazy(table), "state")
    before = rules_of(clf, table)
    with pytest.raises(BadTarget, match="every row must have a class"):
        clf.fit(to_lazy(table), "town")
    with pytest.raises(BadTarget, match="X has 0 columns 'income'; its columns are age, dose"):
        clf.fit(to_lazy(table), "income")
    with pytest.raises(BadTable, match="0 sample"):
        clf.fit(to_lazy(table.slice(0, 0)), "state")
    assert rules_of(clf, table) == before


@pytest.mark.parametrize("kind", ["duckdb", "ibis", "spark"])
def test_a_file_that_cannot_be_read_is_named(kind, tmp_path):
    for number in range(3):
        parquet.write_table(awkward(30), tmp_path / f"part-{number}.parquet")
    damaged = tmp_path / "part-1.parquet"
    damaged.write_bytes(damaged.read_bytes()[:500] + bytes(500))
    told = f"cannot be read: .*{damaged}"
    with open_files(kind, str(tmp_path)) as frame, pytest.raises(BadTable, match=told):
        FPICClassifier().fit(frame, "state")


def test_polars_says_what_is_wrong_with_a_file(tmp_path):
    """Without a name: Polars does not tell it."""
    (tmp_path / "part.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(BadTable, match="the rows of the LazyFrame cannot be read: parquet"):
        FPICClassifier().fit(pl.scan_parquet(tmp_path / "*.parquet"), "state")


def test_rows_without_a_class_are_counted():
    frame = pl.LazyFrame(
        {"x": [1.0, 2.0, 3.0], "y": ["a", None, "b"], "z": [1.0, float("nan"), None]}
    )
    with pytest.raises(BadTarget, match="the column 'y' is missing in 1 row; every row must"):
        FPICClassifier().fit(frame, "y")
    with pytest.raises(BadTarget, match="the column 'z' is missing in 2 rows; every row must"):
        FPICClassifier().fit(frame, "z")


def test_what_a_lazy_frame_cannot_have_is_refused():
    frame = pl.LazyFrame({"x": [1.0, 2.0], "y": ["a", "b"]})
    with pytest.raises(BadTarget, match="y is a list, and X a lazy LazyFrame"):
        FPICClassifier().fit(frame, ["a", "b"])
    with pytest.raises(BadParameter, match="sample_weight is given with a lazy X"):
        FPICClassifier().fit(frame, "y", sample_weight=[1, 1])
    with pytest.raises(BadTable, match="0 feature"):
        FPICClassifier().fit(frame.select("y"), "y")
    with pytest.raises(BadTable, match="column 'x' holds inf"):
        FPICClassifier().fit(pl.LazyFrame({"x": [1.0, float("inf")], "y": ["a", "b"]}), "y")
