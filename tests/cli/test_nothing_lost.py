"""What was lost, mixed up or overwritten once: each test is a thing that was seen to go wrong."""

import json
import os
import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import picrules
from picrules import FPICClassifier
from tests.cli.running import fit, read_csv, rows, run, write_csv

LONG = [9007199254740993, 9007199254740995, 9007199254740997]


@pytest.fixture
def model(tmp_path):
    X = pa.table({"a": ["u", "v", "w", "u"], "b": [1.0, 2.0, 3.0, 4.0]})
    FPICClassifier(bins=2).fit(X, ["x", "y", "y", "x"]).save(tmp_path / "m.pic")
    return tmp_path / "m.pic"


def write_json(path, objects):
    path.write_text("".join(json.dumps(one) + "\n" for one in objects))
    return path


def test_a_key_that_comes_late_is_a_column(tmp_path, model):
    """A key first seen after line 1,024 was dropped without a word."""
    objects = [{"a": "u", "class": "x"}] * 1_500 + [{"a": "v", "b": 3, "class": "y"}] * 20
    path = write_json(tmp_path / "d.jsonl", objects)
    run("fit", path, "-t", "class", "-o", tmp_path / "n.pic", "--estimator", "fpic")
    assert picrules.load(tmp_path / "n.pic").feature_names_in_.tolist() == ["a", "b"]
    answers = read_csv(run("predict", model, path, "--keep", "b", "--chunk-rows", 100).stdout)
    assert [answer["b"] for answer in answers] == [""] * 1_500 + ["3"] * 20


@pytest.mark.parametrize("form", ["csv", "jsonl", "json", "parquet"])
def test_long_numbers_are_kept_and_found_exactly(form, tmp_path, model):
    """--keep made one float of two numbers, and --where found the row of another one."""
    objects = [{"id": number, "a": "u", "b": 1.5} for number in LONG]
    path = tmp_path / f"d.{form}"
    if form == "csv":
        write_csv(path, [list(map(str, one.values())) for one in objects], list(objects[0]))
    elif form == "parquet":
        pq.write_table(pa.Table.from_pylist(objects), path)
    else:
        path.write_text(json.dumps(objects))
        if form == "jsonl":
            write_json(path, objects)
    for out in ("o.csv", "o.jsonl", "o.parquet"):
        run("predict", model, path, "--keep", "id", "-o", tmp_path / out)
    assert [answer["id"] for answer in read_csv((tmp_path / "o.csv").read_text())] == list(
        map(str, LONG)
    )
    lines = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert [int(line["id"]) for line in lines] == LONG
    assert list(map(int, pq.read_table(tmp_path / "o.parquet")["id"].to_pylist())) == LONG
    for position, number in enumerate(LONG, start=1):
        said = run("explain", model, path, "--where", f"id={number}").stdout
        assert said.startswith(f"Row {position}: ")


def test_whole_numbers_beside_fractions_are_kept_exactly(tmp_path, model):
    cells = [LONG[0], LONG[1], 1.5, 10**30]
    path = write_json(tmp_path / "d.jsonl", [{"id": cell, "a": "u", "b": 1} for cell in cells])
    answers = read_csv(run("predict", model, path, "--keep", "id").stdout)
    assert [answer["id"] for answer in answers] == list(map(str, cells))


@pytest.mark.parametrize("how", ["same", "dotted", "symbolic", "hard", "pattern"])
@pytest.mark.parametrize("command", ["fit", "predict", "report", "rules"])
def test_no_output_is_an_input(command, how, tmp_path, monkeypatch):
    """fit people.csv -o people.csv replaced the data by the model."""
    monkeypatch.chdir(tmp_path)
    model, data = fit(tmp_path), Path("people.csv")
    write_csv(data)
    before = data.read_bytes(), model.read_bytes()
    out = {"same": "people.csv", "dotted": "./people.csv", "pattern": "people.csv"}.get(
        how, "l.csv"
    )
    if how == "symbolic":
        Path(out).symlink_to(data)
    elif how == "hard":
        os.link(data, out)
    given = "peop*.csv" if how == "pattern" else data
    words = [given, "-t", "class"] if command == "fit" else [model, given]
    said = " ".join(run(command, *words, "-o", out, code=2).stderr.split())
    assert "is read; it would be lost" in said
    if command != "fit":
        link = Path("model.csv")
        link.symlink_to(model)
        assert "is read" in " ".join(run(command, *words, "-o", link, code=2).stderr.split())
    assert (data.read_bytes(), model.read_bytes()) == before


