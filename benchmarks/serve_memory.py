"""The web app under load for five minutes: its memory stays as it is.

`python -m benchmarks serve_memory` is `serve`, only longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks import serve

if TYPE_CHECKING:
    from benchmarks.measure import Figure

SECONDS = 300.0


def run() -> list[Figure]:
    """Serve a model and ask it, for five minutes."""
    return serve.run(SECONDS)
