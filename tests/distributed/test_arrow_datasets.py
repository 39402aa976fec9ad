"""Files that are read batch by batch give the models that tables in memory give."""

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
