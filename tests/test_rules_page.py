"""The examples of docs/rules.md print what the page shows."""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "rules.md"
EXAMPLE = re.compile(r"```python\n(.*?)```\n\n((?:(?:    [^\n]*)?\n)+)", re.DOTALL)


@pytest.mark.skipif(not PAGE.exists(), reason="tests run outside the project")
def test_examples_print_what_is_shown():
    names = {}
    examples = EXAMPLE.findall(PAGE.read_text())
    assert len(examples) == PAGE.read_text().count("```python")
    for code, shown in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue().rstrip() == re.sub(r"^    ", "", shown, flags=re.M).rstrip()
