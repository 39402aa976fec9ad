import gzip
import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import picrules
from picrules import FPICClassifier
from picrules.cli.write import Writer
from picrules.estimators import rule_classifier
from tests.cli.running import HEADER, fit, read_csv, rows, run, write_csv
from tests.persist.models import classes, table


@pytest.fixture
def model(tmp_path):
    return fit(tmp_path)


@pytest.fixture
def new(tmp_path):
    return write_csv(tmp_path / "new.csv", rows(25))


def test_every_row_has_its_class_confidence_rule_and_numbers(model, new):
    answers = read_csv(run("predict", model, new, "--keep", "id").stdout)
    names = ["row", "id", "prediction", "confidence", "rule", "length", "score", "precision"]
    assert list(answers[0]) == [*names, "recall", "cover_size", "silent"]
    assert [answer["id"] for answer in answers] == [line[0] for line in rows(25)]
    assert [answer["row"] for answer in answers] == [str(number) for number in range(1, 26)]
    clf = picrules.load(model)
    X = pa.table(
        {
            "age": pa.array([float(line[1]) if line[1] else None for line in rows(25)]),
            "colour": [line[2] for line in rows(25)],
            "day": np.array([line[3] for line in rows(25)], "datetime64[us]"),
            "zip": [line[4] for line in rows(25)],
        }
    )
    probabilities = clf.predict_proba(X)
    for row, (answer, explanation) in enumerate(zip(answers, clf.explain(X), strict=True)):
        assert answer["prediction"] == explanation.prediction
        assert answer["rule"] == str(explanation.rule)
        assert float(answer["confidence"]) == probabilities[row].max()
        assert float(answer["score"]) == explanation.score
        assert float(answer["precision"]) == explanation.precision
        assert float(answer["recall"]) == explanation.recall
        assert int(answer["cover_size"]) == explanation.cover_size
        assert int(answer["length"]) == explanation.rule.length


def test_a_confidence_that_is_not_known_is_missing(tmp_path, new):
    model = fit(tmp_path, "--estimator", "fpic")
    assert {one["confidence"] for one in read_csv(run("predict", model, new).stdout)} == {""}
    shown = run("explain", model, new, "--row", 1).stdout
    assert "confidence" not in shown
    assert "how much less is not known" in shown


@pytest.mark.parametrize("chunk", [1, 7, 24, 25, 26])
def test_chunks_change_nothing(model, new, chunk):
    together = run("predict", model, new).stdout
    assert run("predict", model, new, "--chunk-rows", chunk).stdout == together


def test_each_chunk_is_read_once(model, new, monkeypatch):
    """The categories that training never saw took another reading."""
    reads, read_columns = [], rule_classifier.read_columns
    monkeypatch.setattr(
        rule_classifier, "read_columns", lambda X: reads.append(len(X)) or read_columns(X)
    )
    run("predict", model, new, "--chunk-rows", 10)
    assert reads == [10, 10, 5]


def test_outputs_agree_in_every_format(model, new, tmp_path):
    expected = read_csv(run("predict", model, new).stdout)
    for name in ("a.csv", "a.csv.gz", "a.jsonl", "a.jsonl.gz", "a.parquet"):
        result = run("predict", model, new, "-o", tmp_path / name, "--chunk-rows", 10)
        assert result.stdout == ""
        assert "Wrote 25 rows" in result.stderr
    assert read_csv((tmp_path / "a.csv").read_text()) == expected
    assert read_csv(gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).decode()) == expected
    lines = (tmp_path / "a.jsonl").read_text().splitlines()
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()).decode().splitlines() == lines
    objects = [json.loads(line) for line in lines]
    assert pq.read_table(tmp_path / "a.parquet").to_pylist() == objects
    assert [str(entry["score"]) for entry in objects] == [entry["score"] for entry in expected]
    streamed = run("predict", model, new, "--json").stdout
    assert streamed.splitlines() == lines


