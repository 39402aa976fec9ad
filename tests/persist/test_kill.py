"""A process that is killed while it writes leaves the old file or the complete new one."""

import signal
import subprocess
import sys

import pytest

# Writes 1000 lines, and kills itself at one of the steps: a line, the last sync, or the rename.
CODE = """
import os, signal, sys
from pathlib import Path
from picrules.persist import atomic
step = int(sys.argv[2])
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
if step == 1000:
    os.fsync = die
if step == 1001:
    Path.replace = die
with atomic.write_atomically(sys.argv[1]) as file:
    for line in range(1000):
        if line == step:
            file.flush()
            die()
        file.write(b"new line\\n")
if step == 1002:
    die()
"""
NEW = b"new line\n" * 1000


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
@pytest.mark.parametrize("old", [None, b"old\n"], ids=["first", "again"])
def test_the_file_is_old_or_new(old, tmp_path):
    path = tmp_path / "file"
    for step in [0, 1, 500, 999, 1000, 1001, 1002]:
        path.unlink(missing_ok=True)
        if old is not None:
            path.write_bytes(old)
        done = subprocess.run([sys.executable, "-c", CODE, path, str(step)], check=False)
        assert done.returncode == -signal.SIGKILL
        found = path.read_bytes() if path.exists() else None
        assert found == (NEW if step == 1002 else old)
