"""Thousands of questions made up from the OpenAPI description: none may fail.

`python -m benchmarks.schema_cases` asks each question in 150 ways that are described and 150 that
are not, of a server with a small model, a log and a place to learn.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.measure import Figure, at_least, at_most

N_CASES = 150


def run(n_cases: int = N_CASES) -> list[Figure]:
    """Ask, and count the answers."""
    from picrules.web.app import make_app
    from picrules.web.learning import Learner
    from picrules.web.log import DecisionLog
    from tests.web.schema_cases import ask_all
    from tests.web.serving import serving
    from tests.web.tables import served

    with tempfile.TemporaryDirectory() as folder:
        log = DecisionLog(Path(folder) / "log.sqlite")
        with serving(make_app(served(), log=log, learner=Learner(Path(folder)))) as address:
            codes = Counter(ask_all(address, n_cases))
    failed = sum(count for code, count in codes.items() if code >= 500)
    return [
        at_least("questions made up from the description", codes.total(), "", 2000),
        *(Figure(f"answered {code}", count, "") for code, count in sorted(codes.items())),
        at_most("failures (5xx)", failed, "", 0),
    ]


if __name__ == "__main__":
    for figure in run():
        print(f"{figure.what}: {figure.value:g} {figure.target}")
