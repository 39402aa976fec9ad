"""Counts in place of rows: parts that workers count add up to what one process counts."""

from functools import partial, reduce
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier
from picrules.engines import blocks
from picrules.engines.batches import row_bytes
from picrules.engines.holding import Holding
from picrules.errors import NotEnoughMemory
from picrules.estimators import sources
from tests.distributed.frames import LAZY, awkward, open_kind, open_spark, quiet, to_pandas

pytestmark = quiet

COUNTED = [
    FPICClassifier(max_length=2, keep_rows=False),
    PICClassifier(
        max_length=3, bins={"age": 7}, categorical_features=["count", "smokes"], keep_rows=False
    ),
]


def file_of(clf, folder):
    clf.save(folder / "model.pic")
    return (folder / "model.pic").read_bytes()


def uneven():
    """Parts of which some are empty, have one row, or alone have a class or a category."""
    table = awkward(400)
    state, town = table["state"].to_pylist(), table["town"].to_pylist()
    state[:3], town[395:] = ["dead"] * 3, ["Ulm"] * 5
    table = table.set_column(8, "state", pa.array(state)).set_column(2, "town", pa.array(town))
    sizes = [0, 3, 1, 0, 150, 146, 95, 5]
    stops = np.cumsum(sizes)
    return table, [table.slice(stop - size, size) for stop, size in zip(stops, sizes, strict=True)]


@pytest.fixture(scope="module")
def spark():
    with open_spark() as session:
        yield session


@pytest.fixture(params=["dask", "spark"])
def to_frame(request, spark):
    return in_dask if request.param == "dask" else partial(in_spark, spark)


def in_dask(parts):
    dask, dataframe = pytest.importorskip("dask"), pytest.importorskip("dask.dataframe")
    delayed = [dask.delayed(to_pandas(part)) for part in parts]
    meta = to_pandas(pa.concat_tables(parts)).iloc[:0]
    return dataframe.from_delayed(delayed, meta=meta, verify_meta=False)


def in_spark(spark, parts):
    frames = [spark.createDataFrame(part if len(part) else parts[-1]) for part in parts]
    own = [each if len(part) else each.limit(0) for each, part in zip(frames, parts, strict=True)]
    return reduce(lambda some, other: some.union(other), own)


@pytest.mark.parametrize("kind", LAZY)
@pytest.mark.parametrize("estimator", COUNTED, ids=str)
def test_every_kind_of_frame_gives_the_same_counts(estimator, kind, tmp_path):
    table = awkward()
    expected = file_of(clone(estimator).fit(table, "state"), tmp_path)
    with open_kind(kind) as to_lazy:
        found = clone(estimator).fit(to_lazy(table), "state")
    assert found._fitted.training.counts is not None
    assert file_of(found, tmp_path) == expected


@pytest.mark.parametrize("kind", ["polars", "duckdb"])
def test_rows_that_are_alike_are_counted_in_any_steps(kind, tmp_path):
    """Groups of alike rows that are more than those counted at once lost all but one row each."""
    table = awkward(2000).select(["age", "town", "smokes", "state"])
    clf = FPICClassifier(max_length=2, keep_rows=False)
    expected = file_of(clf.fit(table, "state"), tmp_path)
    with open_kind(kind) as to_lazy, patch.object(blocks, "ROWS_AT_ONCE", 11):
        clf.fit(to_lazy(table), "state")
    sizes = [table["state"].to_pylist().count(each) for each in ("ill", "well")]
    assert clf.class_sizes_.tolist() == sizes
    assert file_of(clf, tmp_path) == expected


@pytest.mark.parametrize("keep_rows", [True, False])
@pytest.mark.parametrize("n_parts", [1, 8])
def test_uneven_parts_give_what_one_table_gives(keep_rows, n_parts, to_frame, tmp_path):
    table, parts = uneven()
    clf = FPICClassifier(max_length=2, keep_rows=keep_rows)
    expected = file_of(clf.fit(table, "state"), tmp_path)
    frame = to_frame(parts if n_parts > 1 else [table])
    assert file_of(clone(clf).fit(frame, "state"), tmp_path) == expected
    assert clf.classes_.tolist() == ["dead", "ill", "well"]


