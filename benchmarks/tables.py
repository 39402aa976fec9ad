"""From files to answers: rows per second and memory of `predict`, and the time of `fit`.

Each command runs in a process of its own. `predict` is timed in three ways: the command after a
first small one in the same process, so without the start of Python and the loading of libraries and
compiled kernels, the shortest of some runs; the processor time of the same run, as if both cores
had no other work; and once from the start of Python to its end.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from benchmarks.measure import Figure, at_least, at_most, once, peak_memory

N_ROWS = {"adult-sized": 48_842, "2,000,000": 2_000_000}
N_KNOWN = 20_000
N_LARGE = 1_000_000
MANY, FEW = 5, 2  # repeats for small and for large tables
ENOUGH = 300_000  # rows per second

# A first small command compiles what has to be compiled, and loads the libraries.
COMMAND = """
import contextlib, io, time
from picrules.cli.main import app
def run(words):
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        start, used = time.perf_counter(), time.process_time()
        app(words, standalone_mode=False)
        return time.perf_counter() - start, time.process_time() - used
run({first!r})
print(*min(run({words!r}) for _ in range({n_repeats})))
"""

WHOLE = """
import sys
from picrules.cli.main import app
sys.argv[1:] = {words!r}
app()
"""

DUCKDB = """
import time
import duckdb, pyarrow
duckdb.sql("SET enable_progress_bar = false")
used = time.process_time(), time.perf_counter()
duckdb.sql("CREATE TABLE t AS FROM '{path}'")
print(time.perf_counter() - used[1], time.process_time() - used[0])
"""


def run(sizes: dict[str, int] = N_ROWS) -> list[Figure]:
    figures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        known = write_table(folder / "known", N_KNOWN, 0)["csv"]
        models = fit_models(folder, known)
        for size, n_rows in sizes.items():
            for form, path in write_table(folder / size, n_rows, 1).items():
                for estimator, model in models.items():
                    what = f"{size} x 10, {form}, {estimator}"
                    figures += predict_figures(what, n_rows, model, known, path)
                figures += fit_figures(f"{size} x 10, {form}", known, path)
        figures += category_figures(folder)
    return figures


def fit_models(folder: Path, known: Path) -> dict[str, Path]:
    models = {}
    for estimator in ("personal", "fpic"):
        models[estimator] = folder / f"{estimator}.pic"
        words = ["fit", known, "-t", "class", "-o", models[estimator], "--folds", 0]
        run_command([*words, "--estimator", estimator], ["--help"])
    return models


def predict_figures(what: str, n_rows: int, model: Path, known: Path, path: Path) -> list[Figure]:
    words = ["predict", model, path, "-o", path.with_suffix(f".answers{path.suffix}")]
    first = ["predict", model, known, "-o", path.with_suffix(".first.csv")]
    n_repeats = MANY if n_rows < N_LARGE else FEW
    memory, seconds, used = run_command(words, first, n_repeats)
    whole = once(lambda: run_whole(words))
    return [
        at_least(f"{what}: predict", n_rows / seconds, "rows/s", ENOUGH),
        Figure(f"{what}: predict, by the time of both cores", 2 * n_rows / used, "rows/s"),
        Figure(f"{what}: predict, with the start of Python", n_rows / whole, "rows/s"),
        at_most(f"{what}: peak memory of predict", memory, "MiB", 600),
    ]


def fit_figures(what: str, known: Path, path: Path) -> list[Figure]:
    options = ["-t", "class", "--estimator", "fpic", "--folds", 0, "-o", path.with_suffix(".pic")]
    memory, _, used = run_command(["fit", path, *options], ["fit", known, *options])
    plain = min(float(peak_memory(DUCKDB.format(path=path))[1].split()[-1]) for _ in range(3))
    return [
        Figure(f"{what}: fit fpic, processor time", used, "s"),
        Figure(f"{what}: DuckDB reads it, processor time", plain, "s"),
        at_most(f"{what}: fit fpic, times the reading by DuckDB", used / plain, "", 5),
        Figure(f"{what}: peak memory of fit", memory, "MiB"),
    ]


def category_figures(folder: Path) -> list[Figure]:
    """The same cells as texts and as whole numbers that are categories."""
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 8, (500_000, 10))
    is_yes = (codes[:, 0] > 3) ^ (codes[:, 1] == 2)
    names = [f"c{number}" for number in range(10)]
    commands = {}
    for kind in ("texts", "integers"):
        cells = (
            np.array([f"value {number}" for number in range(8)])
            if kind == "texts"
            else np.arange(8)
        )
        columns = {name: pa.array(cells[codes[:, at]]) for at, name in enumerate(names)}
        path = folder / f"{kind}.parquet"
        pa.parquet.write_table(pa.table({**columns, "class": is_yes}), path)
        options = ["-t", "class", "--estimator", "fpic", "--folds", 0, "-o", folder / f"{kind}.pic"]
        if kind == "integers":
            options += [word for name in names for word in ("--categorical", name)]
        commands[kind] = ["fit", path, *options]
    used = dict.fromkeys(commands, np.inf)
    for _ in range(3):  # in turn, so that what else the machine does hits both
        for kind, words in commands.items():
            used[kind] = min(used[kind], run_command(words, ["--help"])[2])
    ratio = used["texts"] / used["integers"]
    return [at_most("500,000 x 10: fit of texts, times that of integers", ratio, "", 1)]


def run_command(
    words: list[object], first: list[object], n_repeats: int = 1
) -> tuple[float, float, float]:
    """Run the command line; its peak memory in MiB, its seconds and those of the processors."""
    texts = {"words": [str(word) for word in words], "first": [str(word) for word in first]}
    memory, printed = peak_memory(COMMAND.format(**texts, n_repeats=n_repeats))
    seconds, used = map(float, printed.splitlines()[-1].split())
    return memory, seconds, used


def run_whole(words: list[object]) -> None:
    """Run the command line as a person does."""
    code = WHOLE.format(words=[str(word) for word in words])
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)


def write_table(path: Path, n_rows: int, seed: int) -> dict[str, Path]:
    """Five columns of numbers and five of texts, which say something about the class."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n_rows, 5)).round(3)
    texts = np.array(["red", "green", "blue", "black", "white"])[rng.integers(0, 5, (n_rows, 5))]
    is_yes = (numbers[:, 0] > 0) ^ (texts[:, 0] == "red") ^ (rng.random(n_rows) < 0.1)
    columns = {f"n{number}": pa.array(numbers[:, number]) for number in range(5)}
    columns |= {f"c{number}": pa.array(texts[:, number]) for number in range(5)}
    table = pa.table({**columns, "class": np.where(is_yes, "yes", "no")})
    paths = {form: path.with_suffix(f".{form}") for form in ("csv", "parquet")}
    pa.csv.write_csv(table, paths["csv"])
    pa.parquet.write_table(table, paths["parquet"])
    return paths
