import json
from collections import Counter

from tests.cli.running import fit, read_csv, rows, run, write_csv


def test_rules_are_those_of_the_predictions(tmp_path):
    model, new = fit(tmp_path), write_csv(tmp_path / "new.csv", rows(40))
    answers = read_csv(run("predict", model, new).stdout)
    content = json.loads(run("rules", model, new, "--json").stdout)
    assert {entry["rule"]: entry["rows"] for entry in content["rules"]} == Counter(
        answer["rule"] for answer in answers
    )
    counts = [entry["rows"] for entry in content["rules"]]
    assert counts == sorted(counts, reverse=True)
    assert content["n_rules"] == len(counts)
    assert content["rows"] == 40
    in_chunks = json.loads(run("rules", model, new, "--json", "--chunk-rows", 7).stdout)
    assert in_chunks == content


def test_the_most_used_rules_are_shown(tmp_path):
    model, new = fit(tmp_path), write_csv(tmp_path / "new.csv", rows(40))
    lines = run("rules", model, new, "--top", 1).stdout.splitlines()
    assert lines[0].startswith("40 rows, ")
    assert " if " in lines[3]
    assert "more" in lines[4]