def test_auto_counts_rows_that_do_not_fit(to_frame, tmp_path):
    """Also those of which some parts alone would fit."""
    table, parts = uneven()
    frame = to_frame(parts)
    for limit, is_kept in ((None, True), (10_000, False)):
        clf = FPICClassifier(max_length=1, memory_limit=limit)
        expected = file_of(clf.fit(table, "state"), tmp_path)
        assert file_of(clf.fit(frame, "state"), tmp_path) == expected
        assert (clf._fitted.training.counts is None) == is_kept
    for keep_rows in (False, "auto"):
        clf = FPICClassifier(memory_limit=10_000, keep_rows=keep_rows)
        with pytest.raises(NotEnoughMemory, match=r"^the counts of all sets of up to 3 f"):
            clf.fit(frame, "state")


@pytest.mark.parametrize("kind", ["polars", "dask"])
def test_auto_decides_in_memory_as_elsewhere(kind, tmp_path):
    """Rows in memory could take all of the limit, and rows elsewhere half of it."""
    table = awkward(3000).select(["age", "dose", "town", "state"])
    rows = FPICClassifier(max_length=1, keep_rows=True).fit(table, "state")._fitted.training
    size = rows.sorted().n_pairs * row_bytes(rows.n_features)
    for share, is_kept in ((1.9, False), (2, True), (0.9, False)):
        clf = FPICClassifier(max_length=1, memory_limit=share * size)
        expected = file_of(clf.fit(table, "state"), tmp_path)
        assert (clf._fitted.training.counts is None) == is_kept
        with open_kind(kind) as to_lazy:
            assert file_of(clf.fit(to_lazy(table), "state"), tmp_path) == expected


def test_workers_send_counts_and_no_rows(to_frame):
    """What comes here from the workers has counts in place of the rows."""
    frame, gathered, merge = to_frame(uneven()[1]), [], Holding.merge

    def note(holding, parts, n_codes):
        gathered.extend(parts)
        return merge(holding, parts, n_codes)

    with patch.object(Holding, "merge", note):
        FPICClassifier(max_length=1, keep_rows=False).fit(frame, "state")
    assert gathered
    assert all(each.counts is not None for each in gathered)


def test_constants_alone_are_counted_too(to_frame, tmp_path):
    table = pa.table({"one": [1.0] * 9, "two": ["x"] * 9, "state": list("aab") * 3})
    clf = FPICClassifier(max_length=1, keep_rows=False)
    expected = file_of(clf.fit(table, "state"), tmp_path)
    frame = to_frame([table.slice(3 * at, 3) for at in range(3)])
    assert file_of(clf.fit(frame, "state"), tmp_path) == expected


def test_a_sample_is_counted_by_all_rows_of_the_workers(to_frame, tmp_path):
    """Cuts and settings of so few rows are those of all, as numbers are few."""
    rng = np.random.default_rng(5)
    age, kind = rng.integers(0, 3, 300).astype(float), rng.choice(["a", "b"], 300)
    table = pa.table({"age": age, "kind": kind, "state": np.where(age > 1, "ill", kind)})
    clf = PersonalRuleClassifier(
        cuts=8, max_length=2, alpha=1, smoothing=1, subsets=True, intervals=False,
        class_offset=True, look_alikes=False, keep_rows=False,
    )  # fmt: skip
    expected = clone(clf).fit(table, "state")
    with patch.object(sources, "MOST_COLLECTED", 150):
        clf.fit(to_frame([table.slice(60 * at, 60) for at in range(5)]), "state")
    found, wanted = clf._fitted.training, expected._fitted.training
    assert found.counts.longest == wanted.counts.longest
    assert np.array_equal(found.codes, wanted.codes)
    assert found.occurrences.tolist() == wanted.occurrences.tolist()
