"""Every script in examples/ runs to its end and prints something."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py"))


def test_there_are_examples():
    topics = {"breast_cancer", "compare_with_tree", "credit", "first_steps"}
    assert {script.removesuffix(".py") for script in SCRIPTS} >= topics


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_example_runs(script, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(FOLDER / script), run_name="__main__")
    assert len(capsys.readouterr().out.splitlines()) > 10