def test_packed_outputs_are_the_same_bytes_each_time(model, new, tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        run("predict", model, new, "-o", tmp_path / name)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_columns_in_another_order_and_extra_ones_change_nothing(model, new, tmp_path):
    expected = run("predict", model, new).stdout
    order = [4, 0, 3, 5, 2, 1]
    lines = [[*(line[column] for column in order), "more"] for line in rows(25)]
    other = write_csv(tmp_path / "o.csv", lines, [*(HEADER[column] for column in order), "extra"])
    result = run("predict", model, other)
    assert result.stdout == expected
    assert "not used by the model: 'id', 'class', 'extra'" in result.stderr


def test_missing_columns_are_named(model, tmp_path):
    lines = [line[:2] for line in rows(5)]
    result = run("predict", model, write_csv(tmp_path / "m.csv", lines, HEADER[:2]), code=1)
    assert "lacks 3 of the 4 columns that the model needs: 'colour', 'day', 'zip'" in result.stderr
    assert "it has 'id', 'age'" in result.stderr


def test_a_number_that_became_text_is_named_with_its_row(model, new, tmp_path):
    lines = rows(25)
    lines[19][1] = "41 years"
    bad = write_csv(tmp_path / "bad.csv", lines)
    (tmp_path / "out.csv").write_text("old")
    result = run("predict", model, bad, "-o", tmp_path / "out.csv", "--chunk-rows", 8, code=1)
    assert "the column 'age' holds '41 years' in row 20 (line 21), which is not a number" in (
        result.stderr
    )
    assert (tmp_path / "out.csv").read_text() == "old"
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]
    lines[19][1], lines[3][3] = "41", "soon"
    said = run("predict", model, write_csv(tmp_path / "bad.csv", lines), code=1).stderr
    assert "the column 'day' holds 'soon' in row 4 (line 5), which is not a date" in said


def test_other_types_of_the_same_values_change_nothing(model, new, tmp_path):
    """Numbers as text, text as numbers, dates as dates: what the cells say counts."""
    expected = run("predict", model, new).stdout
    lines = rows(25)
    typed = pa.table(
        {
            "age": pa.array([int(line[1]) if line[1] else None for line in lines], pa.int16()),
            "colour": pa.array([line[2] for line in lines]).dictionary_encode(),
            "day": pa.array([line[3] for line in lines]).cast(pa.timestamp("s")).cast(pa.date32()),
            "zip": pa.array([line[4] for line in lines], pa.large_string()),
        }
    )
    pq.write_table(typed, tmp_path / "typed.parquet")
    assert run("predict", model, tmp_path / "typed.parquet").stdout == expected


def test_categories_fit_whatever_type_they_have(tmp_path):
    """A model of whole numbers and booleans reads the same from CSV, where all is text."""
    known = pa.table({"n": [1, 2, 3, 1] * 5, "b": [True, False, None, True] * 5,
                      "class": ["x", "y", "z", "x"] * 5})  # fmt: skip
    clf = FPICClassifier(categorical_features=["n", "b"]).fit(
        known.select(["n", "b"]), known["class"].to_pylist()
    )
    clf.save(tmp_path / "m.pic")
    data = write_csv(tmp_path / "d.csv", [["1", "true"], ["2.0", "False"], ["9", ""]], ["n", "b"])
    answers = read_csv(run("predict", tmp_path / "m.pic", data).stdout)
    assert [answer["prediction"] for answer in answers] == ["x", "y", "x"]
    assert answers[2]["length"] == "0"
    model = fit(tmp_path, "--categorical", "age")
    typed = pa.table({"age": [20.0, 27.0], "colour": ["red", "blue"], "zip": ["01000", "01001"],
                      "day": ["2020-01-01", "2020-02-02"]})  # fmt: skip
    pq.write_table(typed, tmp_path / "t.parquet")
    texts = pa.table({**typed.to_pydict(), "age": ["20", "27"]})
    pq.write_table(texts, tmp_path / "u.parquet")
    numbers, words = (tmp_path / name for name in ("t.parquet", "u.parquet"))
    assert run("predict", model, numbers).stdout == run("predict", model, words).stdout


def test_unseen_categories_are_counted(model, tmp_path):
    lines = rows(10)
    lines[2][2] = lines[5][2] = "violet"
    result = run("predict", model, write_csv(tmp_path / "u.csv", lines), "--chunk-rows", 4)
    assert "colour holds a category that training never saw in 2 rows" in result.stderr


def test_models_without_names_take_columns_in_order(tmp_path):
    X = np.array([[1.0, 5.0], [2.0, 6.0], [8.0, 5.0], [9.0, 6.0]])
    FPICClassifier(bins=2).fit(X, [0, 0, 1, 1]).save(tmp_path / "m.pic")
    data = write_csv(tmp_path / "d.csv", [["1", "5"], ["9", "6"]], ["u", "v"])
    result = run("predict", tmp_path / "m.pic", data)
    assert "columns count in order" in result.stderr
    assert [answer["prediction"] for answer in read_csv(result.stdout)] == ["0", "1"]
    data = write_csv(tmp_path / "d.csv", [["1", "5", ""]], ["x0", "x1", "w"])
    assert "'w'" in run("predict", tmp_path / "m.pic", data).stderr
    data = write_csv(tmp_path / "d.csv", [["1"]], ["u"])
    assert "lacks 2 of the 2" in run("predict", tmp_path / "m.pic", data, code=1).stderr


