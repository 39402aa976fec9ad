"""Files that are learned from part by part give the model of all their rows at once."""

import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import csv, parquet

from picrules.cli import parts
from tests.cli.running import run
from tests.distributed.frames import awkward

WHOLE, IN_PARTS = ("--whole", "--folds", "0"), ("--in-parts",)


@pytest.fixture(autouse=True)
def _few_rows_at_once(monkeypatch):
    monkeypatch.setattr(parts, "_ROWS_AT_ONCE", 37)


def write_files(folder, kind):
    """Write the rows into three files; in the first some columns look like another kind."""
    table = awkward()
    if kind == "csv":  # which has no NaN, and texts of which the first ones are numbers
        table = table.set_column(0, "age", pc.if_else(pc.is_nan(table["age"]), None, table["age"]))
        late = [str(row) if row < 150 else "many" for row in range(len(table))]
        table = table.append_column("late", pa.array(late))
    for number, start in enumerate((0, 70, 170)):
        rows = table.slice(start, (70, 100, 70)[number])
        path = folder / f"part-{number}.{kind}"
        csv.write_csv(rows, path) if kind == "csv" else parquet.write_table(rows, path)
    return str(folder / f"part-*.{kind}")


def fit(data, model, *options):
    result = run("fit", data, "--target", "state", "-o", model, "--json", *options)
    return json.loads(result.stdout), model.read_bytes()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("options", [("pic",), ("fpic", "--categorical", "count", "--bins", "9")])
def test_files_in_parts_give_the_same_model(kind, options, tmp_path):
    data = write_files(tmp_path, kind)
    told, expected = fit(data, tmp_path / "a.pic", "--estimator", *options, *WHOLE)
    in_parts, found = fit(data, tmp_path / "b.pic", "--estimator", *options, *IN_PARTS)
    assert found == expected
    assert in_parts["columns"] == told["columns"]
    assert in_parts["rows"] == told["rows"] == 240
    assert in_parts["accuracy"] is None


def test_large_files_are_read_in_parts(tmp_path, monkeypatch):
    data = write_files(tmp_path, "parquet")
    monkeypatch.setattr("picrules.cli.fit._LARGE", 100)
    told, _ = fit(data, tmp_path / "a.pic", "--estimator", "fpic")
    assert told["accuracy"] is None
    told, _ = fit(data, tmp_path / "a.pic", "--estimator", "fpic", "--whole")
    assert told["accuracy"] > 0.5


def test_the_first_bad_cell_of_all_files_is_named(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n" + "1,u\n2,v\n" * 40)
    (tmp_path / "b.csv").write_text("x,y\n" + "3,u\n" * 50 + "4,\n")
    data = (str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--target", "y")
    result = run("fit", *data, "-o", tmp_path / "m.pic", "--estimator", "pic", "--in-parts", code=1)
    assert "the target 'y' is missing in row 131; every row must have" in result.stderr
    assert not (tmp_path / "m.pic").exists()


def test_numbers_that_are_no_classes_are_refused(tmp_path):
    rows = "".join(f"{value},{value}.5\n" for value in np.arange(200).tolist())
    (tmp_path / "a.csv").write_text("x,y\n" + rows)
    data = (str(tmp_path / "a.csv"), "--target", "y", "-o", tmp_path / "m.pic", "--in-parts")
    result = run("fit", *data, "--estimator", "fpic", code=1)
    assert "the target 'y' has 200 different numbers in 200 rows" in result.stderr
    result = run("fit", *data, code=2)
    assert "--in-parts is given with the estimator 'personal'" in result.stderr


def test_pipes_are_read_whole(tmp_path):
    """In parts they were waited for again, for ever."""
    os.mkfifo(tmp_path / "pipe")
    data = (str(tmp_path / "pipe"), "--target", "y", "-o", tmp_path / "m.pic")
    result = run("fit", *data, "--estimator", "fpic", "--in-parts", code=2)
    assert "--in-parts is given with the pipe" in result.stderr
