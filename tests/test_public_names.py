"""What `import picrules` gives in a fresh process."""

import subprocess
import sys


def test_errors_are_reachable_without_heavy_imports():
    """`picrules.errors` was missing until something else imported it."""
    code = (
        "import sys, picrules; print(picrules.errors.PicrulesError.__name__, 'errors' in "
        "dir(picrules), {'numba', 'sklearn', 'numpy', 'narwhals'} & set(sys.modules))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout.split() == ["PicrulesError", "True", "set()"]


def test_model_files_are_read_by_a_public_name():
    code = (
        "import sys, picrules; print('load' in dir(picrules), 'numpy' in sys.modules, "
        "picrules.load.__module__)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout.split() == ["True", "False", "picrules.persist.load"]
