import json
from collections import Counter

import pyarrow as pa

import picrules
from picrules import parse_rule
from picrules.cli.tables.cells import encode, with_dictionary
from picrules.encoding.columns import read_columns
from picrules.encoding.schema import learn_schema
from tests.cli.running import fit, read_csv, rows, run, write_csv
from tests.estimators.test_ordered_categories import level_table


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


def test_files_that_tell_an_order_of_categories(tmp_path):
    """A rule of the command line is one that Python reads, and counts alike."""
    X, y = level_table()
    known = tmp_path / "known.parquet"
    X.assign(y=y).to_parquet(known)
    X.assign(y=y).to_feather(tmp_path / "new.feather")
    X.assign(y=y).to_csv(tmp_path / "new.csv", index=False)
    model = tmp_path / "model.pic"
    run("fit", known, "--target", "y", "-o", model, "--folds", "0", "--max-length", 1)
    clf = picrules.load(model)
    for name in ("new.feather", "new.csv"):
        content = json.loads(run("rules", model, tmp_path / name, "--sql", "--json").stdout)
        rules = {entry["rule"]: entry for entry in content["rules"]}
        assert 'if level > "2020-01-01" then yes' in rules
        assert sum(entry["rows"] for entry in rules.values()) == len(y)
        for text, entry in rules.items():
            assert clf.cover(parse_rule(text), X).sum() == entry["cover_size"]
            assert '"level" IN' in entry["sql"] or '"level" =' in entry["sql"] or "x" in text
    rule = 'if "low" < level <= "7" then yes'
    (scored,) = json.loads(run("score", known, "--target", "y", "--rule", rule, "--json").stdout)
    assert scored["cover_size"] == X.level.isin(["2020-01-01", "7"]).sum()


def test_parts_that_tell_different_orders_tell_none(tmp_path):
    parts = [["low", "high"], ["high", "low"]]
    coded = [pa.DictionaryArray.from_arrays([0, 1], part, ordered=True) for part in parts]
    table = pa.table({"level": pa.chunked_array(coded)})
    (feature,) = learn_schema(read_columns(table), [1], None).features
    assert (feature.categories, feature.is_ordered) == (("high", "low"), False)
    assert not encode(pa.chunked_array([with_dictionary(part) for part in coded])).type.ordered
