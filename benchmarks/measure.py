"""Timing, and the machine that was timed."""

from __future__ import annotations

import json
import platform
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable

RESULTS = Path(__file__).parent / "results"


@dataclass
class Figure:
    """One line of the results."""

    what: str
    value: float
    unit: str
    target: str = ""
    reached: bool | None = None


def at_most(what: str, value: float, unit: str, target: float) -> Figure:
    return Figure(what, float(value), unit, f"at most {target:g}", bool(value <= target))


def at_least(what: str, value: float, unit: str, target: float) -> Figure:
    return Figure(what, float(value), unit, f"at least {target:g}", bool(value >= target))


def best_of(work: Callable[[], object], n_repeats: int = 5) -> float:
    """The shortest of several runs, in seconds; the first run, which may compile, not counted."""
    work()
    return min(_time(work) for _ in range(n_repeats))


def race(*works: Callable[[], object], n_rounds: int = 100) -> list[float]:
    """The shortest time of each, in seconds, over rounds in which each has one turn.

    For work in one thread: its own time is taken, without the turns that the system gives to
    others meanwhile, which would count against the longest.
    """
    best = [float("inf")] * len(works)
    for _ in range(n_rounds + 1):
        for position, work in enumerate(works):
            start = time.thread_time()
            work()
            best[position] = min(best[position], time.thread_time() - start)
    return best


def once(work: Callable[[], object]) -> float:
    return _time(work)


def _time(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peak_memory(code: str) -> tuple[float, str]:
    """Run code in a process of its own; the peak of its memory in MiB, and what it printed."""
    # The usual counter begins with the peak of the process that starts it; this one does not.
    tail = """
for line in open("/proc/self/status"):
    if line.startswith("VmHWM"):
        print(line.split()[1])
"""
    done = subprocess.run(
        [sys.executable, "-c", code + tail], capture_output=True, text=True, check=True
    )
    *printed, peak = done.stdout.strip().splitlines()
    return int(peak) / 1024, "\n".join(printed)


def machine() -> dict[str, str]:
    """What was measured on, and with which versions."""
    libraries = ("numpy", "numba", "scikit-learn", "narwhals", "pandas")
    return {
        "processor": _processor(),
        "cores": str(psutil.cpu_count()),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "python": platform.python_version(),
        **{name: version(name) for name in libraries},
    }


def _processor() -> str:
    cpu_info = Path("/proc/cpuinfo")
    if cpu_info.exists():
        for line in cpu_info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":")[1].strip()
    return platform.processor()


def write_results(name: str, figures: list[Figure]) -> None:
    """Keep the figures of one benchmark as JSON."""
    RESULTS.mkdir(exist_ok=True)
    content = {"machine": machine(), "figures": [asdict(figure) for figure in figures]}
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")


def write_table() -> None:
    """Turn all results into one Markdown table."""
    lines = ["# Measured speed", ""]
    files = sorted(RESULTS.glob("*.json"))
    if files:
        facts = json.loads(files[-1].read_text())["machine"]
        lines += ["; ".join(f"{key} {value}" for key, value in facts.items()) + ".", ""]
    lines += ["| benchmark | figure | value | target | reached |", "|---|---|---|---|---|"]
    for path in files:
        for figure in json.loads(path.read_text())["figures"]:
            reached = {True: "yes", False: "**no**", None: ""}[figure["reached"]]
            value = f"{figure['value']:.4g} {figure['unit']}"
            lines.append(
                f"| {path.stem} | {figure['what']} | {value} | {figure['target']} | {reached} |"
            )
    (RESULTS / "README.md").write_text("\n".join(lines) + "\n")


def memory_of(key: str) -> float:
    """A line of this process's memory in MiB: VmRSS now, VmHWM at the peak."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) / 1024
    raise LookupError(key)


def forget_peak() -> None:
    """Begin the peak of this process's memory anew."""
    Path("/proc/self/clear_refs").write_text("5")


def memory_now() -> float:
    """The peak of this process's memory so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
