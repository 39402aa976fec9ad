"""`update` and `forget`: the model file of one fit on the rows that remain, or the old one."""

import json

import pytest

import picrules
from picrules import FPICClassifier
from picrules.rules.text import format_share
from tests.cli.running import HEADER, fit, rows, run, write_csv


def say(model, data):
    return run("predict", model, data, "--keep", "id").stdout


@pytest.mark.parametrize("estimator", ["pic", "fpic"])
def test_rows_are_added_and_forgotten_again(estimator, tmp_path):
    model, new = fit(tmp_path, "--estimator", estimator), write_csv(tmp_path / "new.csv", rows(9))
    first = say(model, new)
    more = [["q1", "33", "violet", "2020-05-05", "01002", "maybe"]] * 5 + rows(20)
    write_csv(tmp_path / "more.csv", more)
    told = json.loads(
        run("update", model, tmp_path / "more.csv", "--target", "class", "--json").stdout
    )
    assert (told["rows_before"], told["rows"]) == (60, 85)
    assert [each["class"] for each in told["classes"]] == ["maybe", "no", "yes"]
    assert told["new_classes"] == ["maybe"]
    violet = write_csv(tmp_path / "violet.csv", more[:1])
    assert ",maybe," in say(model, violet)
    said = run("forget", model, tmp_path / "more.csv", "-t", "class").stdout
    assert "60 rows; 85 before" in said
    assert say(model, new) == first


def test_a_file_with_a_row_that_was_never_added_changes_nothing(tmp_path):
    model = fit(tmp_path, "--estimator", "fpic")
    before = model.read_bytes()
    gone = [*rows(3), ["p0", "20", "red", "2020-01-01", "01000", "no"]]
    write_csv(tmp_path / "gone.csv", gone)
    said = run("forget", model, tmp_path / "gone.csv", "-t", "class", code=1).stderr
    assert "gone.csv: row 4 (line 5) with the class 'no' is not among the training rows" in said
    assert model.read_bytes() == before


def test_classes_that_a_model_did_not_know_are_told(tmp_path):
    """As when another column is named as the target."""
    model, data = fit(tmp_path, "--estimator", "fpic"), write_csv(tmp_path / "more.csv", rows(5))
    said = run("update", model, data, "-t", "id").stderr
    assert "Note: the model did not know of " in said
    assert "as classes; 'picrules forget' takes the rows away again." in said
    assert "Note" not in run("update", model, data, "-t", "class").stderr.replace("Note: not", "")


def test_parameters_of_a_model_stay(tmp_path):
    model = fit(tmp_path, "--estimator", "fpic", "--max-length", "2")
    expected = picrules.load(model).get_params()
    run("update", model, write_csv(tmp_path / "more.csv", rows(5)), "-t", "class")
    assert picrules.load(model).get_params() == expected


def test_personal_models_grow_and_come_back(tmp_path):
    model, new = fit(tmp_path, "--max-length", "1"), write_csv(tmp_path / "new.csv", rows(9))
    first, data = say(model, new), write_csv(tmp_path / "more.csv", rows(5))
    assert "65 rows; 60 before" in run("update", model, data, "-t", "class").stdout
    assert picrules.load(model).drift_.n_added == 5
    told = run("info", model).stdout
    assert (
        "Drift       5 rows added and 0 forgotten since settings were chosen on 60 (8.3%)" in told
    )
    assert f"Expected    {format_share(picrules.load(model).tuning_.accuracy)} of new" in told
    assert "60 rows; 65 before" in run("forget", model, data, "-t", "class").stdout
    assert say(model, new) == first
    assert picrules.load(model).drift_.share == 0
    assert "chosen on 60; they are the same rows again" in run("info", model).stdout
    assert json.loads(run("info", model, "--json").stdout)["drift"]["forgotten"] == 5


def test_new_categories_of_another_type_are_refused(tmp_path):
    """They would have been read as missing, and learned so."""
    FPICClassifier(categorical_features=[0]).fit([[1], [2]], ["no", "yes"]).save(tmp_path / "m.pic")
    data = write_csv(tmp_path / "more.csv", [["x", "no"], ["2", "yes"]], ["x0", "class"])
    said = run("update", tmp_path / "m.pic", data, "-t", "class", code=1).stderr
    assert "holds a category that the model does not know, of another type than 1, 2" in said


def test_columns_of_the_file_may_be_in_any_order(tmp_path):
    model, lines = fit(tmp_path, "--estimator", "fpic"), rows(5)
    turned = write_csv(tmp_path / "more.csv", [line[::-1] for line in lines], HEADER[::-1])
    assert "65 rows" in run("update", model, turned, "-t", "class").stdout
