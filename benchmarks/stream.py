"""Predict two million rows of CSV in chunks: memory, time, the same output as in one piece."""

from __future__ import annotations

import tempfile
from hashlib import sha256
from pathlib import Path

import numpy as np

from benchmarks.measure import Figure, at_most, peak_memory

N_ROWS = 2_000_000
N_KNOWN = 20_000

CODE = """
import time
from picrules.cli.main import app
start = time.perf_counter()
app({words!r}, standalone_mode=False)
print(time.perf_counter() - start)
"""


def run(n_rows: int = N_ROWS) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        known, new, model = (str(folder / file) for file in ("known.csv", "new.csv", "model.pic"))
        write_csv(Path(known), N_KNOWN, seed=0, has_target=True)
        write_csv(Path(new), n_rows, seed=1, has_target=False)
        run_command("fit", known, "--target", "class", "-o", model, "--folds", "0")
        outputs = [str(folder / file) for file in ("chunks.csv", "piece.csv")]
        predict = ["predict", model, new, "-o"]
        memory, seconds = run_command(*predict, outputs[0])
        memory_1, seconds_1 = run_command(*predict, outputs[1], "--chunk-rows", str(n_rows))
        digests = {digest(Path(path)) for path in outputs}
        size = Path(new).stat().st_size / 2**20
    what = f"{n_rows:,} rows x 10 columns of CSV"
    return [
        Figure(f"{what}: size of the file", size, "MiB"),
        at_most(f"{what}: peak memory in chunks", memory, "MiB", 600),
        Figure(f"{what}: time in chunks", seconds, "s"),
        Figure(f"{what}: peak memory in one piece", memory_1, "MiB"),
        Figure(f"{what}: time in one piece", seconds_1, "s"),
        at_most(f"{what}: different outputs of the two", len(digests), "", 1),
    ]


def run_command(*words: str) -> tuple[float, float]:
    """Run the command line in a process of its own; its peak memory in MiB and its time."""
    memory, printed = peak_memory(CODE.format(words=list(words)))
    return memory, float(printed.splitlines()[-1])


def write_csv(path: Path, n_rows: int, seed: int, *, has_target: bool) -> None:
    """Five columns of numbers and five of texts, which say something about the class."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n_rows, 5)).round(3)
    texts = np.array(["red", "green", "blue", "black", "white"])[rng.integers(0, 5, (n_rows, 5))]
    is_yes = (numbers[:, 0] > 0) ^ (texts[:, 0] == "red")
    is_yes ^= rng.random(n_rows) < 0.1
    names = [f"n{i}" for i in range(5)] + [f"c{i}" for i in range(5)]
    with path.open("w") as file:
        file.write(",".join(names + ["class"] * has_target) + "\n")
        for row in range(n_rows):
            cells = [*map(str, numbers[row].tolist()), *texts[row].tolist()]
            file.write(",".join(cells + ["yes" if is_yes[row] else "no"] * has_target) + "\n")


def digest(path: Path) -> str:
    state = sha256()
    with path.open("rb") as file:
        while block := file.read(2**20):
            state.update(block)
    return state.hexdigest()
