"""Files of a dataset that cannot be read, or lack a column, are named."""

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow import csv, feather, parquet

from picrules import FPICClassifier
from picrules.errors import BadTable
from tests.distributed.frames import awkward

WRITERS = {"parquet": parquet.write_table, "feather": feather.write_feather, "csv": csv.write_csv}


def write(folder, kind, tables):
    for number, table in enumerate(tables):
        WRITERS[kind](table, folder / f"p{number}.{kind}")
    return folder / f"p1.{kind}"


def fit(dataset, n_jobs=1):
    return FPICClassifier(max_length=1, keep_rows=False, n_jobs=n_jobs).fit(dataset, "state")


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("is_filtered", [False, True])
@pytest.mark.parametrize("kind", WRITERS)
def test_a_damaged_file_is_named(kind, is_filtered, n_jobs, tmp_path):
    """A damaged page was an OSError without a name."""
    damaged = write(tmp_path, kind, [awkward(2000).select(["age", "dose", "state"])] * 3)
    dataset = ds.dataset(tmp_path, format=kind)
    cells = damaged.read_bytes()
    if kind == "csv":
        damaged.write_bytes(cells + b"1,2,3,4\n")
    else:
        damaged.write_bytes(cells[:1000] + b"\xff" * 2000 + cells[3000:])
    if is_filtered:
        dataset = dataset.filter(ds.field("state") != "none")
    with pytest.raises(BadTable, match=f"^{damaged} cannot be read: "):
        fit(dataset, n_jobs)
    with pytest.raises(BadTable, match=f"^{damaged} cannot be read: "):
        FPICClassifier().fit(dataset, "state")


@pytest.mark.parametrize("is_filtered", [False, True])
def test_a_file_that_is_cut_off_or_gone_is_named(is_filtered, tmp_path):
    damaged = write(tmp_path, "parquet", [awkward(200)] * 3)
    dataset = ds.dataset(tmp_path)
    if is_filtered:
        dataset = dataset.filter(ds.field("state") == "ill")
    damaged.write_bytes(damaged.read_bytes()[:900])
    with pytest.raises(BadTable, match=f"^{damaged} cannot be read: "):
        fit(dataset)
    damaged.unlink()
    with pytest.raises(BadTable, match=f"^{damaged} cannot be read: .*No such file"):
        fit(dataset)


@pytest.mark.parametrize("is_filtered", [False, True])
@pytest.mark.parametrize("kind", WRITERS)
def test_a_file_that_lacks_a_column_is_named(kind, is_filtered, tmp_path):
    """All of its rows were read as missing there."""
    table = awkward(90).select(["age", "dose", "town", "state"])
    other = write(tmp_path, kind, [table, table.drop(["town"]), table])
    dataset = ds.dataset(tmp_path, format=kind)
    if is_filtered:
        dataset = dataset.filter(ds.field("state") == "ill")
    told = f"^{other} lacks the column 'town'; it has age, dose, state$"
    with pytest.raises(BadTable, match=told):
        fit(dataset)


@pytest.mark.parametrize("is_filtered", [False, True])
def test_columns_of_folders_and_of_some_rows_in_json_are_not_lacking(is_filtered, tmp_path):
    table = awkward(120).select(["age", "town", "smokes", "state"]).filter(
        ds.field("smokes").is_valid()
    )  # fmt: skip
    ds.write_dataset(
        table, tmp_path / "parts", format="parquet", partitioning=["smokes"],
        partitioning_flavor="hive",
    )  # fmt: skip
    (tmp_path / "a.json").write_text('{"age": 1, "state": "x"}\n{"age": 2, "state": "y"}\n')
    (tmp_path / "b.json").write_text('{"age": 3, "dose": 4, "state": "y"}\n')
    schema = pa.schema([("age", "float64"), ("dose", "float64"), ("state", "string")])
    names = [str(tmp_path / name) for name in ("a.json", "b.json")]
    datasets = [
        ds.dataset(tmp_path / "parts", partitioning="hive"),
        ds.dataset(names, schema=schema, format="json"),
        ds.dataset(table),
    ]
    for dataset, n_rows in zip(datasets, (len(table), 3, len(table)), strict=True):
        rows = dataset.filter(ds.field("state") != "none") if is_filtered else dataset
        assert fit(rows).class_sizes_.sum() == n_rows


def test_several_datasets_are_one(tmp_path):
    tables = [awkward(90), awkward(80)]
    for name, table in zip("ab", tables, strict=True):
        (tmp_path / name).mkdir()
        write(tmp_path / name, "parquet", [table])

    def both():
        return ds.dataset([ds.dataset(tmp_path / name) for name in "ab"])

    assert fit(both()).class_sizes_.sum() == 170
    parquet.write_table(tables[0].drop(["dose"]), tmp_path / "b" / "p0.parquet")
    with pytest.raises(BadTable, match=r"b/p0.parquet lacks the column 'dose'"):
        fit(both())
