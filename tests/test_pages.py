"""The examples of the README and of the docs print what the pages show."""

import contextlib
import io
import re
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
# Code that is followed by what it prints.
EXAMPLE = re.compile(r"```python\n((?:(?!```).)*)```\n\n((?:(?:    [^\n]*)?\n)+)", re.DOTALL)
# How many examples each page has, so that none is overlooked.
PAGES = {
    "README.md": 1,
    "docs/chance.md": 2,
    "docs/explanations.md": 4,
    "docs/rules.md": 7,
    "docs/what-if.md": 3,
    "docs/whole-model.md": 3,
}


@pytest.mark.slow
@pytest.mark.skipif(not (TOP / "README.md").exists(), reason="tests run outside the project")
@pytest.mark.parametrize("page", PAGES)
def test_examples_print_what_is_shown(page):
    examples = EXAMPLE.findall((TOP / page).read_text())
    assert len(examples) == PAGES[page]
    names = {}
    for code, shown in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert (
            printed.getvalue().rstrip() == re.sub("^    ", "", shown, flags=re.MULTILINE).rstrip()
        )


@pytest.mark.skipif(not (TOP / "README.md").exists(), reason="tests run outside the project")
def test_the_readme_begins_with_what_its_example_prints():
    """It quoted a rule of an estimator that is not the one that it recommends."""
    text = (TOP / "README.md").read_text()
    ((code, shown),) = EXAMPLE.findall(text)
    assert "PersonalRuleClassifier()" in code
    for quoted in re.findall("^> (.*)[.]$", text, re.MULTILINE):
        assert quoted in shown
