"""The examples of docs/chance.md print what stands there."""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "chance.md"


@pytest.mark.slow
@pytest.mark.skipif(not PAGE.exists(), reason="tests run outside the project")
def test_examples_print_what_is_shown():
    examples = re.findall(
        r"```python\n(.*?)```\n\n((?:    [^\n]*\n)+)", PAGE.read_text(), re.DOTALL
    )
    assert len(examples) == 2
    for code, shown in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, {})
        assert printed.getvalue() == re.sub(r"^    ", "", shown, flags=re.MULTILINE)