def test_models_of_mixed_categories_and_hostile_names_are_read(tmp_path):
    X = table(60)
    clf = FPICClassifier(max_length=2).fit(X, classes(X))
    clf.save(tmp_path / "m.pic")
    plain = X.drop(columns="mixed").astype("object").map(_plain)
    columns = {name: pa.array(plain[name]) for name in plain}
    columns["mixed"] = [None if cell is None else str(cell) for cell in X["mixed"]]
    pq.write_table(pa.table(columns), tmp_path / "d.parquet")
    answers = read_csv(run("predict", tmp_path / "m.pic", tmp_path / "d.parquet").stdout)
    assert [answer["prediction"] for answer in answers] == clf.predict(X).tolist()
    assert [answer["rule"] for answer in answers] == [str(e.rule) for e in clf.explain(X)]


def _plain(cell):
    return None if cell is None or cell != cell else cell


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--keep", "nothing"], 2, "--keep names the column 'nothing'"),
        (["-o", "x.xls"], 2, "whose ending tells no format"),
        (["--output-format", "xls"], 2, "one of ['csv', 'jsonl', 'parquet'] is accepted"),
        (["-o", "nowhere/x.csv"], 2, "is not there"),
        (["--chunk-rows", "0"], 2, "--chunk-rows"),
    ],
)
def test_misuse_is_told(words, code, said, model, new):
    result = run("predict", model, new, *words, code=code)
    assert said in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_a_column_that_the_output_has_cannot_be_kept(model, tmp_path):
    lines = [[*line, "x"] for line in rows(3)]
    data = write_csv(tmp_path / "d.csv", lines, [*HEADER, "rule"])
    said = run("predict", model, data, "--keep", "rule", code=2).stderr
    assert "which the output has itself" in " ".join(said.split())


def test_a_bad_model_is_told(new, tmp_path):
    (tmp_path / "bad.pic").write_bytes(b"x" * 500)
    assert "cannot be opened as a model" in run("predict", tmp_path / "bad.pic", new, code=1).stderr
    assert "is not a file" in run("predict", tmp_path / "none.pic", new, code=2).stderr


def test_a_full_disk_leaves_nothing(model, new, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Writer, "write", fail)
    result = run("predict", model, new, "-o", tmp_path / "out.csv", code=1)
    assert "Error: [Errno 28] No space left on device" in result.stderr
    assert not [name for name in os.listdir(tmp_path) if "out.csv" in name]


def test_control_characters_are_escaped_on_a_terminal(tmp_path, monkeypatch):
    FPICClassifier().fit([["a"], ["b"]], ["\x1b[31mred", "blue"]).save(tmp_path / "m.pic")
    data = write_csv(tmp_path / "d.csv", [["a"], ["b"]], ["x0"])
    assert "\x1b[31mred" in run("predict", tmp_path / "m.pic", data, color=True).stdout
    monkeypatch.setattr("picrules.cli.write.is_terminal", lambda stream: True)
    shown = run("predict", tmp_path / "m.pic", data, color=True).stdout
    assert "\x1b" not in shown
    assert "\\x1b[31mred" in shown


def test_wide_tables_are_read_in_fewer_rows_at_once(tmp_path):
    names = [f"c{number}" for number in range(3_000)]
    lines = [[str((row * 7 + column) % 5) for column in range(3_000)] for row in range(300)]
    data = write_csv(tmp_path / "wide.csv", lines, names)
    X = np.array(lines[:30], float)
    FPICClassifier(max_length=1).fit(
        pa.table({name: X[:, column] for column, name in enumerate(names)}), [0, 1] * 15
    ).save(tmp_path / "m.pic")
    assert len(read_csv(run("predict", tmp_path / "m.pic", data).stdout)) == 300


def test_a_wrong_delimiter_is_pointed_out(model, new):
    said = run("predict", model, new, "--delimiter", "|", code=1).stderr
    assert "lacks 4 of the 4 columns" in said
    assert "say what separates the cells with --delimiter" in said


def test_every_kind_of_text_column_is_read(model, new, tmp_path):
    expected = run("predict", model, new).stdout
    columns = {
        name: [line[column] or None for line in rows(25)] for column, name in enumerate(HEADER)
    }
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        arrays = {name: pa.array(cells, kind) for name, cells in columns.items()}
        with pa.OSFile(str(tmp_path / "d.feather"), "wb") as file:
            table = pa.table(arrays)
            with pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
        assert run("predict", model, tmp_path / "d.feather").stdout == expected
