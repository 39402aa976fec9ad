"""How far long work is: told to who listens, or shown as a bar on stderr."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Is told the share of the work that is done; what it raises stops the work.
Listener: TypeAlias = "Callable[[float], None]"

_listener: ContextVar[Listener | None] = ContextVar("_listener", default=None)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Let somebody else than a person at a terminal know how far the work of the block is."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def show_progress(
    total: int, what: str, *, is_shown: bool
) -> Iterator[Callable[[float], None] | None]:
    """Show a bar while the block runs, and give it a function to report shares of the work.

    `total` is how much the whole work is, counted in `what`. If somebody listens, they are told
    instead; if nothing is shown, the block gets None.
    """
    listener = _listener.get()
    if listener is not None:
        yield _add_up(listener)
        listener(1.0)
        return
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


def _add_up(listener: Listener) -> Callable[[float], None]:
    done = 0.0

    def report(share: float) -> None:
        nonlocal done
        done += share
        listener(min(done, 1.0))

    return report
