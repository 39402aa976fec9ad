"""Reproduce the paper: `python -m experiments run`, then `python -m experiments paper`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from experiments.run import (
    LIMIT,
    QUICK_GROUPS,
    QUICK_LIMIT,
    REPEATS,
    STORE,
    Study,
    UnknownName,
    names_methods,
    run,
)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="run all fits that are not stored yet")
    running.add_argument(
        "--only", action="extend", nargs="+", default=[], metavar="NAME",
        help="data sets, methods or groups (ours, paper, more, alpha, length, variants)",
    )  # fmt: skip
    running.add_argument(
        "--quick", action="store_true",
        help=f"one repetition, at most {QUICK_LIMIT:g} s a fit, without other readings of fPIC",
    )  # fmt: skip
    running.add_argument("--repeats", type=int, help=f"of 5 folds each; {REPEATS} if not given")
    running.add_argument(
        "--limit", type=float, help=f"seconds of processor time a fit may take; {LIMIT:g}"
    )
    running.add_argument("--jobs", type=int, default=os.cpu_count(), help="fits at a time")
    running.add_argument("--again", action="store_true", help="also run what is stored")
    rendering = commands.add_parser("paper", help="write the tables and figures")
    rendering.add_argument("--results", type=Path, default=STORE.parent, help="where to")
    for command in (running, rendering):
        command.add_argument("--store", type=Path, default=STORE, help="the SQLite file")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run a command; 0 is done, 2 is misused."""
    given = _parser().parse_args(arguments)
    if given.command == "paper":
        from experiments.report import write_report  # noqa: PLC0415  (needs matplotlib)

        write_report(given.store, given.results)
        return 0
    study = Study(
        only=(
            *given.only,
            *(QUICK_GROUPS if given.quick and not names_methods(given.only) else ()),
        ),
        repeats=given.repeats or (1 if given.quick else REPEATS),
        limit=given.limit or (QUICK_LIMIT if given.quick else LIMIT),
        n_workers=given.jobs,
        store=given.store,
        again=given.again,
    )
    try:
        run(study)
    except UnknownName as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
