import json

from tests.cli.running import fit, rows, run, write_csv


def test_rules_are_shortened_as_far_as_is_allowed(tmp_path):
    model, new = fit(tmp_path), write_csv(tmp_path / "new.csv", rows(30))
    shortened = 0
    for row in range(1, 31):
        command = ("explain", model, new, "--row", row)
        full = json.loads(run(*command, "--json").stdout)
        short = json.loads(run(*command, "--simplify", 1, "--json").stdout)
        assert full["simplified"] is None
        assert short["prediction"] == full["prediction"]
        assert short["length"] == min(full["length"], 1)
        if short["simplified"]:
            shortened += 1
            assert short["simplified"]["rule"] == full["rule"]
            assert "Shortened: with " in run(*command, "--simplify", 1).stdout
    assert shortened > 0
    assert "--simplify" in run("explain", model, new, "--row", 1, "--simplify", 2, code=2).stderr
