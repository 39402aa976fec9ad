import json
import os
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import picrules
from picrules.cli.options import ESTIMATORS
from tests.cli.running import HEADER, rows, run, write_csv


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "known.csv")


def test_summary_kinds_and_model(data, tmp_path):
    result = run("fit", data, "--target", "class", "-o", tmp_path / "m.pic", "--ignore", "id")
    for line in ("age     number", "colour  category", "day     date", "zip     number"):
        assert line in result.stderr
    assert "Rows      60 with 4 columns" in result.stdout
    assert "Classes   no (" in result.stdout
    assert "by mean confidence of left-out rows" in result.stdout
    assert "estimator personal" in result.stdout
    clf = picrules.load(tmp_path / "m.pic")
    assert clf.feature_names_in_.tolist() == HEADER[1:5]
    assert clf.classes_.tolist() == ["no", "yes"]


def test_json_holds_the_same_summary(data, tmp_path):
    result = run("fit", data, "-t", "class", "-o", tmp_path / "m.pic", "--folds", "3", "--json",
                 "--estimator", "fpic")  # fmt: skip
    summary = json.loads(result.stdout)
    assert summary["rows"] == 60
    assert summary["columns"]["day"] == "date"
    assert summary["accuracy_by"] == "3-fold cross-validation"
    assert 0.5 < summary["accuracy"] <= 1
    assert summary["engine"] in ("table", "bitmap")
    assert {entry["class"] for entry in summary["classes"]} == {"no", "yes"}


@pytest.mark.parametrize("estimator", ["pic", "fpic", "personal"])
def test_parameters_reach_the_estimator(estimator, data, tmp_path):
    words = ["--alpha", "0.7", "--max-length", "2", "--bins", "3", "--jobs", "1"]
    run("fit", data, "-t", "class", "-o", tmp_path / "m.pic", "--estimator", estimator, *words)
    clf = picrules.load(tmp_path / "m.pic")
    assert type(clf).__name__ == ESTIMATORS[estimator]
    parts = clf.cuts if estimator == "personal" else clf.bins
    assert (clf.alpha, clf.max_length, parts, clf.n_jobs) == (0.7, 2, 3, 1)


def test_kinds_can_be_corrected(data, tmp_path):
    words = ["--categorical", "zip", "--categorical", "age", "--ignore", "id", "--ignore", "day"]
    result = run("fit", data, "-t", "class", "-o", tmp_path / "m.pic", *words)
    assert "zip     category" in result.stderr
    age, _, code = picrules.load(tmp_path / "m.pic").schema_.features
    assert code.categories == ("01000", "01001", "01002", "01003")
    assert "20" in age.categories


def test_texts_can_be_made_numbers_when_some_are_missing(tmp_path):
    lines = [[str(number), "?" if number % 5 == 0 else str(number), "ab"[number % 2]]
             for number in range(30)]  # fmt: skip
    data = write_csv(tmp_path / "d.csv", lines, ["n", "m", "class"])
    words = ["fit", data, "-t", "class", "-o", tmp_path / "m.pic"]
    assert "m  category" in run(*words).stderr
    said = run(*words, "--numeric", "m", code=1).stderr
    assert "the column 'm' holds '?' in row 1" in said
    assert "--missing '?'" in said
    assert "m  number" in run(*words, "--numeric", "m", "--missing", "?").stderr


def test_a_column_of_names_is_pointed_out(data, tmp_path):
    result = run("fit", data, "-t", "class", "-o", tmp_path / "m.pic")
    assert "'id' has 60 different texts in 60 rows" in result.stderr
    assert "--ignore 'id'" in result.stderr


def test_a_class_seen_once_is_pointed_out(tmp_path):
    lines = [[*line[:5], "odd" if number == 7 else line[5]] for number, line in enumerate(rows())]
    data = write_csv(tmp_path / "d.csv", lines)
    result = run("fit", data, "-t", "class", "-o", tmp_path / "m.pic")
    assert "1 of 3 classes is seen once (odd)" in result.stderr
    assert "add rows, merge the class" in result.stderr


def test_rare_and_single_classes_are_pointed_out(tmp_path):
    lines = [["a", "x"], ["b", "x"], ["c", "y"], ["d", "y"], ["a", "x"]]
    data = write_csv(tmp_path / "d.csv", lines, ["letter", "class"])
    words = ["--estimator", "pic"]
    result = run("fit", data, "-t", "class", "-o", tmp_path / "m.pic", *words)
    assert "the class y has 2 rows, fewer than the 5 parts" in result.stderr
    data = write_csv(tmp_path / "e.csv", [["a", "x"]], ["letter", "class"])
    result = run("fit", data, "-t", "class", "-o", tmp_path / "m.pic")
    assert "all rows have the class x" in result.stderr
    assert "cross-validation" not in result.stdout


