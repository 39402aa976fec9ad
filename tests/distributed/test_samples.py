"""Cuts and settings of a sample of rows that are too many, and counts of all of them."""

from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow import parquet
from sklearn.base import clone

from picrules import PersonalRuleClassifier
from picrules.distributed.fitting import source_of
from picrules.errors import BadParameter, BadTable
from picrules.estimators import sources
from tests.distributed.frames import LAZY, open_kind, quiet
from tests.estimators.test_keep_rows import told

pytestmark = quiet

FIXED = PersonalRuleClassifier(
    cuts=8, max_length=2, alpha=1, smoothing=1, subsets=True, intervals=False, class_offset=True,
    look_alikes=False, keep_rows=False,
)  # fmt: skip


def make_rows(n_rows=400):
    """Few numbers, so that any sample has the cuts of all; some categories and a class are rare."""
    rng = np.random.default_rng(2)
    size, age = rng.integers(0, 5, n_rows) / 2, rng.integers(0, 4, n_rows)
    kind = rng.choice(["a", "b", "c"], n_rows).astype(object)
    state = np.where((size > 1) ^ (rng.random(n_rows) < 0.2), "ill", "well").astype(object)
    kind[7], state[11] = "rare", "gone"
    return pa.table({
        "size": pa.array(size, mask=rng.random(n_rows) < 0.1), "age": age, "kind": kind,
        "none": pa.nulls(n_rows, pa.float64()), "state": state,
    })  # fmt: skip


@pytest.fixture(params=[*LAZY, "dataset"])
def to_lazy(request, tmp_path):
    def to_dataset(table):
        parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=90)
        return ds.dataset(tmp_path, format="parquet")

    if request.param == "dataset":
        yield to_dataset
    else:
        with open_kind(request.param) as convert:
            yield convert


def test_classes_that_the_sample_lacks_may_have_costs_and_weights(tmp_path):
    """They were said to be no classes, and without an offset they were predicted everywhere."""
    rng, n_rows = np.random.default_rng(2), 6000
    y = rng.choice(["a", "b"], n_rows).astype(object)
    x, y[5] = rng.normal(size=n_rows) + 2 * (y == "a"), "rare"
    table = pa.table({"x": x, "z": rng.normal(size=n_rows), "y": y})
    parquet.write_table(table, tmp_path / "rows.parquet")
    rows = ds.dataset(tmp_path / "rows.parquet")
    costs = {"rare": {"a": 3.0}, "a": {"rare": 2.0}}
    for settings in ({}, {"cost_matrix": costs}, {"class_weight": {"rare": 2.0, "a": 1.0}}):
        clf = PersonalRuleClassifier(keep_rows=False, max_length=2, **settings)
        with patch.object(sources, "MOST_COLLECTED", 600):
            clf.fit(rows, "y")
        assert clf.classes_.tolist() == ["a", "b", "rare"]
        assert (clf.predict(table.drop(["y"])) == y).mean() > 0.8
    with patch.object(sources, "MOST_COLLECTED", 600), pytest.raises(BadParameter, match="'c'"):
        clf.set_params(class_weight={"c": 2.0}).fit(rows, "y")


def test_all_rows_are_counted_by_the_cuts_of_some(to_lazy):
    """A category and a class that the sample lacks are there all the same."""
    table = make_rows()
    expected = clone(FIXED).fit(table, "state")
    clf = clone(FIXED)
    with patch.object(sources, "MOST_COLLECTED", 150):
        clf.fit(to_lazy(table), "state")
    assert clf.tuning_.n_rows < 200  # Spark and partitions draw about so many
    assert clf.class_sizes_.sum() == 400
    asked = table.drop(["state"]).slice(0, 40)
    assert told(clf, asked) == told(expected, asked)
    assert clf.class_offset_.tolist() == expected.class_offset_.tolist()
    assert clf.tuning_.accuracy == expected.tuning_.accuracy
    assert clf.schema_ == expected.schema_


def test_a_sample_has_rows_of_the_table_each_once(to_lazy):
    table = pa.table({"row": np.arange(3000), "state": ["x", "y", "z"] * 1000})
    source = source_of(to_lazy(table), "state")
    first, second = (source.sample(900, seed) for seed in (0, 1))
    rows = []
    for X, y in (first, second):
        own = np.array(X["row"]).astype(int)
        assert len(set(own.tolist())) == len(own) == len(y)
        assert abs(len(own) - 900) < 100
        assert (np.array(y).astype(str) == np.array(["x", "y", "z"])[own % 3]).all()
        rows.append(set(own.tolist()))
    assert rows[0] != rows[1]


def test_auto_samples_where_all_rows_do_not_fit(tmp_path):
    parquet.write_table(make_rows(3000), tmp_path / "rows.parquet")
    data = ds.dataset(tmp_path, format="parquet")
    clf = clone(FIXED).set_params(keep_rows="auto", max_length=1)
    with patch.object(sources, "MOST_COLLECTED", 150):
        assert clf.fit(data, "state")._fitted.training.counts is None
        clf.set_params(memory_limit=90_000).fit(data, "state")
        asked = clone(clf).set_params(n_rules=2).fit(data, "state")
    assert clf._fitted.training.counts is not None
    assert clf.class_sizes_.sum() == 3000
    assert asked._fitted.training.counts is None  # several rules need rows


def test_a_sample_without_two_values_is_refused(tmp_path):
    rows = pa.table({"one": np.ones(300), "state": ["x", "y"] * 150})
    parquet.write_table(rows, tmp_path / "rows.parquet")
    with (
        patch.object(sources, "MOST_COLLECTED", 50),
        pytest.raises(BadTable, match="in a sample of 50 rows no column has two values"),
    ):
        clone(FIXED).fit(ds.dataset(tmp_path, format="parquet"), "state")
