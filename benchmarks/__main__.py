"""Run benchmarks and write their results: `python -m benchmarks [NAME ...]`."""

from __future__ import annotations

import importlib
import sys

from benchmarks.measure import write_results, write_table

NAMES = (
    "adult", "answers", "pic", "roofline", "histogram", "gene", "growth", "growing", "latency",
    "explainers", "explanations", "itemsets", "cold_start", "interrupt", "planner", "fuzz_load",
    "stream", "model_files", "memory", "large", "clusters", "report", "serve", "serve_memory",
    "schema_cases", "tables",
)  # fmt: skip


def main() -> int:
    """Run the named benchmarks, or all; return 1 when a target was missed."""
    names = sys.argv[1:] or list(NAMES)
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        print(f"no benchmark named {unknown[0]!r}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    missed = 0
    for name in names:
        figures = importlib.import_module(f"benchmarks.{name}").run()
        write_results(name, figures)
        for figure in figures:
            missed += figure.reached is False
            mark = {True: "reached", False: "MISSED", None: ""}[figure.reached]
            print(f"{name}: {figure.what}: {figure.value:.4g} {figure.unit} {figure.target} {mark}")
    write_table()
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
