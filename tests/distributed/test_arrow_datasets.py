"""Files that are read batch by batch give the models that tables in memory give."""

import datetime as dt
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from picrules import FPICClassifier, PICClassifier
from picrules.distributed import arrow_datasets
from picrules.errors import BadParameter, BadTable, BadTarget
from tests.distributed.frames import awkward

ESTIMATORS = [
    FPICClassifier(),
    PICClassifier(max_length=2, bins={"age": 7}, categorical_features=["count", "smokes"]),
    FPICClassifier(bins=300, max_length=1),
    FPICClassifier(max_length=2, categorical_features=None),
]


def rows_of(clf, table):
    X = table.drop(["state"])
    rules = [(str(one), one.class_counts) for one in clf.explain(X)]
    return rules, clf.predict_proba(X).tolist(), clf.schema_, clf.classes_.tolist()


def file_of(clf, folder):
    clf.save(folder / "model.pic")
    return (folder / "model.pic").read_bytes()


def write(table, folder, kind):
    """Several files, in which texts are written in different ways."""
    if kind == "feather":
        ds.write_dataset(table, folder, format=kind, max_rows_per_file=100, max_rows_per_group=60)
    for number, start in enumerate(range(0, len(table), 100)):
        part = table.slice(start, 100)
        if kind == "parquet":
            use_dictionary = number % 2 == 0
            pq.write_table(part, folder / f"p{number}.parquet", 60, use_dictionary=use_dictionary)
    return ds.dataset(folder, format=kind)


@pytest.mark.parametrize("keep_rows", [True, False])
@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_files_give_the_model_of_their_rows(estimator, kind, keep_rows, tmp_path):
    table = awkward(340)
    dataset = write(table, tmp_path, kind)
    expected = rows_of(estimator.set_params(keep_rows=True, n_jobs=1).fit(table, "state"), table)
    with patch.object(arrow_datasets, "BATCH_ROWS", 70):
        for n_jobs in (1, 2, 3):
            clf = estimator.set_params(keep_rows=keep_rows, n_jobs=n_jobs).fit(dataset, "state")
            assert rows_of(clf, table) == expected


def test_some_of_the_rows_of_files_are_a_dataset_too(tmp_path):
    table = awkward(200)
    chosen = write(table, tmp_path, "parquet").filter(ds.field("state") != "ill")
    clf = FPICClassifier(keep_rows=False).fit(chosen, "state")
    assert clf.classes_.tolist() == ["well"]
    assert clf.class_sizes_.tolist() == [table["state"].to_pylist().count("well")]


@pytest.mark.parametrize("keep_rows", [True, False])
@pytest.mark.parametrize("is_filtered", [True, False])
@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_classes_are_those_that_rows_have(kind, is_filtered, keep_rows, tmp_path):
    """Values of a dictionary without rows were classes, and the model could not be saved."""
    table = awkward(200)
    if is_filtered:
        kept = table.filter(pc.field("state") != "ill")
        codes, classes = table["state"].combine_chunks().dictionary_encode(), ["well"]
    else:
        kept, classes = table, ["ill", "well"]
        values = pa.array(["dead", "well", "gone", "ill"])
        codes = pc.index_in(table["state"], value_set=values).combine_chunks()
        codes = pa.DictionaryArray.from_arrays(codes, values)
    encoded = table.set_column(8, "state", codes)
    write_file = {"parquet": pq.write_table, "feather": feather.write_feather}[kind]
    write_file(encoded, tmp_path / f"rows.{kind}")
    dataset = ds.dataset(tmp_path / f"rows.{kind}", format=kind)
    if is_filtered:
        dataset = dataset.filter(ds.field("state") == "well")
    clf = FPICClassifier(max_length=2, keep_rows=keep_rows)
    expected = file_of(clf.fit(kept, "state"), tmp_path)
    assert file_of(clf.fit(dataset, "state"), tmp_path) == expected
    assert clf.classes_.tolist() == classes


def test_extremes_that_files_state_wrongly_change_nothing(tmp_path):
    table = awkward(200)
    dataset = write(table, tmp_path, "parquet")
    right = rows_of(FPICClassifier().fit(dataset, "state"), table)
    wrong = {"age": (30.0, 1000.0), "dose": (-5.0, 1.0)}
    with patch.object(arrow_datasets, "stated_extremes", lambda *_: wrong):
        assert rows_of(FPICClassifier().fit(dataset, "state"), table) == right


def test_what_files_must_not_hold_is_refused(tmp_path):
    table = pa.table({"x": [1.0, np.inf, 2.0], "y": ["a", "b", None]})
    pq.write_table(table, tmp_path / "p.parquet")
    dataset = ds.dataset(tmp_path)
    with pytest.raises(BadTable, match=r"'x' holds inf \(infinity\)"):
        FPICClassifier().fit(dataset, "y")
    with pytest.raises(BadTarget, match="'y' is missing in 1 row"):
        FPICClassifier().fit(dataset.filter(ds.field("x") < 5), "y")
    with pytest.raises(BadTarget, match="X has 0 columns 'z'; its columns are x, y"):
        FPICClassifier().fit(dataset, "z")
    with pytest.raises(BadTarget, match="y is a list, and X a dataset of files"):
        FPICClassifier().fit(dataset, ["a", "b", "c"])
    with pytest.raises(BadParameter, match="sample_weight is given"):
        FPICClassifier().fit(dataset, "y", sample_weight=[1, 1, 1])


