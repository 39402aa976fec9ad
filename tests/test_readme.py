"""The example of the README prints what the README says."""

import contextlib
import io
import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.skipif(not README.exists(), reason="tests run outside the project")
def test_first_example_prints_what_is_shown():
    code, shown = re.search(
        r"```python\n(.*?)```\n\n((?:    [^\n]*\n)+)", README.read_text(), re.DOTALL
    ).groups()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue() == re.sub(r"^    ", "", shown, flags=re.MULTILINE)
