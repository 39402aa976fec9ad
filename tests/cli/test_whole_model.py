"""The commands that look at a whole model say what the library says."""

import json

import pandas as pd
import pytest

import picrules
from tests.cli.running import fit, rows, run, write_csv


@pytest.fixture
def known(tmp_path):
    """A model file, a file of rows, the model, its rows and their classes."""
    model, new = fit(tmp_path), write_csv(tmp_path / "new.csv", rows(40))
    table = pd.read_csv(new, dtype={"zip": str}, parse_dates=["day"])
    clf = picrules.load(model)
    return model, new, clf, table[clf.feature_names_in_], table["class"]


def test_compact_is_that_of_the_library(known):
    model, new, clf, X, y = known
    compact = clf.compact_rules(X, y, 3)
    command = ("compact", model, new, "-t", "class", "--max-rules", 3)
    assert run(*command).stdout == f"{compact}\n"
    assert run(*command, "--sql").stdout == f"{compact.to_sql()}\n"
    assert json.loads(run(*command, "--json").stdout) == compact.to_dict()
    unknown = json.loads(run("compact", model, new, "--json", "--sql").stdout)
    assert unknown == {
        **clf.compact_rules(X).to_dict(), "sql": clf.compact_rules(X).to_sql(),
    }  # fmt: skip


def test_importances_are_those_of_the_library(known):
    model, new, clf, X, y = known
    assert run("importances", model).stdout == f"{clf.importances()}\n"
    command = ("importances", model, new, "-t", "class")
    assert run(*command).stdout == f"{clf.importances(X, y)}\n"
    assert json.loads(run(*command, "--json").stdout) == clf.importances(X, y).to_dict()
    assert "both DATA and --target" in run("importances", model, new, code=2).stderr
    said = run("importances", model, new, "-t", "klass", code=2).stderr
    assert "--target names the column 'klass'" in said