def test_whole_number_classes_of_typed_files_stay_numbers(tmp_path):
    table = pa.table({"a": ["u", "v", "u"], "b": [1.5, 2.5, None], "class": [1.0, 0.0, 1.0]})
    pq.write_table(table, tmp_path / "d.parquet")
    run("fit", tmp_path / "d.parquet", "-t", "class", "-o", tmp_path / "m.pic")
    assert picrules.load(tmp_path / "m.pic").classes_.dtype == np.int64


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--target", "clas"], 2, "--target names the column 'clas'.*Did you mean 'class'"),
        (["--target", "class", "--ignore", "nothing"], 2, "--ignore names the column 'nothing'"),
        (["--target", "class", "--numeric", "x"], 2, "--numeric names the column 'x'"),
        (["--target", "class", "--categorical", "age", "--numeric", "age"], 2, "one is accepted"),
        (["--target", "class", "--estimator", "x"], 2, "one of personal, pic, fpic is accepted"),
        (["--target", "class", "--format", "xls"], 2, "one of csv, jsonl"),
        (["--target", "class", "--alpha", "7"], 2, "alpha is 7.0; numbers from 0 to 1"),
        (["--target", "class", "--numeric", "colour"], 1, "'colour' holds 'red' in row 1"),
        (["--target", "age"], 1, "the target 'age' is missing in 4 rows, first in row 4"),
        (["--target", "class", "--folds", "-1"], 2, "--folds"),
        ([], 2, "Missing option.*--target"),
    ],
)
def test_misuse_is_told_and_writes_nothing(words, code, said, data, tmp_path):
    result = run("fit", data, "-o", tmp_path / "m.pic", *words, code=code)
    assert re.search(said, _join(result.stderr))
    assert result.stdout == ""
    assert os.listdir(tmp_path) == ["known.csv"]


def _join(text):
    """Messages of misuse are wrapped."""
    return " ".join(text.split())


def test_a_target_of_many_numbers_is_refused(tmp_path):
    lines = [[str(number), str(number * 1.5)] for number in range(100)]
    data = write_csv(tmp_path / "d.csv", lines, ["a", "price"])
    said = run("fit", data, "-t", "price", "-o", tmp_path / "m.pic", code=1).stderr
    assert "the target 'price' has 100 different numbers in 100 rows" in said


def test_a_table_of_the_target_alone_is_refused(tmp_path):
    data = write_csv(tmp_path / "d.csv", [["x"], ["y"]], ["class"])
    said = run("fit", data, "-t", "class", "-o", tmp_path / "m.pic", code=1).stderr
    assert "no column beside the target 'class'" in said


def test_a_folder_that_is_not_there_is_told_before_the_work(data, tmp_path):
    result = run("fit", data, "-t", "class", "-o", tmp_path / "no" / "m.pic", code=2)
    assert "is not there" in result.stderr
    assert "Columns and their kinds" not in result.stderr


def test_numbers_as_text_in_typed_files_are_pointed_out(tmp_path):
    table = pa.table({"n": [str(number) for number in range(30)], "class": ["x", "y"] * 15})
    pq.write_table(table, tmp_path / "d.parquet")
    words = ["fit", tmp_path / "d.parquet", "-t", "class", "-o", tmp_path / "m.pic"]
    assert "'n' holds numbers as text; --numeric 'n'" in run(*words).stderr
    assert "n  number" in run(*words, "--numeric", "n").stderr


def test_columns_of_other_types_are_told(tmp_path):
    pq.write_table(pa.table({"l": [[1], [2]], "class": ["x", "y"]}), tmp_path / "d.parquet")
    said = run(
        "fit", tmp_path / "d.parquet", "-t", "class", "-o", tmp_path / "m.pic", code=1
    ).stderr
    assert "column 'l' has the type list" in said


def test_a_wrong_delimiter_is_pointed_out(data, tmp_path):
    words = ["fit", data, "-t", "class", "-o", tmp_path / "m.pic", "--delimiter", ";"]
    said = " ".join(run(*words, code=2).stderr.split())
    assert "the file has one column, 'id,age,colour,day,zip,class'" in said
    assert "--delimiter" in said


def test_too_few_bins_are_told_by_the_name_of_the_option(tmp_path):
    data = write_csv(tmp_path / "d.csv", rows(30))
    words = ("--target", "class", "--bins", 1, "-o", tmp_path / "m.pic")
    result = run("fit", data, *words, code=2)
    assert "--bins is 1; the estimator 'personal' accepts whole numbers from 2" in " ".join(
        result.stderr.split()
    )
