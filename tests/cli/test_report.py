import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import picrules
from picrules import FPICClassifier
from picrules.rules.text import format_share
from tests.cli.running import HEADER, fit, read_csv, rows, run, write_csv
from tests.reports.parsing import parse


def test_a_report_has_the_predictions_of_the_command(tmp_path):
    model, new = fit(tmp_path), write_csv(tmp_path / "new.csv", rows(120)[80:])
    page = tmp_path / "report.html"
    done = run("report", model, new, "--target", "class", "-o", page)
    assert done.stderr.splitlines() == [
        "Note: not used by the model: 'id'.", f"Wrote {page} with 40 cases.",
    ]  # fmt: skip
    content = json.loads(parse(page.read_text("utf-8")).scripts[0])
    answers = read_csv(run("predict", model, new, "--keep", "class").stdout)
    cases, names = content["cases"], [entry["name"] for entry in content["classes"]]
    predicted = [names[content["rules"][rule]["class"]] for rule in cases["rule"]]
    assert predicted == [answer["prediction"] for answer in answers]
    assert [names[label] for label in cases["class"]] == [answer["class"] for answer in answers]
    assert content["first_row"] == 1
    n_right = sum(answer["prediction"] == answer["class"] for answer in answers)
    assert content["performance"][-1]["n_right"] == n_right
    assert f"Accuracy  {format_share(n_right / 40)} on this table" in done.stdout


def test_an_accuracy_on_the_training_rows_says_so(tmp_path):
    model = fit(tmp_path, "--estimator", "fpic")
    done = run("report", model, tmp_path / "known.csv", "-t", "class", "-o", tmp_path / "r.html")
    assert "on the rows it was learned from, which flatters (95%" in done.stdout
    assert "on this table" not in done.stdout
    some = write_csv(tmp_path / "some.csv", rows(40)[::-1])
    done = run("report", model, some, "-t", "class", "-o", tmp_path / "r.html")
    assert "on this table, with 40 of its 40 rows like training rows, which may" in done.stdout


def test_classes_that_the_model_does_not_know_are_counted_or_refused(tmp_path):
    model = fit(tmp_path)
    lines = [
        [*line[:5], "perhaps" if number < 3 else line[5]] for number, line in enumerate(rows(9))
    ]
    new, page = write_csv(tmp_path / "new.csv", lines), tmp_path / "r.html"
    done = run("report", model, new, "-t", "class", "-o", page)
    assert "3 rows: class never seen in training" in done.stdout
    none = write_csv(tmp_path / "none.csv", [[*line[:5], line[5].upper()] for line in rows(9)])
    said = run("report", model, none, "-t", "class", "-o", page, code=1).stderr
    assert "y holds the classes 'NO', 'YES'" in said
    assert "its classes are 'no', 'yes'" in said


def test_json_has_the_numbers_that_count_all_rows(tmp_path):
    model, new = fit(tmp_path), write_csv(tmp_path / "new.csv", rows(40))
    words = ("report", model, new, "-o", tmp_path / "r.html", "--max-cases", 5, "--json")
    content = json.loads(run(*words).stdout)
    assert (content["rows"], content["n_cases"]) == (40, 5)
    assert [judged["by"] for judged in content["performance"]] == ["leave-one-out"]
    rules = json.loads(run("rules", model, new, "--json").stdout)
    assert content["n_rules"] == rules["n_rules"]
    assert content["mean_length"] == pytest.approx(rules["mean_length"])
    assert "cases" not in content


def test_classes_are_compared_as_training_wrote_them(tmp_path):
    X, y = [["a"], ["b"]] * 10, [0, 1] * 10
    FPICClassifier().fit(X, y).save(tmp_path / "m.pic")
    data = write_csv(tmp_path / "d.csv", [["a", "0"], ["b", "1.0"], ["b", "0"]], ["x0", "y"])
    page = tmp_path / "r.html"
    content = json.loads(
        run("report", tmp_path / "m.pic", data, "-t", "y", "-o", page, "--json").stdout
    )
    assert content["performance"][0]["n_right"] == 2
    other = write_csv(tmp_path / "e.csv", [["a", "zero"]], ["x0", "y"])
    said = run("report", tmp_path / "m.pic", other, "-t", "y", "-o", page, code=1).stderr
    assert "the column 'y' holds the class 'zero'; the classes of the model are 0, 1" in said
    texts = FPICClassifier().fit(X, ["0", "1"] * 10)
    texts.save(tmp_path / "t.pic")
    pq.write_table(pa.table({"x0": ["a", "b"], "y": [0, 2]}), tmp_path / "d.parquet")
    words = ("report", tmp_path / "t.pic", tmp_path / "d.parquet", "-t", "y", "-o", page, "--json")
    content = json.loads(run(*words).stdout)
    assert content["performance"][0]["n_right"] == 1
    assert content["classes"][-1] == {"name": '"2"', "rows": 0}


def test_what_cannot_be_is_told_and_nothing_is_written(tmp_path):
    model, new = fit(tmp_path), write_csv(tmp_path / "new.csv", rows(10))
    before = sorted(os.listdir(tmp_path))
    page = tmp_path / "r.html"
    assert "Did you mean 'class'" in run(
        "report", model, new, "-t", "clas", "-o", page, code=2
    ).stderr.replace("\n", " ")
    assert "which is a folder" in run("report", model, new, "-o", tmp_path, code=2).stderr
    nowhere = tmp_path / "no" / "r.html"
    assert "is not there" in run("report", model, new, "-o", nowhere, code=2).stderr
    gaps = write_csv(tmp_path / "new.csv", [[*rows(1)[0][:5], ""]], HEADER)
    assert (
        "is missing in 1 row,"
        in run("report", model, gaps, "-t", "class", "-o", page, code=1).stderr
    )
    few = write_csv(tmp_path / "new.csv", [["1"]], ["age"])
    assert "lacks 3 of the 4 columns" in run("report", model, few, "-o", page, code=1).stderr
    assert sorted(os.listdir(tmp_path)) == before


def test_unseen_categories_are_told_and_warned_of(tmp_path):
    model = fit(tmp_path)
    lines = rows(10)
    lines[3][2] = "mauve"
    new = write_csv(tmp_path / "new.csv", lines)
    done = run("report", model, new, "-o", tmp_path / "r.html")
    assert "colour holds a category that training never saw in 1 row" in done.stderr
    assert "1 row: value never seen in training" in done.stdout
    assert picrules.load(model).classes_.tolist() == ["no", "yes"]
