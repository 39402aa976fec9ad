"""What the package imports is declared, not only brought along by another package."""

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = ("cli", "dask", "duckdb", "ibis", "plots", "polars", "spark", "web")  # what a user adds
NAMES = {
    "ibis": "ibis-framework",
    "sklearn": "scikit-learn",
}  # where the package is named otherwise than the module


def declared_packages():
    extras = (PROJECT["optional-dependencies"][extra] for extra in EXTRAS)
    requirements = [*PROJECT["dependencies"], *(one for extra in extras for one in extra)]
    return {re.match(r"[\w-]+", requirement)[0] for requirement in requirements}


def imported_modules(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.partition(".")[0]


def test_imported_packages_are_declared():
    """joblib was imported, and declared by scikit-learn alone."""
    modules = {name for path in (ROOT / "src").rglob("*.py") for name in imported_modules(path)}
    outside = modules - sys.stdlib_module_names - {"picrules"}
    assert {NAMES.get(name, name) for name in outside} == declared_packages()
