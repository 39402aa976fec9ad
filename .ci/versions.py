"""Run the quick tests on each Python that is supported, and on the lowest versions declared.

    python3 .ci/versions.py [3.11] [3.12] [3.13] [lowest] [-- PYTEST OPTIONS]

Each set has an environment of its own in build/versions, made anew: an old one would hide what the
packages of today break. `lowest` is the oldest Python with the oldest version of each package that
pyproject.toml allows. Without names all sets run; the table of results comes last.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "versions"
LOWEST = "lowest"
PYTHONS = {"3.11": "3.11", "3.12": "3.12", "3.13": "3.13", LOWEST: "3.11"}
PACKAGES = ("numpy", "numba", "scikit-learn", "pandas", "polars")
QUICK = ("-q", "-n", "2", "-m", "not slow", "-p", "no:cacheprovider")

ASK_VERSIONS = """
import json, platform, sys
from importlib.metadata import version
print(json.dumps([platform.python_version(), *map(version, sys.argv[1:])]))
"""


@dataclass
class Result:
    """What the tests of one set of versions gave."""

    name: str
    versions: list[str]  # of Python, then of PACKAGES
    passed: bool
    summary: str  # the last line of pytest


def main(arguments: list[str]) -> int:
    split = arguments.index("--") if "--" in arguments else len(arguments)
    names, options = arguments[:split] or list(PYTHONS), arguments[split + 1 :]
    unknown = [name for name in names if name not in PYTHONS]
    if unknown:
        sys.exit(f"{unknown[0]!r} is not a set of versions; choose from: {' '.join(PYTHONS)}")
    # All are looked for first: better no run than half a run.
    pythons = {name: find_python(PYTHONS[name]) for name in names}
    results = [run_tests(name, python, options) for name, python in pythons.items()]
    print_table(results)
    return 0 if all(result.passed for result in results) else 1


def find_python(version: str) -> str:
    """Return a path to Python of this version: named in PYTHON313, on PATH, or of pyenv."""
    variable = f"PYTHON{version.replace('.', '')}"
    named = os.environ.get(variable)
    candidates = [named] if named else [f"python{version}", *find_pyenv_pythons(version)]
    for candidate in candidates:
        path = shutil.which(candidate)
        if path and is_version(path, version):
            return path
    sys.exit(
        f"Python {version} was not found ({', '.join(candidates)}). Install it, or name it: "
        f"make versions {variable}=/path/to/python{version}"
    )


def find_pyenv_pythons(version: str) -> list[str]:
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    if shutil.which("pyenv"):
        root = Path(subprocess.check_output(["pyenv", "root"], text=True).strip())
    return sorted(map(str, root.glob(f"versions/{version}*/bin/python")))


def is_version(path: str, version: str) -> bool:
    # A shim of pyenv is on PATH for versions that are not switched on; it fails when run.
    code = "import sys; print(*sys.version_info[:2], sep='.')"
    done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version


def run_tests(name: str, python: str, options: list[str]) -> Result:
    print(f"\n{name}: an environment in {FOLDER.relative_to(ROOT) / name}", flush=True)
    folder = make_environment(name, python)
    install(name, folder)
    asked = [folder / "bin" / "python", "-c", ASK_VERSIONS, *PACKAGES]
    versions = json.loads(subprocess.check_output(asked))
    # Old packages warn about the packages that they load, which nobody will mend.
    settings = {"CI": ""} if name == LOWEST else {}
    passed, summary = run_pytest(folder, options, settings)
    return Result(name, versions, passed, summary)


def make_environment(name: str, python: str) -> Path:
    folder = FOLDER / name
    subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
    return folder


def install(name: str, folder: Path) -> None:
    python = folder / "bin" / "python"
    what = ["--quiet", "--editable", ".[test]"]
    if name == LOWEST:
        # pip cannot look for the lowest versions.
        uv = make_environment("uv", sys.executable) / "bin"
        subprocess.run([uv / "python", "-m", "pip", "install", "--quiet", "uv"], check=True)
        lowest = ["--python", python, "--resolution", "lowest-direct"]
        command = [uv / "uv", "pip", "install", *lowest, *what]
    else:
        command = [python, "-m", "pip", "install", *what]
    subprocess.run(command, cwd=ROOT, check=True)


def run_pytest(folder: Path, options: list[str], settings: dict[str, str]) -> tuple[bool, str]:
    """Show what pytest prints; return whether it passed, and its last line."""
    settings = settings | {
        "HYPOTHESIS_PROFILE": "few",
        # Compiled kernels of another Numba must not be found beside the sources.
        "NUMBA_CACHE_DIR": str(folder / "kernels"),
    }
    pytest = subprocess.Popen(
        [folder / "bin" / "python", "-m", "pytest", *QUICK, *options],
        cwd=ROOT,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        text=True,
    )
    summary = ""
    for line in pytest.stdout or ():
        print(line, end="", flush=True)
        summary = line.strip("= \n") or summary
    return pytest.wait() == 0, summary


def print_table(results: list[Result]) -> None:
    lines = [("set", "python", *PACKAGES, "tests")]
    for result in results:
        summary = result.summary if result.passed else f"FAILED: {result.summary}"
        lines.append((result.name, *result.versions, summary))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    print()
    for line in lines:
        print("  ".join(map(str.ljust, line, widths)).rstrip())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
