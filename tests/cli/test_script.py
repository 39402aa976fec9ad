"""The installed console script, in processes of its own, from an empty folder."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import picrules
from tests.cli.running import fit, read_csv, rows, write_csv

SCRIPT = Path(sys.executable).with_name("picrules")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SCRIPT.exists(), reason="the console script is not installed"),
]


def picrules_at(folder, *words, code=0, **how):
    command = [str(word) for word in (SCRIPT, *words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **how)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done


def test_from_an_empty_folder_to_answers(tmp_path):
    assert os.listdir(tmp_path) == []
    write_csv(tmp_path / "people.csv", rows(80))
    fitted = picrules_at(
        tmp_path, "fit", "people.csv", "-t", "class", "--ignore", "id", "-o", "p.pic"
    )
    assert "Accuracy" in fitted.stdout
    picrules_at(tmp_path, "predict", "p.pic", "people.csv", "--keep", "id", "-o", "answers.csv")
    answers = read_csv((tmp_path / "answers.csv").read_text())
    assert [answer["id"] for answer in answers] == [line[0] for line in rows(80)]
    explained = picrules_at(tmp_path, "explain", "p.pic", "people.csv", "--where", "id=p7")
    assert explained.stdout.startswith(f"Row 8: {answers[7]['prediction']} ")
    assert "\x1b" not in explained.stdout + explained.stderr
    text = (tmp_path / "people.csv").read_text()
    piped = picrules_at(tmp_path, "predict", "p.pic", "-", "--keep", "id", input=text)
    assert piped.stdout == (tmp_path / "answers.csv").read_text()
    content = json.loads(picrules_at(tmp_path, "info", "p.pic", "--json").stdout)
    assert content["rows"] == 80
    words = ("report", "p.pic", "people.csv", "-t", "class", "-o", "report.html")
    assert "Accuracy" in picrules_at(tmp_path, *words).stdout
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert page.rstrip().endswith("</html>")
    made = ["answers.csv", "p.pic", "people.csv", "report.html"]
    assert sorted(os.listdir(tmp_path)) == made


def test_exit_codes(tmp_path):
    assert "Missing option" in picrules_at(tmp_path, "fit", "x.csv", code=2).stderr
    assert (
        "is not there"
        in picrules_at(tmp_path, "fit", "x.csv", "-t", "y", "-o", "m.pic", code=2).stderr
    )
    (tmp_path / "x.csv").write_text("")
    failed = picrules_at(tmp_path, "fit", "x.csv", "-t", "y", "-o", "m.pic", code=1)
    assert failed.stderr == "Error: x.csv: it is empty; a table with at least one row is needed\n"
    assert failed.stdout == ""


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    model = fit(tmp_path)
    data = write_csv(tmp_path / "new.csv", rows(60) * 2000)
    command = f"'{SCRIPT}' predict '{model}' '{data}' | head -n 2"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 2
    assert "Traceback" not in done.stderr


# Runs the command line, and kills itself at the n-th write of the file, or before the rename.
CODE = """
import os, signal, sys
from pathlib import Path
from picrules.cli.main import app
from picrules.cli.write import Writer
from picrules.persist import save
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
when, *words = sys.argv[1:]
write = Writer.write
left = [3]
def write_three(self, table):
    write(self, table)
    left[0] -= 1
    left[0] or die()
if when == "midway":
    Writer.write = write_three
    save._to_member = die
if when == "synced":
    Path.replace = die
app(words)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
@pytest.mark.parametrize("when", ["midway", "synced"])
def test_a_killed_command_leaves_the_old_file(when, tmp_path):
    model = fit(tmp_path)
    data = write_csv(tmp_path / "new.csv", rows(60))
    commands = [
        ("fit", data, "-t", "class", "-o", tmp_path / "old.pic", "--folds", 0),
        ("predict", model, data, "-o", tmp_path / "old.csv", "--chunk-rows", 10),
    ]
    for words in commands:
        path = next(Path(word) for word in words if "old." in str(word))
        path.write_text("old")
        command = [sys.executable, "-c", CODE, when, *map(str, words)]
        done = subprocess.run(command, capture_output=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert path.read_text() == "old"
    before = model.read_bytes()
    command = [sys.executable, "-c", CODE, when, "update", model, data, "-t", "class"]
    done = subprocess.run([*map(str, command)], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert model.read_bytes() == before
    assert picrules.load(model).classes_.tolist() == ["no", "yes"]
