"""Open a large model, start the command line, and kill it while it writes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import Figure, at_most, best_of, once, peak_memory
from benchmarks.stream import write_csv

N_KILLS = 40
SCRIPT = str(Path(sys.executable).with_name("picrules"))


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        return [*large_model(Path(folder)), start(), *kill(Path(folder))]


def large_model(folder: Path) -> list[Figure]:
    """Open a model of one gigabyte in both ways."""
    from picrules import load

    path = folder / "large.pic"
    row, expected, saving = make_model(path)
    size = path.stat().st_size / 2**30
    mapping = best_of(lambda: load(path, mmap=True))
    reading = once(lambda: load(path))
    first = once(lambda: load(path, mmap=True).predict(row))
    same = bool((load(path, mmap=True).predict(row) == expected).all())
    code = f"import picrules; clf = picrules.load({str(path)!r}, mmap=True)"
    memory, _ = peak_memory(code)
    path.unlink()
    what = f"model of {size:.2f} GiB"
    return [
        Figure(f"{what}: write", saving, "s"),
        at_most(f"{what}: open where it lies", mapping * 1000, "ms", 50),
        Figure(f"{what}: open where it lies, check all rows and predict one", first, "s"),
        Figure(f"{what}: read and check all of it", reading, "s"),
        Figure(f"{what}: peak memory of a process that opens it where it lies", memory, "MiB"),
        Figure(f"{what}: same prediction", float(same), ""),
    ]


def make_model(path: Path) -> tuple[np.ndarray, np.ndarray, float]:
    """Write a model of 13 million rows of 20 features; a row, its class, the time to write."""
    from picrules import FPICClassifier

    X = np.random.default_rng(0).random((13_000_000, 20), np.float32)
    clf = FPICClassifier(max_length=1).fit(X, X[:, 0] > 0.5)
    return X[:1].astype(np.float64), clf.predict(X[:1]), once(lambda: clf.save(path))


def start() -> Figure:
    def show_help():
        subprocess.run([SCRIPT, "--help"], check=True, stdout=subprocess.DEVNULL)

    return at_most("picrules --help", best_of(show_help), "s", 0.3)


def kill(folder: Path) -> list[Figure]:
    """Kill `fit -o` and `predict -o` at moments all over their run; look at what is left."""
    known, new, model = (folder / name for name in ("known.csv", "new.csv", "model.pic"))
    write_csv(known, 60_000, seed=0, has_target=True)
    write_csv(new, 60_000, seed=1, has_target=False)
    fit = [SCRIPT, "fit", str(known), "-t", "class", "--folds", "0", "-o"]
    subprocess.run([*fit, str(model)], check=True, capture_output=True)
    predict = [SCRIPT, "predict", str(model), str(new), "--chunk-rows", "2000", "-o"]
    figures = []
    for name, command, out in (("fit", fit, "out.pic"), ("predict", predict, "out.csv")):
        found = kill_often(command, folder / out)
        figures += [
            Figure(f"kill -9 during {name} -o: {what}", float(count), "")
            for what, count in found.items()
            if what != "broken"
        ]
        figures.append(at_most(f"kill -9 during {name} -o: broken", found["broken"], "", 0))
    return figures


def kill_often(command: list[str], path: Path) -> dict[str, int]:
    full = once(lambda: subprocess.run([*command, str(path)], check=True, capture_output=True))
    new = path.read_bytes()
    found = {"old file": 0, "complete new file": 0, "broken": 0, "stopped while writing": 0}
    for number in range(N_KILLS):
        path.write_bytes(b"old")
        process = subprocess.Popen(
            [*command, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if number % 2:
            wait_for_part(process, path)
        else:  # the file is written in the second half of a run
            time.sleep(full * (0.5 + 0.55 * number / N_KILLS))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        content = path.read_bytes()
        what = {b"old": "old file", new: "complete new file"}.get(content, "broken")
        found[what] += 1
        parts = list(path.parent.glob(f".{path.name}.*.part"))
        found["stopped while writing"] += bool(parts)
        for part in parts:
            part.unlink()
    return found


def wait_for_part(process: subprocess.Popen, path: Path) -> None:
    """Return as soon as the file beside the path is there, or the process has ended."""
    while process.poll() is None:
        if any(entry.suffix == ".part" for entry in path.parent.iterdir()):
            return
