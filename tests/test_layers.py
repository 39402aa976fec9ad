"""Imports go down the layers, and heavy libraries stay in their folders."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import picrules

PACKAGE = Path(picrules.__file__).parent
LAYERS = [
    {"web"},
    {"cli"},
    {"reports"},
    {"distributed", "persist"},
    {"estimators"},
    {"explain"},
    {"model"},
    {"engines"},
    {"encoding", "scoring"},
    {"rules"},
    {"kernels"},
    {"errors"},
]
HOMES = {
    "numba": {"kernels"},
    "sklearn": {
        "estimators",
        "encoding",
        "cli",
    },  # cli: the tree and forest to compare with
    "joblib": {"estimators"},
    "scipy": {"scoring", "model", "estimators"},
    "narwhals": {"encoding"},
    "psutil": {"engines"},
    "pyarrow": {"cli", "distributed"},
    "typer": {"cli", "web"},  # web: what the readers of files refuse
    "fastapi": {"web"},
    "pydantic": {"web"},
    "starlette": {"web"},
    "uvicorn": {"web"},
    "matplotlib": {"reports"},
}
# The imports that go up, each inside a method that users look for on the object below: `clf.save`
# and pickling call the file format, `clf.fit` and `clf.predict` the adapters of lazy frames, and
# explanations and other results draw themselves. And the list of all commands has that of the app.
UPWARD = {
    ("cli/main.py", "picrules.web.serve"),
    ("estimators/rule_classifier.py", "picrules.distributed.answers.explain_lazily"),
    ("estimators/rule_classifier.py", "picrules.distributed.answers.predict_lazily"),
    ("estimators/growing_classifier.py", "picrules.distributed.fitting.source_of"),
    ("estimators/rule_classifier.py", "picrules.distributed.fitting.fit_lazily"),
    ("estimators/rule_classifier.py", "picrules.persist.save.save"),
    ("estimators/rule_classifier.py", "picrules.persist.save.to_array"),
    ("estimators/rule_classifier.py", "picrules.persist.load.from_array"),
    ("explain/explanation.py", "picrules.reports.card.draw_card"),
    ("explain/explanation.py", "picrules.reports.plots.plot_evidence"),
    ("explain/explanations.py", "picrules.reports.card.draw_cards"),
    ("explain/explanations.py", "picrules.reports.card.CARDS_SHOWN"),
    ("encoding/schema.py", "picrules.reports.view.draw_text"),
    ("explain/tabular.py", "picrules.reports.view.draw_table"),
    ("explain/tabular.py", "picrules.reports.view.draw_text"),
}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)


def level(folder):
    return next(depth for depth, names in enumerate(LAYERS) if folder in names)


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down(path):
    folder = path.relative_to(PACKAGE).parts[0]
    for name in imports(path):
        library, *rest = name.split(".")
        if name == "picrules":
            assert folder in {"web", "cli"}, (
                f"{folder} imports the public names, which lie above it"
            )
        elif library == "picrules":
            target = rest[0]
            same_folder = target == folder
            below = level(target) > level(folder)
            is_known = (path.relative_to(PACKAGE).as_posix(), name) in UPWARD
            assert same_folder or below or is_known, f"{folder} imports {target}, not below it"
        assert folder in HOMES.get(library, {folder}), f"{folder} imports {library}"


def test_only_plots_import_matplotlib():
    using = [path.name for path in FILES if any("matplotlib" in name for name in imports(path))]
    assert using == ["plots.py"]


def test_importing_picrules_is_light():
    heavy = {"numba", "sklearn", "narwhals", "matplotlib", "fastapi"}
    code = f"import sys, picrules; print({heavy} & set(sys.modules))"
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == "set()"


def test_every_public_name_loads():
    for name in picrules.__all__:
        assert getattr(picrules, name).__name__ == name
    assert set(picrules.__all__) <= set(dir(picrules))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        picrules.nothing  # noqa: B018
