import json

import pandas as pd

from picrules import score_rule
from tests.cli.running import run, write_csv

RULES = ["if age > 40 and colour = red then yes", 'if zip = "01001" then no']


def test_rules_are_scored_as_the_library_does(tmp_path):
    data = write_csv(tmp_path / "d.csv")
    words = [word for rule in RULES for word in ("--rule", rule)]
    command = ("score", data, "-t", "class", *words, "--categorical", "zip")
    table = pd.read_csv(data, dtype={"zip": str})
    scores = [score_rule(rule, table.drop(columns="class"), table["class"]) for rule in RULES]
    assert json.loads(run(*command, "--json").stdout) == [score.to_dict() for score in scores]
    assert run(*command).stdout == "".join(f"{score}\n" for score in scores)


def test_a_rule_that_does_not_fit_is_told(tmp_path):
    data = write_csv(tmp_path / "d.csv")
    said = run("score", data, "-t", "class", "--rule", "if agee > 4 then yes", code=1).stderr
    assert "speaks of 'agee'; the table has id, age, colour, day, zip" in said
    said = run("score", data, "-t", "class", "--rule", "age over 4", code=1).stderr
    assert "is not a rule" in said
