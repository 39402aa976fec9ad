import builtins
import re
import subprocess
import sys

import pytest

import picrules
from picrules.cli import main, options
from tests.cli.running import fit, rows, run, write_csv

NAMES = [module.__name__.rpartition(".")[2] for module in main.COMMANDS]


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_with_an_example_and_json(name):
    text = run(name, "--help").stdout
    assert f"Example: picrules {name}" in text
    assert "--json" in text


def test_help_lists_the_commands():
    text = run("--help").stdout
    assert all(re.search(rf"^  {name} ", text, re.MULTILINE) for name in NAMES)
    assert run("--version").stdout == f"picrules {picrules.__version__}\n"
    assert "No such command 'guess'" in run("guess", code=2).stderr


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from picrules.cli.main import app\n"
        "app(['--help'], standalone_mode=False)\n"
        "heavy = {'numpy', 'numba', 'sklearn', 'pyarrow', 'rich', 'narwhals', 'pandas'}\n"
        "print(heavy & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_estimators_are_public_names():
    for name in options.ESTIMATORS.values():
        assert name in picrules.__all__
    assert options.DEFAULT_ESTIMATOR in options.ESTIMATORS


def test_a_missing_library_is_told(tmp_path, monkeypatch):
    data = write_csv(tmp_path / "d.csv")
    for name in [name for name in sys.modules if name.startswith("picrules.cli.tables.")]:
        monkeypatch.delitem(sys.modules, name)
    import_as_usual = builtins.__import__

    def refuse(name, *more):
        if name.split(".")[0] == "pyarrow":
            raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")
        return import_as_usual(name, *more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    said = run("fit", data, "-t", "class", "-o", tmp_path / "m.pic", code=1).stderr
    assert "pip install 'picrules[cli]'" in said


def test_progress_never_mixes_with_results(tmp_path, monkeypatch):
    model, new = fit(tmp_path), write_csv(tmp_path / "new.csv", rows(5))
    expected = run("predict", model, new).stdout
    monkeypatch.setattr("picrules.cli.output.is_terminal", lambda stream: True)
    assert run("predict", model, new).stdout == expected
