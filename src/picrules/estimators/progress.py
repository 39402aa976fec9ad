"""A progress bar on stderr for long work."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def show_progress(
    total: int, what: str, *, is_shown: bool
) -> Iterator[Callable[[float], None] | None]:
    """Show a bar while the block runs, and give it a function to report shares of the work.

    `total` is how much the whole work is, counted in `what`. If nothing is shown, the block gets
    None.
    """
    if not is_shown:
        yield None
        return
    from rich import progress as bars  # noqa: PLC0415  (loaded when first used)
    from rich.console import Console  # noqa: PLC0415

    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TextColumn("{task.fields[rate]}"),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(what, total=total, rate="")
        done = 0.0

        def report(share: float) -> None:
            nonlocal done
            done += share * total
            speed = progress.tasks[task].speed or 0
            progress.update(task, completed=min(int(done), total), rate=f"{speed:,.0f} {what}/s")

        yield report
        progress.update(task, completed=total)