@pytest.mark.parametrize("bad", ["12.5.3", "unknown"])
def test_the_cell_that_makes_numbers_categories_is_named(bad, tmp_path):
    """One cell in 300,000 made a column of numbers a category, and no word named it."""
    lines = [[str(number % 1000), "ab"[number % 2]] for number in range(300_000)]
    lines[123_456][0] = bad
    data = write_csv(tmp_path / "d.csv", lines, ["size", "class"])
    words = ["fit", data, "-t", "class", "-o", tmp_path / "m.pic", "--estimator", "fpic"]
    said = run(*words, "--folds", 0).stderr
    assert "size  category" in said
    assert f"'size' is a category because one cell is none of its numbers: {bad!r} in" in said
    assert "row 123457 (line 123458)" in said
    said = run(*words, "--folds", 0, "--missing", bad).stderr
    assert "size  number" in said
    assert "is a category" not in said


def test_the_line_of_a_bad_cell_counts_blank_lines_and_lines_in_cells(tmp_path):
    lines = ["size,note,class\n", '1,"two\nlines",x\n', "\n", *["2,,y\n"] * 300, "?,,x\n"]
    (tmp_path / "d.csv").write_text("".join(lines))
    words = ["-t", "class", "-o", tmp_path / "m.pic", "--estimator", "fpic", "--folds", 0]
    said = run("fit", tmp_path / "d.csv", *words).stderr
    assert "'?' in row 302 (line 305)" in said


def test_na_can_be_a_value_and_a_class(tmp_path):
    """NA was missing whatever the user said; Namibia has that code."""
    lines = [[["NA", "DE"][number % 2], ["NA", "none"][number % 2]] for number in range(40)]
    data = write_csv(tmp_path / "d.csv", lines, ["country", "class"])
    words = ["fit", data, "-t", "class", "-o", tmp_path / "m.pic", "--estimator", "fpic"]
    assert "the target 'class' is missing in 20 rows" in run(*words, code=1).stderr
    run(*words, "--missing", "?", "--folds", 0)
    clf = picrules.load(tmp_path / "m.pic")
    assert clf.classes_.tolist() == ["NA", "none"]
    assert clf.schema_.features[0].categories == ("DE", "NA")
    answers = read_csv(run("predict", tmp_path / "m.pic", data, "--missing", "").stdout)
    assert [answer["prediction"] for answer in answers] == [line[1] for line in lines]


def test_decimal_commas_are_read(tmp_path):
    german, english = (
        write_csv(
            tmp_path / name,
            [[f"{number / 4}".replace(".", point), "ab"[number > 20]] for number in range(40)],
            ["size", "class"],
            ";",
        )
        for name, point in (("g.csv", ","), ("e.csv", "."))
    )
    words = ["-t", "class", "--estimator", "fpic", "--folds", 0]
    assert (
        "size  number"
        in run("fit", german, *words, "--decimal", ",", "-o", tmp_path / "g.pic").stderr
    )
    run("fit", english, *words, "-o", tmp_path / "e.pic")
    expected = run("predict", tmp_path / "e.pic", english).stdout
    assert run("predict", tmp_path / "g.pic", german, "--decimal", ",").stdout == expected
    said = run("fit", english, *words, "--decimal", ",", "-o", tmp_path / "x.pic").stderr
    assert "size  category" in said  # 1.234 is a thousand there
    assert "'. or ,'" not in run("fit", german, *words, "--decimal", ":", "-o", "x", code=2).stderr


@pytest.mark.parametrize("command", ["fit", "predict", "report", "rules"])
@pytest.mark.parametrize("where", ["folder", "long", "closed"])
def test_outputs_that_cannot_be_written_are_found_before_the_work(
    command, where, tmp_path, monkeypatch
):
    model, data = fit(tmp_path), write_csv(tmp_path / "d.csv")
    out = {
        "folder": tmp_path / "folder.csv",
        "long": tmp_path / ("x" * 300 + ".csv"),
        "closed": tmp_path / "o.csv",
    }
    (tmp_path / "folder.csv").mkdir()
    if where == "closed":

        def refuse(*_, **__):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("picrules.cli.write.TemporaryFile", refuse)
    monkeypatch.setattr(
        "picrules.cli.tables.source.open_source", lambda *_: pytest.fail("the work began")
    )
    words = [data, "-t", "class"] if command == "fit" else [model, data]
    said = " ".join(run(command, *words, "-o", out[where], code=2).stderr.split())
    assert {"folder": "is a folder", "long": "too long", "closed": "denied"}[where] in said


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("command", ["fit", "predict", "report", "rules"])
def test_a_file_that_is_written_anew_keeps_its_mode(command, tmp_path):
    """A private file of answers could be read by all after it was written again."""
    model, data, out = fit(tmp_path), write_csv(tmp_path / "d.csv", rows(30)), tmp_path / "o.csv"
    out.write_text("old")
    out.chmod(0o600)
    words = [data, "-t", "class"] if command == "fit" else [model, data]
    run(command, *words, "-o", out)
    assert out.read_bytes() != b"old"
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
