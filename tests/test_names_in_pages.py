"""The pages name files, functions and classes that exist, and draw the layers as they are."""

import ast
import re
from pathlib import Path

import pytest

import picrules
from tests.test_layers import LAYERS

TOP = Path(__file__).parents[1]
PACKAGE = Path(picrules.__file__).parent
HOUSE = TOP / "docs" / "architecture.md"
PAGES = sorted([*TOP.glob("*.md"), *TOP.glob("docs/**/*.md")])

pytestmark = pytest.mark.skipif(
    not (TOP / "CONTRIBUTING.md").exists(), reason="tests run outside the project"
)


def defined_in(path):
    """Names of a module, and of its classes as `Class.member`."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        names |= own_names(node)
        if isinstance(node, ast.ClassDef):
            members = {name for inner in node.body for name in own_names(inner)}
            names |= {f"{node.name}.{member}" for member in members}
    return names


def own_names(node):
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def in_backticks(text):
    return re.findall(r"`([^`\n]+)`", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(TOP).as_posix())
def test_files_that_a_page_names_exist(page):
    for name in in_backticks(page.read_text()):
        if re.fullmatch(r"[\w/]+/\w+\.py", name):
            assert (PACKAGE / name).exists() or (TOP / name).exists(), name


def test_hops_name_what_is_defined_in_their_files():
    hops = re.findall(r"^\| ([FE]\d) \| ([^|]+) \|", HOUSE.read_text(), re.MULTILINE)
    assert len(hops) == 15
    for hop, where in hops:
        for part in where.split(";"):
            path, *names = in_backticks(part)
            assert names, f"{hop} names nothing of {path}"
            assert set(names) <= defined_in(PACKAGE / path), f"{hop}: {path}"


def test_the_house_names_what_is_defined_somewhere():
    known = set().union(*(defined_in(path) for path in PACKAGE.rglob("*.py")))
    known |= {name.rpartition(".")[2] for name in known}
    for name in in_backticks(HOUSE.read_text()):
        if re.fullmatch(r"[A-Za-z]\w+(\.[a-z_]+)?", name) and not name.endswith(".py"):
            plain = name.removeprefix("clf.")
            assert plain in known, name


def test_the_picture_has_the_layers_from_the_top_down():
    picture = (TOP / "docs" / "images" / "layers.svg").read_text()
    folders = re.findall(r'class="name"[^>]*>(\w+)<', picture)
    assert set(folders) == {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    drawn = [next(depth for depth, names in enumerate(LAYERS) if each in names) for each in folders]
    assert drawn == sorted(drawn)


def test_the_picture_names_what_is_defined_in_its_folders():
    picture = (TOP / "docs" / "images" / "layers.svg").read_text()
    bands = re.findall(r'class="name"[^>]*>(\w+)<.*?class="made"[^>]*>([^<]+)<', picture, re.DOTALL)
    for folder, names in bands:
        files = list((PACKAGE / folder).rglob("*.py"))
        known = set().union(*(defined_in(path) for path in files), {path.stem for path in files})
        for name in names.removesuffix(" ...").split(", "):
            assert name in known, f"{folder}: {name}"
