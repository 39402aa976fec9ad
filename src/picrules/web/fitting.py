"""`python -m picrules.web.fitting`: learn from a file, in a process that can be ended at any time.

What to learn is read from standard input as JSON; how far it is, and how it ended, is written to
standard output, one JSON object per line.
"""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stdout
from typing import Any

import typer

from picrules.cli import fit
from picrules.cli.options import Learning, Reading
from picrules.errors import PicrulesError
from picrules.estimators.progress import listen


def main() -> None:
    """Learn, and tell how it goes."""
    asked = json.load(sys.stdin)
    out = sys.stdout
    printed = io.StringIO()

    def tell(**told: Any) -> None:
        print(json.dumps(told), file=out, flush=True)

    try:
        with listen(lambda share, doing: tell(share=share, doing=doing)), redirect_stdout(printed):
            learning = Learning(**asked["learning"])
            fit.run(
                [asked["data"]], model=asked["model"], learning=learning, reading=Reading(),
                as_json=True,
            )  # fmt: skip
    except typer.BadParameter as error:
        tell(problem=error.message)
    except (PicrulesError, MemoryError, OSError) as error:
        tell(problem=str(error) or type(error).__name__)
    else:
        tell(summary=json.loads(printed.getvalue()))


if __name__ == "__main__":
    main()
