"""How fast picrules is; every figure is a ratio, or a time, measured in one run."""

import sys
from pathlib import Path
from types import ModuleType

# A library that installs a package named `tests` would hide the project's folder, which is none.
if "tests" not in sys.modules:
    sys.modules["tests"] = ModuleType("tests")
    sys.modules["tests"].__path__ = [str(Path(__file__).parents[1] / "tests")]
