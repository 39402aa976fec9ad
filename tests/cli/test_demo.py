import json
import os

import pytest

from tests.cli.running import run

pytestmark = pytest.mark.slow  # minutes without the JIT


def test_the_demo_shows_its_commands_and_leaves_its_files(tmp_path):
    result = run("demo", tmp_path / "tumours")
    assert "$ picrules fit" in result.stderr
    assert "$ picrules explain" in result.stderr
    assert "Row 1: " in result.stdout
    assert sorted(os.listdir(tmp_path / "tumours")) == [
        "answers.csv", "known.csv", "new.csv", "tumours.pic",
    ]  # fmt: skip
    assert len((tmp_path / "tumours" / "answers.csv").read_text().splitlines()) == 144


def test_the_demo_needs_no_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    decoder = json.JSONDecoder()
    text = run("demo", "--json").stdout
    summary, end = decoder.raw_decode(text)
    assert summary["rows"] == 426
    assert decoder.raw_decode(text[end:].lstrip())[0]["row"] == 1
    assert os.listdir(tmp_path) == []
