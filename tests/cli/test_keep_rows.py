"""`fit --keep-rows`: models with counts in place of rows, from files read whole or in parts."""

import json

import pytest

import picrules
from picrules.estimators import sources
from tests.cli.running import run, write_csv
from tests.cli.test_in_parts import IN_PARTS, WHOLE, fit, write_files

OPTIONS = {
    "pic": ("--max-length", "2"),
    "fpic": ("--max-length", "2", "--bins", "4"),
    "personal": ("--max-length", "2", "--bins", "4", "--alpha", "1"),
}
each_estimator = pytest.mark.parametrize("estimator", OPTIONS)


def has_counts(path):
    return picrules.load(path)._model.training.counts is not None


@each_estimator
def test_counts_answer_as_rows_do(estimator, tmp_path):
    data, words = write_files(tmp_path, "parquet"), ("--estimator", estimator, *OPTIONS[estimator])
    no_alikes = ("--no-look-alikes", "--n-rules", "1") if estimator == "personal" else ()
    answers = []
    for keep in ("yes", "auto", "no"):
        model = tmp_path / f"{keep}.pic"
        fit(data, model, *words, *no_alikes, *WHOLE, "--keep-rows", keep)
        assert has_counts(model) == (keep == "no")
        assert picrules.load(model).keep_rows == {"yes": True, "auto": "auto", "no": False}[keep]
        answers.append(run("predict", model, data).stdout)
    assert answers[0] == answers[1] == answers[2]


@each_estimator
def test_files_in_parts_give_the_same_counts(estimator, tmp_path):
    data = write_files(tmp_path, "csv")
    words = ("--estimator", estimator, *OPTIONS[estimator], "--keep-rows", "no")
    whole, expected = fit(data, tmp_path / "a.pic", *words, *WHOLE)
    in_parts, found = fit(data, tmp_path / "b.pic", *words, *IN_PARTS)
    assert found == expected
    assert has_counts(tmp_path / "b.pic")
    assert in_parts["rows"] == whole["rows"] == 240
    if estimator == "personal":
        assert in_parts["accuracy"] == whole["accuracy"] > 0.5
        assert in_parts["accuracy_by"] == whole["accuracy_by"]


def test_more_rows_than_are_collected_are_counted_by_the_settings_of_a_sample(
    tmp_path, monkeypatch
):
    data = write_files(tmp_path, "parquet")
    monkeypatch.setattr(sources, "MOST_COLLECTED", 100)
    told, _ = fit(data, tmp_path / "m.pic", *OPTIONS["personal"], "--keep-rows", "no", *IN_PARTS)
    clf = picrules.load(tmp_path / "m.pic")
    assert told["rows"] == clf.class_sizes_.sum() == 240
    assert clf.tuning_.n_rows < 130
    assert told["accuracy"] == clf.tuning_.accuracy


def test_large_files_of_a_tuned_model_without_rows_are_read_in_parts(tmp_path, monkeypatch):
    data = write_files(tmp_path, "parquet")
    monkeypatch.setattr("picrules.cli.fit._LARGE", 100)
    monkeypatch.setattr(sources, "MOST_COLLECTED", 100)
    words = (data, "-t", "state", "-o", tmp_path / "m.pic", *OPTIONS["personal"])
    run("fit", *words, "--keep-rows", "no")
    assert picrules.load(tmp_path / "m.pic").tuning_.n_rows < 130
    run("fit", *words, "--keep-rows", "no", "--whole")
    assert picrules.load(tmp_path / "m.pic").tuning_.n_rows == 240


def test_costs_count_in_parts_too(tmp_path):
    data = write_files(tmp_path, "parquet")
    (tmp_path / "costs.json").write_text(json.dumps({"ill": {"well": 5}}))
    words = (*OPTIONS["personal"], "--keep-rows", "no", "--costs", tmp_path / "costs.json")
    _, expected = fit(data, tmp_path / "a.pic", *words, *WHOLE)
    _, found = fit(data, tmp_path / "b.pic", *words, *IN_PARTS)
    assert found == expected
    assert picrules.load(tmp_path / "b.pic").cost_matrix == {"ill": {"well": 5}}


def test_models_without_rows_grow(tmp_path):
    data, model = write_csv(tmp_path / "d.csv"), tmp_path / "m.pic"
    words = ("--target", "class", "--ignore", "id", "--ignore", "day")
    run("fit", data, "-o", model, *words, "--estimator", "fpic", "--keep-rows", "no")
    told = run("info", model).stdout
    assert "Trained on  60 rows; counts of up to 3 features are kept in their place" in told
    said = run("predict", model, data).stdout
    run("update", model, data, "--target", "class")
    assert picrules.load(model).class_sizes_.sum() == 120
    run("forget", model, data, "--target", "class")
    assert run("predict", model, data).stdout == said


def test_what_is_not_accepted_says_so(tmp_path):
    data, model = write_csv(tmp_path / "d.csv"), tmp_path / "m.pic"
    words = ("fit", data, "-t", "class", "-o", model)
    told = run(*words, "--keep-rows", "never", code=2).stderr
    assert "'never'; one of auto, yes, no is accepted" in " ".join(told.split())
    told = run(*words, "--in-parts", code=2).stderr
    assert "'personal --keep-rows no'" in " ".join(told.replace("│", " ").split())
    told = run(*words, "--keep-rows", "no", "--n-rules", "2", code=2).stderr
    assert "n_rules is 2 and keep_rows is False" in told
