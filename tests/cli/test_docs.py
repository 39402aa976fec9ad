"""The commands of docs/cli.md print what the page shows."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.running import run

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def blocks():
    return re.findall(r"```\n(.*?)```", PAGE.read_text(), re.DOTALL)


@pytest.mark.skipif(not PAGE.exists(), reason="tests run outside the project")
def test_commands_print_what_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known, new = (block for block in blocks() if block.startswith(("id,", "height,")))
    Path("mushrooms.csv").write_text(known)
    Path("new.csv").write_text(new)
    commands = [block for block in blocks() if block.startswith("$ picrules")]
    assert len(commands) == 8
    for block in commands:
        command, _, shown = block.partition("\n")
        # One thread: rivals grow their trees in threads, which is slow for tables this small.
        words = ["--jobs", "1"] if " evaluate " in command else []
        result = run(*shlex.split(command)[2:], *words)
        assert steady(result.stdout, command) == steady(shown, command)
        if " fit " in command:
            assert result.stderr in blocks()


def steady(text, command):
    """What does not depend on the machine: times, memory and rivals do."""
    if " evaluate " in command:
        return [re.sub(r"[\d.]+", "0", line).split() for line in text.splitlines()]
    return [line for line in text.splitlines() if not line.startswith("Took")]