def encoded(values, positions, index_type="int32", *, is_ordered=False):
    """Cells as positions among some values; None is missing."""
    indices = pa.array(positions, pa.type_for_alias(index_type))
    return pa.DictionaryArray.from_arrays(indices, pa.array(values), ordered=is_ordered)


def same_model(dataset, folder, **settings):
    """Return the features of a dataset, whose model is that of the rows in memory."""
    for n_jobs in (1, 2):
        clf = FPICClassifier(max_length=2, n_jobs=n_jobs, **settings)
        expected = file_of(clf.fit(dataset.to_table(), "y"), folder)
        assert file_of(clf.fit(dataset, "y"), folder) == expected
    return clf.schema_.features


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize("second", [["lo", "mid"], ["lo", "mid", "hi"], ["mid", "lo"]])
def test_categories_have_an_order_where_all_files_tell_the_same(second, kind, tmp_path):
    """It was that of whichever thread was first, and categories that it lacked were lost."""
    write_file = {"parquet": pq.write_table, "feather": feather.write_feather}[kind]
    for number, values in enumerate((["lo", "mid"], second)):
        cells = encoded(values, [0, 1, None, len(values) - 1], is_ordered=True)
        table = pa.table({"size": cells, "y": ["a", "b", "b", "a"]})
        (tmp_path / "rows").mkdir(exist_ok=True)
        write_file(table, tmp_path / "rows" / f"{number}.{kind}")
    dataset = ds.dataset(tmp_path / "rows", format=kind)
    (size,) = same_model(dataset, tmp_path)
    assert size.is_ordered == (second == ["lo", "mid"])
    assert set(size.categories) == {"lo", "mid", *second}


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize("values", [
    [dt.date(2020, 1, 3), dt.date(2020, 1, 1)], [dt.datetime(2020, 1, 3), dt.datetime(2020, 1, 1)],
    [2, 1], [2.5, 1.5],
])  # fmt: skip
def test_categories_in_order_may_be_of_any_type(values, kind, tmp_path):
    """Parquet forgets dictionaries of some."""
    cells = encoded(values, [0, 1, None, 1, 0, 0], is_ordered=True)
    table = pa.table({"c": cells, "y": list("abbaba")})
    write_file = {"parquet": pq.write_table, "feather": feather.write_feather}[kind]
    write_file(table, tmp_path / f"rows.{kind}")
    same_model(ds.dataset(tmp_path / f"rows.{kind}", format=kind), tmp_path)


def test_columns_without_values_have_the_kind_of_their_type(tmp_path):
    """A column of texts was one of numbers where the thread that saw none of it was first."""
    for number in range(3):
        table = pa.table({"empty": pa.nulls(9, pa.string()), "y": ["a", "b", "c"] * 3})
        pq.write_table(table, tmp_path / f"{number}.parquet")
    for _ in range(10):
        (empty,) = same_model(ds.dataset(tmp_path, exclude_invalid_files=True), tmp_path)
        assert empty.kind.value == "category"


@pytest.mark.parametrize("index_type", ["uint8", "uint32", "uint64", "int8"])
@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_positions_among_values_may_have_no_sign(kind, index_type, tmp_path):
    """Polars writes such; they failed where a cell was missing."""
    cells = encoded(["p", "q", "r"], [0, None, 2, 1, 0, 2], index_type)
    table = pa.table({"c": cells, "y": encoded(["no", "yes"], [0, 1, 1, 0, 0, 1], index_type)})
    write_file = {"parquet": pq.write_table, "feather": feather.write_feather}[kind]
    write_file(table, tmp_path / f"rows.{kind}")
    same_model(ds.dataset(tmp_path / f"rows.{kind}", format=kind), tmp_path)


def test_cells_that_a_dataset_reads_in_its_own_way_are_read_so(tmp_path):
    """Old moments of Parquet overflowed, and a column of the file hid that of its folder."""
    moments = pa.array([dt.datetime(3000 + year, 1, 1) for year in range(6)], pa.timestamp("us"))
    table = pa.table({"when": moments, "y": ["a", "b"] * 3})
    pq.write_table(table, tmp_path / "old.parquet", use_deprecated_int96_timestamps=True)
    moments = ds.ParquetFileFormat(coerce_int96_timestamp_unit="us")
    same_model(ds.dataset(tmp_path / "old.parquet", format=moments), tmp_path)
    for folder in (1, 2):
        (tmp_path / "rows" / f"k={folder}").mkdir(parents=True)
        table = pa.table({"k": pa.array([11, 12], pa.int32()), "y": ["a", "b"]})
        pq.write_table(table, tmp_path / "rows" / f"k={folder}" / "p.parquet")
    (k,) = same_model(ds.dataset(tmp_path / "rows", partitioning="hive"), tmp_path)
    assert all(cut < 3 for cut in k.cuts)


def test_short_numbers_are_read(tmp_path):
    """PyArrow cannot read the extremes that files state of them."""
    cells = pa.array(np.array([1, 2, 3, 2.5], np.float16))
    pq.write_table(pa.table({"h": cells, "x": [1.0, 2.0, 3.0, 4.0], "y": list("abab")}),
                   tmp_path / "p.parquet")  # fmt: skip
    same_model(ds.dataset(tmp_path / "p.parquet"), tmp_path)
