import json
import re

import pytest

from tests.cli.running import HEADER, fit, read_csv, rows, run, write_csv


@pytest.fixture
def model(tmp_path):
    return fit(tmp_path)


@pytest.fixture
def new(tmp_path):
    return write_csv(tmp_path / "new.csv", rows(25))


def test_a_case_reads_in_full(model, new):
    text = run("explain", model, new, "--row", 3).stdout
    assert text.startswith("Row 3: ")
    assert "because" in text
    assert "(here " in text
    assert "Training rows like this:" in text
    assert "precision" in text
    assert 'zip     "01002"' in text
    assert "\x1b" not in text


def test_a_case_tells_the_best_case_for_the_other_class(model, new):
    content = json.loads(run("explain", model, new, "--row", 3, "--json").stdout)
    text = run("explain", model, new, "--row", 3).stdout
    (other,) = content["contrast"]
    assert other["class"] != content["prediction"]
    assert f"The best case for another class:\n  {other['rule']}\n" in text


def test_a_case_says_how_far_the_search_went(tmp_path):
    """PIC stops where one condition more is no better; fPIC looks at all lengths."""
    new = write_csv(tmp_path / "new.csv", rows(25))
    for estimator in ("pic", "fpic"):
        model = fit(tmp_path, "--estimator", estimator)
        answers = read_csv(run("predict", model, new).stdout)
        row = next(answer["row"] for answer in answers if answer["length"] == "1")
        text = run("explain", model, new, "--row", row).stdout
        longest = 2 if estimator == "pic" else 3
        assert f"  the best of the rules looked at, of up to {longest} conditions\n" in text


def test_json_agrees_with_predict(model, new):
    content = json.loads(run("explain", model, new, "--row", 25, "--json").stdout)
    answer = read_csv(run("predict", model, new).stdout)[24]
    assert content["row"] == 25
    for name in ("prediction", "rule", "confidence", "score", "precision", "recall", "cover_size"):
        assert str(content[name]) == answer[name]
    assert sum(entry["count"] for entry in content["classes"]) == content["cover_size"]
    assert len(content["conditions"]) == content["length"]
    assert content["cells"]["day"].startswith("2020-01-25")


@pytest.mark.parametrize("where", [["id=p4"], ["age=48.0", "id=p4"], ["colour=blue", "age= 48"]])
def test_a_row_is_found_by_its_cells(where, model, new):
    words = [word for text in where for word in ("--where", text)]
    assert run("explain", model, new, *words).stdout.startswith("Row 5: ")


def test_the_first_of_several_rows_is_explained(model, new):
    result = run("explain", model, new, "--where", "colour=blue")
    assert "several rows fit; this is the first, row 2" in result.stderr
    result = run("explain", model, new, "--where", "colour=blue", "--most", "2", "--json")
    assert "Note: more than 2 rows fit; --most shows others." in result.stderr
    assert run("explain", model, new, "--where", "age=").stdout.startswith("Row 4: ")


def test_names_with_an_equals_sign_are_found(model, tmp_path):
    lines = [[*line, f"v{number}"] for number, line in enumerate(rows(5))]
    data = write_csv(tmp_path / "d.csv", lines, [*HEADER, "a=b"])
    assert run("explain", model, data, "--where", "a=b=v2").stdout.startswith("Row 3: ")


def test_a_row_that_no_rule_covers_says_so(model, tmp_path):
    data = write_csv(tmp_path / "d.csv", [["p", "", "", "", "", ""]])
    text = run("explain", model, data, "--row", 1).stdout
    assert "No rule covers this row" in text
    assert "the best of" not in text
    assert "missing" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "say which row"),
        (["--row", "1", "--where", "id=p1"], "and not both"),
        (["--row", "0"], "--row"),
        (["--row", "26"], "--row is 26; the file has the rows 1 to 25"),
        (["--where", "id"], "COL=VALUE is accepted"),
        (["--where", "idd=p1"], "Did you mean 'id'?"),
        (["--where", "id=nobody"], "none of the 25 rows fits"),
    ],
)
def test_misuse_is_told(words, said, model, new):
    result = run("explain", model, new, *words, code=2)
    assert said in " ".join(result.stderr.split())


def test_colours_appear_on_a_terminal_only(model, new, monkeypatch):
    words = ["explain", model, new, "--row", 1]
    plain = run(*words).stdout
    monkeypatch.setattr("picrules.cli.output.is_terminal", lambda stream: True)
    coloured = run(*words, color=True).stdout
    assert "\x1b[1m" in coloured
    assert re.sub(r"\x1b\[\d*m", "", coloured) == plain
