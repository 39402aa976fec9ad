"""How far long work is: told to who listens, or shown as a bar on stderr."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Is told the share of the work that is done, and what is being done where that is known; what it
# raises stops the work.
Listener: TypeAlias = "Callable[[float, str], None]"


class Telling(Protocol):
    """Takes the share of the work that was done since the last time."""

    def __call__(self, share: float, doing: str = "") -> None:
        """Add a share; `doing` is what comes next, where it has a name."""


_listener: ContextVar[Listener | None] = ContextVar("_listener", default=None)


def keep_silent(share: float, doing: str = "") -> None:
    """Tell nobody."""


def part_of(tell: Telling, whole: float) -> Telling:
    """Return what takes the shares of a part of the work, which is such a share of the whole."""

    def tell_part(share: float, doing: str = "") -> None:
        tell(share * whole, doing)

    return tell_part


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Let somebody else than a person at a terminal know how far the work of the block is."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def show_progress(total: int | None, what: str, *, is_shown: bool) -> Iterator[Telling | None]:
    """Show a bar while the block runs, and give it a function to report shares of the work.

    `total` is how much the whole work is, counted in `what`; None where it is not counted, and
    `what` says what it is. If somebody listens, they are told instead; if nothing is shown, the
    block gets None.
    """
    listener = _listener.get()
    if listener is not None:
        yield _add_up(listener)
        listener(1.0, "")
        return
    if not is_shown:
        yield None
        return
    from rich import progress as bars  # noqa: PLC0415  (loaded when first used)
    from rich.console import Console  # noqa: PLC0415

    counted = (bars.MofNCompleteColumn(), bars.TextColumn("{task.fields[rate]}"))
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        *((bars.TaskProgressColumn(),) if total is None else counted),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=Console(stderr=True)) as progress:
        n_steps = total or 1000
        task = progress.add_task(what, total=n_steps, rate="")
        done = 0.0

        def report(share: float, doing: str = "") -> None:
            nonlocal done
            done += share * n_steps
            speed = progress.tasks[task].speed or 0
            progress.update(
                task, completed=min(int(done), n_steps), rate=f"{speed:,.0f} {what}/s",
                description=f"{what}: {doing}" if doing else None,
            )  # fmt: skip

        yield report
        progress.update(task, completed=n_steps)


def _add_up(listener: Listener) -> Telling:
    done, now = 0.0, ""

    def report(share: float, doing: str = "") -> None:
        nonlocal done, now
        done, now = done + share, doing or now
        listener(min(done, 1.0), now)

    return report
