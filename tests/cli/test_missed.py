"""What people missed at the command line."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import picrules
from tests.cli.running import HEADER, fit, read_csv, rows, run, write_csv


@pytest.fixture
def model(tmp_path):
    return fit(tmp_path, "--estimator", "fpic")


@pytest.fixture
def new(tmp_path):
    return write_csv(tmp_path / "new.csv", rows(25))


def test_help_has_a_short_name():
    assert run("-h").stdout == run("--help").stdout
    assert run("fit", "-h").stdout == run("fit", "--help").stdout


def test_quiet_leaves_results_and_errors(model, new, tmp_path):
    loud, quiet = run("predict", model, new), run("predict", model, new, "-q")
    assert loud.stderr
    assert (quiet.stdout, quiet.stderr) == (loud.stdout, "")
    words = ["fit", new, "-t", "class", "-o", tmp_path / "q.pic", "--estimator", "fpic"]
    assert run(*words, "--quiet").stderr == ""
    assert "'nothing'" in run(*words, "--ignore", "nothing", "-q", code=2).stderr


def test_a_budget_reaches_the_estimator(new, tmp_path):
    words = ["fit", new, "-t", "class", "-o", tmp_path / "b.pic", "--budget", "7.5"]
    run(*words)
    assert picrules.load(tmp_path / "b.pic").tuning_budget == 7.5
    said = " ".join(run(*words, "--estimator", "pic", code=2).stderr.split())
    assert "--budget is given with the estimator 'pic'" in said
    assert "tuning_budget is -1.0" in run(*words[:-1], "-1", code=2).stderr


def test_progress_is_shown_on_a_terminal_and_not_kept(new, tmp_path, monkeypatch):
    monkeypatch.setattr("picrules.cli.output.is_terminal", lambda stream: True)
    words = ["fit", new, "-t", "class", "-o", tmp_path / "v.pic"]
    assert "0:00" in run(*words).stderr  # the time that is left
    assert picrules.load(tmp_path / "v.pic").verbose == 0
    assert run(*words, "-q").stderr == ""


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_probabilities_are_those_of_predict_proba(form, model, new, tmp_path):
    out = tmp_path / f"o.{form}"
    run("predict", model, new, "--probabilities", "-o", out)
    if form == "csv":
        answers = read_csv(out.read_text())
    elif form == "jsonl":
        answers = [json.loads(line) for line in out.read_text().splitlines()]
    else:
        answers = pq.read_table(out).to_pylist()
    for row in (1, 9):
        content = json.loads(run("explain", model, new, "--row", row, "--json").stdout)
        for entry in content["classes"]:
            found = answers[row - 1][f"probability_{entry['class']}"]
            assert float(found) == entry["probability"]
    assert list(answers[0])[-2:] == ["probability_no", "probability_yes"]


def test_several_rows_are_explained(model, new):
    one, two = (run("explain", model, new, "--row", row).stdout for row in (2, 7))
    assert run("explain", model, new, "--row", 7, "--row", 2).stdout == f"{one}\n\n{two}"
    contents = json.loads(run("explain", model, new, "--row", 7, "--row", 2, "--json").stdout)
    assert [content["row"] for content in contents] == [2, 7]
    blue = [number for number, line in enumerate(rows(25), start=1) if line[2] == "blue"]
    words = ["explain", model, new, "--where", "colour=blue", "--json"]
    assert [one["row"] for one in json.loads(run(*words, "--most", 3).stdout)] == blue[:3]
    assert "more than 3 rows fit" in run(*words, "--most", 3).stderr
    assert [one["row"] for one in json.loads(run(*words, "--most", 99).stdout)] == blue
    said = " ".join(run("explain", model, new, "--row", 2, "--row", 26, code=2).stderr.split())
    assert "--row is 26; the file has the rows 1 to 25" in said


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_rules_are_written_with_their_sql(form, model, new, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    out = tmp_path / f"rules.{form}"
    content = json.loads(run("rules", model, new, "--sql", "--json", "-o", out).stdout)
    table = {
        "csv": lambda: read_csv(out.read_text()),
        "jsonl": lambda: [json.loads(line) for line in out.read_text().splitlines()],
        "parquet": lambda: pq.read_table(out).to_pylist(),
    }[form]()
    assert [entry["rule"] for entry in table] == [entry["rule"] for entry in content["rules"]]
    connection = duckdb.connect()
    types = "{'zip': 'VARCHAR', 'age': 'DOUBLE'}"
    known = tmp_path / "known.csv"
    for entry in table:
        query = f"SELECT count(*) FROM read_csv('{known}', types={types}) WHERE {entry['sql']}"
        assert connection.sql(query).fetchall()[0][0] == int(entry["cover_size"])
    lines = run("rules", model, new, "--sql", "--top", 2).stdout.splitlines()
    assert [line.split("  -- ")[0] for line in lines] == [entry["sql"] for entry in table[:2]]


def test_formulas_are_left_or_made_harmless(model, tmp_path):
    texts = ["=1+2", "+49 30 1", "-5.5", "@x", "plain", "-a"]
    lines = [[text, *line[1:]] for text, line in zip(texts, rows(6), strict=True)]
    data = write_csv(tmp_path / "f.csv", lines, HEADER)
    words = ["predict", model, data, "--keep", "id"]
    assert [answer["id"] for answer in read_csv(run(*words).stdout)] == texts
    safe = [answer["id"] for answer in read_csv(run(*words, "--safe-csv").stdout)]
    assert safe == ["'=1+2", "'+49 30 1", "-5.5", "'@x", "plain", "'-a"]
    assert run(*words, "--safe-csv", "--json").stdout == run(*words, "--json").stdout


def test_the_most_frequent_class_is_a_rival(tmp_path):
    lines = [[str(number * 7 % 10), "x" if number % 4 else "y"] for number in range(60)]
    data = write_csv(tmp_path / "d.csv", lines, ["n", "class"])
    words = ["evaluate", data, "-t", "class", "--estimator", "fpic", "-j", 1]
    result = run(*words)
    assert "\nmajority  0.750 " in result.stdout
    figures = json.loads(run(*words, "--json").stdout)["models"]
    assert list(figures) == ["fpic", "tree", "forest", "majority"]
    is_useless = all(one["accuracy"] <= 0.75 for one in figures.values())
    assert ("Warning: nothing is right more often" in result.stderr) == is_useless


def test_a_warning_tells_that_nothing_beats_the_most_frequent_class(tmp_path):
    lines = [["same", "x" if number % 4 else "y"] for number in range(60)]
    data = write_csv(tmp_path / "d.csv", lines, ["n", "class"])
    said = run("evaluate", data, "-t", "class", "--estimator", "fpic", "-j", 1).stderr
    assert "nothing is right more often than saying the most frequent class (0.750)" in said


def test_columns_that_count_or_name_the_rows_are_pointed_out(tmp_path):
    lines = [
        [str(number), str(10_000 - 7 * number), f"k{number}", str(number % 9), "ab"[number % 2]]
        for number in range(60)
    ]
    data = write_csv(tmp_path / "d.csv", lines, ["", "person_id", "key", "size", "class"])
    words = ["fit", data, "-t", "class", "-o", tmp_path / "m.pic", "--estimator", "fpic"]
    said = run(*words).stderr
    assert "'' rises from row to row" in said
    assert "'person_id' has another whole number in every row" in said
    assert "'key' has 60 different texts in 60 rows" in said
    assert "'size' rises" not in said


def test_identity_numbers_too_long_for_a_float_are_pointed_out(tmp_path):
    """Neighbours were one float, so that the column was not seen to rise from row to row."""
    numbers = [2**53 + 1 + row for row in range(60)]
    table = pa.table({"person": numbers, "class": ["a", "b"] * 30})
    pq.write_table(table, tmp_path / "d.parquet")
    words = ["fit", tmp_path / "d.parquet", "-t", "class", "-o", tmp_path / "m.pic"]
    said = run(*words, "--estimator", "fpic").stderr
    assert "'person' rises from row to row" in said


def test_misuse_of_parameters_has_its_exit_code(new, tmp_path):
    words = ["fit", new, "-t", "class", "-o", tmp_path / "m.pic", "--alpha", 2]
    assert "alpha is 2.0; numbers from 0 to 1" in run(*words, code=2).stderr
